package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// lab builds networks out of equal switches: eight groups and queues a port, priority 3 lossless, cells of 256 bytes,
// static limits, so that what a group may hold does not depend on others.
type lab struct {
	Network
	rate     unit.BitRate
	limit    cells.Count // shared cells of each group
	headroom cells.Count
}

func newLab() *lab { return &lab{rate: 40 * unit.Gbps, limit: 400, headroom: 400} }

func (l *lab) host() int {
	l.Hosts = append(l.Hosts, Host{Name: fmt.Sprintf("h%d", len(l.Hosts)+1), PFC: pfc.Of(3)})
	return len(l.Hosts) - 1
}

func (l *lab) node(ports int) int {
	sw := Switch{Name: fmt.Sprintf("s%d", len(l.Switches)+1)}
	sw.MMU = mmu.Config{Cell: 256, Pools: []mmu.Pool{{Shared: 1 << 20}}}
	for i := range ports {
		p := SwitchPort{Name: fmt.Sprintf("Ethernet%d", i+1), PFC: pfc.Of(3), Tagged: true}
		for n := range Priorities {
			p.Groups[n], p.Queues[n] = i*Priorities+n, n
			g := mmu.Group{Limit: thresholds.Static(l.limit)}
			if n == 3 {
				g.Lossless, g.Headroom, g.XON = true, l.headroom, thresholds.XON{Offset: 20}
			}
			sw.MMU.Groups = append(sw.MMU.Groups, g)
		}
		sw.Ports = append(sw.Ports, p)
	}
	l.Switches = append(l.Switches, sw)
	return len(l.Switches) - 1
}

func (l *lab) link(a, b End) { l.rated(a, b, l.rate) }

func (l *lab) rated(a, b End, rate unit.BitRate) {
	l.Links = append(l.Links, Link{A: a, B: b, Rate: rate, Delay: 100 * unit.Nanosecond})
}

func (l *lab) flow(from, to, priority int) *Flow {
	l.Flows = append(l.Flows, Flow{From: from, To: to, Priority: priority, PCP: priority, Frame: 1024, Header: 64})
	return &l.Flows[len(l.Flows)-1]
}

func (l *lab) sim(t testing.TB) *Sim {
	s, err := New(l.Network)
	require.NoError(t, err)
	return s
}

// step runs event by event and checks every time.
func step(t testing.TB, s *Sim, until unit.Time) {
	for {
		next := s.taken()
		s.Run(s.peek(until))
		require.NoError(t, s.Check(), "at %v", s.Now())
		if s.taken() == next {
			return
		}
	}
}

// peek returns the time of the next event, at most until.
func (s *Sim) peek(until unit.Time) unit.Time {
	return min(until, unit.Time(s.soonest()))
}

// one is two hosts at a switch.
func one() *lab {
	l := newLab()
	a, b := l.host(), l.host()
	s := l.node(2)
	l.link(AtHost(a), AtSwitch(s, 0))
	l.link(AtHost(b), AtSwitch(s, 1))
	return l
}

func TestFailuresRefused(t *testing.T) {
	for name, c := range map[string]struct {
		f    Failure
		says []string
	}{
		"kind": {Failure{Kind: 9}, []string{"failures[0].kind: 9 (want 0 storm, 1 link down, 2 misroute)"}},
		"times": {Failure{Kind: LinkDown, At: -1, Until: -2},
			[]string{"at: -1ps (want 0 and later)", "until: -2ps (want later than -1ps, or 0 for never)"}},
		"storm": {Failure{Host: 2, Every: -1},
			[]string{"priorities: none", "every: -1ps", "host: 2 (want one of 2)"}},
		"link":     {Failure{Kind: LinkDown, Link: 2}, []string{"link: 2 (want one of 2)"}},
		"misroute": {Failure{Kind: Misroute, Host: -1}, []string{"detours: none", "host: -1"}},
		"detour": {Failure{Kind: Misroute, Detours: []Detour{{Switch: 1}, {Ports: []int{0, 7}}}},
			[]string{"detours[0].switch: 1 (want one of 1)", "detours[1].ports[1]: 7 (want one of 2)"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := one()
			l.Failures = []Failure{c.f}
			_, err := New(l.Network)
			for _, s := range c.says {
				require.ErrorContains(t, err, s)
			}
		})
	}
	l := one()
	l.DeadlockEvery = -1
	_, err := New(l.Network)
	require.ErrorContains(t, err, "deadlock every: -1ps (want 0 for never, or more)")
}

