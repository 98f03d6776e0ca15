package effort

import (
	"context"
	"testing"
)

// Looks is a context that counts how often it is looked at, so that a test of work that must end with its context asks
// no clock.
type Looks struct {
	context.Context
	Most  int // the context has ended after so many looks; below 0: it never ends
	Count int // looks so far
}

// NewLooks returns a context that ends after most looks; below 0: never.
func NewLooks(t testing.TB, most int) *Looks { return &Looks{Context: t.Context(), Most: most} }

// Err counts a look, and returns [context.Canceled] after Most of them.
func (l *Looks) Err() error {
	if l.Count++; l.Most >= 0 && l.Count > l.Most {
		return context.Canceled
	}
	return nil
}
