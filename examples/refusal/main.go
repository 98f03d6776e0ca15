// Command refusal shows what a controller does with a plan that does not fit: it learns which interface got nothing, by
// how much, who holds the cells, and what would make it fit. Nothing has been sent anywhere.
package main

import (
	"errors"
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
	intent := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, // the worst mixture of frames
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, MTU: 4096}}}
	for n := 1; n <= 32; n++ {
		intent.Ports = append(intent.Ports, buffer.Port{
			Name: fmt.Sprintf("Ethernet1/%d", n), Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216})
	}
	plan, err := buffer.New(intent)
	if err != nil {
		log.Fatal(err) // the intent is malformed: every complaint at once
	}
	var refusal *buffer.Refusal
	if !errors.As(plan.Err(), &refusal) {
		fmt.Println("it fits")
		return
	}
	fmt.Println(refusal.Message)
	fmt.Printf("needs %d cells of slice %d, %d are available, %d short\n", refusal.Needed, refusal.Slice,
		refusal.Available, refusal.Short)
	for _, c := range refusal.Consumers {
		fmt.Printf("held by %s: %d cells (%s)\n", c.Item, c.Cells, c.Ports)
	}
	for _, r := range refusal.Remedies {
		fmt.Println("would do:", r.Text)
	}
}
