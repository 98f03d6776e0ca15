package mmu_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/cellwarden/cellwarden/cells"
)

// halfOfFair is a policy outside the package: each member that holds cells gets half of an even share.
type halfOfFair struct{}

// Limit divides the pool by twice the members in use.
func (halfOfFair) Limit(s mmu.Share) cells.Count { return s.Pool / cells.Count(2*s.Busy) }

// String names the policy.
func (halfOfFair) String() string { return "half of fair" }

func ExamplePolicy() {
	m, err := mmu.New(mmu.Config{Cell: 64, Pools: []mmu.Pool{{Shared: 120, Policy: halfOfFair{}}},
		Groups: make([]mmu.Group, 3)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for g := range 3 {
		for m.Arrive(mmu.Packet{Group: g, Bytes: 64}).Drop == mmu.CauseNone {
		}
		fmt.Println("group", g, "holds", m.GroupState(0, g).Held.Shared)
	}
	// Output:
	// group 0 holds 60
	// group 1 holds 30
	// group 2 holds 20
}
