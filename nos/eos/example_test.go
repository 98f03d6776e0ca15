package eos_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A plan as EOS reads it, and what EOS has no leaf for.
func ExampleSystem_render() {
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
	r := eos.System.Render(nos.Plan{Intent: in, Layout: plan.Layout()})
	for _, u := range r.Updates {
		fmt.Printf("%s %s\n", nos.Text(u.Path), u.JSON)
	}
	for _, o := range r.Omitted {
		fmt.Println("not expressed:", o.Kind)
	}
	// Output:
	// /qos/interfaces/interface[interface-id=Ethernet1/1]/config/interface-id "Ethernet1/1"
	// /qos/interfaces/interface[interface-id=Ethernet1/1]/output/pfc/config/priorities-no-drop "18"
	// not expressed: shared pool
	// not expressed: group alpha
	// not expressed: group lossless
	// not expressed: group headroom
	// not expressed: group xon offset
}
