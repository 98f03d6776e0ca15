package server_test

import (
	"context"
	"fmt"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A simulated ASIC of 1000 cells is a gNMI switch. A profile that two ports
// share is made too large for it, and refused as a switch refuses it.
func Example() {
	asic, err := sim.New(buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 1000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := server.New(asic, 208, server.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := func(where, json string) {
		_, err := s.Set(context.Background(), &gpb.SetRequest{Update: []*gpb.Update{{
			Path: ygot.MustStringToPath(where),
			Val:  &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}},
		}}})
		fmt.Println(strings.TrimSpace(fmt.Sprint(status.Code(err), " ", status.Convert(err).Message())))
	}
	set("/qos/queues/queue[name=3]", `{"config":{"name":"3","queue-id":256}}`)
	set("/qos", plan)
	set(dedicated, `"208000"`)
	fmt.Print(asic)
	// Output:
	// InvalidArgument /qos/queues/queue[name=3]/config/queue-id: error parsing 256 for schema queue-id: value 256 falls outside the int range [0, 255]
	// OK
	// ResourceExhausted ingress buffer allocation failed for interface Ethernet1/2: group 3 needs 1,000 cells in slice 0 and has 0: 1,000 short; asked for by /qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config/dedicated-buffer, /qos/interfaces/interface[interface-id=Ethernet1/2]/input/config/buffer-allocation-profile
	// simulated small: 1 slices, 1000 cells of 208 bytes
	// Ethernet1/1 group 3 reserved 5 cells
	// Ethernet1/1 group 3 alpha 2^-3
	// Ethernet1/1 queue 3 ecn kmin 4 cells
	// Ethernet1/1 queue 3 ecn kmax 9 cells
	// Ethernet1/1 queue 3 ecn pmax 5.00%
	// Ethernet1/2 group 3 reserved 5 cells
	// Ethernet1/2 group 3 alpha 2^-3
}
