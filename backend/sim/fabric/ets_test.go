package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// race fills queues 0 to 7 of a port of 100G with 4 MB of frames of these sizes, 0: none, while it may not send, lets
// it go, and stops while all queues still have some.
func race(t *testing.T, ets Scheduler, frames [Priorities]unit.Bytes, span unit.Time) *Sim {
	net := star(Priorities + 1)
	net.Switches[0].Ports[Priorities].ETS = ets
	for q, size := range frames {
		if size > 0 {
			net.Flows = append(net.Flows, flowOf(q, Priorities, q, size, int(4e6/size)))
		} else {
			net.Flows = append(net.Flows, flowOf(q, Priorities, q, 64, 1))
			net.Flows[q].Start = unit.Second
		}
	}
	s, err := New(net)
	require.NoError(t, err)
	s.hold(AtSwitch(0, Priorities), 0xff)
	s.Run(unit.Millisecond / 2)
	s.hold(AtSwitch(0, Priorities), 0)
	s.Run(s.Now() + span)
	require.NoError(t, s.Check())
	return s
}

// within1 requires shares in these proportions within 1 %.
func within1(t *testing.T, want, got []int64) {
	t.Helper()
	var all, sum int64
	for i := range want {
		all += want[i]
		sum += got[i]
	}
	require.Positive(t, sum)
	for i := range want {
		require.InEpsilon(t, float64(want[i])/float64(all), float64(got[i])/float64(sum), 0.01, "queue %d of %v", i,
			got)
	}
}

func (s *Sim) bytesOf(flows int) (out []int64) {
	for i := range flows {
		out = append(out, int64(s.Flow(i).Bytes))
	}
	return out
}

var seven = []int64{14, 14, 14, 15, 15, 14, 14}

func weighted(a Algorithm, weights ...int64) (s Scheduler) {
	for q, w := range weights {
		s.Queues[q] = Selection{Algorithm: a, Weight: int(w)}
	}
	return s
}

func TestDWRRSharesBytes(t *testing.T) {
	effort.Alone(t)
	sizes := [Priorities]unit.Bytes{64, 1518, 9000, 1048, 256, 700, 4096}
	s := race(t, weighted(DWRR, seven...), sizes, 1500*unit.Microsecond)
	within1(t, seven, s.bytesOf(7))

	wide := weighted(DWRR, seven...)
	wide.Quantum = 700
	within1(t, seven, race(t, wide, sizes, 1500*unit.Microsecond).bytesOf(7))
}

func TestDWRRCountsOverhead(t *testing.T) {
	effort.Alone(t)
	ets := weighted(DWRR, 1, 1)
	ets.Overhead = 20
	s := race(t, ets, [Priorities]unit.Bytes{64, 1500}, 300*unit.Microsecond)
	b := s.bytesOf(2)
	within1(t, []int64{1, 1}, []int64{b[0] / 64 * 84, b[1] / 1500 * 1520})
}

func TestWRRSharesPackets(t *testing.T) {
	sizes := [Priorities]unit.Bytes{700, 1518, 900, 1048, 1256, 700, 1096}
	s := race(t, weighted(WRR, seven...), sizes, 1500*unit.Microsecond)
	packets := s.bytesOf(7)
	for q := range packets {
		packets[q] /= int64(sizes[q])
	}
	within1(t, seven, packets)
}

// Groups share first: 50, 30 and 20 %, whatever the number of queues in each.
// The share of an idle group is divided among the others as 50 to 20.
func TestTwoLevels(t *testing.T) {
	ets := weighted(DWRR, 1, 3, 1, 1, 1, 1)
	ets.Group = [Priorities]int{0, 0, 1, 1, 1, 2}
	for g, w := range []int{50, 30, 20} {
		ets.Groups[g] = Selection{Algorithm: DWRR, Weight: w}
	}
	sizes := [Priorities]unit.Bytes{500, 1500, 64, 1000, 9000, 300}
	b := race(t, ets, sizes, 300*unit.Microsecond).bytesOf(6)
	within1(t, []int64{125, 375, 100, 100, 100, 200}, b)

	sizes[2], sizes[3], sizes[4] = 0, 0, 0
	b = race(t, ets, sizes, 300*unit.Microsecond).bytesOf(6)
	within1(t, []int64{125, 375, 200}, []int64{b[0], b[1], b[5]})
	require.InDelta(t, 300e-6*100e9/8, float64(b[0]+b[1]+b[5]), 0.08*3.75e6,
		"and nothing is left over but preambles, gaps and 2 us of way")
}

// A strict queue takes the whole rate. A strict queue within a weighted group takes only the rate of its group.
func TestStrictStarves(t *testing.T) {
	ets := weighted(DWRR, 1, 1)
	ets.Queues[5].Algorithm = Strict
	sizes := [Priorities]unit.Bytes{1000, 1000, 0, 0, 0, 1000}
	b := race(t, ets, sizes, 300*unit.Microsecond).bytesOf(6)
	require.Zero(t, b[0]+b[1])
	require.InEpsilon(t, 298*100e3/8/1.02, b[5], 0.01)

	ets.Queues[4].Algorithm = Strict
	sizes[4] = 500
	require.Zero(t, race(t, ets, sizes, 300*unit.Microsecond).bytesOf(6)[4], "the higher number goes first")

	ets.Group[5], ets.Group[4] = 1, 1
	ets.Groups[0], ets.Groups[1] = Selection{Algorithm: DWRR, Weight: 3}, Selection{Algorithm: DWRR, Weight: 1}
	b = race(t, ets, sizes, 300*unit.Microsecond).bytesOf(6)
	require.Zero(t, b[4])
	within1(t, []int64{3, 3, 2}, []int64{b[0], b[1], b[5]})

	ets.Groups[1] = Selection{Algorithm: Strict}
	b = race(t, ets, sizes, 300*unit.Microsecond).bytesOf(6)
	require.Zero(t, b[0]+b[1])
}

