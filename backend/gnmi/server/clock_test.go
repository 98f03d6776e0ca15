package server_test

import (
	"slices"
	"sync"
	"time"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
)

// hand is a clock that a test moves by hand.
type hand struct {
	mu      sync.Mutex
	now     time.Time
	waiting []*alarm
	set     chan time.Duration // each timer that is set, if anybody listens
}

type alarm struct {
	*hand
	at   time.Time
	ring func()
}

// newHand starts at a moment that is easy to recognise.
func newHand() *hand {
	return &hand{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), set: make(chan time.Duration, 10000)}
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hand) AfterFunc(d time.Duration, f func()) server.Timer {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := &alarm{h, h.now.Add(d), f}
	if d > 0 {
		h.waiting = append(h.waiting, a)
	} else {
		go f()
	}
	select {
	case h.set <- d:
	default:
	}
	return a
}

func (a *alarm) Stop() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := slices.Index(a.waiting, a)
	if n >= 0 {
		a.waiting = slices.Delete(a.waiting, n, n+1)
	}
	return n >= 0
}

// advance moves the clock and rings what is due, one after the other.
func (h *hand) advance(d time.Duration) {
	h.mu.Lock()
	h.now = h.now.Add(d)
	var due []*alarm
	h.waiting = slices.DeleteFunc(h.waiting, func(a *alarm) bool {
		late := !a.at.After(h.now)
		if late {
			due = append(due, a)
		}
		return late
	})
	h.mu.Unlock()
	for _, a := range due {
		a.ring()
	}
}

// await returns once a timer of this length is set.
func (h *hand) await(d time.Duration) {
	for set := range h.set {
		if set == d {
			return
		}
	}
}
