package mmu

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Policy decides how a pool is divided: it returns how many shared cells a group or an egress queue may hold now. A
// policy has no state; everything that it may use is in the [Share]. It need not consider the size of the pool, because
// the MMU never admits more cells than the pool has. A policy is a type with two methods, in any package: see the
// example. What one [thresholds.Limit] for each member can say (a dynamic or a static threshold, complete sharing or a
// partition) needs none, and is faster without: the MMU asks a policy for every packet.
type Policy interface {
	// Limit returns the number of shared cells that the member may hold. A negative number counts as 0.
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

	// Busy is the number of members of its priority that hold shared cells of the pool. The member itself always counts.
	Busy int
}
