// Command verify plans a switch and runs the worst case through the simulator: with the cables for which it was
// planned, and with one cable that is longer by mistake.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

func main() {
	chip, err := asic.Load("tomahawk")
	if err != nil {
		log.Fatal(err)
	}
	intent := buffer.Intent{
		Chip:   chip,
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248),
			MTU: 4096}},
	}
	for n := 1; n <= 16; n++ {
		intent.Ports = append(intent.Ports, buffer.Port{
			Name: fmt.Sprintf("Ethernet%d", n), Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216})
	}
	plan, err := buffer.New(intent)
	if err != nil {
		log.Fatal(err)
	}
	show(intent, plan)
	intent.Ports[6].Cable = 2 * unit.Kilometre
	show(intent, plan)
}

// show verifies the plan with the intent's cables, and prints the tightest group.
func show(intent buffer.Intent, plan *buffer.Plan) {
	v, err := sim.Verify(context.Background(), intent, plan.Layout(), sim.VerifyOptions{})
	if err != nil {
		log.Fatal(err)
	}
	tightest := v.Groups[0]
	for _, g := range v.Groups {
		if g.Margin < tightest.Margin {
			tightest = g
		}
	}
	fmt.Println("lossless:", v.Lossless, "- frames lost:", v.Drops)
	fmt.Printf("%s group %d over %v: %d of %d cells used, needs %d, margin %d m\n",
		tightest.Port, tightest.Group, tightest.Cable, tightest.Peak, tightest.Granted, tightest.FirstDropBelow,
		tightest.MarginMetres)
}
