package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// step lets happen what happens next, at one moment; false if nothing does.
func (s *Sim) step() bool {
	at := s.soonest()
	return at < clock.Never && s.Run(unit.Time(at)) > 0
}

// bytesIn deals out a fuzzer's bytes; zeros when there are none left.
type bytesIn []byte

func (b *bytesIn) next() int {
	if len(*b) == 0 {
		return 0
	}
	n := (*b)[0]
	*b = (*b)[1:]
	return int(n)
}

func (b *bytesIn) turn() Selection {
	kind, n := b.next(), b.next()
	switch a := Algorithm(kind) % (Shaped + 1); a {
	case Strict:
		return Selection{Algorithm: a}
	case Shaped:
		return Selection{Algorithm: a, IdleSlope: unit.BitRate(n+1) * 40 * unit.Mbps}
	default:
		return Selection{Algorithm: a, Weight: n}
	}
}

// anyEgress is three hosts that send to a fourth through any schedule and any marking, with PFC for priority 3.
func anyEgress(in bytesIn) Network {
	net := star(4)
	lossless(&net, 100, thresholds.Dynamic(0))
	port := &net.Switches[0].Ports[3]
	port.ETS.Quantum, port.ETS.Overhead = unit.Bytes(in.next()*8), unit.Bytes(in.next())
	for q := range Priorities {
		port.ETS.Queues[q], port.ETS.Groups[q] = in.turn(), in.turn()
		port.ETS.Group[q] = in.next() % Priorities
		kmin := unit.Bytes(in.next() * 100)
		port.ECN[q] = Marking{Thresholds: ecn.Thresholds{KMin: kmin, KMax: kmin + unit.Bytes(in.next()*50) + 1,
			PMax: unit.Percent(in.next() + 1)}}
		port.ECN[q].Dequeue, port.ECN[q].DropOthers = in.next()&1 != 0, in.next()&1 != 0
	}
	for range 2 + in.next()%10 {
		f := flowOf(in.next()%3, 3, in.next()%Priorities, unit.Bytes(64+in.next()*16), 1+in.next()%40)
		f.Start = unit.Time(in.next()) * 10 * unit.Nanosecond
		f.ECT = in.next()&1 != 0
		net.Flows = append(net.Flows, f)
	}
	return net
}

// FuzzEgress checks all invariants after every event. At the end all frames are
// delivered or dropped, so no frame waits for ever.
func FuzzEgress(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{4, 20, 1, 14, 1, 50, 0, 2, 1, 200, 1, 1, 1, 15, 1, 30, 1, 3, 9, 9, 0, 0, 2, 0, 2, 0, 2})
	f.Add([]byte{255, 0, 3, 40, 3, 60, 0, 0, 0, 0, 0, 0, 3, 1, 3, 1, 1, 0, 0, 0, 1, 1, 0, 255, 1, 255, 2, 0, 0, 0, 0,
		0, 1, 1, 1, 1})
	many := make([]byte, 200)
	for i := range many {
		many[i] = byte(i*37 + i/7)
	}
	f.Add(many)
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := New(anyEgress(in))
		require.NoError(t, err)
		for s.step() {
			require.NoError(t, s.Check())
		}
		sum := s.Summary()
		require.Equal(t, sum.Sent, sum.Delivered+sum.Drops)
	})
}

// everything is the incast with all eight classes, ETS in two levels and ECN.
func everything(n int, size unit.Bytes) Network {
	net := incast(n, size)
	for i := range net.Flows {
		net.Flows[i].Priority, net.Flows[i].PCP, net.Flows[i].ECT = i%Priorities, i%Priorities, true
	}
	for i := range net.Switches[0].Ports {
		port := &net.Switches[0].Ports[i]
		port.ETS = weighted(DWRR, 14, 14, 14, 15, 15, 14, 14)
		port.ETS.Group = [Priorities]int{0, 0, 0, 1, 1, 2, 2, 3}
		port.ETS.Groups = [Priorities]Selection{{Algorithm: DWRR, Weight: 50}, {Algorithm: DWRR, Weight: 30},
			{Algorithm: DWRR, Weight: 20}, {Algorithm: Shaped, IdleSlope: 5 * unit.Gbps}}
		for q := range port.ECN {
			port.ECN[q] = Marking{Thresholds: ecn.Thresholds{KMin: 5e3, KMax: 200e3, PMax: unit.OnePercent},
				Dequeue: q&1 != 0}
		}
	}
	return net
}

func TestEgressAllocatesNothing(t *testing.T) {
	effort.Alone(t)
	s, err := New(everything(16, 100e6))
	require.NoError(t, err)
	s.Run(500 * unit.Microsecond)
	marked := s.Summary().Marked
	until := s.Now()
	require.Zero(t, testing.AllocsPerRun(10, func() {
		until += 10 * unit.Microsecond
		s.Run(until)
	}))
	require.Greater(t, s.Summary().Marked, marked)
	require.NoError(t, s.Check())
}
