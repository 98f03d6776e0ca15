package pg

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Gate is the XOFF/XON state of one lossless group. The zero Gate is open: the
// group has not sent XOFF, or has taken it back. A Gate has no clock and sends
// nothing: it says what should be sent.
type Gate struct {
	closed bool
	atXOFF cells.Count
}

// Refused tells the gate that the shared pool has no room for the group, and
// the group's limit at that moment in cells. It returns true if XOFF must be
// sent: at the first refusal only. Further refusals neither send it again nor
// move the limit that a latched rule remembers.
func (g *Gate) Refused(limit cells.Count) (xoff bool) {
	if g.closed {
		return false
	}
	g.closed, g.atXOFF = true, limit
	return true
}

// Released tells the gate what the group holds after cells were given back, or
// after its limit rose, and returns true if XON must be sent. The limit at XOFF
// is the gate's own; now.AtXOFF is not read. An open gate never sends XON.
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

// Paused tells whether the last thing sent was XOFF. As long as it holds, the
// caller sends XOFF again before the pause runs out: see [Refresh].
func (g Gate) Paused() bool { return g.closed }

// AtXOFF returns the limit in cells at which XOFF was sent; 0 while open.
func (g Gate) AtXOFF() cells.Count { return g.atXOFF }

// Refresh returns how long after an XOFF of so many quanta, 1 to 65535, a gate
// that is still closed has to send it again: [pfc.RefreshAfter], half of the
// pause. Zero quanta are XON and give 0.
func Refresh(quanta uint16, rate unit.BitRate) unit.Time { return pfc.RefreshAfter(quanta, rate) }
