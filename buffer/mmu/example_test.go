package mmu_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Two lossless groups share a pool under a dynamic threshold with an alpha of 1. Each may hold as many shared cells as
// are free, which is a third of the pool. The packets that find no shared cells go to headroom.
func Example() {
	lossless := mmu.Group{Limit: thresholds.Dynamic(0), Lossless: true, Headroom: 10,
		XON: thresholds.XON{Offset: 5}}
	m, err := mmu.New(mmu.Config{Cell: 256, Pools: []mmu.Pool{{Shared: 90}},
		Groups: []mmu.Group{lossless, lossless}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 100 {
		packet := mmu.Packet{Group: i % 2, Bytes: 256}
		switch v := m.Arrive(packet); {
		case v.XOFF:
			fmt.Printf("packet %d: group %d sends XOFF\n", i, packet.Group)
		case v.Drop != mmu.CauseNone:
			fmt.Printf("packet %d: group %d drops it: %v\n", i, packet.Group, v.Drop)
			return
		}
	}
	// Output:
	// packet 60: group 0 sends XOFF
	// packet 61: group 1 sends XOFF
	// packet 80: group 0 drops it: headroom full
}
