// Command apply brings a plan to a simulated ASIC, twice: the second time there is nothing to do. A real switch is
// driven the same way, with a backend of package gnmi in the place of the simulated one.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

func main() {
	const file = "examples/arista-7060cx-32s.yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err) // run it from the root of the repository
	}
	intent, err := topology.Parse(file, data, os.ReadFile)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := buffer.New(intent)
	if err != nil {
		log.Fatal(err)
	}
	if err := plan.Err(); err != nil {
		log.Fatal(err)
	}
	device, err := sim.New(intent.Chip, sim.Ports(intent)...)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		report, err := backend.Converge(context.Background(), device, plan.Layout(), backend.Options{})
		if err != nil {
			log.Fatalf("%s: %v", report.State, err)
		}
		fmt.Printf("%s: %s, %d steps\n", report.Device, report.State, len(report.Steps))
	}
}
