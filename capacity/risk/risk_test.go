package risk_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/topology"
)

// random returns a small pool.
func random(rng *rand.Rand) risk.Pool {
	p := risk.Pool{}
	step := cells.Count(1 + rng.IntN(3))
	all := cells.Count(0)
	for i := range 1 + rng.IntN(10) {
		g := risk.Group{Port: fmt.Sprint("Ethernet", i), Group: 3, Cells: step * cells.Count(rng.IntN(8))}
		p.Groups, all = append(p.Groups, g), all+g.Cells
	}
	p.Cells = cells.Count(rng.Int64N(int64(all) + 3))
	return p
}

// enumerated adds up the probabilities of all sets of groups that overflow.
func enumerated(p *risk.Pool, paused func(i int) float64) (over float64) {
	for set := range 1 << len(p.Groups) {
		brings, probability := cells.Count(0), 1.0
		for i, g := range p.Groups {
			if set>>i&1 == 1 {
				brings, probability = brings+g.Cells, probability*paused(i)
			} else {
				probability *= 1 - paused(i)
			}
		}
		if brings > p.Cells {
			over += probability
		}
	}
	return over
}

func same(t *testing.T, want, got float64, what ...any) {
	t.Helper()
	require.LessOrEqual(
		t,
		math.Abs(want-got),
		1e-12*math.Max(want, 1e-30)+1e-300+1e-9*want,
		"%v: %v, %v",
		what,
		want,
		got,
	)
}

// The distribution agrees with the enumeration of all sets, for small probabilities too.
func TestIndependentIsTheEnumeration(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 7))
		p := random(rng)
		paused := math.Pow(10, -6*rng.Float64())
		got, err := p.Independent(paused)
		require.NoError(t, err)
		same(t, enumerated(&p, func(int) float64 { return paused }), got, seed, p)
	}
}

// To leave out the sums that cannot be changes no digit, with few sizes and with many.
func TestFewSumsAreThoseOfAll(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		sizes := make([]cells.Count, 1+rng.IntN(6))
		for i := range sizes {
			sizes[i] = 500 + cells.Count(rng.IntN(300))
		}
		var p risk.Pool
		for i := range 1 + rng.IntN(40) {
			size := sizes[rng.IntN(len(sizes))]
			p.Groups = append(p.Groups, risk.Group{Port: fmt.Sprint("Ethernet", i), Group: 3, Cells: size})
		}
		p.Cells = cells.Count(rng.Int64N(int64(p.All()) + 500))
		paused := []float64{0, 1, math.Pow(10, -9*rng.Float64())}[min(rng.IntN(10), 2)]
		got, err := p.Independent(paused)
		require.NoError(t, err)
		require.Equal(t, p.IndependentOfAll(paused), got, "%d %v", seed, p)
	}
}

// With measured watermarks: every combination of one watermark of each group.
func TestMeasuredIsTheEnumeration(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 9))
		p := random(rng)
		p.Groups = p.Groups[:min(len(p.Groups), 5)]
		measured := map[string][]cells.Count{}
		for _, g := range p.Groups {
			for range rng.IntN(4) {
				key := g.Key()
				measured[key] = append(measured[key], cells.Count(rng.IntN(9)))
			}
		}
		var all func(i int, brings cells.Count) float64
		all = func(i int, brings cells.Count) (over float64) {
			if i == len(p.Groups) {
				if brings > p.Cells {
					return 1
				}
				return 0
			}
			g := p.Groups[i]
			w := measured[g.Key()]
			if len(w) == 0 {
				return all(i+1, brings+g.Cells)
			}
			for _, x := range w {
				over += all(i+1, brings+x) / float64(len(w))
			}
			return over
		}
		got, err := p.Measured(measured)
		require.NoError(t, err)
		same(t, all(0, 0), got, seed, p, measured)
	}
}

// What the groups bring decides the work, not the pool: one of a billion cells is answered at once.
func TestPoolBeyondItsGroups(t *testing.T) {
	p := risk.Pool{Cells: 1 << 50, Groups: []risk.Group{{"Ethernet0", 3, 3}, {"Ethernet4", 3, 7}}}
	never, err := p.Independent(0.5)
	require.NoError(t, err)
	require.Zero(t, never)
	never, err = p.Measured(map[string][]cells.Count{"Ethernet0 3": {1, 1000}})
	require.NoError(t, err)
	require.Zero(t, never)

	kinds, sums := risk.BothWays(1<<50, []cells.Count{3, 7})
	require.Equal(t, kinds, sums)
}

// switchOf returns 32 ports of which each slice's pool can hold some at a time.
func pools(t *testing.T, changes ...string) ([]risk.Pool, buffer.Intent) {
	t.Helper()
	data, err := os.ReadFile("../../examples/arista-7060cx-32s.yaml")
	require.NoError(t, err)
	var set []topology.Override
	for _, c := range changes {
		change, err := topology.ParseOverride(c)
		require.NoError(t, err)
		set = append(set, change)
	}
	in, err := topology.Parse("../../examples/arista-7060cx-32s.yaml", data, os.ReadFile, set...)
	require.NoError(t, err)
	out, err := risk.Pools(in)
	require.NoError(t, err)
	return out, in
}

