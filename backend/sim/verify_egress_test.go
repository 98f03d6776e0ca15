package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// withEgress is four ports that can hold a chip of 40,000 cells, and an egress pool of a part of them.
func withEgress(pool cells.Count, lossy bool) buffer.Intent {
	chip := endless(208, 64)
	chip.Slices[0].Cells = 40_000
	in := wish(chip, hundred)
	in.Classes[0].Alpha = new(thresholds.Alpha(3))
	in.EgressPools = []buffer.EgressPool{{Name: "all", Size: chip.Cell.Bytes(pool)}}
	in.Classes[0].Egress.Pool = "all"
	in.Classes = append(in.Classes, buffer.Class{Name: "rest", Priorities: []int{0}})
	if lossy {
		in.Classes[1].Egress.Pool = "all"
	}
	for _, name := range []string{"e2", "e3", "e4"} {
		p := in.Ports[0]
		p.Name = name
		in.Ports = append(in.Ports, p)
	}
	return in
}

func TestEgressPool(t *testing.T) {
	effort.SkipShort(t, "it simulates seven plans")
	for _, c := range []struct {
		pool     cells.Count
		lossy    bool
		limit    unit.Bytes
		lossless bool
	}{
		{40_000, false, 0, true}, {30_000, false, 0, false},
		{40_000, true, 0, true}, {30_000, true, 0, false},
		{40_000, false, 20_000 * 208, false},
		// Alone, four groups with alpha 8 leave a 33rd of the shared pool free. What
		// another class has there counts in the same egress pool.
		{39_500, false, 0, true}, {39_500, true, 0, false},
	} {
		in := withEgress(c.pool, c.lossy)
		in.Classes[0].Egress.Limit = c.limit
		v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
		require.Equal(t, c.lossless, v.Lossless, "%+v: %+v", c, v.Egress)
		require.Len(t, v.Egress, 1)
		require.Equal(t, 4, v.Egress[0].Groups)
		require.Equal(t, v.Drops, v.Egress[0].Drops)
	}
	in := withEgress(30_000, false)
	in.Classes[0].Egress.Pool = ""
	v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
	require.True(t, v.Lossless)
	require.Empty(t, v.Egress, "not stated, and not looked at")
}
