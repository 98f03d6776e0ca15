package ecn_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/thresholds/ecn"
)

// A pool of 13,071 cells under a dynamic threshold with an alpha of 1. Each group pauses earlier the more groups are
// congested, while the queue's kmin stays. So a queue that marks first when one group is congested can pause first when
// many are.
func Example() {
	check := ecn.Check{Sharing: ecn.Sharing{Pool: 13071}, Cell: 208, KMin: 250_000}
	if err := check.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	for _, groups := range []int{1, 9, 10, 30} {
		fmt.Printf("%d congested: pause at %v, marks first: %t\n", groups, check.PauseThreshold(groups),
			check.MarksFirst(groups))
	}
	fmt.Println("holds up to", check.MaxCongested(), "groups")
	// Output:
	// 1 congested: pause at 1359384B, marks first: true
	// 9 congested: pause at 271876B, marks first: true
	// 10 congested: pause at 247160B, marks first: false
	// 30 congested: pause at 87702B, marks first: false
	// holds up to 9 groups
}
