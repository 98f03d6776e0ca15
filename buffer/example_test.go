package buffer_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// From an intent to the steps that bring a switch to it: plan, see whether it fits, compare the registers that it needs
// with those that the switch has, and prove that no step on the way takes more cells than there are.
func Example() {
	intent := dedicated(2, 40*unit.Metre)
	intent.Classes = intent.Classes[:1]
	plan, err := buffer.New(intent)
	if err != nil {
		fmt.Println("the intent is malformed:", err)
		return
	}
	if !plan.Fits {
		fmt.Println("refused:", plan.Err())
		return
	}
	want := plan.Layout()
	have := buffer.Layout{} // of a switch that has no configuration yet
	steps := buffer.Diff(have, want)
	if err := buffer.CheckTransition(intent.Chip, intent.Pipes(), have, want); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(want), "registers,", len(steps), "steps")
	for _, phase := range buffer.Phases(steps) {
		fmt.Printf("%-7v %2d steps, the first: %v\n", phase[0].Phase(), len(phase), phase[0])
	}
	// Output:
	// 36 registers, 36 steps
	// move    20 steps, the first: Ethernet1/1 group 3 alpha unset -> 2^0
	// grow    12 steps, the first: slice 0 shared pool 0 cells -> 17827 cells
	// resume   4 steps, the first: Ethernet1/1 group 3 lossless no -> yes
}

// A controller keeps a Manager and asks it for one port at a time.
func ExampleManager() {
	intent := dedicated(0, 0)
	m, err := buffer.NewManager(intent)
	if err != nil {
		fmt.Println(err)
		return
	}
	near, far := ports(2, 40*unit.Metre)[0], ports(2, 200*unit.Kilometre)[1]
	fmt.Println(m.Admit(near))
	fmt.Println(m.Admit(far))
	fmt.Println(m.Len(), "port is admitted")
	// Output:
	// <nil>
	// ingress buffer allocation failed for interface Ethernet1/2: group 3 needs 391,715 cells in slice 2 and has 20,165: 371,550 short
	// 1 port is admitted
}
