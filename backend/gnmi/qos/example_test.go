package qos_test

import (
	"fmt"

	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Group 3 of a port, as the JSON that goes to a switch.
func ExampleEncode() {
	group := func(k buffer.Kind, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: k, Port: "Ethernet1/8", Index: 3}, Value: v}
	}
	root, err := qos.Encode(buffer.NewLayout([]buffer.Setting{group(buffer.GroupReserved, 6),
		group(buffer.GroupAlpha, -3)}), 208)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := ygot.EmitJSON(root.Qos.BufferAllocationProfiles,
		&ygot.EmitJSONConfig{Format: ygot.RFC7951, Indent: "  ", SkipValidation: true})
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
	_, err := qos.Encode(buffer.NewLayout([]buffer.Setting{
		{Register: buffer.Register{Kind: buffer.QueueECNPMax, Port: "Ethernet1/8", Index: 3}, Value: 250}}), 208)
	fmt.Println(err)
	// Output:
	// openconfig cannot express it: Ethernet1/8 queue 3 ecn pmax: 2.50%: want 1 to 100 whole percents: OpenConfig's max-drop-probability-percent has no fractions
}

// What Cisco's switches can hold of a plan: headroom has no leaf, and thresholds of ECN
// are rounded to multiples of 6144 bytes.
func ExampleCheckCompatibility() {
	p, err := registry.LoadProfile("cisco")
	if err != nil {
		fmt.Println(err)
		return
	}
	register := func(k buffer.Kind, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: k, Port: "FourHundredGigE0/0/0/1", Index: 3}, Value: v}
	}
	layout := buffer.NewLayout([]buffer.Setting{
		register(buffer.GroupHeadroom, 900),
		register(buffer.QueueECNMin, 400), register(buffer.QueueECNMax, 1600), register(buffer.QueueWeight, 60)})
	compatibility, err := qos.CheckCompatibility(layout, 208, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range compatibility.Registers {
		fmt.Printf("%v: %s", r.Kind, r.Outcome)
		if r.Outcome == qos.Rounded {
			fmt.Printf(" from %s to %s %s", r.Wanted, r.Value, r.Unit)
		}
		fmt.Println()
	}
	// Output:
	// group headroom: not expressible
	// queue ecn kmin: rounded from 83200 to 86016 bytes
	// queue ecn kmax: rounded from 332800 to 337920 bytes
	// queue weight: sent
}
