package calibrate_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/calibrate"
)

// A tester fills 21 groups, each to its first drop before the next one, and notes five of them. The measurements are
// those of sonic-mgmt's design document for an Arista 7260CX3.
func Example() {
	fill := calibrate.Fill{From: "design document", Packet: 64, Groups: 21, InTurn: true, ToDrop: true}
	for _, x := range []struct {
		group      int
		xoff, drop int64
	}{{1, 20036, 20523}, {2, 10021, 10508}, {19, 6, 493}, {20, 6, 181}, {21, 6, 7}} {
		fill.Readings = append(fill.Readings,
			calibrate.FillReading{Group: x.group - 1, What: calibrate.XOFF, Is: calibrate.Exactly(x.xoff)},
			calibrate.FillReading{Group: x.group - 1, What: calibrate.Drop, Is: calibrate.Exactly(x.drop)})
	}
	m := calibrate.Measurements{Fills: []calibrate.Fill{fill}}
	r, err := calibrate.Calibrate(m, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Parameters {
		if p.Measured() {
			fmt.Println(p.Name, p.Value())
		}
	}
	// Output:
	// shared_cells 40,059 to 40,061
	// reserved_cells 6
	// dynamic_th 0 (alpha 1)
	// xoff_rule full
	// headroom_pool_cells 9,408
	// headroom_cells 486
}
