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

// A write that needs more cells than the chip has is refused, and the registers stay as they were.
func Example() {
	chip := buffer.Chip{Name: "test chip", Cell: 256, Groups: 8, Slices: []buffer.Slice{{Cells: 1000}}}
	asic, err := sim.New(chip)
	if err != nil {
		fmt.Println(err)
		return
	}
	write := func(kind buffer.Kind, to int64) {
		group := buffer.Register{Kind: kind, Port: "Ethernet1", Index: 3}
		if err := asic.Apply(context.Background(), []buffer.Step{{Register: group, To: to}}); err != nil {
			fmt.Println(err)
		}
	}
	write(buffer.GroupReserved, 900)
	write(buffer.GroupHeadroom, 101)
	fmt.Print(asic)
	// Output:
	// the device refused: ingress buffer allocation failed for interface Ethernet1: group 3 needs 101 cells in slice 0 and has 100: 1 short
	// simulated test chip: 1 slices, 1000 cells of 256 bytes
	// Ethernet1 group 3 reserved 900 cells
}

// The worst case fills exactly the headroom that the standard computes for 300 m
// of cable. With a longer cable frames are lost.
func ExampleVerify() {
	chip, err := asic.Load("tomahawk")
	if err != nil {
		fmt.Println(err)
		return
	}
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248),
			MTU: 4096}},
		Ports: []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216}}}
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
	// 300m: lossless true, 1248 of 1248 cells, 0 frames lost, margin 0 m
	// 310m: lossless false, 1247 of 1248 cells, 8 frames lost, margin -10 m
	// 100m: lossless true, 945 of 1248 cells, 0 frames lost, margin 200 m
}
