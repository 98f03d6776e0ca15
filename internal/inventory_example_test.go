package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/inventory"
)

// The ports of a switch in a list of cables.
func Example_inventory() {
	l, err := inventory.NetBox("cables.csv", []byte("side_a_device,side_a_name,side_b_device,side_b_name,length,length_unit\n"+
		"leaf1,Ethernet1,spine1,Ethernet7,30,m\n"), "leaf1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range l.Ports {
		length, _ := p.Cable.Get()
		fmt.Println(p.Name, length, "to", p.To, "by", p.From)
	}
	// Output:
	// Ethernet1 30m to spine1 Ethernet7 by cables.csv:2
}
