package server

import (
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// SimulatedChip is a model that says which chip a simulated ASIC has, and the size of its cells in
// bytes: OpenConfig has no leaf for either. There is no YANG module for it: name and version are
// all.
func SimulatedChip(chip buffer.Chip) *gpb.ModelData {
	return &gpb.ModelData{Name: nos.ChipModel + chip.Name, Organization: "cellwarden", Version: fmt.Sprint(chip.Cell)}
}
