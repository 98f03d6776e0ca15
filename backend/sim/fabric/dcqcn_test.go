package fabric

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// bottleneck is n hosts with DCQCN at 40G that send to one more without end,
// packets of 1000 bytes on a wire that adds nothing, as in the fluid model.
func bottleneck(n int, seed uint64) Network {
	net := incast(n, 0)
	net.Wire.Bare, net.Seed = true, seed
	sw := &net.Switches[0]
	sw.MMU.Pools[0].Shared = 1 << 20
	sw.Ports[n].ECN[3] = Marking{Thresholds: curve, Dequeue: true}
	sw.MMU.Groups = append([]mmu.Group(nil), sw.MMU.Groups...)
	for i := range sw.MMU.Groups {
		sw.MMU.Groups[i].Limit = thresholds.Unlimited()
	}
	for i := range net.Links {
		net.Links[i].Rate = 40 * unit.Gbps
		net.Links[i].Delay = 500 * unit.Nanosecond
	}
	for i := range net.Flows {
		f := &net.Flows[i]
		f.Frame, f.Header, f.ECT = 1000, 48, true
		f.Sender.DCQCN = &DCQCN{CNP: Class{Priority: 6, PCP: 6}}
	}
	return net
}

// settled is what a bottleneck does after its start.
type settled struct {
	queue, use, jain float64
	marks            float64
}

func settle(t *testing.T, n int, seed uint64, from, to unit.Time) settled {
	s, err := New(bottleneck(n, seed))
	require.NoError(t, err)
	s.Run(from)
	before := make([]unit.Bytes, n)
	for i := range n {
		before[i] = s.Flow(i).Bytes
	}
	marked := s.Summary().Marked
	var sum, samples float64
	for at := from; at < to; at += 1_003_337 { // not in step with the frames
		s.Run(at)
		_, bytes := s.Queue(0, n, 3)
		sum += float64(bytes)
		if s.ports[s.port(AtSwitch(0, n))].busy {
			sum += 1000
		}
		samples++
	}
	require.NoError(t, s.Check())
	var all, squares float64
	for i := range n {
		x := float64(s.Flow(i).Bytes - before[i])
		all += x
		squares += x * x
	}
	capacity := 40e9 / 8 * float64(to-from) / 1e12
	return settled{queue: sum / samples, use: all / capacity, jain: all * all / (float64(n) * squares),
		marks: float64(s.Summary().Marked-marked) / (all / 1000)}
}

// The first mark causes a CNP at once. Marks within the interval cause one CNP
// at its end. Without marks there is no CNP.
func TestNotifier(t *testing.T) {
	us := unit.Microsecond
	n := bottleneck(1, 1)
	n.Switches[0].Ports[1].ECN[3] = Marking{}
	n.Flows[0].Rate = unit.Gbps // a frame every 8 us
	n.Flows[0].Start = 0
	s, err := New(n)
	require.NoError(t, err)
	var sent []unit.Time
	count := 0
	s.Observe(func(e *Event) {
		switch {
		case e.Kind == Enqueued && e.FrameKind == "data":
			p := &s.ports[s.port(AtSwitch(0, 1))]
			switch count++; count - 1 {
			case 0, 1, 2, 3, 10, 20:
				p.queues[3].At(p.queues[3].Len - 1).CE = true
			}
		case e.Kind == Departs && e.FrameKind == "cnp" && !e.Where.Switch:
			sent = append(sent, e.At)
		}
	})
	checked(t, s, 5*unit.Millisecond)
	require.EqualValues(t, len(sent), s.Summary().CNP)
	require.Len(t, sent, 4)
	require.Equal(t, 50*us, sent[1]-sent[0])
	require.Greater(t, sent[2], sent[1]+50*us)
	require.Greater(t, sent[3], sent[2]+50*us)
}

// A pause of the data's class does not delay the CNPs, and a host sends them before its own data.
func TestProtected(t *testing.T) {
	n := bottleneck(1, 1)
	n.Flows = append(n.Flows, Flow{From: 1, To: 0, Priority: 3, PCP: 3, Frame: 9000, Header: 48})
	s, err := New(n)
	require.NoError(t, err)
	s.Observe(func(e *Event) {
		if e.Kind == Enqueued && e.Flow == 0 && e.FrameKind == "data" {
			q := &s.ports[s.port(AtSwitch(0, 1))].queues[3]
			q.At(q.Len - 1).CE = true
		}
	})
	s.ports[1].paused = 1 << 3 // of the receiving host
	s.Run(unit.Millisecond)
	require.Positive(t, s.Summary().CNP)
	require.Zero(t, s.Flow(1).Sent)
	require.Less(t, s.flowRate(0), 10*unit.Gbps)
	require.NoError(t, s.Check())
}

