package pg

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Gate is the XOFF/XON state of a lossless group. The zero Gate is open: the group is not paused. A Gate has no clock
// and sends nothing; it returns what must be sent.
type Gate struct {
	closed bool
	atXOFF cells.Count
}

// Refused tells the gate that the shared pool has no room for the group, and the group's limit in cells at that moment.
// It returns true if XOFF must be sent, which is at the first refusal only. Later refusals do not change the limit that
// a latched rule uses.
func (g *Gate) Refused(limit cells.Count) (xoff bool) {
	if g.closed {
		return false
	}
	g.closed, g.atXOFF = true, limit
	return true
}

// Released tells the gate what the group holds after cells were given back or its limit rose. It returns true if XON
// must be sent. The limit at XOFF is the gate's own; now.AtXOFF is ignored. An open gate never sends XON.
func (g *Gate) Released(rule thresholds.XON, now thresholds.Paused) (xon bool) {
	if !g.closed {
		return false
	}
	now.AtXOFF = g.atXOFF
	if !rule.Resumes(now) {
		return false
	}
	*g = Gate{}
	return true
}

// Paused tells whether XOFF was the last signal. While it is true, the caller
// sends XOFF again before the pause expires: see [pfc.RefreshAfter].
func (g Gate) Paused() bool { return g.closed }

// AtXOFF returns the limit in cells at the time of XOFF; 0 while the gate is open.
func (g Gate) AtXOFF() cells.Count { return g.atXOFF }
