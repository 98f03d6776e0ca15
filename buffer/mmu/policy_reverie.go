package mmu

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Reverie compares a low-pass filtered value of a member's cells with its
// limit, so that a short burst does not cause XOFF:
//
//	admit while f <= T,  T = alpha * (B - Q) / n,  f' = gamma*f + (1-gamma)*q
//
// alpha and n are those of [ABM], also for a Limit that is not dynamic. The MMU
// has no clock, so f takes one step with every packet that arrives for the
// member, before the decision, and one with every packet that leaves,
// afterwards. A value that is filtered by packets can still be high when the
// member has no packet left that could leave, and a paused group would then
// stay paused. So the lower of f and q is compared: the filter delays XOFF and
// never XON. The steps and the lower value are this project's choice.
//
// Source: Addanki, Bai, Schmid, Apostolaki: Reverie (NSDI 2024), and the
// authors' ns3-datacenter, with gamma from 0.99 to 0.999.
type Reverie struct {
	// Gamma is how much of the old value a step keeps, in thousandths, 0 to
	// 1000. 0 does not filter. Values out of range count as the nearest bound.
	Gamma int
}

// Limit returns what the member may hold such that the compared value is at T:
// T plus the excess of its cells over the filtered value.
func (Reverie) Limit(s Share) cells.Count {
	if s.Limit.Mode() != thresholds.DynamicLimit {
		return s.Limit.AtPort(s.Free, s.PortUsed)
	}
	t := scaled(s.Free, s.Limit.Alpha(), 1, int64(max(s.Busy, 1)))
	return plus(t, max(s.Used-cells.Count(s.Smooth/SmoothScale), 0))
}

// Smooth takes one step of the filter, in integers. For a constant use it comes
// within a cell of the use and stays there.
func (p Reverie) Smooth(smooth int64, used cells.Count) int64 {
	return smooth + (int64(used)*SmoothScale-smooth)*int64(1000-min(max(p.Gamma, 0), 1000))/1000
}

// String returns the name of the policy.
func (p Reverie) String() string { return fmt.Sprintf("reverie, gamma %d/1000", p.Gamma) }