// If every frame is marked with the probability of the fluid model's fixed point, the mean rate of a sender is its
// share of the bottleneck. This tests the protocol without the noise of the queue.
func TestFixedProbability(t *testing.T) {
	effort.SkipShort(t, "seconds of simulation")
	for _, flows := range []int{2, 8} {
		point, err := ecn.DefaultDCQCN(40*unit.Gbps, flows).FixedPoint(curve)
		require.NoError(t, err)
		n := bottleneck(1, 1)
		n.Switches[0].Ports[1].ECN[3] = Marking{}
		s, err := New(n)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(1, 1))
		s.Observe(func(e *Event) {
			if e.Kind == Enqueued && e.FrameKind == "data" && r.Float64() < point.Probability {
				q := &s.ports[s.port(AtSwitch(0, 1))].queues[3]
				q.At(q.Len - 1).CE = true
			}
		})
		from, span := 100*unit.Millisecond, 300*unit.Millisecond
		s.Run(from)
		before := s.Flow(0).Bytes
		s.Run(from + span)
		rate := float64(s.Flow(0).Bytes-before) * 8 / (float64(span) / float64(unit.Second))
		t.Logf("%d flows, p %.6f: %.3f Gb/s, share %v", flows, point.Probability, rate/1e9, point.Rate)
		require.InEpsilon(t, float64(point.Rate), rate, 0.05)
	}
}

// curve is the marking of the paper's deployment.
var curve = ecn.Thresholds{KMin: 5000, KMax: 200_000, PMax: unit.Whole / 100}

// percentBelow is by how much a queue stays below the fluid model's.
type percentBelow struct{ low, high float64 }

var (
	belowMean   = percentBelow{9, 10} // the mean of eight runs
	belowOneRun = percentBelow{5, 14}
)

// docs/state.md claims what TestSettles checks, and no more.
func TestSettlesIsWhatTheStateSays(t *testing.T) {
	readme, err := os.ReadFile("../../../docs/state.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), fmt.Sprintf(
		"| its queue settles %g to %g %% below the fluid model in the mean of eight runs, %g to %g %% in one run |",
		belowMean.low, belowMean.high, belowOneRun.low, belowOneRun.high))
}

// TestSettles compares a bottleneck with the fixed point of the fluid model.
//
// Depth is what the port holds: the frames that wait, by which they are marked, and the one that it sends, whose memory
// is not free before its last bit has left. Marks are decided as frames leave: decided as they come, they reach the
// sender later by the time in the queue, which the model does not have, and the queue swings more.
//
// The model knows no noise, and here there is much: the depth swings by 19 KB
// around 18 and by 57 KB around 85, from an empty queue to beyond Kmax, where
// everything is marked. So it stays below the model: measured over eight runs of
// 400 ms, by 9.7 % with two flows and 9.8 % with eight in the mean, and by 5.2 to
// 13.1 % in one run. Without CELLWARDEN_LONG there is one run of 200 ms, held to
// the bounds of a run; with it, which takes a minute, the mean is held to its own.
// docs/state.md states the same bounds. [TestFixedProbability] is the protocol
// without the queue's noise.
func TestSettles(t *testing.T) {
	effort.SkipShort(t, "seconds of simulation")
	seeds, span, below := uint64(1), 200*unit.Millisecond, belowOneRun
	if os.Getenv("CELLWARDEN_LONG") != "" {
		seeds, span, below = 8, 400*unit.Millisecond, belowMean
	}
	for _, flows := range []int{2, 8} {
		point, err := ecn.DefaultDCQCN(40*unit.Gbps, flows).FixedPoint(curve)
		require.NoError(t, err)
		mean := 0.0
		for seed := range seeds {
			got := settle(t, flows, seed, 100*unit.Millisecond, 100*unit.Millisecond+span)
			t.Logf("%d flows, seed %d: depth %.0f, model %d; use %.4f, Jain %.4f, marks %.5f", flows, seed, got.queue,
				point.Queue, got.use, got.jain, got.marks)
			require.GreaterOrEqual(t, got.use, 0.97)
			require.GreaterOrEqual(t, got.jain, 0.98)
			mean += got.queue / float64(seeds)
		}
		percent := 100 * (1 - mean/float64(point.Queue))
		t.Logf("%d flows: %.1f %% below the model", flows, percent)
		require.GreaterOrEqual(t, percent, below.low)
		require.LessOrEqual(t, percent, below.high)
	}
}

// flowRate returns the rate at which a flow may send now: the rate of DCQCN,
// the flow's limit, or the rate of the host's link.
func (s *Sim) flowRate(i int) unit.BitRate {
	fl := &s.flows[i]
	if fl.sender >= 0 && s.senders[fl.sender].rate.On() {
		return s.senders[fl.sender].rate.At(s.now)
	}
	if fl.paced {
		return unit.BitRate(fl.rate)
	}
	return s.ports[fl.from].rate
}
