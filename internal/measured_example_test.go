package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/measured"
)

func Example_measured() {
	text := "fills: [{packet: 64B, groups: 4, order: in-turn, xoff: [20036, 10021, 5014, 2510]}]"
	f, err := measured.Read("probes.yaml", []byte(text), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := calibrate.Calibrate(f.Measurements, f.Known)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := r.Parameter(calibrate.DynamicTh, "")
	fmt.Println(f.Fills[0].From, p.Value())
	// Output: probes.yaml:1 0 (alpha 1)
}
