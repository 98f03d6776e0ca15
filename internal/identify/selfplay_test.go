package identify_test

import (
	"context"
	"errors"
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
	noise *noise
	marks bool
}

// noise is what goes wrong: every tenth request is not done, up to stray packets more leak out of a port that is
// stopped, and some drops are not those of the packets that were sent: counters of others, or of before.
type noise struct {
	*rand.Rand
	stray int64
	wrong int           // readings that may yet be wrong
	last  int64         // packets of the last one that was
	out   map[int]int64 // packets that will still leak out
}

func noisy(seed uint64, stray int64, wrong int) *noise {
	return &noise{rand.New(rand.NewPCG(seed, 294)), stray, wrong, 0, map[int]int64{}}
}

// fails tells whether a request is not done.
func (n *noise) fails() bool { return n != nil && n.IntN(10) == 0 }

// leaks returns how many packets leak out.
func (n *noise) leaks(dst int, packets int64) int64 {
	if n == nil {
		return 0
	}
	left, held := n.out[dst]
	if !held {
		left = n.Int64N(n.stray + 1)
	}
	n.out[dst] = left - min(left, packets)
	return min(left, packets)
}

// loses returns how many packets do not reach the switch.
func (n *noise) loses(packets int64) int64 {
	if n == nil || n.IntN(10) > 0 {
		return 0
	}
	return min(n.Int64N(4), packets)
}

// drops returns what is read of drops.
func (n *noise) drops(d, packets int64) int64 {
	if n == nil || n.wrong == 0 || n.IntN(20) > 0 {
		return d
	}
	n.wrong--
	n.last = packets
	return n.Int64N(packets + 1)
}

func play(t testing.TB, m testbed.Model) *played {
	t.Helper()
	m.Packet, m.Ports = 64, rules.Ports
	s, err := testbed.Of(m)
	require.NoError(t, err)
	return &played{Switch: s}
}

func (s *played) Begin() (err error) {
	if s.noise.fails() {
		return identify.ErrAgain
	}
	for d := range rules.Ports {
		err = errors.Join(err, s.drain(d))
	}
	s.ClearMarks()
	return err
}

func (s *played) Send(port, pg, dst int, packets, length int64) (identify.Answer, error) {
	if s.noise.fails() {
		return identify.Answer{}, identify.ErrAgain
	}
	g := testbed.Group{Port: port, PG: pg}
	before, _ := s.Counters(g)
	egress := s.EgressDrops(dst)
	if err := s.Hold(dst); err != nil {
		return identify.Answer{}, err
	}
	var err error
	lost := s.noise.loses(packets)
	packets -= lost
	if n := packets - s.noise.leaks(dst, packets); n > 0 {
		err = s.Switch.Send(g, dst, n, unit.Bytes(length))
	}
	after, _ := s.Counters(g)
	d, e := s.noise.drops(after.Drops-before.Drops, packets), s.EgressDrops(dst)-egress
	out := identify.Answer{Dropped: d, Egress: e, Paused: after.Paused, Lost: lost}
	if s.marks {
		shared, headroom, pool := s.Marks(g)
		for _, n := range []cells.Count{shared, headroom, pool} {
			out.Marks = append(out.Marks, rules.Span{Lo: int64(n), Hi: int64(n)})
		}
	}
	return out, err
}

func (s *played) Release(dst int) error {
	if s.noise.fails() {
		return identify.ErrAgain
	}
	return s.drain(dst)
}

func (s *played) drain(dst int) error {
	if s.noise != nil {
		delete(s.noise.out, dst)
	}
	return s.Drain(dst)
}

func (s *played) Paused(port, pg int) (bool, error) {
	if s.noise.fails() {
		return false, identify.ErrAgain
	}
	c, err := s.Counters(testbed.Group{Port: port, PG: pg})
	return c.Paused, err
}

func options(seed uint64) identify.Options {
	o := identify.Options{Work: 2e6, Seed: seed, Drains: 100, Dsts: []int{100, 101}, PGs: []int{3, 4}}
	o.Known[rules.Stage] = rules.Span{Hi: 1 << 14}
	o.Known[rules.Cell], o.Known[rules.Overhead] = rules.Span{Lo: 80, Hi: 1 << 10}, rules.Span{Hi: 1 << 6}
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
	o.Th = p.Alpha
	if p.Rule[rules.Form] != rules.FormStatic {
		o.Known[rules.Static] = rules.Span{Lo: x[rules.Shared] / 2, Hi: x[rules.Shared] / 2}
	}
	if p.Rule[rules.Owner] == rules.OwnerPort { // two groups are configured half of it
		h := (x[rules.Headroom] + 1) / 2
		o.Known[rules.Headroom] = rules.Span{Lo: h, Hi: h}
	}
}

