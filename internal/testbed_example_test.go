package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/thresholds"
)

// A Tomahawk's group pauses with the packet 6,541.
func Example_testbed() {
	p := mmu.Probe{Cell: 208, Slices: 4, Pool: 10875072, Reserved: 1248, Limit: thresholds.Dynamic(0), Headroom: 268736,
		Packet: 64, Rule: mmu.SiliconRule(), Latched: true}
	s, err := testbed.New(&p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int64{6540, 6541} {
		paused, err := s.Check(&testbed.Request{Probe: testbed.XOFF, Src: 1, PG: 3, Dst: new(2), Packets: &n})
		fmt.Println(n, paused, err)
	}
	// Output:
	// 6540 false <nil>
	// 6541 true <nil>
}
