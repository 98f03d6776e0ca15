package risk_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// alike returns a pool of ports that bring one cell each, of which some fit.
func alike(first, ports int, fit cells.Count) (p risk.Pool) {
	p.Cells = fit
	for i := range ports {
		p.Groups = append(p.Groups, risk.Group{Port: fmt.Sprint("Ethernet", first+i), Group: 3, Cells: 1})
	}
	return p
}

func probability(t *testing.T, b risk.Behaviour, pools []risk.Pool) float64 {
	t.Helper()
	x, err := b(pools)
	require.NoError(t, err)
	require.False(t, x.AtMost, "exact")
	return x.Probability
}

// 32 ports, of which 8 fit: one incast of 9 overflows the pool, and two of 8, if they are not the same 8.
func TestIncastPausesItsSenders(t *testing.T) {
	pools := []risk.Pool{alike(0, 32, 8)}
	require.InEpsilon(t, 1-math.Pow(1-1e-3, 32), probability(t, risk.CommonEgress(32, 1e-3, 9), pools), 1e-12)
	c := 1e-4
	sets, two := 10518300.0, 496*c*c*math.Pow(1-c, 30)
	got := probability(t, risk.CommonEgress(32, c, 8), pools)
	require.InEpsilon(t, two*(1-1/sets), got, 1e-2, "three incasts or more are rare beside two")
	require.Greater(t, got, two*(1-1/sets))
	require.Zero(t, probability(t, risk.CommonEgress(32, 0, 9), pools))
	require.InEpsilon(t, 1, probability(t, risk.CommonEgress(32, 1, 9), pools), 1e-12)
	require.Zero(t, probability(t, risk.CommonEgress(32, 1, 32), []risk.Pool{alike(0, 32, 32)}))
}

// An incast divides over slices: 6 of 8 ports overflow one of two slices of 4 of which 2 fit, always; 4 do unless they
// are 2 and 2, which are 36 of 70 sets.
func TestIncastDividesOverSlices(t *testing.T) {
	pools := []risk.Pool{alike(0, 4, 2), alike(4, 4, 2)}
	one := func(fanIn int) float64 {
		return probability(t, risk.CommonEgress(8, 1e-9, fanIn), pools) / (1 - math.Pow(1-1e-9, 8))
	}
	require.InEpsilon(t, 1, one(6), 1e-6)
	require.InEpsilon(t, 34.0/70, one(4), 1e-6)
	slice := probability(t, risk.CommonEgress(8, 1e-9, 4), pools[:1]) / (1 - math.Pow(1-1e-9, 8))
	require.InEpsilon(t, 17.0/70, slice, 1e-6, "4 of one slice, or 3")
}

// randomSwitch returns pools of a switch with these ports. Ports have one or two groups, and feed one pool or two.
func randomSwitch(rng *rand.Rand, ports int) (pools []risk.Pool) {
	pools = make([]risk.Pool, 1+rng.IntN(3))
	for i := range ports {
		for g := range 1 + rng.IntN(2) {
			brings := cells.Count(rng.IntN(6))
			first, wide := rng.IntN(len(pools)), rng.IntN(4) == 0
			for s := range pools {
				if s == first || wide && s == first+1 {
					pools[s].Groups = append(pools[s].Groups,
						risk.Group{Port: fmt.Sprint(i), Group: 3 + g, Cells: brings})
				}
			}
		}
	}
	for s := range pools {
		pools[s].Slice, pools[s].Cells = s, cells.Count(rng.Int64N(int64(pools[s].All())+2))
	}
	return pools
}

// overflows tells whether these paused ports overflow one of the pools.
func overflows(pools []risk.Pool, paused func(port string) bool) bool {
	for i := range pools {
		brings := cells.Count(0)
		for _, g := range pools[i].Groups {
			if paused(g.Port) {
				brings += g.Cells
			}
		}
		if brings > pools[i].Cells {
			return true
		}
	}
	return false
}

// Every set of congested egress ports, and every set of senders of each of them.
func TestCommonEgressIsTheEnumeration(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 8))
		ports := 1 + rng.IntN(5)
		pools := randomSwitch(rng, ports)
		fan, congested := 1+rng.IntN(ports), math.Pow(10, -4*rng.Float64())
		var senders []int
		for set := range 1 << ports {
			if bits.OnesCount(uint(set)) == fan {
				senders = append(senders, set)
			}
		}
		var all func(egress, paused int, weight float64) float64
		all = func(egress, paused int, weight float64) float64 {
			if egress == ports {
				if overflows(pools, func(p string) bool { return paused>>int(p[0]-'0')&1 == 1 }) {
					return weight
				}
				return 0
			}
			over := all(egress+1, paused, weight*(1-congested))
			for _, set := range senders {
				over += all(egress+1, paused|set, weight*congested/float64(len(senders)))
			}
			return over
		}
		got := probability(t, risk.CommonEgress(ports, congested, fan), pools)
		same(t, all(0, 0, 1), got, seed, pools, fan, congested)
	}
}

