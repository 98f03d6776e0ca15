package identify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	dsts   []int
	coarse bool
}

func play(t testing.TB, p *rules.Point) *played {
	t.Helper()
	s, err := testbed.Of(testbed.Model{Config: p.Config(), Packet: 64, LeakOut: p.Numbers[rules.Leak], Ports: rules.Ports,
		Place: func(g testbed.Group) (int, int) { return p.Rule.Place(g.Port, g.PG) }})
	require.NoError(t, err)
	return &played{Switch: s}
}

func (s *played) Begin(dsts []int) error {
	for d := range rules.Ports {
		if err := s.Drain(d); err != nil {
			return err
		}
	}
	for _, d := range dsts {
		if err := s.Hold(d); err != nil {
			return err
		}
	}
	return nil
}

func (s *played) Send(port, pg, dst int, packets, length int64) (identify.Reading, error) {
	g := testbed.Group{Port: port, PG: pg}
	before, _ := s.Counters(g)
	egress := s.EgressDrops(dst)
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
	o := identify.Options{Seed: seed, Known: identify.Everything(), Dsts: []int{60, 61}, PGs: []int{3, 4}}
	for i := range 56 {
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

// The truth always remains.
func TestSelfPlay(t *testing.T) {
	effort.Alone(t)
	n := uint64(40)
	if os.Getenv("IDENTIFY") != "" {
		fmt.Sscan(os.Getenv("IDENTIFY"), &n)
	}
	first, end := effort.Seeds(n)
	for _, coarse := range []bool{false, true}[:1+len(os.Getenv("COARSE"))] {
		var drains, readings, left []int64
		lost := 0
		if f := os.Getenv("FIRST"); f != "" {
			fmt.Sscan(f, &first)
		}
		for seed := first; seed < end; seed++ {
			p := draw.Switch(rand.New(rand.NewPCG(seed, 290)))
			p.Rule[rules.Second], p.Rule[rules.Egress] = 0, 0
			p.Numbers[rules.MostPackets], p.Numbers[rules.Queue] = 0, 0
			sw := play(t, &p)
			sw.coarse = coarse
			o := options(seed)
			configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
			o.Coarse = coarse
			e := identify.New(o)
			begin := time.Now()
			stop, err := e.Run(sw)
			require.NoError(t, err)
			r := e.Result(stop)
			if !e.Remains(&p) {
				lost++
				t.Errorf("seed %d coarse %t: lost %+v", seed, coarse, p)
			}
			for _, x := range r.Rules {
				t.Log(x.Box, x.Example != nil)
			}
			t.Log(p)
			t.Log(seed, coarse, stop, r.Cost, len(r.Rules), time.Since(begin).Round(time.Millisecond))
			drains, readings, left = append(drains, r.Cost.Drains), append(readings, r.Cost.Readings), append(left, int64(len(r.Rules)))
		}
		for _, l := range [][]int64{drains, readings, left} {
			sort.Slice(l, func(i, j int) bool { return l[i] < l[j] })
			t.Log("coarse", coarse, "median", l[len(l)/2], "worst", l[len(l)-1])
		}
	}
}
