package ets_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
)

// Two groups with two levels, on a switch that has one.
func Example() {
	groups := []ets.Group{
		{Number: 0, Name: "lan", Selection: dcbx.Enhanced, Bandwidth: 40},
		{Number: 1, Name: "san", Selection: dcbx.Enhanced, Bandwidth: 60},
		{Number: dcbx.StrictGroup, Name: "ipc", Selection: dcbx.Strict},
	}
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 1, Weight: 2}, {Priority: 4, Group: 1, Weight: 1},
		{Priority: 7, Group: dcbx.StrictGroup}}
	s, err := ets.NewSchedule(groups, queues)
	if err != nil {
		fmt.Println(err)
		return
	}
	flat := s.Flatten(ets.Weights)
	for _, t := range flat.Turns {
		if t.Strict {
			fmt.Printf("queue %d strict\n", t.Priority)
			continue
		}
		fmt.Printf("queue %d weight %d: %v asked, %v got\n", t.Priority, t.Rounded.Number, t.Rounded.Asked.Percent(),
			t.Rounded.Got.Percent())
	}
	for _, l := range flat.Losses {
		fmt.Println("lost:", l.Text)
	}
	// Output:
	// queue 0 weight 40: 40% asked, 40% got
	// queue 3 weight 40: 40% asked, 40% got
	// queue 4 weight 20: 20% asked, 20% got
	// queue 7 strict
	// lost: bandwidth that a queue does not use goes to the queues of all groups, and not first to those of its group
}
