package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Reverie judges a member not by what it holds but by a low-pass filtered value
// of that, so that a short burst does not send XOFF:
//
//	admit while f <= T,  T = alpha * (B - Q) / n,  f' = gamma*f + (1-gamma)*q
//
// alpha and n are those of [ABM], as is the treatment of a Limit that is not
// dynamic. The MMU has no clock: f takes one step with every packet that arrives
// for the member, before it is judged, and with every one that leaves, after.
// Filtered by packets it would still be high when the member has nothing left
// that could leave, and a paused group would stay so: a member is therefore
// judged by the lower of f and q, and the filter delays XOFF, never XON. All of
// this paragraph is this project's choice.
//
// Source: Addanki, Bai, Schmid, Apostolaki: Reverie (NSDI 2024), and the
// authors' ns3-datacenter, with gamma from 0.99 to 0.999.
type Reverie struct {
	// Gamma is how much of the old value a step keeps, in thousandths, 0 to
	// 1000; 0 does not filter. What is beyond counts as its nearest end.
	Gamma int
}

// Limit returns what the member may hold so that the judged value is at T: T,
// and what its use is above the filtered one.
func (Reverie) Limit(s Share) cells.Count {
	if s.Limit.Mode() != thresholds.DynamicLimit {
		return s.Limit.AtPort(s.Free, s.PortUsed)
	}
	t := scaled(s.Free, s.Limit.Alpha(), 1, int64(max(s.Busy, 1)))
	return plus(t, max(s.Used-cells.Count(s.Smooth/SmoothScale), 0))
}

// Smooth takes one step of the filter, in integers: it comes within a cell
// of a use that stays the same, and rests there.
func (p Reverie) Smooth(smooth int64, used cells.Count) int64 {
	return smooth + (int64(used)*SmoothScale-smooth)*int64(1000-min(max(p.Gamma, 0), 1000))/1000
}

// String names the policy.
func (p Reverie) String() string { return fmt.Sprintf("reverie, gamma %d/1000", p.Gamma) }
