package hwsku_test

import (
	"fmt"
	"log"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/hwsku"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/topology"
)

// The headroom table of a folder: rows for the cable of the plan, at its speed and at those of a breakout.
func ExampleOf() {
	const text = `
chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true, mtu: 4096B}]
ports: [{range: "Ethernet0-124/4", speed: 100G, cable: 40m}]
`
	in, err := topology.Parse("leaf.yaml", []byte(text), nil)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := buffer.New(in)
	if err != nil {
		log.Fatal(err)
	}
	folder, err := hwsku.Of(nos.Plan{Intent: in, Layout: plan.Layout()}, hwsku.Options{Topologies: []string{"t0"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range folder.Files {
		if f.Name == "pg_profile_lookup.ini" {
			fmt.Printf("%s", f.Content)
		}
	}
	// Output:
	// # PG lossless profiles.
	// # speed  cable  size    xon  xoff    threshold  xon_offset
	// 25000    40m    66976   0    66976   0          8320
	// 40000    40m    81120   0    81120   0          8320
	// 50000    40m    91728   0    91728   0          8320
	// 100000   40m    177632  0    177632  0          8320
}
