package fabric

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// allToAll is a star of hosts each of which sends to all others.
func allToAll(hosts int, size unit.Bytes) Network {
	net := incast(hosts, size)
	flow := net.Flows[0]
	net.Flows = nil
	for flow.From = range hosts {
		for flow.To = range hosts {
			if flow.From != flow.To {
				net.Flows = append(net.Flows, flow)
			}
		}
	}
	return net
}

// farIncast is a fat tree of 16 hosts in which hosts of other pods send to one.
func farIncast(size unit.Bytes) Network {
	net := fatTree(4)
	for _, from := range []int{4, 5, 8, 12} {
		net.Flows = append(net.Flows, Flow{From: from, Priority: 3, PCP: 3, Frame: 1048, Header: 48, Size: size})
	}
	return net
}

// passedOn is hosts at one switch that pass data on: each sends to the next what it has got from the one before.
func passedOn(hosts, steps int, size unit.Bytes) Network {
	net := incast(hosts, size)
	flow := net.Flows[0]
	flow.Start, net.Flows = 0, nil
	for step := range steps {
		for flow.From = range hosts {
			flow.To = (flow.From + 1) % hosts
			if step > 0 {
				flow.After = []int{(step-1)*hosts + (flow.From+hosts-1)%hosts}
			}
			net.Flows = append(net.Flows, flow)
		}
	}
	return net
}

// steadyWorks are runs with steady states that are long enough.
func steadyWorks() map[string]Network {
	marked := incast(16, 7e7)
	for i := range marked.Flows {
		marked.Flows[i].Start = unit.Time(i/8) * 50 * unit.Millisecond
		marked.Flows[i].ECT = true
	}
	marked.Switches[0].Ports[16].ECN[3] = Marking{
		Thresholds: ecn.Thresholds{KMin: 100e3, KMax: 400e3, PMax: unit.Whole / 2}}
	return map[string]Network{"incast of 8": incast(8, 1e8),
		"incast of 64": incast(64, 1e7), "all-to-all of 16": allToAll(16, 4e6), "incast over a fat tree": farIncast(6e7),
		"incast with acknowledgements": acknowledged(incast(4, 1.6e8)), "marked, in two groups": marked}
}

// The exact run is the judge of the fast one: completion times, times of pauses and marks differ by less than 1 %, and
// so do the maxima of pools, headroom and queues; counters are conserved. The number of pauses differs by less than
// 3 %. The maximum of the shared cells of a group depends on the order in which the last flows end, which exact runs do
// not agree about either when a flow starts a picosecond later: see docs/simulator.md.
func TestRunFastAgainstExact(t *testing.T) {
	effort.SkipShort(t, "millions of events")
	for name, net := range steadyWorks() {
		exact, fast := started(t, net), started(t, net)
		exact.Run(unit.Second)
		ff := fast.RunFast(unit.Second, nil)
		require.NoError(t, fast.Check(), name)
		require.Positive(t, ff.Skipped, name)
		require.Positive(t, ff.Leaps, name)
		a, b := exact.Summary(), fast.Summary()
		require.Equal(t, a.Delivered, b.Delivered, name)
		require.Equal(t, a.Sent, b.Sent, name)
		require.Less(t, b.Events, a.Events, name)
		worst := worstCompletion(t, exact, fast, name)
		p, q := exact.pausedTimes(), fast.pausedTimes()
		t.Logf("%s: %v left out, events %d and %d, completion %d, paused %d, marks %d, pauses %d per mille, shared %d and %d",
			name, ff.Skipped, a.Events, b.Events, worst, permille(p, q), permille(a.Marked, b.Marked),
			permille(a.PauseSent, b.PauseSent), a.MaxShared, b.MaxShared)
		require.Less(t, worst, int64(10), name)
		require.Less(t, permille(p, q), int64(10), name)
		require.Less(t, permille(a.Marked, b.Marked), int64(10), name)
		require.Less(t, permille(a.PauseSent, b.PauseSent), int64(30), name)
		for _, of := range []mmu.Account{mmu.PoolWatermark, mmu.GroupHeadroomPeak, mmu.EgressPeak, mmu.QueueSharedPeak} {
			require.Less(t, permille(exact.most(of), fast.most(of)), int64(10), "%s: %v", name, of)
		}
	}
}

// worstCompletion is the largest difference of a completion time, in thousandths.
func worstCompletion(t *testing.T, exact, fast *Sim, name string) (worst int64) {
	for i := range exact.flows {
		require.True(t, fast.Arrived(i), name)
		from, _ := exact.Started(i)
		at, _ := fast.Started(i)
		require.Equal(t, exact.Flow(i).Bytes, fast.Flow(i).Bytes, name)
		worst = max(worst, permille(int64(exact.Flow(i).Last-from), int64(fast.Flow(i).Last-at)))
	}
	return worst
}

