package topology_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// A chip printed as JSON is a chip file, with all that is known of it; one
// without slices is refused with the advice to add them.
func TestEveryChipOfTheCatalogueIsAChipFile(t *testing.T) {
	for _, c := range asic.All() {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		got, err := topology.ParseChip("chip.json", text)
		if len(c.Slices) == 0 {
			require.ErrorContains(t, err, "chip.json:", c.Name)
			c.Cell, c.Groups, c.Slices = 256, 8, []buffer.Slice{{Cells: 1000}}
			text, err = json.Marshal(c)
			require.NoError(t, err)
			got, err = topology.ParseChip("chip.json", text)
		}
		require.NoError(t, err, c.Name)
		require.Equal(t, c, got)
	}
}
