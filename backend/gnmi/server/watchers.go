package server

import "sync"

// After every Set and every call of [Server.Changed] the watchers are woken: the streams that
// have subscriptions on change.

// watchers are the subscribers that wait for changes. The zero watchers are none.
type watchers struct {
	mu    sync.Mutex
	all   map[chan struct{}]bool
	count int // number of changes
}

// add adds a watcher. It returns a channel that gets a message after changes, and the
// function that removes the watcher. The channel has one place, so that several changes
// before it is read are one message. A caller adds itself before it reads the switch for
// the first time: a change between the two would be missed otherwise.
func (w *watchers) add() (changed <-chan struct{}, remove func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[chan struct{}]bool{}
	}
	w.all[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, c)
	}
}

// wake sends a message to every watcher. It never waits: a watcher that has not taken the message before gets no second
// one, and loses nothing by it, because it reads the present state of the switch when it takes the message. So a slow
// subscriber delays neither a Set nor another subscriber.
func (w *watchers) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	for c := range w.all {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// changes returns the number of changes.
func (w *watchers) changes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}