// most is the largest value of an account, of all its indices and switches.
func (s *Sim) most(of mmu.Account) (most int64) {
	for i := range s.switches {
		for _, r := range s.MMU(i).Snapshot(nil) {
			if r.Account == of {
				most = max(most, int64(r.Value))
			}
		}
	}
	return most
}

// Hosts that pass data on in a ring stay in step: a rounded number of frames is not repeated so often that one of them
// falls behind. So short steps have no leap, and long ones differ by less than 0.2 %.
func TestRunFastKeepsStep(t *testing.T) {
	effort.Alone(t)
	short := passedOn(8, 6, 5e5)
	exact, fast := started(t, short), started(t, short)
	exact.Run(unit.Second)
	require.Zero(t, fast.RunFast(unit.Second, nil).Leaps)
	requireSame(t, exact, fast, "short steps")
	long := passedOn(8, 3, 1e7)
	exact, fast = started(t, long), started(t, long)
	exact.Run(unit.Second)
	require.Greater(t, fast.RunFast(unit.Second, nil).Leaps, 2)
	require.LessOrEqual(t, worstCompletion(t, exact, fast, "ring"), int64(2))
}

// Hosts that start together pause together for a while, in which the halves of a while agree. It is not repeated.
func TestRunFastWaitsForHostsOutOfStep(t *testing.T) {
	effort.Alone(t)
	s := started(t, incast(8, 1e8))
	ff := s.RunFast(10*unit.Millisecond, nil)
	require.Zero(t, ff.Leaps)
	inStep := []beat{{10, 80}, {14, 20}, {12, 96}, {8, 0}}
	even := []beat{{10, 50}, {14, 70}, {12, 60}, {8, 40}}
	require.Equal(t, unknownUnevenness, unevenness(inStep), "too few beats")
	require.Equal(t, unknownUnevenness, unevenness(make([]beat, 100)), "no pauses")
	for range 3 {
		inStep, even = append(inStep, inStep...), append(even, even...)
	}
	require.Zero(t, unevenness(even))
	require.InDelta(t, 750_000, unevenness(inStep), 100_000)
}

// The sum of all pauses is that of each class of each port, those that last included.
func TestPausedTimes(t *testing.T) {
	s := started(t, incast(16, 1e6))
	for at := unit.Time(0); at < 200*unit.Microsecond; at += 3 * unit.Microsecond {
		s.Run(at)
		want := int64(0)
		for i := range s.ports {
			for q := range Priorities {
				want += int64(s.pausedTime(&s.ports[i], q))
			}
		}
		require.Equal(t, want, s.pausedTimes())
	}
	require.Positive(t, s.pausedTimes())
}

// A while with pauses is steady if they are many, agree, and do not become more even any more.
func TestSteadyPauses(t *testing.T) {
	var zero progress
	zero.ports = make([]PortCounters, 1)
	point := func(pauses, paused int64) *progress {
		p := &progress{ports: make([]PortCounters, 1), paused: paused}
		p.total.PauseSent, p.ports[0].PausedTime[3] = pauses, unit.Time(paused)
		return p
	}
	for _, c := range []struct {
		middle, end    [2]int64 // pauses, time of pauses
		uneven, before int64
		steady         bool
		why            string
	}{
		{uneven: unknownUnevenness, before: unknownUnevenness, steady: true, why: "no pauses"},
		{[2]int64{500, 5000}, [2]int64{1000, 10000}, 300, unknownUnevenness, true, "even"},
		{[2]int64{500, 5000}, [2]int64{1000, 10000}, 30000, 31000, true, "as uneven as before"},
		{[2]int64{500, 5000}, [2]int64{1000, 10000}, 20000, 31000, false, "less uneven than before"},
		{[2]int64{500, 5000}, [2]int64{1000, 10000}, 30000, unknownUnevenness, false, "nothing to compare with"},
		{[2]int64{500, 5000}, [2]int64{1000, 10000}, unknownUnevenness, 300, false, "too few beats"},
		{[2]int64{45, 5000}, [2]int64{90, 10000}, 300, 300, false, "few pauses"},
		{[2]int64{505, 5000}, [2]int64{1000, 10000}, 300, 300, false, "halves with 1 % more pauses"},
		{[2]int64{500, 5100}, [2]int64{1000, 10000}, 300, 300, false, "halves with 2 % longer pauses"},
	} {
		w := &while{points: []*progress{&zero, point(c.middle[0], c.middle[1]), point(c.end[0], c.end[1])}, uneven: c.uneven}
		require.Equal(t, c.steady, steadyPauses(w, c.before), c.why)
	}
	marks := func(middle, end int64) bool {
		a, b := &progress{}, &progress{}
		a.total.Marked, b.total.Marked = middle, end
		return steadyMarks(&zero, a, b)
	}
	require.True(t, marks(0, 0))
	require.True(t, marks(30000, 60000))
	require.False(t, marks(100, 200), "too few: they are random")
	require.False(t, marks(31000, 60000))
}

