package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// star is n hosts at one switch, each with a link of 100G, and memory enough for everything: nothing pauses or drops.
// Priorities, groups and queues are one to one.
func star(n int) Network {
	net := Network{Hosts: make([]Host, n), Switches: make([]Switch, 1), Seed: 1}
	sw := &net.Switches[0]
	sw.MMU = mmu.Config{Cell: 208, Pools: []mmu.Pool{{Shared: 1 << 30}}}
	for i := range n {
		var port SwitchPort
		for p := range Priorities {
			port.Groups[p], port.Queues[p] = i*Priorities+p, p
			sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Unlimited()})
		}
		sw.Ports = append(sw.Ports, port)
		net.Links = append(net.Links, Link{A: AtHost(i), B: AtSwitch(0, i), Rate: 100 * unit.Gbps,
			Delay: unit.Microsecond})
	}
	return net
}

// flowOf sends so many frames of one size.
func flowOf(from, to, priority int, frame unit.Bytes, frames int) Flow {
	return Flow{From: from, To: to, Priority: priority, PCP: priority, Frame: frame, Size: frame * unit.Bytes(frames),
		ECT: true}
}

// hold keeps queues of a port still, as a pause without end does; 0 lets all go. The port's priorities are its queues.
func (s *Sim) hold(e End, queues pfc.Priorities) {
	i := s.port(e)
	p := &s.ports[i]
	if queues != 0 {
		s.partOf(i).applyPause(i, p, queues, 0)
	} else {
		s.partOf(i).applyPause(i, p, 0, pfc.Priorities(p.paused))
	}
}

// held fills queue 3 of port 1 with frames of 1000 bytes while it may not send,
// lets it go, and returns the numbers of the frames that were marked.
func held(t *testing.T, m Marking, frames int, seed uint64) (marked []int) {
	net := star(2)
	net.Seed = seed
	net.Switches[0].Ports[1].ECN[3] = m
	net.Flows = []Flow{flowOf(0, 1, 3, 1000, frames)}
	s, err := New(net)
	require.NoError(t, err)
	s.Observe(func(e *Event) {
		if e.Kind == Marked {
			require.Equal(t, AtSwitch(0, 1), e.Where)
			require.Equal(t, 3, e.Queue)
			marked = append(marked, e.Seq)
		}
	})
	s.hold(AtSwitch(0, 1), 1<<3)
	s.Run(unit.Millisecond)
	_, depth := s.Queue(0, 1, 3)
	require.EqualValues(t, 1000*frames, depth)
	s.hold(AtSwitch(0, 1), 0)
	s.Run(2 * unit.Millisecond)
	require.NoError(t, s.Check())
	require.EqualValues(t, frames, s.Summary().Delivered)
	require.EqualValues(t, len(marked), s.Summary().Marked)
	require.EqualValues(t, len(marked), s.Counters(AtSwitch(0, 1)).Marked[3])
	return marked
}

// TestECNAccuracy is the ECN accuracy test of sonic-mgmt: KMin 500 KB, KMax 2000 KB, PMax 5 %, at dequeue. KMax + 10
// frames are sent; frame i has KMax + 10 - i KB behind it. Frames 1 to 9 are always marked. 46.525 marks are expected
// in all, with a standard deviation of 6.0.
func TestECNAccuracy(t *testing.T) {
	effort.SkipShort(t, "it simulates a long run")
	m := Marking{Thresholds: ecn.Thresholds{KMin: 500e3, KMax: 2000e3, PMax: 5 * unit.OnePercent}, Dequeue: true}
	const runs = 49
	total, tenth := 0, 0
	for seed := range uint64(runs) {
		marked := held(t, m, 2010, seed)
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, marked[:9])
		if marked[9] == 9 {
			tenth++
		}
		require.Less(t, marked[len(marked)-1], 2010-500)
		total += len(marked)
	}
	require.InDelta(t, 46.525, float64(total)/runs, 3*6.0/7)
	require.Less(t, tenth, 12, "the tenth sees KMax itself: 5 %")
}

// TestECNStep is the step test of the same source: KMin = KMax = 100 KB. Of 200
// frames the first is marked and the last is not.
func TestECNStep(t *testing.T) {
	m := Marking{Thresholds: ecn.Thresholds{KMin: 100e3, KMax: 100e3, PMax: unit.Whole}, Dequeue: true}
	marked := held(t, m, 200, 1)
	require.Len(t, marked, 99)
	require.Equal(t, 0, marked[0])
	require.Equal(t, 98, marked[98], "it leaves 101 KB behind; the next one 100 KB")

	m.Dequeue = false
	marked = held(t, m, 200, 1)
	require.Len(t, marked, 99)
	require.Equal(t, 101, marked[0], "the first that finds more than 100 KB")
	require.Equal(t, 199, marked[98])
}

func TestECNIsSeeded(t *testing.T) {
	m := Marking{Thresholds: ecn.Thresholds{KMin: 0, KMax: 2000e3, PMax: 50 * unit.OnePercent}}
	require.Equal(t, held(t, m, 1000, 7), held(t, m, 1000, 7))
	require.NotEqual(t, held(t, m, 1000, 7), held(t, m, 1000, 8))
}