// How many groups can pause at once is what the simulation of the worst case finds, and the pool of the simulation
// drops with all of them.
func TestAtOnceIsTheSimulators(t *testing.T) {
	for _, cable := range []string{"5m", "40m", "300m"} {
		// With a table's headroom, which is less than the worst case, a group drops before the pool is full.
		all, in := pools(t, "ports[0].cable="+cable, "headroom={method: ieee802.1qbb, delays: larger}")
		plan, err := buffer.New(in)
		require.NoError(t, err)
		v, err := sim.Verify(t.Context(), in, plan.Layout(), sim.VerifyOptions{})
		require.NoError(t, err)
		require.Len(t, v.Pools, len(all))
		for i, p := range v.Pools {
			require.Equal(t, p.Groups, len(all[i].Groups))
			require.InDelta(t, p.AtOnce, all[i].AtOnce(), 1, "verify counts frames that end, up to one frame less")
			require.Equal(t, p.Drops > 0, all[i].Smallest() != nil)
		}
	}
}

// A risk of one in a million: the sampled interval has the exact value, and is narrow.
func TestSampleOfARareOverflow(t *testing.T) {
	all, _ := pools(t)
	p := all[0]
	paused, err := risk.MostPaused(all[:1], 1e-6)
	require.NoError(t, err)
	exact, err := p.Independent(paused)
	require.NoError(t, err)
	require.InEpsilon(t, 1e-6, exact, 1e-6)
	inside := 0
	for seed := range uint64(20) {
		e, err := p.Sample(paused, seed, 20_000)
		require.NoError(t, err)
		if e.Low <= exact && exact <= e.High {
			inside++
		}
		require.Less(t, e.High-e.Low, 0.2*exact, "20,000 trials give two digits")
		require.Greater(t, e.Hits, 2_000)
	}
	require.GreaterOrEqual(t, inside, 17, "95 of 100 intervals have the value")
	again, err := p.Sample(paused, 3, 1000)
	require.NoError(t, err)
	first, err := p.Sample(paused, 3, 1000)
	require.NoError(t, err)
	require.Equal(t, first, again, "the seed decides")
}

func TestRatioForATarget(t *testing.T) {
	_, in := pools(t)
	behaves := risk.Apart(func(p *risk.Pool) (float64, error) { return p.Independent(0.001) })
	r, err := risk.RatioFor(t.Context(), in, 1e-6, behaves)
	require.NoError(t, err)
	require.Greater(t, r.Ratio, 1)
	require.LessOrEqual(t, r.Risk, 1e-6)
	require.Greater(t, r.Beyond, 1e-6)
	require.True(t, r.Fits)
	always := risk.Apart(func(p *risk.Pool) (float64, error) { return p.Independent(1) })
	none, err := risk.RatioFor(t.Context(), in, 0, always)
	require.NoError(t, err)
	require.LessOrEqual(t, none.Ratio, 1, "with all paused only the whole headroom is safe")
	require.False(t, none.Fits)
}

func TestWhatIsNoRiskIsRefused(t *testing.T) {
	p := risk.Pool{Cells: 5, Groups: []risk.Group{{"a", 3, 6}}}
	for _, bad := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		_, err := p.Independent(bad)
		require.Error(t, err)
		_, err = risk.CommonEgress(4, bad, 2)([]risk.Pool{p})
		require.Error(t, err)
		_, err = risk.MostPaused([]risk.Pool{p}, bad)
		require.Error(t, err)
	}
	_, err := risk.CommonEgress(4, 0.5, 5)([]risk.Pool{p})
	require.Error(t, err)
	_, err = risk.CommonEgress(1, 0.5, 1)([]risk.Pool{{Cells: 5, Groups: []risk.Group{{"a", 3, 6}, {"b", 3, 6}}}})
	require.ErrorContains(t, err, "want the 2 that have groups")
	_, err = p.Sample(0.5, 1, 1)
	require.Error(t, err)
	_, err = p.Measured(map[string][]cells.Count{risk.Group{Port: "a", Group: 3}.Key(): {-1}})
	require.Error(t, err)
}

func Example() {
	in := buffer.Intent{}
	pools, err := risk.Pools(in)
	fmt.Println(len(pools), err != nil)
	p := risk.Pool{Cells: 10, Groups: []risk.Group{{"Ethernet1", 3, 4}, {"Ethernet2", 3, 4}, {"Ethernet3", 3, 4}}}
	x, err := p.Independent(0.01)
	fmt.Printf("%d at once, %.2g, %v\n", p.AtOnce(), x, err)
	// Output:
	// 0 true
	// 2 at once, 1e-06, <nil>
}
