package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// Example plans one port of the small switch.
func Example_smallswitch() {
	plan, err := buffer.New(smallswitch.Intent("Ethernet1/1"))
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Err() == nil, plan.Layout()[0])
	// Output: true slice 0 shared pool 18240 cells
}
