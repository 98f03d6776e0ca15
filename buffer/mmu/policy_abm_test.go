package mmu_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// The result of the policy is compared with the formula in exact fractions.
func TestABMIsItsFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		s := mmu.Share{Free: cells.Count(rng.Int64N(1 << rng.IntN(41))),
			Limit: thresholds.Dynamic(thresholds.Alpha(rng.IntN(21) - 10)),
			Busy:  1 + rng.IntN(500), Drain: rng.Int64N(mmu.DrainFull + 1)}
		want := big.NewRat(int64(s.Free)*s.Drain, mmu.DrainFull*int64(s.Busy))
		if a := s.Limit.Alpha(); a >= 0 {
			want.Mul(want, big.NewRat(1<<a, 1))
		} else {
			want.Mul(want, big.NewRat(1, 1<<-a))
		}
		require.Equal(t, new(big.Int).Quo(want.Num(), want.Denom()).Int64(), int64(mmu.ABM{}.Limit(s)), "%+v", s)
	}
	require.Equal(t, thresholds.NoLimit,
		mmu.ABM{}.Limit(mmu.Share{Free: 1 << 40, Limit: thresholds.Dynamic(60), Drain: mmu.DrainFull}))
	require.EqualValues(t, 7, mmu.ABM{}.Limit(mmu.Share{Free: 100, Limit: thresholds.Static(7), Drain: 1}))
	require.Equal(t, "active buffer management", mmu.ABM{}.String())
}

// ABM keeps a priority's share of the pool the same however many of its queues
// are congested. Under the dynamic threshold the share grows with each. A queue
// that drains at half rate holds half.
func TestABMSharesBetweenPriorities(t *testing.T) {
	fill := func(policy mmu.Policy, many int) (held [2]cells.Count) {
		c := mmu.Config{Cell: 64, Pools: []mmu.Pool{{Shared: 9000, Policy: policy}}, Groups: make([]mmu.Group, 1+many)}
		for i := range many {
			c.Groups[1+i].Priority = 1
		}
		m := mmuOf(t, c)
		for range 9000 {
			for g := range c.Groups {
				p := mmu.Packet{Group: g, Bytes: 64}
				if m.Arrive(p).Drop != mmu.CauseNone && m.GroupState(0, g).Held.Shared > 0 {
					m.Leave(p)
				}
			}
		}
		require.NoError(t, m.Check())
		return [2]cells.Count{m.GroupState(0, 0).Held.Shared, m.PoolUsed(0, 0) - m.GroupState(0, 0).Held.Shared}
	}
	for name, c := range map[string]struct {
		policy mmu.Policy
		many   int
		want   [2]cells.Count
	}{
		"dynamic, one to one":   {nil, 1, [2]cells.Count{3000, 3000}},
		"dynamic, one to seven": {nil, 7, [2]cells.Count{1000, 7000}},
		"ABM, one to one":       {mmu.ABM{}, 1, [2]cells.Count{3000, 3000}},
		"ABM, one to seven":     {mmu.ABM{}, 7, [2]cells.Count{3000, 3000}},
	} {
		got := fill(c.policy, c.many)
		require.InDelta(t, int64(c.want[0]), int64(got[0]), 8, name)
		require.InDelta(t, int64(c.want[1]), int64(got[1]), 8, name)
	}
}

func TestABMDrain(t *testing.T) {
	c := mmu.Config{Cell: 64, Pools: []mmu.Pool{{Shared: 9000}}, Groups: []mmu.Group{{Limit: thresholds.Unlimited()}},
		EgressPools: []mmu.Pool{{Shared: 3000, Policy: mmu.ABM{}}}, Queues: make([]mmu.Queue, 2)}
	m := mmuOf(t, c)
	m.SetQueueDrain(0, 0, mmu.DrainFull/2)
	for range 3000 {
		m.Arrive(mmu.Packet{Bytes: 64})
	}
	_, shared := m.QueueState(0, 0)
	require.EqualValues(t, 1000, shared, "q = (B-q)/2")
	m.Reset()
	for range 3000 {
		m.Arrive(mmu.Packet{Bytes: 64})
	}
	_, shared = m.QueueState(0, 0)
	require.EqualValues(t, 1500, shared, "at full rate again")
}

// The dynamic threshold pauses for a short burst, and Reverie does not. Reverie
// pauses for a queue that stays, and resumes a queue that has drained.
func TestReverieForgivesBursts(t *testing.T) {
	pausedAt := func(policy mmu.Policy) (n int) {
		m := mmuOf(t, mmu.Config{Cell: 64, Pools: []mmu.Pool{{Shared: 3000, Policy: policy}},
			Groups: []mmu.Group{{Lossless: true, Headroom: 10, XON: thresholds.XON{Offset: 10}}}})
		p := mmu.Packet{Bytes: 64}
		for !m.Arrive(p).XOFF {
			n++
		}
		for i := 0; !m.Leave(p).XON; i++ {
			require.Less(t, i, n)
		}
		require.NoError(t, m.Check())
		return n
	}
	require.Equal(t, 1500, pausedAt(nil))
	require.Equal(t, 1500, pausedAt(mmu.Reverie{}))
	mild, strong := pausedAt(mmu.Reverie{Gamma: 990}), pausedAt(mmu.Reverie{Gamma: 999})
	require.Greater(t, mild, 1500)
	require.Greater(t, strong, mild)
	require.Less(t, strong, 3000, "T falls as the burst fills the pool")

	var f int64
	for range 20000 {
		f = mmu.Reverie{Gamma: 999}.Smooth(f, 1200)
	}
	require.InDelta(t, 1200, f/mmu.SmoothScale, 1, "a standing queue is seen as it is")
	require.Equal(t, "reverie, gamma 999/1000", mmu.Reverie{Gamma: 999}.String())
}
