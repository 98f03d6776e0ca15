package nos

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
)

// ChipModel is the beginning of the name of the model by which a simulated switch says which chip
// it has. The rest is the chip's name, and the version is the size of a cell in bytes.
const ChipModel = "cellwarden-chip-"

// ChipOf returns the chip that a switch lists among its models, and the size of its cells; empty
// and 0 if it lists none.
func ChipOf(models []Model) (chip string, cell cells.Size) {
	for _, m := range models {
		name, found := strings.CutPrefix(m.Name, ChipModel)
		if n, err := strconv.ParseInt(m.Version, 10, 32); found && err == nil && n > 0 {
			return name, cells.Size(n)
		}
	}
	return "", 0
}
