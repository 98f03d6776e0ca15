package sim_test

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The headroom that the standard asks for 300 m is what the worst case fills. It
// is too little as soon as somebody lays a longer cable.
func ExampleVerify() {
	chip, err := asic.Load("tomahawk")
	if err != nil {
		fmt.Println(err)
		return
	}
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: 1248, MTU: 4096}},
		Ports:   []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216}}}
	plan, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cable := range []unit.Length{300 * unit.Metre, 310 * unit.Metre, 100 * unit.Metre} {
		in.Ports[0].Cable = cable
		v, err := sim.Verify(context.Background(), in, plan.Layout(), sim.VerifyOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		g := v.Groups[0]
		fmt.Printf("%v: lossless %v, %d of %d cells, %d frames lost, margin %d m\n", cable, v.Lossless, g.Peak,
			g.Granted, v.Drops, g.MarginMetres)
	}
	// Output:
	// 300m: lossless true, 1670 of 1670 cells, 0 frames lost, margin 0 m
	// 310m: lossless false, 1670 of 1670 cells, 20 frames lost, margin -11 m
	// 100m: lossless true, 1280 of 1670 cells, 0 frames lost, margin 199 m
}
