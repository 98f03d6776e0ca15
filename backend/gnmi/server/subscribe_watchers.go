package server

import (
	"context"
	"sync"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// watchers are the subscribers that want to be woken when something changes.
// The zero watchers are nobody.
type watchers struct {
	mu    sync.Mutex
	all   map[chan struct{}]bool
	count int // of changes
}

// add returns a channel of one place that is filled at every change, and what
// ends that. Changes that come before the channel is looked at are one.
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

// wake never waits.
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

// changes is how often something has changed.
func (w *watchers) changes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// cachedLeaves is what all who are woken by a change are shown: the switch is read once
// for them together.
type cachedLeaves struct {
	count int // of changes when it was read
	all   []leaf
}

// leavesSinceChange reads the switch, or returns what was read since the last change.
func (s *Server) leavesSinceChange(ctx context.Context) ([]leaf, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	count := s.watchers.changes()
	if s.cached != nil && s.cached.count == count {
		return s.cached.all, nil
	}
	tree, err := s.treeLocked(ctx, gpb.GetRequest_ALL)
	if err != nil {
		return nil, err
	}
	s.cached = &cachedLeaves{count, leavesOf(tree, &gpb.Path{})}
	return s.cached.all, nil
}