// A game is a way to play: the switch counts, or says only yes or no, or there is noise.
type game struct {
	name     string
	coarse   bool
	marks    bool
	stray    int64
	outliers int
	median   int64 // drains, of the seeds that go test plays
}

// play identifies a random switch. It returns false if its computing ended it.
func (g *game) play(t *testing.T, seed uint64) (r identify.Result, ends bool) {
	p := draw.Rules(seed)
	sw := play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak]})
	o := options(seed)
	o.Coarse, o.Stray, o.Outliers, o.Work = g.coarse, g.stray, g.outliers, identify.Work
	o.Marks, sw.marks = g.marks, g.marks
	if g.outliers > 0 {
		sw.noise = noisy(seed, g.stray, g.outliers)
	}
	configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
	e := identify.New(o)
	stop, err := e.Run(sw)
	require.NoError(t, err)
	require.NotEqual(t, identify.Contradiction, stop, "%s: seed %d: %+v", g.name, seed, p)
	require.True(t, e.Remains(&p), "%s: seed %d: lost %+v", g.name, seed, p)
	return e.Result(stop), stop == identify.Same
}

// seeds returns the seeds of a test with n of them. IDENTIFY=500 takes that many, and IDENTIFY_FIRST=100 begins there.
func seeds(t *testing.T, n uint64) (first, end uint64, many bool) {
	effort.Alone(t)
	first, end = effort.Seeds(n)
	text, many := os.LookupEnv("IDENTIFY")
	if many {
		_, err := fmt.Sscan(text, &end)
		require.NoError(t, err)
		_, _ = fmt.Sscan(os.Getenv("IDENTIFY_FIRST"), &first)
	}
	return first, end, many
}

// The truth always remains. IDENTIFY_GAME=noise plays one game.
func TestSelfPlay(t *testing.T) {
	first, end, many := seeds(t, 8)
	for _, g := range []game{{name: "counts", median: 16}, {name: "yes-no", coarse: true, median: 40},
		{name: "watermarks", coarse: true, marks: true, median: 16},
		{name: "noise", stray: 8, outliers: 2, median: 40}} {
		if only := os.Getenv("IDENTIFY_GAME"); only != "" && only != g.name {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			var drains, readings, left []int64
			ended := 0
			for seed := first; seed < end; seed++ {
				r, same := g.play(t, seed)
				drains, readings = append(drains, r.Cost.Drains), append(readings, r.Cost.Readings)
				left = append(left, int64(len(r.Rules)))
				if !same {
					ended++
				}
				if many {
					t.Logf("seed %d: %s, %+v, %d rules", seed, r.Stop, r.Cost, len(r.Rules))
				}
			}
			for i, l := range [][]int64{drains, readings, left} {
				slices.Sort(l)
				t.Logf("%d switches, %s: median %d, worst %d", len(l), []string{"drains", "readings", "rules left"}[i], l[len(l)/2],
					l[len(l)-1])
			}
			t.Logf("ended before all was asked: %d", ended)
			require.LessOrEqual(t, drains[len(drains)/2], g.median)
		})
	}
}

// unlucky is a switch with noise: of each new stop all stray packets leak out, and the first packets for it are lost.
type unlucky struct{ *played }

func (s unlucky) Send(port, pg, dst int, packets, length int64) (identify.Answer, error) {
	lost := int64(0)
	if _, stopped := s.noise.out[dst]; !stopped {
		s.noise.out[dst], lost = s.noise.stray, min(3, packets)
	}
	r, err := s.played.Send(port, pg, dst, packets-lost, length)
	if err != nil && lost > 0 {
		delete(s.noise.out, dst)
	}
	r.Lost += lost
	return r, err
}

