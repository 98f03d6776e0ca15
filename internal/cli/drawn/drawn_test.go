package drawn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli/drawn"
)

// TestHostOfTwoSwitches: a host with cables to several switches is drawn at the same place in every run.
func TestHostOfTwoSwitches(t *testing.T) {
	var switches []fabric.Switch
	var cables []fabric.Cable
	host := fabric.Port{Node: "h1", Host: true}
	for _, name := range []string{"leaf1", "leaf2", "leaf3", "leaf4"} {
		switches = append(switches, fabric.Switch{Name: name, Role: "leaf"})
		cables = append(cables, fabric.Cable{A: host, B: fabric.Port{Node: name}, Length: "5m"})
	}
	first := drawn.Fabric(switches, cables, []fabric.Port{host}, nil).SVG()
	for range 20 {
		require.Equal(t, first, drawn.Fabric(switches, cables, []fabric.Port{host}, nil).SVG())
	}
}
