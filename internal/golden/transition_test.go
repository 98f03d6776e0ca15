package golden_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
)

// No state between two admitted plans over-commits a slice, in both directions. The checker says so, and a device that
// receives one step at a time accepts every step.
func TestNoStateOnTheWayOvercommits(t *testing.T) {
	overSeeds(t, 3000, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		one, other := fitting(t, in, name), fitting(t, golden.Vary(rng, in), name)
		for _, way := range [][2]buffer.Layout{{one, other}, {nil, one}, {one, nil}} {
			require.NoError(t, buffer.CheckTransition(in.Chip, in.Pipes(), way[0], way[1]), name)
		}
		if rng.IntN(10) > 0 {
			return
		}
		device, err := sim.New(in.Chip, sim.Ports(in)...)
		require.NoError(t, err, name)
		require.NoError(t, device.Apply(t.Context(), buffer.Diff(nil, one)), name)
		steps := buffer.Diff(one, other)
		for _, s := range append(steps, buffer.Undo(steps)...) {
			require.NoError(t, device.Apply(t.Context(), []buffer.Step{s}), "%s: %v", name, s)
		}
	})
}
