// Command plan is the shortest way from a wish to numbers: 32 ports of a
// Tomahawk with two lossless priorities over 40 m, and where the cells go.
package main

import (
	"fmt"
	"log"

	"github.com/cellwarden/cellwarden/asic"
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
		Sizing: thresholds.IEEE{Mix: thresholds.Frames(1024)},
		Pool:   buffer.Pool{SharedHeadroom: 4 * unit.MiB},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248), MTU: 4096},
			{Name: "best-effort", Priorities: []int{0, 1, 2, 5, 6, 7}, Alpha: new(thresholds.Alpha(3))},
		},
	}
	for n := 1; n <= 32; n++ {
		intent.Ports = append(intent.Ports, buffer.Port{
			Name: fmt.Sprintf("Ethernet1/%d", n), Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre, MTU: 9216})
	}
	plan, err := buffer.New(intent)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("fits:", plan.Fits, "- headroom oversubscribed", plan.Shared.Ratio)
	for _, row := range plan.Bill {
		fmt.Printf("%-22s %3d x %6d = %6d cells\n", row.Item, row.Count, row.Each, row.Cells)
	}
}
