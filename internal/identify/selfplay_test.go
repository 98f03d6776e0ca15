package identify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/rules/draw"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/unit"
)

// played is a simulated switch that is asked.
type played struct {
	*testbed.Switch
	coarse bool
}

func play(t testing.TB, m testbed.Model) *played {
	t.Helper()
	m.Packet, m.Ports = 64, rules.Ports
	s, err := testbed.Of(m)
	require.NoError(t, err)
	return &played{Switch: s}
}

func (s *played) Begin() error {
	for d := range rules.Ports {
		if err := s.Drain(d); err != nil {
			return err
		}
	}
	return nil
}

func (s *played) Send(port, pg, dst int, packets, length int64) (identify.Reading, error) {
	g := testbed.Group{Port: port, PG: pg}
	before, _ := s.Counters(g)
	egress := s.EgressDrops(dst)
	if err := s.Hold(dst); err != nil {
		return identify.Reading{}, err
	}
	err := s.SendLong(g, dst, packets, unit.Bytes(length))
	after, _ := s.Counters(g)
	d, e := after.Drops-before.Drops, s.EgressDrops(dst)-egress
	r := identify.Reading{Dropped: rules.Span{Lo: d, Hi: d}, Egress: rules.Span{Lo: e, Hi: e}, Paused: after.Paused}
	if s.coarse {
		r.Dropped, r.Egress = seen(d, packets), seen(e, packets)
	}
	return r, err
}

func seen(n, packets int64) rules.Span {
	if n == 0 {
		return rules.Span{}
	}
	return rules.Span{Lo: 1, Hi: packets}
}

func (s *played) Release(dst int) error { return s.Drain(dst) }

func (s *played) Paused(port, pg int) (bool, error) {
	c, err := s.Counters(testbed.Group{Port: port, PG: pg})
	return c.Paused, err
}

func options(seed uint64) identify.Options {
	o := identify.Options{Work: 2e6, Seed: seed, Known: identify.Everything(), Dsts: []int{100, 101}, PGs: []int{3, 4}}
	for i := range 96 {
		o.Ports = append(o.Ports, i)
	}
	return o
}

// configured tells an identification what an operator knows of a switch: the sizes that are configured, with the pool
// to a tenth, because what is reserved elsewhere is not known.
func configured(o *identify.Options, p *rules.Point, r *rand.Rand) {
	x := &p.Numbers
	exact := func(n rules.Number) { o.Known[n] = rules.Span{Lo: x[n], Hi: x[n]} }
	near := func(n rules.Number) { o.Known[n] = rules.Span{Lo: x[n] - x[n]/10, Hi: x[n] + x[n]/10} }
	near(rules.Shared)
	exact(rules.Reserved)
	exact(rules.Leak)
	o.Known[rules.Offset] = rules.Span{Hi: 1 << 9}
	exact(rules.Headroom)
	o.Known[rules.Static] = rules.Span{Lo: x[rules.Shared] / 8, Hi: x[rules.Shared] / 8}
	exact(rules.Static)
	o.Known[rules.Pool] = rules.Span{Lo: x[rules.Headroom] + r.Int64N(8*x[rules.Headroom])}
	o.Known[rules.Pool].Hi = o.Known[rules.Pool].Lo
	if p.Rule.Uses(rules.Pool) {
		exact(rules.Pool)
	}
	o.LeastTh, o.MostTh = p.Alpha, p.Alpha
	if p.Rule[rules.Form] != rules.FormStatic {
		o.Known[rules.Static] = rules.Span{Lo: x[rules.Shared] / 2, Hi: x[rules.Shared] / 2}
	}
	if p.Rule[rules.Owner] == rules.OwnerPort { // two groups are configured half of it
		h := (x[rules.Headroom] + 1) / 2
		o.Known[rules.Headroom] = rules.Span{Lo: h, Hi: h}
	}
}

