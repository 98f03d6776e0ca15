package method_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// The methods disagree by factors for the same link and memory. Methods that do
// not suit the link or need a file are left out.
func Example() {
	link := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	memory := thresholds.Memory{Cell: 208, Overhead: 64}
	for _, name := range method.Methods() {
		sizer, err := method.NewSizer(name, "spectrum-3", nil)
		if err != nil {
			continue
		}
		h, err := sizer.Size(link, memory)
		if err != nil {
			continue
		}
		fmt.Printf("%-16s %5d cells\n", name, h.Cells)
	}
	// Output:
	// broadcom-delay     500 cells
	// broadcom-th3      1116 cells
	// cisco-practical    521 cells
	// ieee802.1qbb      1248 cells
	// juniper            916 cells
	// mlx5               577 cells
	// mlxsw              407 cells
	// sonic-dynamic      404 cells
}
