package traffic_test

import (
	"context"
	"fmt"
	"os"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/backend/traffic"
	"github.com/cellwarden/cellwarden/unit"
)

// Sixteen hosts send to one through a switch that a plan has laid out. A client
// sees the queue of the receiver's port at work. Errors are left out.
func Example() {
	const file = "../../examples/scenarios/planned-switch.yaml"
	data, _ := os.ReadFile(file)
	s, _ := scenario.Read(file, data, os.ReadFile)
	asic, _ := s.Attach("s1")
	sw, _ := traffic.New(asic, s.Until, server.Options{})

	ctx := context.Background()
	sent := ygot.MustStringToPath("/qos/interfaces/interface[interface-id=Ethernet1/17]/output/queues/queue[name=3]/state/transmit-pkts")
	for range 3 {
		a, _ := sw.Get(ctx, &gpb.GetRequest{Path: []*gpb.Path{sent}})
		fmt.Printf("%v: %s frames\n", sw.Now(), a.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonVal())
		_, _ = sw.Advance(ctx, 50*unit.Microsecond)
	}
	// Output:
	// 0ps: 0 frames
	// 50us: 565 frames
	// 100us: 1164 frames
}
