package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Policy decides how a pool is shared: it says how many shared cells a group,
// or an egress queue, may use now. A policy has no state of its own: all it
// knows stands in the [Share]. The pool's end is not its business: the MMU
// never gives more than the pool has. A new policy is one type in one file, of
// this package or another: see the example.
type Policy interface {
	// Limit returns the shared cells that the asking member may hold; below 0
	// counts as 0.
	Limit(Share) cells.Count
	// String names the policy.
	String() string
}

// Share is the moment at which a policy is asked, in cells.
type Share struct {
	Pool     cells.Count      // shared cells of the pool
	Free     cells.Count      // of these not in use; under Rule.LimitAfter less the packet
	Used     cells.Count      // the member's own shared cells
	PortUsed cells.Count      // those of its port in this pool; 0 if the port is not counted
	Limit    thresholds.Limit // the member's own rule
	Members  int              // groups or queues that are bound to the pool

	Busy   int   // those of the member's priority that hold shared cells of the pool; itself counts in any case
	Drain  int64 // part of its port's rate at which the member drains, in 1/DrainFull; see MMU.SetDrain
	Smooth int64 // what a Smoother made of the member's use, in 1/SmoothScale of a cell; 0 under other policies
}

// DrainFull is a member that drains at its port's rate.
const DrainFull = 1 << 16

// SmoothScale is the parts of a cell in which a smoothed use is counted.
const SmoothScale = 1 << 10

// Smoother is a Policy that wants to know a member's use smoothed over packets.
// It keeps no state: the MMU holds the value for it, starts with 0, and takes a
// step with every packet that arrives for a member, before the policy is asked,
// and with every one that leaves, after.
type Smoother interface {
	Policy
	// Smooth returns the value after smooth, now that the use is used cells.
	Smooth(smooth int64, used cells.Count) int64
}

// FixedRule is a Policy that comes to the same as one rule for the member, as long
// as the pool's members stay the same. The MMU reads the rule once, and then need
// not ask with every packet. Rule must say what Limit says.
type FixedRule interface {
	Policy
	// Rule returns the rule for a member with a rule of its own.
	Rule(own thresholds.Limit, pool cells.Count, members int) thresholds.Limit
}

// ByLimit gives each member what its own Limit says: the dynamic threshold
// where that is dynamic, a static one where it is static. It is what a pool
// without a policy does.
type ByLimit struct{}

// Limit reads the member's own rule.
func (ByLimit) Limit(s Share) cells.Count { return s.Limit.AtPort(s.Free, s.PortUsed) }

// Rule is the member's own.
func (ByLimit) Rule(own thresholds.Limit, _ cells.Count, _ int) thresholds.Limit { return own }

// String names the policy.
func (ByLimit) String() string { return "by limit" }

// DynamicThreshold gives every member 2^Alpha times what the pool has left,
// whatever its own Limit is. (Choudhury and Hahne 1998.)
type DynamicThreshold struct{ Alpha thresholds.Alpha }

// Limit returns floor(2^Alpha * free).
func (p DynamicThreshold) Limit(s Share) cells.Count { return thresholds.Dynamic(p.Alpha).At(s.Free) }

// Rule is dynamic.
func (p DynamicThreshold) Rule(thresholds.Limit, cells.Count, int) thresholds.Limit {
	return thresholds.Dynamic(p.Alpha)
}

// String names the policy.
func (p DynamicThreshold) String() string { return "dynamic threshold " + p.Alpha.String() }

// StaticThreshold gives every member the same number of cells. The members'
// limits may add up to more than the pool has.
type StaticThreshold struct{ Cells cells.Count }

// Limit returns the number.
func (p StaticThreshold) Limit(Share) cells.Count { return p.Cells }

// Rule is static.
func (p StaticThreshold) Rule(thresholds.Limit, cells.Count, int) thresholds.Limit {
	return thresholds.Static(p.Cells)
}

// String names the policy.
func (p StaticThreshold) String() string { return "static threshold" }

// CompleteSharing lets anyone take all that is left: one member can starve the
// others.
type CompleteSharing struct{}

// Limit returns no limit.
func (CompleteSharing) Limit(Share) cells.Count { return thresholds.NoLimit }

// Rule is no limit.
func (CompleteSharing) Rule(thresholds.Limit, cells.Count, int) thresholds.Limit {
	return thresholds.Unlimited()
}

// String names the policy.
func (CompleteSharing) String() string { return "complete sharing" }

// CompletePartition divides the pool evenly among its members for good: nobody
// starves, and what one does not use is of no use to the others.
type CompletePartition struct{}

// Limit returns the pool's cells divided by its members, rounded down.
func (CompletePartition) Limit(s Share) cells.Count { return s.Pool / cells.Count(max(s.Members, 1)) }

// Rule is a static part of the pool.
func (p CompletePartition) Rule(_ thresholds.Limit, pool cells.Count, members int) thresholds.Limit {
	return thresholds.Static(p.Limit(Share{Pool: pool, Members: members}))
}

// String names the policy.
func (CompletePartition) String() string { return "complete partition" }
