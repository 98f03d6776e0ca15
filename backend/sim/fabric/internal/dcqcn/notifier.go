package dcqcn

import "github.com/cellwarden/cellwarden/unit"

// Notifier is DCQCN's notification point, at the receiver. It decides when marked frames are answered with a CNP: the
// first one at once, and those of the interval after a CNP together at its end. The caller sends the CNP and keeps the
// timer.
type Notifier struct {
	over     int64 // end of the interval that the last CNP began
	due      bool  // a marked frame has arrived within the interval
	interval int64
}

// NewNotifier returns a notification point that may send a CNP at once. The interval is the shortest time between two.
func NewNotifier(interval unit.Time) Notifier { return Notifier{interval: int64(interval)} }

// Marked notes a marked frame. It tells whether a CNP is to be sent now; if not, timer is the time at which one is to be
// sent, or 0 if that time is known already.
func (n *Notifier) Marked(now int64) (send bool, timer int64) {
	switch {
	case n.due:
		return false, 0
	case now >= n.over:
		return true, 0
	}
	n.due = true
	return false, n.over
}

// Send begins an interval: a CNP is sent now.
func (n *Notifier) Send(now int64) { n.due, n.over = false, now+n.interval }