// The truth always remains. IDENTIFY=500 plays that many switches, and
// IDENTIFY_FIRST=100 begins at that seed.
func TestSelfPlay(t *testing.T) {
	effort.Alone(t)
	first, end := effort.Seeds(8)
	if n := os.Getenv("IDENTIFY"); n != "" {
		_, err := fmt.Sscan(n, &end)
		require.NoError(t, err)
		_, _ = fmt.Sscan(os.Getenv("IDENTIFY_FIRST"), &first)
	}
	for _, coarse := range []bool{false, true} {
		var drains, readings, left []int64
		open := 0
		for seed := first; seed < end; seed++ {
			p := draw.Rules(seed)
			p.Numbers[rules.MostPackets], p.Numbers[rules.Queue] = 0, 0
			sw := play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak], Place: place(&p)})
			sw.coarse = coarse
			o := options(seed)
			o.Coarse = coarse
			configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
			e := identify.New(o)
			stop, err := e.Run(sw)
			require.NoError(t, err)
			r := e.Result(stop)
			require.NotEqual(t, identify.Contradiction, stop, "seed %d yes or no %t: %+v", seed, coarse, p)
			require.True(t, e.Remains(&p), "seed %d yes or no %t: lost %+v", seed, coarse, p)
			drains, readings = append(drains, r.Cost.Drains), append(readings, r.Cost.Readings)
			left = append(left, int64(len(r.Rules)))
			for _, x := range r.Rules {
				if x.Example == nil {
					open++
				}
			}
		}
		for i, l := range [][]int64{drains, readings, left} {
			slices.Sort(l)
			t.Logf("%d switches, yes or no %t, %s: median %d, worst %d", len(l), coarse,
				[]string{"drains", "readings", "rules left"}[i], l[len(l)/2], l[len(l)-1])
		}
		t.Logf("rules without an example: %d", open)
	}
}

// A search ends when it may compute no more, with the truth still in it, and when it is stopped.
func TestEnds(t *testing.T) {
	p := draw.Rules(1)
	p.Numbers[rules.MostPackets], p.Numbers[rules.Queue] = 0, 0
	for _, work := range []int64{1, 1000, 200_000} {
		o := options(1)
		configured(&o, &p, rand.New(rand.NewPCG(1, 292)))
		o.Work = work
		e := identify.New(o)
		stop, err := e.Run(play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak], Place: place(&p)}))
		require.NoError(t, err)
		require.Equal(t, identify.Effort, stop, work)
		require.True(t, e.Remains(&p), work)
	}
	o := options(1)
	configured(&o, &p, rand.New(rand.NewPCG(1, 292)))
	asked := 0
	o.Until = func() error {
		if asked++; asked > 5000 {
			return context.Canceled
		}
		return nil
	}
	_, err := identify.New(o).Run(play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak], Place: place(&p)}))
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, asked, 20_000)
}

// place returns where the groups of a point are.
func place(p *rules.Point) func(testbed.Group) (int, int) {
	return func(g testbed.Group) (int, int) { return p.Rule.Place(g.Port, g.PG) }
}

// crowd is a policy that no rule of the space has: the more groups are busy, the less each may hold.
type crowd struct{}

func (crowd) Limit(s mmu.Share) cells.Count { return s.Limit.At(s.Free) / cells.Count(s.Busy) }
func (crowd) String() string                { return "crowd" }

// A switch whose rule is outside the space is never identified.
func TestOutsideTheSpace(t *testing.T) {
	effort.Alone(t)
	first, end := effort.Seeds(16)
	for seed := first; seed < end; seed++ {
		p := draw.Rules(seed)
		x := &p.Numbers
		p.Rule[rules.Form], p.Rule[rules.Limit], p.Alpha = rules.FormFree, rules.LimitBefore, 0
		o := options(seed)
		configured(&o, &p, rand.New(rand.NewPCG(seed, 293)))
		c := p.Config()
		switch seed % 2 {
		case 0:
			c.Pools[0].Policy = crowd{}
		case 1: // fewer packets than cells
			c.Packets = int64(x[rules.Shared]) * 2 / 3
		}
		e := identify.New(o)
		stop, err := e.Run(play(t, testbed.Model{Config: c, LeakOut: x[rules.Leak], Place: place(&p)}))
		require.NoError(t, err)
		unlike := slices.ContainsFunc(e.Controls, func(c identify.Control) bool { return !c.Held })
		require.True(t, stop == identify.Contradiction || unlike, "seed %d: %s %+v", seed, stop, p)
	}
}
