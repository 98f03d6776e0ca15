package behaviour_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// With the same limits, the reference and Broadcom's XGS chips pause and resume at different packets. An XGS chip
// pauses with the packet that fills the shared part. It measures the XON offset from the limit at XOFF, while the
// reference measures it from the present limit, which rises as the group gives back cells.
func Example() {
	xgs, _ := behaviour.Lookup("xgs")
	for _, family := range []behaviour.Family{{Name: "reference"}, xgs} {
		m, err := mmu.New(mmu.Config{Cell: 208, Rule: family.Rule, Pools: []mmu.Pool{{Shared: 100}},
			Groups: []mmu.Group{{Limit: thresholds.Dynamic(0), Lossless: true, Headroom: 50,
				XON: thresholds.XON{Offset: 10, Latched: family.Latched}}}})
		if err != nil {
			fmt.Println(err)
			return
		}
		packet := mmu.Packet{Bytes: 64}
		for n := 1; ; n++ {
			if m.Arrive(packet).XOFF {
				fmt.Printf("%s: XOFF with packet %d", family.Name, n)
				break
			}
		}
		left := cells.Count(1)
		for ; !m.Leave(packet).XON; left++ {
		}
		fmt.Println(", XON after", left, "have left")
	}
	// Output:
	// reference: XOFF with packet 51, XON after 6 have left
	// xgs: XOFF with packet 50, XON after 11 have left
}
