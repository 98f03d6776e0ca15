package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// trimmingNetwork is two switches in a row: so many senders at the first, one receiver at the second. Queue 1 has a limit
// in cells and trims to queue 6, if trim is not 0. Ports trust the DSCP.
func trimmingNetwork(senders int, limit cells.Count, trim unit.Bytes, flow Flow) Network {
	n := Network{Seed: 7}
	link := func(a, b End) {
		n.Links = append(n.Links, Link{A: a, B: b, Rate: 100 * unit.Gbps, Delay: 500 * unit.Nanosecond})
	}
	for s := range 2 {
		ports := senders + 1
		if s == 1 {
			ports = 2
		}
		w := Switch{Name: fmt.Sprint("s", s), TrimDSCP: 48, MMU: mmu.Config{Cell: 200, Pools: []mmu.Pool{{Shared: 1 << 16}},
			EgressPools: []mmu.Pool{{Shared: 1 << 16}}, Trim: trim}}
		for p := range ports {
			sp := SwitchPort{Name: fmt.Sprint(p), Trust: TrustDSCP}
			for prio := range Priorities {
				sp.Groups[prio], sp.Queues[prio], sp.Cells[prio] = p*Priorities+prio, prio, p*Priorities+prio
				w.MMU.Groups = append(w.MMU.Groups, mmu.Group{Limit: thresholds.Unlimited()})
				w.MMU.Queues = append(w.MMU.Queues, mmu.Queue{Limit: thresholds.Unlimited()})
			}
			w.MMU.Queues[p*Priorities+1].Limit = thresholds.Static(limit)
			if trim > 0 {
				w.MMU.Queues[p*Priorities+1].Trim = p*Priorities + 6 + 1
			}
			w.Ports = append(w.Ports, sp)
		}
		n.Switches = append(n.Switches, w)
	}
	for h := range senders + 1 {
		n.Hosts = append(n.Hosts, Host{Name: fmt.Sprint("h", h)})
	}
	for h := range senders {
		link(AtHost(h), AtSwitch(0, h))
		f := flow
		f.From, f.To, f.Priority, f.PCP, f.DSCP = h, senders, 1, -1, 8
		n.Flows = append(n.Flows, f)
	}
	link(AtSwitch(0, senders), AtSwitch(1, 0))
	link(AtHost(senders), AtSwitch(1, 1))
	return n
}

// runTrimming runs a network, and checks its invariants.
func runTrimming(t *testing.T, n Network, observe func(*Event)) *Sim {
	t.Helper()
	s, err := New(n)
	require.NoError(t, err)
	if observe != nil {
		s.Observe(observe)
	}
	for range 20 {
		s.Advance(s.Now() + 500*unit.Microsecond)
		require.NoError(t, s.Check())
	}
	return s
}

// What a queue refuses arrives trimmed, by the queue of its DSCP at every switch, and nothing is lost.
func TestTrimmedFramesArrive(t *testing.T) {
	n := trimmingNetwork(4, 100, 128, Flow{Frame: 2000, Size: 200_000})
	queues := map[string]int{}
	s := runTrimming(t, n, func(e *Event) {
		if e.Kind == Enqueued {
			queues[fmt.Sprintf("%d %s %d %d", e.Where.Node, e.FrameKind, e.Queue, e.Bytes)]++
		}
	})
	sum := s.Summary()
	require.EqualValues(t, 400, sum.Sent)
	require.Positive(t, sum.Trimmed)
	require.Zero(t, sum.Drops)
	require.Zero(t, sum.TrimDropped)
	require.Equal(t, sum.Trimmed, sum.TrimmedArrived)
	require.Equal(t, sum.Sent, sum.Delivered+sum.TrimmedArrived)
	trimmed := int(sum.Trimmed)
	require.Equal(t, map[string]int{"0 data 1 2000": 400 - trimmed, "0 trimmed 6 128": trimmed,
		"1 data 1 2000": 400 - trimmed, "1 trimmed 6 128": trimmed}, queues)
	var arrived int64
	for i := range n.Flows {
		arrived += s.Flow(i).Trimmed
		require.True(t, s.Done(i))
	}
	require.Equal(t, sum.Trimmed, arrived)
	// Without an observer, by the short ways, the result is the same.
	plain := runTrimming(t, n, nil).Summary()
	sum.Events, plain.Events = 0, 0
	require.Equal(t, sum, plain)
}