// Random trials of the model itself, with more ports than can be enumerated, and ports of every kind.
func TestCommonEgressIsWhatTrialsGive(t *testing.T) {
	effort.SkipShort(t, "it makes 240,000 trials")
	const trials = 40_000
	for seed, c := range []struct {
		ports, kinds, fan int
		congested, filled float64
	}{{32, 1, 9, 0.01, 0.25}, {32, 1, 4, 0.05, 0.3}, {64, 2, 8, 0.02, 0.4}, {64, 5, 8, 0.02, 0.4},
		{48, 48, 6, 0.03, 0.35}, {128, 3, 20, 0.004, 0.3}} {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		pools := make([]risk.Pool, 2)
		for i := range c.ports {
			pools[i%2].Groups = append(pools[i%2].Groups,
				risk.Group{Port: fmt.Sprint(i), Group: 3, Cells: cells.Count(100 + 37*(i%c.kinds))})
		}
		for s := range pools {
			pools[s].Slice, pools[s].Cells = s, cells.Count(c.filled*float64(pools[s].All()))
		}
		want := probability(t, risk.CommonEgress(c.ports, c.congested, c.fan), pools)
		hits, names := 0, make([]string, c.ports)
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		for range trials {
			paused := map[string]bool{}
			for range c.ports {
				if rng.Float64() < c.congested {
					for _, i := range rng.Perm(c.ports)[:c.fan] {
						paused[names[i]] = true
					}
				}
			}
			if len(paused) > 0 && overflows(pools, func(p string) bool { return paused[p] }) {
				hits++
			}
		}
		got := float64(hits) / trials
		t.Logf("%d of %d ports: %.5f, trials %.5f", c.fan, c.ports, want, got)
		require.InDelta(t, want, got, 4*math.Sqrt(want*(1-want)/trials), "case %d", seed)
		require.Greater(t, hits, 50)
	}
}

// Where the work of an exact result would be too much, cells are counted in steps, upward: a bound, and close.
func TestCommonEgressOfManyKindsIsABound(t *testing.T) {
	pool, coarse := risk.Pool{}, risk.Pool{}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 128 {
		brings := cells.Count(100 + rng.IntN(100))
		pool.Groups = append(pool.Groups, risk.Group{Port: fmt.Sprint(i), Group: 3, Cells: brings})
		coarse.Groups = append(coarse.Groups, risk.Group{Port: fmt.Sprint(i), Group: 3, Cells: 1000*brings + 1})
	}
	pool.Cells, coarse.Cells = pool.All()/4, 1000*(pool.All()/4)+999
	exact := probability(t, risk.CommonEgress(128, 0.004, 16), []risk.Pool{pool})
	x, err := risk.CommonEgress(128, 0.004, 16)([]risk.Pool{coarse})
	require.NoError(t, err)
	require.True(t, x.AtMost)
	require.GreaterOrEqual(t, x.Probability, exact*(1-1e-9))
	require.InEpsilon(t, exact, x.Probability, 0.05)
}

// Slices of different ports overflow independently; slices with the same groups do together; what lies between is a
// bound.
func TestSwitchOfIndependentGroups(t *testing.T) {
	behaves := risk.Apart(func(p *risk.Pool) (float64, error) { return p.Independent(0.01) })
	a, b := alike(0, 16, 2), alike(16, 16, 2)
	one := probability(t, behaves, []risk.Pool{a})
	require.InEpsilon(t, 1-(1-one)*(1-one), probability(t, behaves, []risk.Pool{a, b}), 1e-9)
	require.Equal(t, one, probability(t, behaves, []risk.Pool{a, a}), "Tomahawk: two slices have the same groups")
	x, err := behaves([]risk.Pool{a, alike(8, 16, 2)})
	require.NoError(t, err)
	require.Equal(t, risk.Overflow{Probability: 2 * one, AtMost: true}, x)
}

// The two ways to count random ports agree: by kinds, and by the distribution of the cells.
func TestRandomPortsBothWays(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 10))
		brings := make([]cells.Count, 1+rng.IntN(9))
		all := cells.Count(0)
		for i := range brings {
			brings[i] = cells.Count(rng.IntN(8))
			all += brings[i]
		}
		pool := cells.Count(rng.Int64N(int64(all) + 2))
		kinds, sums := risk.BothWays(pool, brings)
		require.Len(t, sums, len(kinds))
		for u := range kinds {
			require.InDelta(t, kinds[u], sums[u], 1e-12*(1+kinds[u]), "%v of %d, %d ports", brings, pool, u)
		}
	}
}