// A million PAUSE frames per second are 512 Mb/s of frame bits and 672 Mb/s on
// the wire. The host's own traffic has that much less.
func TestStormTakesOfTheLink(t *testing.T) {
	sent := func(storm bool) (bytes, pauses int64) {
		l := one()
		for i := range l.Links {
			l.Links[i].Rate = 10 * unit.Gbps
		}
		l.flow(0, 1, 0)
		if storm {
			l.Failures = []Failure{{Kind: Storm, Host: 0, Priorities: pfc.Of(3), Every: unit.Microsecond}}
		}
		s := l.sim(t)
		s.Run(10 * unit.Millisecond)
		c := s.Counters(AtHost(0))
		return c.BytesOut + c.FramesOut*20, c.PauseSent[3]
	}
	alone, none := sent(false)
	beside, pauses := sent(true)
	require.Zero(t, none)
	require.InDelta(t, 10_000, pauses, 1, "a million a second for 10 ms")
	require.EqualValues(t, 512_000_000, 8*1_000_000*pfc.FrameBytes)
	taken := (alone - beside) * 8 * 100
	require.InDelta(t, 672_000_000, taken, 2*1044*8*100, "bits per second of wire, to a frame at each end")
}

// A host that sends pause frames without end stops the tree behind it, hop by hop up to the senders, and no other
// traffic. When it stops, all traffic continues.
func TestStormStopsTheTree(t *testing.T) {
	l := newLab()
	victim, sender, bystander, other := l.host(), l.host(), l.host(), l.host()
	s1, s2 := l.node(3), l.node(3)
	l.link(AtHost(sender), AtSwitch(s1, 0))
	l.link(AtHost(bystander), AtSwitch(s1, 1))
	l.link(AtSwitch(s1, 2), AtSwitch(s2, 0))
	l.link(AtHost(victim), AtSwitch(s2, 1))
	l.link(AtHost(other), AtSwitch(s2, 2))
	l.flow(sender, victim, 3).Rate = 10 * unit.Gbps
	l.flow(sender, victim, 0).Rate = 10 * unit.Gbps
	l.flow(bystander, other, 3).Rate = 10 * unit.Gbps
	l.Failures = []Failure{{Kind: Storm, Host: victim, Priorities: pfc.Of(3), At: 100 * unit.Microsecond,
		Until: 3 * unit.Millisecond}}
	s := l.sim(t)
	s.Run(2 * unit.Millisecond)
	before := [3]FlowState{s.Flow(0), s.Flow(1), s.Flow(2)}
	s.Run(29 * unit.Millisecond / 10)
	require.Equal(t, before[0].Delivered, s.Flow(0).Delivered, "the flow to the host that pauses")
	require.Positive(t, s.Flow(1).Delivered-before[1].Delivered, "its other class")
	require.Equal(t, before[2].Delivered, s.Flow(2).Delivered, "a victim: the same class over the same link")
	require.True(t, s.ports[sender].paused>>3&1 == 1, "up to the sender")
	_, locked := s.Deadlock()
	require.False(t, locked, "a storm is no deadlock")
	s.Run(4 * unit.Millisecond)
	require.Greater(t, s.Flow(0).Delivered, before[0].Delivered, "all goes on when the storm is over")
	require.Greater(t, s.Flow(2).Delivered, before[2].Delivered)
	require.Zero(t, s.Summary().Drops)
	require.NoError(t, s.Check())
}

// XOFF moves up a chain of switches from the last one to the host, hop by hop.
// XON moves the same way. The other class does not stop.
func TestCascade(t *testing.T) {
	l := newLab()
	from, to := l.host(), l.host()
	for range 3 {
		l.node(2)
	}
	l.link(AtHost(from), AtSwitch(0, 0))
	l.link(AtSwitch(0, 1), AtSwitch(1, 0))
	l.link(AtSwitch(1, 1), AtSwitch(2, 0))
	l.link(AtHost(to), AtSwitch(2, 1))
	l.flow(from, to, 3).Rate = 20 * unit.Gbps
	l.flow(from, to, 4).Rate = 5 * unit.Gbps
	l.Failures = []Failure{{Kind: Storm, Host: to, Priorities: pfc.Of(3), At: 50 * unit.Microsecond,
		Until: unit.Millisecond}}
	s := l.sim(t)
	first := map[EventKind][]End{}
	s.Observe(func(e *Event) {
		if e.Kind == PauseWanted || e.Kind == PauseReleased {
			require.Equal(t, 3, e.Priority)
			if len(first[e.Kind]) < 3 {
				first[e.Kind] = append(first[e.Kind], e.Where)
			}
		}
	})
	s.Run(900 * unit.Microsecond)
	stopped, other := s.Flow(0).Delivered, s.Flow(1).Delivered
	s.Run(999 * unit.Microsecond)
	require.Equal(t, stopped, s.Flow(0).Delivered)
	require.InDelta(t, 59, s.Flow(1).Delivered-other, 2, "the other class keeps its 5 Gb/s")
	require.Equal(t, []End{AtSwitch(2, 0), AtSwitch(1, 0), AtSwitch(0, 0)}, first[PauseWanted], "XOFF climbs")
	require.Empty(t, first[PauseReleased])
	s.Run(2 * unit.Millisecond)
	require.Equal(t, []End{AtSwitch(2, 0), AtSwitch(1, 0), AtSwitch(0, 0)}, first[PauseReleased], "XON follows")
	require.Greater(t, s.Flow(0).Delivered, stopped)
	require.Zero(t, s.Summary().Drops)
}

