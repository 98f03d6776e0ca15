package nos_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// What a renderer reads of a plan: each port with the values of its registers, and
// how a path of native configuration is written.
func Example() {
	in := buffer.Intent{
		Chip:    buffer.Chip{Name: "tomahawk", Cell: 208, Groups: 8, Slices: []buffer.Slice{{Cells: 20165}}},
		Sizing:  thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true}},
		Ports:   []buffer.Port{{Name: "Ethernet1/1", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216}},
	}
	plan, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, port := range (nos.Plan{Intent: in, Layout: plan.Layout()}).Ports() {
		group := port.Groups[3]
		fmt.Println(port.Name, "lossless:", port.Lossless(), "headroom:", group.Headroom, "limit:",
			group.Limit)
		fmt.Println(nos.Text([]nos.Elem{{Name: "qos"}, {Name: "interface", Key: "interface-id", Value: port.Name}}))
	}
	// Output:
	// Ethernet1/1 lossless: [3 4] headroom: 181584B limit: alpha 1
	// /qos/interface[interface-id=Ethernet1/1]
}
