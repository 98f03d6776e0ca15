package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// lossless gives priority 3 of every port of a star PFC and a group in a pool of
// its own, of this size, with headroom enough.
func lossless(net *Network, pool cells.Count, alpha thresholds.Limit) {
	sw := &net.Switches[0]
	sw.OwnXON = true
	sw.MMU.Pools = append(sw.MMU.Pools, mmu.Pool{Shared: pool})
	for i := range sw.Ports {
		net.Hosts[i].PFC = 1 << 3
		sw.Ports[i].PFC = 1 << 3
		sw.MMU.Groups[sw.Ports[i].Groups[3]] = mmu.Group{Pool: 1, Limit: alpha, Lossless: true, Headroom: 1000,
			XON: thresholds.XON{Offset: 20}}
	}
}

// endless sends frames of 1040 bytes, five cells of 208, without end.
func endless(from, to, priority int) Flow {
	return Flow{From: from, To: to, Priority: priority, PCP: priority, Frame: 1040, ECT: true}
}

// twoInOneOut is two hosts that send to a third. The buffer has 100,000 cells: 9 % are the shared pool of the lossless
// groups, with an alpha of 1, and a queue may hold half of the buffer. WRED begins at this fill level of the queue's
// limit and rises to 100 % at the limit.
func twoInOneOut(fill unit.Percent) Network {
	const memory = 100000
	net := star(3)
	lossless(&net, memory*9/100, thresholds.Dynamic(0))
	sw := &net.Switches[0]
	sw.MMU.EgressPools = []mmu.Pool{{Shared: memory}}
	for i := range sw.Ports {
		for q := range Priorities {
			sw.Ports[i].Cells[q] = i*Priorities + q
			sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Limit: thresholds.Static(memory / 2)})
		}
	}
	limit := unit.Bytes(memory / 2 * 208)
	sw.Ports[2].ECN[3] = Marking{Thresholds: ecn.Thresholds{KMin: ecn.FillLevel(limit, fill), KMax: limit,
		PMax: unit.Whole}}
	net.Flows = []Flow{endless(0, 2, 3), endless(1, 2, 3)}
	return net
}

// TestTwoInOneOut tests whether a switch marks before it pauses. Both groups pause when each holds alpha*B/(1+2*alpha)
// = 3 % of the buffer; the queue then holds 6 %. Marking at 10 % of the queue's limit, which is 5 % of the buffer,
// begins before that. Marking at 50 %, which is 25 %, never begins.
func TestTwoInOneOut(t *testing.T) {
	effort.Alone(t)
	for _, c := range []struct {
		fill  unit.Percent
		marks bool
	}{{10 * unit.OnePercent, true}, {50 * unit.OnePercent, false}} {
		net := twoInOneOut(c.fill)
		check := ecn.Check{Sharing: ecn.Sharing{Pool: 9000, Alpha: 0}, Cell: 208,
			KMin: net.Switches[0].Ports[2].ECN[3].KMin, Feeding: 2}
		require.Equal(t, c.marks, check.MarksFirst(2), "by the formula")

		s, err := New(net)
		require.NoError(t, err)
		var marked, wanted unit.Time
		var both [2]unit.Bytes
		s.Observe(func(e *Event) {
			switch {
			case e.Kind == Marked && marked == 0:
				marked = e.At
			case e.Kind == PauseWanted && both[e.Where.Port] == 0:
				if wanted == 0 {
					wanted = e.At
				}
				_, both[e.Where.Port] = s.Queue(0, 2, 3)
			}
		})
		s.Run(2 * unit.Millisecond)
		require.NoError(t, s.Check())
		require.Positive(t, wanted)
		for port, depth := range both {
			// Not in the queue, but in the groups: the frame being sent. The groups' last frames before their limit: one each.
			require.InDelta(t, 6000*208, int64(depth), 3*1040, "port %d pauses with 6 %% in the queue", port)
		}
		sum := s.Summary()
		require.Zero(t, sum.Drops)
		require.Positive(t, sum.PauseSent)
		if !c.marks {
			require.Zero(t, sum.Marked)
			continue
		}
		require.Positive(t, marked)
		require.Less(t, marked, wanted)
	}
}

// TestAlphaAndFirstPause sends 100G into a port of 50G. The group pauses at alpha*B/(1+alpha): B/17 with 1/16 and B/65
// with 1/64, so the first pause comes 65/17 = 3.82 times sooner with the smaller one.
func TestAlphaAndFirstPause(t *testing.T) {
	first := func(exponent int) unit.Time {
		net := star(2)
		lossless(&net, 17*65*100, thresholds.Dynamic(thresholds.Alpha(exponent)))
		net.Links[1].Rate = 50 * unit.Gbps
		net.Flows = []Flow{endless(0, 1, 3)}
		s, err := New(net)
		require.NoError(t, err)
		var came, paused unit.Time
		s.Observe(func(e *Event) {
			switch {
			case e.Kind == Enqueued && came == 0:
				came = e.At
			case e.Kind == PauseWanted && paused == 0:
				paused = e.At
			}
		})
		s.Run(2 * unit.Millisecond)
		require.NoError(t, s.Check())
		require.Zero(t, s.Summary().Drops)
		require.Positive(t, paused)
		return paused - came
	}
	large, small := first(-4), first(-6)
	t.Logf("alpha 1/16: %v, alpha 1/64: %v", large, small)
	require.InEpsilon(t, 65.0/17, float64(large)/float64(small), 0.005)
}

// TestVictim shows head-of-line blocking. Host 0 sends class 3 to a host that accepts nothing, so the switch pauses
// class 3 of host 0. Its class 3 to another host, whose port is free, stops too. Its class 4 to that host is not
// stopped and has the whole link.
func TestVictim(t *testing.T) {
	net := star(3)
	lossless(&net, 9000, thresholds.Dynamic(-3))
	net.Flows = []Flow{endless(0, 1, 3), endless(0, 2, 3), endless(0, 2, 4)}
	s, err := New(net)
	require.NoError(t, err)
	s.hold(AtSwitch(0, 1), 1<<3)
	s.Run(500 * unit.Microsecond)
	require.NoError(t, s.Check())
	require.Positive(t, s.Counters(AtHost(0)).PauseReceived[3])
	victim, other := s.Flow(1), s.Flow(2)
	require.Positive(t, victim.Delivered, "until the pause")
	s.Run(1500 * unit.Microsecond)
	require.Equal(t, victim.Delivered, s.Flow(1).Delivered, "the victim has stopped, and its own way is free")
	_, waits := s.Queue(0, 2, 3)
	require.Zero(t, waits)
	line := int64(unit.Millisecond) / int64((100 * unit.Gbps).TimeFor(1060*8))
	require.InDelta(t, line, s.Flow(2).Delivered-other.Delivered, 1, "line rate")
	require.Zero(t, s.Counters(AtHost(0)).PauseReceived[4])
	require.Zero(t, s.Summary().Drops)
}
