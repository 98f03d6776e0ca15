package srlinux_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/srlinux"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A plan as SR Linux reads it, and what its model has no leaf for.
func Example() {
	in := buffer.Intent{
		Chip:    buffer.Chip{Name: "tomahawk", Cell: 208, Groups: 8, Slices: []buffer.Slice{{Cells: 20165}}},
		Sizing:  thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true}},
		Ports:   []buffer.Port{{Name: "ethernet-1/1", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216}},
	}
	plan, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := srlinux.System.Render(nos.Plan{Intent: in, Layout: plan.Layout()})
	for _, u := range r.Updates {
		fmt.Println(nos.Text(u.Path))
	}
	for _, o := range r.Omitted {
		fmt.Println("not expressed:", o.Name())
	}
	// Output:
	// /qos/queues/pfc-queue[pfc-queue-name=pfc3]
	// /qos/pfc-mapping-profile[name=cellwarden-3]
	// /qos/buffer-management/buffer-allocation-profile[name=cellwarden-3-181584]
	// /qos/interfaces/interface[interface-id=ethernet-1/1]/input/pfc-buffer-allocation-profile
	// /qos/interfaces/interface[interface-id=ethernet-1/1]/pfc/pfc-mapping-profile
	// /qos/interfaces/interface[interface-id=ethernet-1/1]/pfc/pfc-enable
	// not expressed: shared pool
	// not expressed: group alpha
	// not expressed: group lossless
	// not expressed: group headroom
	// not expressed: group xon offset
	// not expressed: forwarding classes
	// not expressed: queues that react
	// not expressed: PFC reservation
}
