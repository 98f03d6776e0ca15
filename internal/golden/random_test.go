package golden_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// Random and Vary give valid intents, and the same ones for the same seed.
func TestRandomIsValidAndRepeatable(t *testing.T) {
	overSeeds(t, 2000, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		require.NoError(t, in.Validate(), name)
		varied := golden.Vary(rng, in)
		require.NoError(t, varied.Validate(), name)
		require.Equal(t, in.Chip, varied.Chip, name)
		for i := range varied.Ports {
			require.Equal(t, in.Ports[i].Name, varied.Ports[i].Name, name)
			require.Equal(t, in.PipeOf(i), varied.PipeOf(i), name)
		}
	})
	require.Equal(t, golden.Random(source(7)), golden.Random(source(7)))
}

// The random intents reach the edge cases: otherwise the comparison would prove little.
func TestRandomHitsTheEdges(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 600
	}
	hits := map[string]int{}
	for seed := range uint64(n) {
		in := golden.Random(source(seed))
		r := golden.Admit(in)
		for edge, hit := range edges(in, r) {
			if hit {
				hits[edge]++
			} else {
				hits[edge] += 0
			}
		}
	}
	t.Log(hits)
	for edge, times := range hits {
		require.GreaterOrEqual(t, times, n/200, edge)
	}
}

func edges(in buffer.Intent, r golden.Result) map[string]bool {
	_, table := in.Sizing.(*table.Table)
	pool, first := in.Pool, r.Slices[0]
	out := map[string]bool{
		"everything fits": r.Fits(), "by table": table, "by IEEE": !table,
		"one slice": len(in.Chip.Slices) == 1, "four slices": len(in.Chip.Slices) == 4,
		"no pipes": len(in.Chip.Pipes) == 0, "takes": first.Chip > 0, "one port": len(in.Ports) == 1,
		"many ports":   len(in.Ports) > 20,
		"whole memory": pool.Size == 0, "nothing unused": pool.Size > 0 && first.Unused == 0 && first.Shared > 0,
		"a pool of no cells":             pool.Size > 0 && first.Shared == 0 && first.Headroom == 0 && first.Unused > 0,
		"shared headroom":                pool.SharedHeadroom > 0 && first.Headroom > 0,
		"shared headroom of no cells":    pool.SharedHeadroom > 0 && first.Headroom == 0,
		"size includes headroom only":    pool.Size > 0 && pool.SizeIncludesHeadroom && !pool.SizeIncludesReserved,
		"size includes reserved only":    pool.Size > 0 && !pool.SizeIncludesHeadroom && pool.SizeIncludesReserved,
		"size includes both":             pool.Size > 0 && pool.SizeIncludesHeadroom && pool.SizeIncludesReserved,
		"size includes none":             pool.Size > 0 && !pool.SizeIncludesHeadroom && !pool.SizeIncludesReserved,
		"fits with the last shared cell": r.Fits() && in.SharedFloor == 0 && first.Shared == 0 && first.Reserved > 0,
		"floor":                          in.SharedFloor > 0, "fits with floor": in.SharedFloor > 0 && r.Fits(),
		"one cell missing": false, "some ports": false, "a later port fits again": false,
		"whole memory cut to the largest pool": pool.Size == 0 && in.Chip.MaxPool > 0 && first.Unused > 0,
		"larger than the chip can make a pool": false, "larger than the chip can make a headroom pool": false,
		"no cells for the port's own minimum": false, "pool does not fit": false,
		"group larger than headroom pool": false, "fails in a later slice": false,
		"a port on a pipe of its own": false, "no cells for credits": false, "no cells for shared credits": false,
	}
	refused := false
	for i, a := range r.Ports {
		out["one cell missing"] = out["one cell missing"] || a.Missing == 1
		out["pool does not fit"] = out["pool does not fit"] || a.Reason == buffer.PoolTooLarge
		out["no cells for the port's own minimum"] = out["no cells for the port's own minimum"] ||
			a.Reason == buffer.NoPortCells
		out["no cells for credits"] = out["no cells for credits"] || a.Reason == buffer.NoCreditCells
		out["no cells for shared credits"] = out["no cells for shared credits"] || a.Reason == buffer.NoSharedCredits
		out["larger than the chip can make a pool"] = out["larger than the chip can make a pool"] ||
			a.Reason == buffer.PoolTooLarge && a.Missing > 0 && in.Chip.MaxPool > 0
		out["larger than the chip can make a headroom pool"] = out["larger than the chip can make a headroom pool"] ||
			a.Reason == buffer.HeadroomPool
		out["group larger than headroom pool"] = out["group larger than headroom pool"] ||
			a.Reason == buffer.HeadroomOfPool
		out["fails in a later slice"] = out["fails in a later slice"] || a.Reason == buffer.NoCells &&
			a.Slice != in.Chip.SlicesOf(in.PipeOf(i))[0]
		out["some ports"] = out["some ports"] || a.Admitted && !r.Fits()
		out["a later port fits again"] = out["a later port fits again"] || a.Admitted && refused
		out["a port on a pipe of its own"] = out["a port on a pipe of its own"] || in.Ports[i].Pipe != nil
		refused = refused || !a.Admitted
	}
	return out
}
