package mmu

import (
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// ABM is active buffer management. A member's limit falls with the number of
// congested members of its priority, and rises with the rate at which it
// drains:
//
//	T = alpha * 1/n * mu/b * (B - Q)
//
// alpha is that of the member's own Limit. A member whose Limit is not dynamic
// has that limit alone. n is [Share.Busy]: a member counts as congested while
// it holds shared cells, because there is no clock to measure for how long.
// mu/b is [Share.Drain], which the caller sets with [MMU.SetDrain] and
// [MMU.SetQueueDrain]. The limit is rounded down once.
//
// Source: Addanki, Apostolaki, Ghobadi, Schmid, Vanbever: ABM (SIGCOMM 2022),
// and the authors' ns3-datacenter. That every member with cells counts as
// congested is this project's choice.
type ABM struct{}

// Limit returns the formula's result.
func (ABM) Limit(s Share) cells.Count {
	if s.Limit.Mode() != thresholds.DynamicLimit {
		return s.Limit.AtPort(s.Free, s.PortUsed)
	}
	return scaled(s.Free, s.Limit.Alpha(), s.Drain, DrainFull*int64(max(s.Busy, 1)))
}

// String returns the name of the policy.
func (ABM) String() string { return "active buffer management" }

// scaled returns floor(2^a * free * num/den) for free up to 2^43, num up to
// 2^20 and a positive den; [thresholds.NoLimit] if the result does not fit.
func scaled(free cells.Count, a thresholds.Alpha, num, den int64) cells.Count {
	n := uint64(max(free, 0)) * uint64(max(num, 0))
	if a <= 0 {
		return cells.Count(n >> min(-int(a), 63) / uint64(den))
	}
	hi, lo := bits.Mul64(n, 1<<min(int(a), 63))
	if hi >= uint64(den) {
		return thresholds.NoLimit
	}
	q, _ := bits.Div64(hi, lo, uint64(den))
	return cells.Count(min(q, math.MaxInt64))
}
