package junos_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A plan as Junos reads it. The switch computes the headroom from the cable and the longest frame.
func ExampleSystem_render() {
	in := buffer.Intent{
		Chip:    buffer.Chip{Name: "tomahawk", Cell: 208, Groups: 8, Slices: []buffer.Slice{{Cells: 20165}}},
		Sizing:  thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true}},
		Ports:   []buffer.Port{{Name: "et-0/0/0", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216}},
	}
	plan, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := junos.System.Render(nos.Plan{Intent: in, Layout: plan.Layout()})
	fmt.Printf("%s", r.Files[0].Content)
	// Output:
	// {
	//   "junos-qfx-conf-root:configuration": {
	//     "junos-qfx-conf-class-of-service:class-of-service": {
	//       "classifiers": {
	//         "ieee-802.1": [
	//           {
	//             "forwarding-class": [
	//               {
	//                 "loss-priority": [
	//                   {
	//                     "code-points": [
	//                       "011"
	//                     ],
	//                     "name": "low"
	//                   }
	//                 ],
	//                 "name": "fcoe"
	//               }
	//             ],
	//             "import": "default",
	//             "name": "cellwarden-802.1p-3"
	//           }
	//         ]
	//       },
	//       "congestion-notification-profile": [
	//         {
	//           "input": {
	//             "cable-length": "5",
	//             "ieee-802.1": {
	//               "code-point": [
	//                 {
	//                   "mru": "9216",
	//                   "name": "011",
	//                   "pfc": [
	//                     null
	//                   ],
	//                   "xon": 89
	//                 }
	//               ]
	//             }
	//           },
	//           "name": "cellwarden-5m-3-9216-18512",
	//           "output": {
	//             "ieee-802.1": {
	//               "code-point": [
	//                 {
	//                   "flow-control-queue": [
	//                     3
	//                   ],
	//                   "name": "011"
	//                 }
	//               ]
	//             }
	//           }
	//         }
	//       ],
	//       "forwarding-classes": {
	//         "class": [
	//           {
	//             "name": "fcoe",
	//             "no-loss": [
	//               null
	//             ],
	//             "pfc-priority": 3,
	//             "queue-num": 3
	//           }
	//         ]
	//       },
	//       "interfaces": {
	//         "interface": [
	//           {
	//             "congestion-notification-profile": "cellwarden-5m-3-9216-18512",
	//             "name": "et-0/0/0",
	//             "unit": [
	//               {
	//                 "classifiers": {
	//                   "ieee-802.1": [
	//                     {
	//                       "name": "cellwarden-802.1p-3"
	//                     }
	//                   ]
	//                 },
	//                 "name": "*"
	//               }
	//             ]
	//           }
	//         ]
	//       }
	//     }
	//   }
	// }
}