// The general scheduler with equal settings gives the same run as a port without a scheduler.
func TestPlainSchedulerIsRoundRobin(t *testing.T) {
	trace := func(general bool) (out []Event) {
		net := incast(5, 100e3)
		for i := range net.Flows {
			net.Flows[i].Priority, net.Flows[i].PCP = i%3+2, i%3+2
		}
		s, err := New(net)
		require.NoError(t, err)
		for i := range s.ports {
			if general && s.ports[i].isSwitch() {
				s.ports[i].ets, err = newScheduler(Scheduler{Quantum: 256}, s.ports[i].rate)
				require.NoError(t, err)
			}
		}
		s.Observe(func(e *Event) { out = append(out, *e) })
		s.Run(unit.Second)
		require.NoError(t, s.Check())
		return out
	}
	require.Equal(t, trace(false), trace(true))
}

// One of two equal queues is paused, once for long or many times. Afterwards it has half of the rate and no more.
func TestPauseGathersNothing(t *testing.T) {
	for _, algorithm := range []Algorithm{WRR, DWRR} {
		net := star(3)
		net.Switches[0].Ports[2].ETS = weighted(algorithm, 20, 20)
		net.Flows = []Flow{flowOf(0, 2, 0, 1000, 1e6), flowOf(1, 2, 1, 1000, 1e6)}
		s, err := New(net)
		require.NoError(t, err)
		port := AtSwitch(0, 2)
		s.Run(10 * unit.Microsecond)
		s.hold(port, 1)
		s.Run(100 * unit.Microsecond)
		s.hold(port, 0)
		before := s.bytesOf(2)
		s.Run(200 * unit.Microsecond)
		after := s.bytesOf(2)
		require.InDelta(t, after[0]-before[0], after[1]-before[1], 2*20*1000+2000, algorithm)
		for at := 200 * unit.Microsecond; at < 400*unit.Microsecond; at += 200 * unit.Nanosecond {
			s.hold(port, pfc.Priorities(at/(200*unit.Nanosecond))&1)
			s.Run(at)
		}
		s.hold(port, 0)
		require.LessOrEqual(t, s.ports[s.port(port)].ets.Deficit(0), int64(20*256+1000))
		before = s.bytesOf(2)
		s.Run(500 * unit.Microsecond)
		after = s.bytesOf(2)
		require.InDelta(t, after[0]-before[0], after[1]-before[1], 2*20*1000+2000, algorithm)
	}
}

func TestSchedulerValidate(t *testing.T) {
	require.NoError(t, Scheduler{}.Validate())
	bad := Scheduler{Quantum: -1, Overhead: 300}
	bad.Queues[1] = Selection{Weight: -2}
	bad.Queues[2] = Selection{Algorithm: Strict, Weight: 2}
	bad.Queues[3] = Selection{Algorithm: 9}
	bad.Groups[4] = Selection{Algorithm: Shaped}
	bad.Groups[5] = Selection{Algorithm: DWRR, IdleSlope: 5}
	bad.Group[6] = 8
	require.EqualError(t, bad.Validate(), `queues[1]: weight -2 (want 0 to 65536)
queues[2]: strict with a weight of 2: only wrr and dwrr have weights
queues[3]: algorithm 9 is not an algorithm (want wrr, dwrr, strict, shaped)
groups[4]: idle slope 0b/s (want whole kilobits per second above 0)
groups[5]: dwrr with an idle slope of 5b/s: only shaped has one
group[6]: 8 (want 0 to 7)
quantum: -1B (want 0 to 1048576B)
overhead: 300B (want 0 to 256B)`)

	net := star(2)
	net.Switches[0].Ports[0].ETS.Queues[0] = Selection{Algorithm: Shaped, IdleSlope: 60 * unit.Gbps}
	net.Switches[0].Ports[0].ETS.Queues[1] = Selection{Algorithm: Shaped, IdleSlope: 60 * unit.Gbps}
	_, err := New(net)
	require.EqualError(t, err, "switches[0].ports[0].ets: queues: idle slopes of 120G in all on a port of 100G "+
		"(want up to its rate, which must be whole kilobits per second)")
	net.Switches[0].Ports[0].ETS = Scheduler{Quantum: -1}
	net.Switches[0].Ports[1].ETS = Scheduler{Quantum: -1}
	_, err = New(net)
	require.ErrorContains(t, err, "switches[0].ports[0].ets.quantum")
	require.ErrorContains(t, err, "switches[0].ports[1].ets.quantum")
}

// A port that waits for a shaper continues when its scheduler changes. A
// scheduler that New would refuse changes nothing.
func TestSetSchedule(t *testing.T) {
	net := incast(4, 0)
	slow := Scheduler{}
	slow.Queues[3] = Selection{Algorithm: Shaped, IdleSlope: unit.Mbps}
	net.Switches[0].Ports[4].ETS = slow
	s, err := New(net)
	require.NoError(t, err)
	run := func() int64 {
		before := s.Summary().Delivered
		s.Advance(s.Now() + 100*unit.Microsecond)
		require.NoError(t, s.Check())
		return s.Summary().Delivered - before
	}
	few := run()
	require.Error(t, s.SetSchedule(0, 4, Scheduler{Quantum: -1}))
	require.LessOrEqual(t, run(), few, "as before")
	require.NoError(t, s.SetSchedule(0, 4, Scheduler{}))
	require.Greater(t, run(), 100*max(few, 1))
	require.NoError(t, s.SetSchedule(0, 4, slow))
	run() // what was on its way arrives
	require.LessOrEqual(t, run(), few+2)
}