// permille is the difference of two numbers in thousandths of the first, rounded up.
func permille(a, b int64) int64 {
	if a == b {
		return 0
	}
	return (max(a-b, b-a)*1000 + a - 1) / max(a, 1)
}

// Long steady states take a hundredth of the events: an incast, and an all-to-all.
func TestRunFastIsFast(t *testing.T) {
	effort.SkipShort(t, "it simulates a long run")
	for name, net := range map[string]Network{"incast": incast(64, 1e9), "all-to-all": allToAll(16, 3e8)} {
		s := started(t, net)
		ff := s.RunFast(10*unit.Second, nil)
		require.NoError(t, s.Check(), name)
		sum := s.Summary()
		require.Equal(t, int64(len(net.Flows))*int64(net.Flows[0].Size)/1000, sum.Delivered, name)
		t.Logf("%s: %v of %v left out, %d events for %d frames", name, ff.Skipped, sum.LastDelivery, sum.Events,
			sum.Delivered)
		// A frame over two links takes four events, elided ones included.
		require.Less(t, 100*sum.Events, 4*sum.Delivered, name)
	}
}

// Where a state cannot be steady, or is watched, nothing is left out, and the result says why.
func TestRunFastRefuses(t *testing.T) {
	effort.SkipShort(t, "it simulates long runs")
	for want, change := range map[string]func(n *Network){
		"failures":         func(n *Network) { n.Failures = []Failure{{Kind: LinkDown, At: 1}} },
		"deadlocks":        func(n *Network) { n.DeadlockEvery = 1e6 },
		"several lengths":  func(n *Network) { n.Flows[0].Sender.Frames = []unit.Bytes{100, 200} },
		"silent at times":  func(n *Network) { n.Flows[0].Sender.OnOff = OnOff{On: 1e6, Off: 1e6} },
		"rates of DCQCN":   func(n *Network) { n.Flows[0].Sender.DCQCN = &DCQCN{} },
		"an observer sees": func(*Network) {},
	} {
		net := incast(4, 1e6)
		change(&net)
		exact, fast := started(t, net), started(t, net)
		if want == "an observer sees" {
			exact.Observe(func(*Event) {})
			fast.Observe(func(*Event) {})
		}
		exact.Run(unit.Millisecond)
		ff := fast.RunFast(unit.Millisecond, func() bool { return false })
		require.Contains(t, ff.Refused, want)
		require.Zero(t, ff.Skipped)
		requireSame(t, exact, fast, want)
	}
	s := started(t, incast(4, 1e6))
	s.ports[0].pausing.lldp = &lldp{}
	require.Contains(t, s.leapless(), "LLDP")
	// A caller can end a run, in the middle of a while too.
	s = started(t, incast(8, 1e8))
	s.RunFast(unit.Second, func() bool { return s.Now() > 15*unit.Millisecond })
	require.Less(t, s.Now(), 15050*unit.Microsecond)
	s = started(t, incast(4, 1e8))
	s.Observe(func(*Event) {})
	s.RunFast(unit.Second, func() bool { return s.Now() > 3*unit.Millisecond })
	require.Less(t, s.Now(), 3050*unit.Microsecond)
}

// Times of the clock and of the model differ by the leaps before them.
func TestLeapsAreReal(t *testing.T) {
	l := leaps{{10, 100}, {20, 1000}}
	for at, want := range map[int64]unit.Time{0: 0, 10: 10, 11: 111, 20: 120, 21: 1121} {
		require.Equal(t, want, l.modelTime(at))
	}
	require.Equal(t, int64(1100), l.sum())
}

// A run of a thousand million events keeps its memory and its accounts: nothing grows with time, no counter overflows,
// every frame is delivered or under way. It takes minutes, so it runs if CELLWARDEN_BILLION is set.
func TestBillionEvents(t *testing.T) {
	if os.Getenv("CELLWARDEN_BILLION") == "" {
		t.Skip("takes minutes: set CELLWARDEN_BILLION")
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	s := started(t, incast(64, 4e9))
	s.Run(10 * unit.Millisecond)
	first, events := heap(), int64(0)
	for at := 100 * unit.Millisecond; events < 1e9; at += 100 * unit.Millisecond {
		events += s.Run(at)
		require.NoError(t, s.Check())
	}
	sum := s.Summary()
	last := heap()
	t.Logf("%d events, %d frames delivered, %d pauses in %v; heap %d bytes after 10 ms, %d at the end", sum.Events,
		sum.Delivered, sum.PauseSent, s.Now(), first, last)
	require.Zero(t, sum.Drops)
	require.Less(t, last, first+first/10)
}