// Frames that are on a link when it goes down are lost, and so are frames that are sent into it.
func TestLinkDown(t *testing.T) {
	l := one()
	l.flow(0, 1, 3)
	l.Links[1].Delay = 10 * unit.Microsecond
	l.Failures = []Failure{{Kind: LinkDown, Link: 1, At: 50 * unit.Microsecond, Until: 60 * unit.Microsecond}}
	s := l.sim(t)
	var kinds []EventKind
	s.Observe(func(e *Event) {
		if e.Kind == LinkFell || e.Kind == LinkRose {
			kinds = append(kinds, e.Kind)
		}
		if e.Kind == Dropped {
			require.Equal(t, AtSwitch(0, 1), e.Where, "counted where it was sent")
			require.Equal(t, "link down", Reason(e.Cause))
		}
	})
	step(t, s, 100*unit.Microsecond)
	// 20 us of frames of 1044 bytes at 40G: 10 us in flight and 10 us sent into it.
	require.InDelta(t, 20_000_000/208_800, s.Summary().ByReason["link down"], 2)
	require.Equal(t, s.Summary().Drops, s.Counters(AtSwitch(0, 1)).Lost)
	require.Equal(t, []EventKind{LinkFell, LinkFell, LinkRose, LinkRose}, kinds)
	require.Greater(t, s.Flow(0).Last, 95*unit.Microsecond, "it carries again")
}

// When a link comes up again, its ports send the pauses that are still in force.
func TestLinkUpIsPausedAgain(t *testing.T) {
	l := one()
	l.flow(0, 1, 3)
	l.Failures = []Failure{
		{Kind: Storm, Host: 1, Priorities: pfc.Of(3)},
		{Kind: LinkDown, Link: 0, At: 200 * unit.Microsecond, Until: 210 * unit.Microsecond},
		{Kind: LinkDown, Link: 1, At: 300 * unit.Microsecond, Until: 310 * unit.Microsecond},
	}
	s := l.sim(t)
	s.Run(205 * unit.Microsecond)
	require.Zero(t, s.ports[0].paused, "the host forgets its pause with the link")
	s.Run(220 * unit.Microsecond)
	require.NotZero(t, s.ports[0].paused)
	s.Run(320 * unit.Microsecond)
	require.NotZero(t, s.ports[s.port(AtSwitch(0, 1))].paused)
	require.Equal(t, []string{"link down"}, keys(s.Summary().ByReason))
}

// A pause frame that is on a link when it goes down, or that is sent into it, never takes effect.
func TestLinkDownLosesPauses(t *testing.T) {
	for _, at := range []unit.Time{20 * unit.Microsecond, 30 * unit.Microsecond} {
		l := one()
		l.Links[1].Delay = 10 * unit.Microsecond
		l.Failures = []Failure{
			{Kind: Storm, Host: 1, Priorities: pfc.Of(3), At: at},
			{Kind: LinkDown, Link: 1, At: 25 * unit.Microsecond, Until: 34 * unit.Microsecond},
		}
		s := l.sim(t)
		s.Run(42 * unit.Microsecond)
		require.Zero(t, s.Counters(AtSwitch(0, 1)).PauseReceived[3])
		s.Run(60 * unit.Microsecond)
		require.EqualValues(t, 1, s.Counters(AtSwitch(0, 1)).PauseReceived[3],
			"the one that was sent when it came up again")
	}
}

func keys(m map[string]int64) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}

