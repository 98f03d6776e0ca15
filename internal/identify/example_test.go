package identify_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
)

// What is read of a switch cuts what is known of it before.
func Example() {
	var o identify.Options
	o.Known[rules.Shared], o.Known[rules.Cell] = rules.Span{Lo: 900, Hi: 1100}, rules.Span{Lo: 208, Hi: 208}
	o.Known[rules.Pool] = rules.Span{Lo: identify.Far, Hi: identify.Far}
	o.Ports, o.Dsts, o.PGs, o.Work = []int{0}, []int{100}, []int{3}, identify.Work
	e := identify.New(o)
	stop := e.Learn([]identify.Session{{{PG: 3, Dst: 100, Packets: 800, Length: 64, Accepted: rules.Span{Lo: 500, Hi: 500}}}})
	left := e.Result(stop).Rules
	is := left[0].Box
	for i := range left {
		is.Join(&left[i].Box)
	}
	fmt.Println(len(left), "rules, and a pool of", is.Lo[rules.Shared], "to", is.Hi[rules.Shared])
	// Output: 6 rules, and a pool of 999 to 1001
}
