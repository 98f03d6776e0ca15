package cbfc_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The credits of a link of 400G over 300 m, with frames of 4096 bytes.
func Example() {
	link := thresholds.Link{Rate: 400 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	memory := thresholds.Memory{Cell: 254, Overhead: 40}
	s, err := cbfc.Size(cbfc.Channel{Link: link, Memory: memory, Frame: 4096})
	if err != nil {
		panic(err)
	}
	for _, t := range s.Terms {
		fmt.Printf("%-30s %7d\n", t.Name, t.BitTimes)
	}
	fmt.Printf("%d bit times, %d frames, %d credits, %d cells\n", s.BitTimes, s.Frames, s.Credits, s.Cells)
	// Output:
	// frame                            32928
	// cable, frame                    600000
	// end that pauses                 463360
	// frame leaves the buffer          32928
	// spacing of CF_Updates            51199
	// frame of the other direction     73888
	// CF_Update                           64
	// cable, CF_Update                600000
	// sender response                 463360
	// 2317727 bit times, 71 frames, 1207 credits, 1207 cells
}
