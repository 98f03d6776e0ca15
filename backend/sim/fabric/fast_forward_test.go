package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

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

// crossed is a fat tree of 16 hosts in which several hosts send to one.
func crossed(size unit.Bytes) Network {
	net := fatTree(4)
	for i := range 16 {
		f := Flow{From: i, To: i / 4 * 5 % 16, Priority: 3, PCP: 3, Frame: 1048, Header: 48, Size: size}
		if f.To == i {
			f.To = (i + 1) % 16
		}
		net.Flows = append(net.Flows, f)
	}
	return net
}

// steadyWorks are runs with steady states.
func steadyWorks() map[string]Network {
	late := incast(16, 4e7)
	for i := range late.Flows {
		late.Flows[i].Start = unit.Time(i/8) * 30 * unit.Millisecond
		late.Flows[i].ECT = true
	}
	late.Switches[0].Ports[16].ECN[3] = Marking{Thresholds: ecn.Thresholds{KMin: 100e3, KMax: 400e3, PMax: unit.Whole / 2}}
	return map[string]Network{"incast of 16": incast(16, 5e7), "incast of 64": incast(64, 1e7),
		"all-to-all of 16": allToAll(16, 4e6), "crossed": crossed(4e7),
		"incast with acknowledgements": acknowledged(incast(16, 3e7)), "marked, in two groups": late}
}

// The exact run is the judge of the fast one: completion times, the time of pauses and the marks differ by less than
// 1 %, and counters are conserved. The maxima depend on the order in which the last flows end, and the number of pauses
// falls for a while after a start, so these have wider bounds.
func TestRunFastAgainstExact(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of events")
	}
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
		worst := int64(0)
		for i := range net.Flows {
			require.True(t, fast.Arrived(i), name)
			from, _ := exact.Started(i)
			at, _ := fast.Started(i)
			require.Equal(t, from, at, name)
			require.Equal(t, exact.Flow(i).Bytes, fast.Flow(i).Bytes, name)
			worst = max(worst, permille(int64(exact.Flow(i).Last-from), int64(fast.Flow(i).Last-at)))
		}
		p, q := exact.progress().paused, fast.progress().paused
		t.Logf("%s: %v left out, events %d and %d, completion %d, paused %d, marks %d, peaks %d and %d, pauses %d per mille",
			name, ff.Skipped, a.Events, b.Events, worst, permille(p, q), permille(a.Marked, b.Marked),
			permille(int64(a.MaxShared), int64(b.MaxShared)), permille(int64(a.MaxHeadroom), int64(b.MaxHeadroom)),
			permille(a.PauseSent, b.PauseSent))
		require.Less(t, worst, int64(10), name)
		require.Less(t, permille(p, q), int64(10), name)
		require.Less(t, permille(a.Marked, b.Marked), int64(10), name)
		require.LessOrEqual(t, permille(int64(a.MaxShared), int64(b.MaxShared)), int64(50), name)
		require.LessOrEqual(t, permille(a.PauseSent, b.PauseSent), int64(200), name)
	}
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
	for name, net := range map[string]Network{"incast": incast(64, 5e8), "all-to-all": allToAll(16, 3e8)} {
		s := started(t, net)
		ff := s.RunFast(10*unit.Second, nil)
		require.NoError(t, s.Check(), name)
		sum := s.Summary()
		require.Equal(t, int64(len(net.Flows))*int64(net.Flows[0].Size)/1000, sum.Delivered, name)
		t.Logf("%s: %v of %v left out, %d events for %d frames", name, ff.Skipped, sum.LastDelivery, sum.Events,
			sum.Delivered)
		// A frame over two links takes four events, those included that a lazy host leaves out.
		require.Less(t, 100*sum.Events, 4*sum.Delivered, name)
	}
}

// Where a state cannot be steady, or is watched, nothing is left out, and the result says why.
func TestRunFastRefuses(t *testing.T) {
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
	// A caller can end a run.
	s = started(t, incast(4, 1e8))
	s.RunFast(unit.Second, func() bool { return s.Now() > 3*unit.Millisecond })
	require.Less(t, s.Now(), 900*unit.Millisecond)
}

// Times of the clock and of the model differ by the leaps before them.
func TestLeapsAreReal(t *testing.T) {
	l := leaps{{10, 100}, {20, 1000}}
	for at, want := range map[int64]unit.Time{0: 0, 10: 10, 11: 111, 20: 120, 21: 1121} {
		require.Equal(t, want, l.real(at))
	}
	require.Equal(t, int64(1100), l.sum())
}