// Packets leak out of a stopped port until enough have reached the switch, not until enough were sent.
func TestLostPacketsLeakNotOut(t *testing.T) {
	effort.Alone(t)
	first, end := effort.Seeds(4)
	for seed := first; seed < end; seed++ {
		p := draw.Rules(seed)
		sw := play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak]})
		sw.noise = noisy(seed, 8, 0)
		o := options(seed)
		o.Stray = 8
		configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
		e := identify.New(o)
		stop, err := e.Run(unlucky{sw})
		require.NoError(t, err)
		require.NotEqual(t, identify.Contradiction, stop, "seed %d: %+v", seed, p)
		require.True(t, e.Remains(&p), "seed %d: lost %+v", seed, p)
	}
}

// cut is a switch that no packet reaches.
type cut struct{ *played }

func (s cut) Send(_, _, _ int, packets, _ int64) (identify.Answer, error) {
	return identify.Answer{Lost: packets}, nil
}

// Packets that must reach the switch are not sent without end.
func TestNoPacketArrives(t *testing.T) {
	p := draw.Rules(1)
	o := options(1)
	o.Stray = 8
	configured(&o, &p, rand.New(rand.NewPCG(1, 292)))
	_, err := identify.New(o).Run(cut{play(t, testbed.Model{Config: p.Config()})})
	require.ErrorContains(t, err, "are lost after 20 repetitions")
}

// A search ends when it may compute no more, with the truth still in it, and when it is stopped.
func TestEnds(t *testing.T) {
	p := draw.Rules(1)
	for _, work := range []int64{1, 1000, 200_000} {
		o := options(1)
		configured(&o, &p, rand.New(rand.NewPCG(1, 292)))
		o.Work = work
		e := identify.New(o)
		stop, err := e.Run(play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak]}))
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
	_, err := identify.New(o).Run(play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak]}))
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, asked, 20_000)
}

// A contradiction by one wrong reading names it, among those without which a rule remains.
func TestConflicts(t *testing.T) {
	effort.Alone(t)
	named := 0
	for seed := range uint64(6) {
		p := draw.Rules(seed)
		sw := play(t, testbed.Model{Config: p.Config(), LeakOut: p.Numbers[rules.Leak]})
		sw.noise = noisy(seed, 0, 1)
		o := options(seed)
		configured(&o, &p, rand.New(rand.NewPCG(seed, 292)))
		e := identify.New(o)
		stop, err := e.Run(sw)
		require.NoError(t, err)
		if stop != identify.Contradiction {
			continue
		}
		sets, without := e.Conflicts()
		require.NotEmpty(t, sets, "seed %d: %d", seed, without)
		require.True(t, slices.ContainsFunc(sets, func(s []identify.Place) bool {
			return len(s) == 1 && e.Sessions[s[0].Session][s[0].Step].Packets == sw.noise.last
		}), "seed %d: %v", seed, sets)
		named++
	}
	require.Positive(t, named)
}

// crowd is a policy that no rule of the space has: the more groups are busy, the less each may hold.
type crowd struct{}

func (crowd) Limit(s mmu.Share) cells.Count { return s.Limit.At(s.Free) / cells.Count(s.Busy) }
func (crowd) String() string                { return "crowd" }

// A switch whose rule is outside the space is never identified.
func TestOutsideTheSpace(t *testing.T) {
	first, end, _ := seeds(t, 16)
	for seed := first; seed < end; seed++ {
		p := draw.Rules(seed)
		x := &p.Numbers
		p.Rule[rules.Form], p.Rule[rules.Limit], p.Alpha = rules.FormFree, rules.LimitBefore, 0
		o := options(seed)
		configured(&o, &p, rand.New(rand.NewPCG(seed, 293)))
		if seed%3 == 2 { // a queue that ends before the ingress does
			p.Rule[rules.Egress], x[rules.Queue] = rules.EgressQueue, x[rules.Shared]/8
		}
		c := p.Config()
		switch seed % 3 {
		case 0:
			c.Pools[0].Policy = crowd{}
		case 1: // fewer packets than cells
			c.Packets = int64(x[rules.Shared]) * 2 / 3
		}
		e := identify.New(o)
		stop, err := e.Run(play(t, testbed.Model{Config: c, LeakOut: x[rules.Leak]}))
		require.NoError(t, err)
		unlike := slices.ContainsFunc(e.Controls, func(c identify.Control) bool { return !c.Held })
		require.True(t, stop == identify.Contradiction || unlike || seed%3 == 2 && stop == identify.Egress, "seed %d: %s %+v", seed, stop, p)
	}
	t.Logf("%d switches", end-first)
}
