package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Policy decides how a pool is divided: it returns how many shared cells a
// group or an egress queue may hold now. A policy has no state; everything that
// it may use is in the [Share]. It need not consider the size of the pool,
// because the MMU never admits more cells than the pool has. A new policy is a
// type with two methods, in this package or another: see the example.
type Policy interface {
	// Limit returns the number of shared cells that the member may hold. A
	// negative number counts as 0.
	Limit(Share) cells.Count
	// String returns the name of the policy.
	String() string
}

// Share is the situation in which a policy decides, in cells.
type Share struct {
	Pool     cells.Count      // shared cells of the pool
	Free     cells.Count      // of these, not in use; under Rule.LimitAfter without the packet's
	Used     cells.Count      // shared cells of the member
	PortUsed cells.Count      // shared cells of its port in this pool; 0 if the port has no account
	Limit    thresholds.Limit // the member's own limit
	Members  int              // groups or queues of the pool

	// Busy is the number of members of its priority that hold shared cells of
	// the pool. The member itself always counts.
	Busy int
}

// fixedRule is a Policy that equals one thresholds.Limit for each member, as
// long as the number of members stays the same. The MMU reads the rule once and
// does not call Limit for every packet, which is faster. Rule and Limit must
// agree.
type fixedRule interface {
	Policy
	// Rule returns the limit of a member whose own limit is given.
	Rule(own thresholds.Limit, pool cells.Count, members int) thresholds.Limit
}

// DynamicThreshold gives every member 2^Alpha times the free cells of the pool,
// and ignores the members' own limits (Choudhury and Hahne 1998).
type DynamicThreshold struct{ Alpha thresholds.Alpha }

// Limit returns floor(2^Alpha * free).
func (p DynamicThreshold) Limit(s Share) cells.Count { return thresholds.Dynamic(p.Alpha).At(s.Free) }

// Rule returns a dynamic limit.
func (p DynamicThreshold) Rule(thresholds.Limit, cells.Count, int) thresholds.Limit {
	return thresholds.Dynamic(p.Alpha)
}

// String returns the name of the policy.
func (p DynamicThreshold) String() string { return "dynamic threshold " + p.Alpha.String() }

// StaticThreshold gives every member the same number of cells. The sum over all
// members may exceed the pool.
type StaticThreshold struct{ Cells cells.Count }

// Limit returns the number of cells.
func (p StaticThreshold) Limit(Share) cells.Count { return p.Cells }

// Rule returns a static limit.
func (p StaticThreshold) Rule(thresholds.Limit, cells.Count, int) thresholds.Limit {
	return thresholds.Static(p.Cells)
}

// String returns the name of the policy.
func (p StaticThreshold) String() string { return "static threshold" }

// CompleteSharing has no limits: one member can take the whole pool.
type CompleteSharing struct{}

// Limit returns no limit.
func (CompleteSharing) Limit(Share) cells.Count { return thresholds.NoLimit }

// Rule returns no limit.
func (CompleteSharing) Rule(thresholds.Limit, cells.Count, int) thresholds.Limit {
	return thresholds.Unlimited()
}

// String returns the name of the policy.
func (CompleteSharing) String() string { return "complete sharing" }

// CompletePartition divides the pool evenly among its members. No member can
// starve another, and cells that one does not use stay unused.
type CompletePartition struct{}

// Limit returns the pool's cells divided by the number of members, rounded
// down.
func (CompletePartition) Limit(s Share) cells.Count { return s.Pool / cells.Count(max(s.Members, 1)) }

// Rule returns a static limit.
func (p CompletePartition) Rule(_ thresholds.Limit, pool cells.Count, members int) thresholds.Limit {
	return thresholds.Static(p.Limit(Share{Pool: pool, Members: members}))
}

// String returns the name of the policy.
func (CompletePartition) String() string { return "complete partition" }
