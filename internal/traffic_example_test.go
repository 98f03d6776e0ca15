package internal_test

import (
	"context"
	"fmt"
	"os"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/traffic"
	"github.com/cellwarden/cellwarden/unit"
)

// Sixteen hosts send to one through a switch that a plan has laid out. A client reads the
// counter of the queue of the receiver's port.
func Example_traffic() {
	const file = "../examples/scenarios/planned-switch.yaml"
	data, err := os.ReadFile(file)
	check(err)
	s, err := scenario.Read(file, data, os.ReadFile)
	check(err)
	asic, err := s.Attach("s1")
	check(err)
	sw, err := traffic.New(asic, s.Until, server.Options{})
	check(err)

	ctx := context.Background()
	sent := ygot.MustStringToPath("/qos/interfaces/interface[interface-id=Ethernet1/17]" +
		"/output/queues/queue[name=3]/state/transmit-pkts")
	for range 3 {
		answer, err := sw.Get(ctx, &gpb.GetRequest{Path: []*gpb.Path{sent}})
		check(err)
		fmt.Printf("%v: %s frames\n", sw.Now(), answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonVal())
		done, err := sw.Advance(ctx, 50*unit.Microsecond)
		check(err)
		if done {
			fmt.Println("the simulation is over")
		}
	}
	// Output:
	// 0ps: 0 frames
	// 50us: 568 frames
	// 100us: 1167 frames
}

// check ends the example at an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
