package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/topology"
)

// A chip file that is refused has its own complaints; the topology does not add some about a chip of zeros.
func TestARefusedChipFileIsRefusedOnce(t *testing.T) {
	leaf := `chip: ./chip.yaml
headroom: {method: ieee802.1qbb}
classes: [{name: a, priorities: [3], lossless: true}]
ports: [{range: "Ethernet1-4", speed: 100G, cable: 5m}]
`
	_, err := topology.Parse("leaf.yaml", []byte(leaf), func(string) ([]byte, error) { return []byte("a text"), nil })
	require.ErrorContains(t, err, "chip.yaml:1: document: text: want a mapping")
	require.NotContains(t, err.Error(), "leaf.yaml:")
}