// A rest without room is a drop, at the switch that trims or further on.
func TestRestsAreDropped(t *testing.T) {
	n := trimmingNetwork(4, 100, 128, Flow{Frame: 2000, Size: 200_000})
	w := &n.Switches[0].MMU
	w.Queues[4*Priorities+6].Limit = thresholds.Static(2)
	sum := runTrimming(t, n, nil).Summary()
	require.Positive(t, sum.TrimDropped)
	require.Equal(t, sum.TrimDropped, sum.Drops)
	require.Equal(t, sum.Trimmed, sum.TrimmedArrived+sum.TrimDropped)
	require.Equal(t, map[string]int64{"queue limit": sum.Drops}, sum.ByReason)

	n = trimmingNetwork(4, 100, 128, Flow{Frame: 2000, Size: 200_000})
	n.Switches[1].MMU.Queues[1*Priorities+6].Limit = thresholds.Static(0)
	sum = runTrimming(t, n, nil).Summary()
	require.Zero(t, sum.TrimDropped)
	require.Equal(t, sum.Trimmed, sum.Drops)
	require.Zero(t, sum.TrimmedArrived)
}

// A network whose queues can trim and never do has the results of one without trimming.
func TestTrimmingWithoutLossChangesNothing(t *testing.T) {
	flow := Flow{Frame: 1500, Header: 58, Size: 300_000, Sender: Sender{Window: 40_000, ACK: ACK{Every: 4}}}
	for _, sender := range []Sender{{}, flow.Sender} {
		flow.Sender = sender
		with := runTrimming(t, trimmingNetwork(3, 1<<16, 128, flow), nil).Summary()
		without := runTrimming(t, trimmingNetwork(3, 1<<16, 0, flow), nil).Summary()
		require.Positive(t, with.Delivered)
		with.Events, without.Events = 0, 0
		require.Equal(t, without, with)
	}
}

// Whatever is trimmed, hosts that repeat deliver all payload, whole frames and single ones alike.
func TestTrimmedFramesAreRepeated(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ack := ACK{Every: 1 + rng.IntN(8), Selective: rng.IntN(3) > 0, Timeout: 200 * unit.Microsecond,
			Class: Class{Priority: 5, PCP: -1, DSCP: 40}}
		frame := unit.Bytes(200 + rng.IntN(4000))
		flow := Flow{Frame: frame, Header: 60, Size: unit.Bytes(1 + rng.IntN(60_000)),
			Sender: Sender{ACK: ack, Window: frame * unit.Bytes(1+rng.IntN(6)), Spread: 5 * unit.Microsecond}}
		n := trimmingNetwork(1+rng.IntN(5), cells.Count(25+rng.IntN(60)), unit.Bytes(64+rng.IntN(200)), flow)
		s := runTrimming(t, n, nil)
		sum := s.Summary()
		for i := range n.Flows {
			require.True(t, s.Arrived(i), "seed %d flow %d selective %v: %+v", seed, i, ack.Selective, sum)
			require.True(t, s.Done(i), "seed %d", seed)
		}
		if ack.Selective {
			require.Zero(t, sum.Refused, "seed %d: nothing is sent in vain: %+v", seed, sum)
			require.Zero(t, sum.Timeouts, "seed %d: %+v", seed, sum)
			require.Equal(t, sum.Resent, sum.TrimmedArrived, "seed %d", seed)
		}
	}
}

// What is trimmed costs no allocation once the network has grown: a run allocates what one does that trims nothing, which
// is its workers.
func TestTrimmingAllocatesNothing(t *testing.T) {
	effort.Alone(t)
	var allocated []float64
	for _, trim := range []unit.Bytes{0, 128} {
		n := trimmingNetwork(4, 100, trim, Flow{Frame: 2000, Sender: Sender{Window: 100_000,
			ACK: ACK{Every: 4, Class: Class{Priority: 5, PCP: -1, DSCP: 40}}}})
		s, err := New(n)
		require.NoError(t, err)
		s.Run(2 * unit.Millisecond)
		before := s.Summary().Trimmed
		allocated = append(allocated, testing.AllocsPerRun(10, func() { s.Run(s.Now() + 100*unit.Microsecond) }))
		require.Equal(t, trim > 0, s.Summary().Trimmed > before)
	}
	require.Equal(t, allocated[0], allocated[1])
}

func TestTrimmingRefused(t *testing.T) {
	n := trimmingNetwork(2, 100, 128, Flow{Frame: 2000})
	n.Switches[0].TrimDSCP = 64
	n.Switches[0].MMU.Queues[1].Trim = 1 + Priorities // of another port
	n.Flows[0].Sender.ACK.Selective = true
	_, err := New(n)
	require.ErrorContains(t, err, "trim DSCP: 64 (want 0 to 63)")
	require.ErrorContains(t, err, "switches[0].ports[0].cells[1]: trims to queue 8 of the MMU (want a queue of this port)")
	require.ErrorContains(t, err, "ack.selective: 0B (want a window of 1B to 1GiB)")
	n = trimmingNetwork(2, 100, 128, Flow{Frame: 2000})
	s, err := New(n)
	require.NoError(t, err)
	require.Equal(t, "a switch trims frames", s.RunFast(unit.Microsecond, nil).Refused)
}
