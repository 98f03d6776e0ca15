package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/pools"
)

// The pool of SONiC's Mellanox-SN4600C-D48C40 for t0 is one for fewer ports than the switch has.
func Example_pools() {
	ports, err := pools.ParsePorts("48x50G/2 40x100G/4")
	if err != nil {
		fmt.Println(err)
		return
	}
	q := &pools.Question{Chip: "spectrum-3", Memory: 60817392, Topology: "t0", Ports: ports}
	r := pools.Find(q, 55902208, 1179648)
	fmt.Printf("%s: %d of %d ports\n", r.Workbook, r.Ports, pools.Number(ports))
	// Output: shared headroom: 32 of 88 ports
}
