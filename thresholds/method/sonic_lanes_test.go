package method_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// The lanes of a port decide XON: those of the link, else those of the method, else 8 at the speed that the chip's
// switches have with 8 lanes alone. The last is an assumption, and said.
func TestSONiCLanesOfAPort(t *testing.T) {
	for _, c := range []struct {
		chip        string
		gbps        unit.BitRate
		own, method int
		xon         unit.Bytes
		assumed     bool
	}{
		{"spectrum-4", 800, 0, 0, 38912, true},
		{"spectrum-5", 800, 0, 0, 38912, true},
		{"spectrum-3", 400, 0, 0, 38912, true},
		{"spectrum-3", 200, 0, 0, 19456, false},
		{"spectrum-4", 400, 0, 0, 19456, false},
		{"spectrum-4", 400, 8, 0, 38912, false},
		{"spectrum-4", 400, 4, 8, 19456, false},
		{"spectrum-4", 800, 0, 4, 19456, false},
		{"spectrum-2", 400, 0, 0, 19456, false},
	} {
		chip, known := method.LookupSONiCChip(c.chip)
		require.True(t, known)
		e, err := method.SONiC{Chip: chip, Lanes: c.method}.Explain(thresholds.Link{Rate: c.gbps * unit.Gbps,
			Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 1024, Lanes: c.own}, thresholds.Memory{Cell: chip.Cell})
		require.NoError(t, err)
		require.Equal(t, c.xon, e.XON, "%+v", c)
		said := slices.ContainsFunc(e.Warnings, func(w string) bool { return strings.HasPrefix(w, "assumed: 8 lanes") })
		require.Equal(t, c.assumed, said, "%+v: %v", c, e.Warnings)
	}
}

// A pool of shared headroom has no compensation, whether the method says it or the memory.
func TestSONiCSharedHeadroomOfTheMemory(t *testing.T) {
	chip, _ := method.LookupSONiCChip("spectrum-3")
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9100, LosslessMTU: 1024}
	alone, err := method.SONiC{Chip: chip}.Size(l, thresholds.Memory{Cell: 144})
	require.NoError(t, err)
	said, err := method.SONiC{Chip: chip, SharedHeadroom: true}.Size(l, thresholds.Memory{Cell: 144})
	require.NoError(t, err)
	pool, err := method.SONiC{Chip: chip}.Size(l, thresholds.Memory{Cell: 144, SharedHeadroom: true})
	require.NoError(t, err)
	require.Equal(t, [3]unit.Bytes{94208, 92160, 92160}, [3]unit.Bytes{alone.XOFF, said.XOFF, pool.XOFF})
	require.Equal(t, said, pool)
}
