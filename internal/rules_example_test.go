package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// A switch of 100 cells: a group takes half of them at alpha 1, and pauses with the last.
func Example_rules() {
	p := rules.Point{Numbers: rules.Numbers{rules.Shared: 100, rules.Headroom: 10, rules.Cell: 256}}
	s := rules.NewModel(&p)
	s.Hold(9)
	fmt.Printf("%+v\n", s.Send(1, 3, 9, 70, 64))
	// Output: {Stored:60 Leaked:0 Dropped:10 Paused:true XOFF:50 Marks:[50 10 50]}
}
