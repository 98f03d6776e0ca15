package gnmi_test

import (
	"context"
	"fmt"
	"net"

	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/target"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A plan is brought to a switch. The switch is a simulated ASIC that speaks
// gNMI on this machine; a real one differs in its address and in TLS.
func Example() {
	asic, err := sim.New(chip(20000))
	if err != nil {
		fmt.Println(err)
		return
	}
	addr, stop, err := listen(asic)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()

	client, err := gnmi.Dial(addr, gnmi.Options{Cell: 208, Address: "leaf1", Insecure: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	plan, err := buffer.New(intent("Ethernet1/1", "Ethernet1/2"))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := backend.Converge(context.Background(), client, plan.Layout(), backend.Options{})
	fmt.Println(report.Device, report.State, err)
	for _, gap := range report.Gaps {
		fmt.Printf("not sent: %d registers %v\n", gap.Count, gap.Kind)
	}
	// Output:
	// gNMI target leaf1 applied <nil>
	// not sent: 1 registers shared pool
	// not sent: 4 registers group lossless
	// not sent: 4 registers group headroom
	// not sent: 4 registers group xon offset
}

// listen serves an ASIC on a free port of this machine.
func listen(asic *sim.ASIC) (addr string, stop func(), err error) {
	served, err := target.New(asic, asic.Chip().Cell)
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := grpc.NewServer()
	served.Register(server)
	go func() { _ = server.Serve(l) }() // it ends when stopped
	return l.Addr().String(), server.Stop, nil
}

// Group 3 of a port, as the JSON that goes to a switch.
func ExampleEncode() {
	group := func(k buffer.Kind, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: k, Port: "Ethernet1/8", Index: 3}, Value: v}
	}
	root, err := gnmi.Encode(buffer.NewLayout([]buffer.Setting{group(buffer.GroupReserved, 6), group(buffer.GroupAlpha, -3)}), 208)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := ygot.EmitJSON(root.Qos.BufferAllocationProfiles, &ygot.EmitJSONConfig{Format: ygot.RFC7951, Indent: "  ", SkipValidation: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("Ethernet1/8 input:", *root.Qos.Interfaces.Interface["Ethernet1/8"].Input.Config.BufferAllocationProfile)
	fmt.Println(text)
	// Output:
	// Ethernet1/8 input: cellwarden-pg-b2ca4b59ec71
	// {
	//   "buffer-allocation-profile": [
	//     {
	//       "config": {
	//         "name": "cellwarden-pg-b2ca4b59ec71"
	//       },
	//       "name": "cellwarden-pg-b2ca4b59ec71",
	//       "queues": {
	//         "queue": [
	//           {
	//             "config": {
	//               "dedicated-buffer": "1248",
	//               "dynamic-limit-scaling-factor": -3,
	//               "name": "3",
	//               "shared-buffer-limit-type": "DYNAMIC_BASED_ON_SCALING_FACTOR",
	//               "use-shared-buffer": true
	//             },
	//             "name": "3"
	//           }
	//         ]
	//       }
	//     }
	//   ]
	// }
}

// What OpenConfig has no words for is refused, never left out in silence.
func ExampleEncode_refused() {
	_, err := gnmi.Encode(buffer.NewLayout([]buffer.Setting{
		{Register: buffer.Register{Kind: buffer.QueueECNPMax, Port: "Ethernet1/8", Index: 3}, Value: 250}}), 208)
	fmt.Println(err)
	// Output:
	// openconfig cannot express it: Ethernet1/8 queue 3 ecn pmax: 2.50%: accepted: 1 to 100 whole percents: OpenConfig's max-drop-probability-percent has no fractions
}