// There are two paths to a host. Static routes still send into the failed link.
// Pruned routes do not, and use both links again later.
func TestLinkDownRoutes(t *testing.T) {
	for _, prune := range []bool{false, true} {
		l := newLab()
		a, b := l.host(), l.host()
		for range 4 {
			l.node(3)
		}
		l.link(AtHost(a), AtSwitch(0, 0))
		l.link(AtHost(b), AtSwitch(3, 0))
		for i := range 2 {
			l.link(AtSwitch(0, 1+i), AtSwitch(1+i, 0))
			l.link(AtSwitch(1+i, 1), AtSwitch(3, 1+i))
		}
		for range 16 {
			l.flow(a, b, 3).Rate = unit.Gbps
		}
		l.Failures = []Failure{{Kind: LinkDown, Link: 2, At: 100 * unit.Microsecond, Until: 200 * unit.Microsecond,
			Prune: prune}}
		s := l.sim(t)
		s.Run(100*unit.Microsecond - 1)
		whole := s.Counters(AtSwitch(0, 1)).FramesOut
		require.Positive(t, whole)
		s.Run(200*unit.Microsecond - 1)
		into := s.Counters(AtSwitch(0, 1)).FramesOut - whole
		if prune {
			require.LessOrEqual(t, into, int64(1))
			require.LessOrEqual(t, s.Summary().Drops, int64(2), "what was under way")
		} else {
			require.InDelta(t, whole, into, 8)
			require.InDelta(t, into, s.Summary().Drops, 2)
		}
		s.Run(300 * unit.Microsecond)
		require.InDelta(t, whole, s.Counters(AtSwitch(0, 1)).FramesOut-whole-into, 8, "both ways again")
		require.NoError(t, s.Check())
	}
	l := one()
	l.flow(0, 1, 3)
	l.Failures = []Failure{{Kind: LinkDown, Link: 1, At: unit.Microsecond, Prune: true}}
	s := l.sim(t)
	s.Run(10 * unit.Microsecond)
	require.Positive(t, s.Summary().ByReason["no route"], "the only way is pruned")
}

// loop is two switches at 40G that send a host's frames to each other.
func loop(rate unit.BitRate, until unit.Time) *lab {
	l := one2()
	f := l.flow(0, 1, 3)
	f.Rate, f.TTL = rate, 16
	l.Failures = []Failure{{Kind: Misroute, Host: 1, At: 0, Until: until,
		Detours: []Detour{{0, []int{1}}, {1, []int{0}}}}}
	return l
}

// one2 is two hosts at a switch each.
func one2() *lab {
	l := newLab()
	a, b := l.host(), l.host()
	l.node(2)
	l.node(2)
	l.link(AtHost(a), AtSwitch(0, 0))
	l.link(AtSwitch(0, 1), AtSwitch(1, 0))
	l.link(AtHost(b), AtSwitch(1, 1))
	return l
}

// TTL is the number of switches that a frame may pass. 0 stands for 64.
func TestTTL(t *testing.T) {
	for _, c := range []struct {
		ttl  int
		kept int64
	}{{1, 0}, {2, 1}, {0, 1}} {
		l := one2()
		f := l.flow(0, 1, 3)
		f.TTL, f.Size = c.ttl, 960
		s := l.sim(t)
		step(t, s, unit.Millisecond)
		require.Equal(t, c.kept, s.Flow(0).Delivered, "%d", c.ttl)
		require.Equal(t, 1-c.kept, s.Summary().ByReason["ttl ran out"])
	}
	for _, c := range []struct {
		ttl    int
		passed int64
	}{{16, 16}, {0, 64}, {255, 255}} {
		l := loop(unit.Gbps, 0)
		l.Flows[0].Size, l.Flows[0].TTL = 960, c.ttl
		s := l.sim(t)
		s.Run(unit.Millisecond)
		require.Equal(t, c.passed, s.Counters(AtSwitch(0, 1)).FramesOut+s.Counters(AtSwitch(1, 0)).FramesOut)
		require.EqualValues(t, 1, s.Summary().ByReason["ttl ran out"])
	}
}

// Lossless frames whose class the next switch maps to another group are dropped there, without a pause.
func TestWrongClassMap(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		l := one2()
		l.Links[2].Rate = 10 * unit.Gbps
		if wrong {
			l.Switches[1].Ports[0].Map = &[64]uint8{3: 1}
		}
		l.flow(0, 1, 3)
		s := l.sim(t)
		s.Run(unit.Millisecond)
		c := s.Counters(AtSwitch(1, 0))
		if !wrong {
			require.Zero(t, s.Summary().Drops)
			require.Positive(t, c.PauseSent[3])
			continue
		}
		require.Equal(t, []string{"group limit"}, keys(s.Summary().ByReason))
		require.Equal(t, s.Summary().Drops, c.Drops[1], "in the class that it was taken for")
		require.Zero(t, c.PauseSent[3]+c.PauseSent[1])
	}
}