// The marker compares integers. It is compared with the fraction of package thresholds at every depth.
func TestMarkerIsTheCurve(t *testing.T) {
	for _, e := range []ecn.Thresholds{
		{KMin: 500e3, KMax: 2000e3, PMax: 500}, {KMin: 5e3, KMax: 200e3, PMax: 100}, {KMin: 0, KMax: 1, PMax: 1},
		{KMin: 100, KMax: 100, PMax: 10000}, {KMin: 7, KMax: 1009, PMax: 9999},
		{KMin: 1, KMax: 1<<60 + 12345, PMax: 10000}, {},
	} {
		m := newMarker(Marking{Thresholds: e}, 1, 2)
		span := int64(e.KMax - e.KMin)
		for i := range int64(1001) {
			depth := int64(e.KMin) - 10 + i*max(span/990, 1)
			want := e.Marking(unit.Bytes(depth))
			switch {
			case want.Ceil() == 0:
				require.False(t, m.on && m.hits(depth), "%v at %d", e, depth)
			case depth > m.kmax:
				require.Equal(t, exact.Whole(1), want)
				require.True(t, m.hits(depth))
			default:
				share := exact.Whole(int64(m.share(depth))).Times(1, int64(m.span))
				require.Equal(t, want, share, "%v at %d", e, depth)
			}
		}
	}
}

// TestMarkerDraws checks the random numbers: a probability of one half marks half of the frames.
func TestMarkerDraws(t *testing.T) {
	m := newMarker(Marking{Thresholds: ecn.Thresholds{KMin: 0, KMax: 1000, PMax: unit.Whole}}, 3, 4)
	hits := 0
	for range 100000 {
		if m.hits(500) {
			hits++
		}
	}
	require.InDelta(t, 50000, hits, 4*158)
}

// Frames that are not ECT, and frames that have CE already, pass a queue that
// marks everything behind its first frames. They are not marked.
func TestOnlyECT(t *testing.T) {
	step := ecn.Thresholds{KMin: 5000, KMax: 5000, PMax: unit.Whole}
	run := func(m Marking, ect bool) *Sim {
		net := star(3)
		net.Switches[0].Ports[2].ECN[3] = m
		for from := range 2 {
			f := flowOf(from, 2, 3, 1000, 100)
			f.ECT = ect
			net.Flows = append(net.Flows, f)
		}
		s, err := New(net)
		require.NoError(t, err)
		s.Run(unit.Second)
		require.NoError(t, s.Check())
		return s
	}
	require.Positive(t, run(Marking{Thresholds: step}, true).Summary().Marked)
	s := run(Marking{Thresholds: step}, false)
	require.Zero(t, s.Summary().Marked)
	require.EqualValues(t, 200, s.Summary().Delivered)

	for _, dequeue := range []bool{false, true} {
		s = run(Marking{Thresholds: step, DropOthers: true, Dequeue: dequeue}, false)
		require.Zero(t, s.Summary().Marked)
		require.Positive(t, s.totals().Causes[dropWRED])
		require.EqualValues(t, 200, s.Summary().Delivered+s.totals().Causes[dropWRED])
		s = run(Marking{Thresholds: step, DropOthers: true, Dequeue: dequeue}, true)
		require.Zero(t, s.Summary().Drops, "ECT is marked instead")
	}
}

// Frames pass two switches, of which the second marks all that it can. Each frame is marked once.
func TestCEStays(t *testing.T) {
	net := star(2)
	net.Hosts = append(net.Hosts, Host{})
	net.Switches = append(net.Switches, net.Switches[0])
	net.Links = []Link{
		{A: AtHost(0), B: AtSwitch(0, 0), Rate: 100 * unit.Gbps},
		{A: AtSwitch(0, 1), B: AtSwitch(1, 0), Rate: 50 * unit.Gbps},
		{A: AtSwitch(1, 1), B: AtHost(1), Rate: 10 * unit.Gbps},
	}
	net.Hosts = net.Hosts[:2]
	all := Marking{Thresholds: ecn.Thresholds{KMin: 1, KMax: 1, PMax: unit.Whole}}
	for i := range net.Switches {
		net.Switches[i].Ports = append([]SwitchPort(nil), net.Switches[i].Ports...)
		net.Switches[i].Ports[1].ECN[3] = all
		net.Switches[i].Ports[1].Tagged = true
	}
	net.Switches[0].Ports[1].ECN[3].KMin, net.Switches[0].Ports[1].ECN[3].KMax = 20000, 20000
	net.Flows = []Flow{flowOf(0, 1, 3, 1000, 100)}
	s, err := New(net)
	require.NoError(t, err)
	marks := map[int]int{}
	s.Observe(func(e *Event) {
		if e.Kind == Marked {
			marks[e.Seq]++
		}
	})
	s.Run(unit.Second)
	first, second := s.Counters(AtSwitch(0, 1)).Marked[3], s.Counters(AtSwitch(1, 1)).Marked[3]
	require.Positive(t, first)
	require.Positive(t, second)
	require.EqualValues(t, len(marks), first+second)
	for seq, n := range marks {
		require.Equal(t, 1, n, "frame %d", seq)
	}
}

func TestMarkingValidate(t *testing.T) {
	require.NoError(t, Marking{}.Validate())
	require.ErrorContains(t, Marking{Thresholds: ecn.Thresholds{KMin: 5, KMax: 4, PMax: 1}}.Validate(),
		"kmin must not be above kmax")
	require.ErrorContains(t, Marking{Dequeue: true}.Validate(), "without a kmax")
	net := star(2)
	net.Switches[0].Ports[1].ECN[3] = Marking{Thresholds: ecn.Thresholds{KMin: 5, KMax: 4, PMax: 1}}
	net.Switches[0].Ports[0].ECN[2] = Marking{DropOthers: true}
	_, err := New(net)
	require.ErrorContains(t, err, "switches[0].ports[1].ecn[3]: ecn kmin 5B")
	require.ErrorContains(t, err, "switches[0].ports[0].ecn[2]: ")
}
