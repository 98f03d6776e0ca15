package sim_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// scheduled is the scheduler that a simulated switch makes of the registers of a plan with these groups.
func scheduled(t *testing.T, groups []ets.Group, queues []ets.Queue) fabric.Scheduler {
	t.Helper()
	in := buffer.Intent{Chip: oneSlice(), Sizing: thresholds.IEEE{}, ETS: groups,
		Ports: []buffer.Port{{Name: "e1", Rate: rate, MTU: 9216}}}
	for _, q := range queues {
		in.Classes = append(in.Classes, buffer.Class{Name: string(rune('a' + q.Priority)),
			Priorities: []int{q.Priority}, Weight: q.Weight, Strict: q.Strict, ETS: unit.Given(q.Group)})
	}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	a, err := sim.New(in.Chip, sim.Ports(in)...)
	require.NoError(t, err)
	require.NoError(t, a.Apply(t.Context(), buffer.Diff(nil, plan.Layout())))
	sw, err := a.Switch([]string{"e1"}, behaviour.Family{})
	require.NoError(t, err)
	return sw.Ports[0].ETS
}

// The rate of all links of these tests, and what the wire adds to a frame.
const (
	rate     = 100 * unit.Gbps
	overhead = 20
)

// offered is what comes in for a queue: frames of one length at a rate on the wire; 0: nothing.
type offered struct {
	frame unit.Bytes
	load  unit.BitRate
}

// sent returns the bytes on the wire that each queue of a port sends in a window, once the queues are filled.
func sent(t *testing.T, s fabric.Scheduler, in [8]offered, window unit.Time) (out [8]float64) {
	t.Helper()
	observe(t, s, in, func(bytes func(unit.Time) [8]float64) { out = bytes(window) })
	return out
}

// observe runs a port with filled queues. Bytes are those on the wire that each queue sends in a window that begins
// with the first and is at least as long as the one before.
func observe(t *testing.T, s fabric.Scheduler, in [8]offered, look func(bytes func(window unit.Time) [8]float64)) {
	t.Helper()
	net := fabric.Network{Hosts: make([]fabric.Host, 9), Switches: make([]fabric.Switch, 1), Seed: 1}
	sw := &net.Switches[0]
	sw.MMU = mmu.Config{Cell: 208, Pools: []mmu.Pool{{Shared: 1 << 30}}}
	for i := range net.Hosts {
		port := fabric.SwitchPort{Tagged: true}
		for p := range fabric.Priorities {
			port.Groups[p], port.Queues[p] = i*fabric.Priorities+p, p
			sw.MMU.Groups = append(sw.MMU.Groups, mmu.Group{Limit: thresholds.Static(4000)})
		}
		sw.Ports = append(sw.Ports, port)
		net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: rate})
	}
	sw.Ports[8].ETS = s
	flow := map[int]int{}
	for q, o := range in {
		if o.load > 0 {
			flow[q] = len(net.Flows)
			net.Flows = append(net.Flows,
				fabric.Flow{From: q, To: 8, Priority: q, PCP: q, Frame: o.frame, Rate: o.load})
		}
	}
	run, err := fabric.New(net)
	require.NoError(t, err)
	wire := func(q int) float64 {
		f := run.Flow(flow[q])
		return float64(f.Delivered) * float64(in[q].frame+overhead)
	}
	const filled = 400 * unit.Microsecond
	run.Run(filled)
	var before [8]float64
	for q := range flow {
		before[q] = wire(q)
	}
	look(func(window unit.Time) (out [8]float64) {
		run.Run(filled + window)
		for q := range flow {
			out[q] = wire(q) - before[q]
		}
		return out
	})
	require.NoError(t, run.Check())
}

// fluid returns what each queue would send if frames were as small as one likes: strict and shaped groups in their
// order, then the others by their bandwidths; within a group the strict queues, then the others by weights. What one
// does not use, the others share.
func fluid(s *ets.Schedule, in [8]offered) (out [8]float64) {
	left := float64(rate)
	want := make([]float64, len(s.Groups))
	for i, q := range s.Queues {
		want[s.GroupOf(i)] += float64(in[q.Priority].load)
	}
	got := make([]float64, len(s.Groups))
	weights := make([]float64, len(s.Groups))
	for g := len(s.Groups) - 1; g >= 0; g-- {
		switch group := &s.Groups[g]; group.Selection {
		case dcbx.Strict:
			got[g] = min(want[g], left)
		case dcbx.CreditBased:
			got[g] = min(want[g], float64(group.IdleSlope), left)
		default:
			weights[g] = float64(group.Bandwidth)
		}
		left -= got[g]
	}
	for g, part := range divide(left, weights, want) {
		got[g] += part
	}
	for g := range s.Groups {
		room := got[g]
		shares, wants := make([]float64, 8), make([]float64, 8)
		for i, q := range slices.Backward(s.Queues) {
			load := float64(in[q.Priority].load)
			switch {
			case s.GroupOf(i) != g:
			case q.Strict:
				out[q.Priority] = min(load, room)
				room -= out[q.Priority]
			default:
				shares[q.Priority], wants[q.Priority] = float64(max(q.Weight, 1)), load
			}
		}
		for p, part := range divide(room, shares, wants) {
			out[p] += part
		}
	}
	return out
}

// divide shares a rate by weights; no one gets more than it wants.
func divide(all float64, weights, wants []float64) []float64 {
	out := make([]float64, len(weights))
	for range weights {
		sum, full := 0.0, true
		for i, w := range weights {
			if w > 0 && out[i] < wants[i] {
				sum += w
			}
		}
		left := all
		for i := range out {
			left -= out[i]
		}
		for i, w := range weights {
			if w > 0 && out[i] < wants[i] {
				more := left * w / sum
				full = full && out[i]+more <= wants[i]
				out[i] = min(wants[i], out[i]+more)
			}
		}
		if full {
			break
		}
	}
	return out
}

// randomSchedule returns groups of every algorithm, and queues in them.
func randomSchedule(t *testing.T, r *rand.Rand) ([]ets.Group, []ets.Queue, *ets.Schedule) {
	var groups []ets.Group
	numbers := r.Perm(8)
	sharing := 1 + r.IntN(4)
	left := 100
	for i := range sharing {
		part := left - 5*(sharing-1-i)
		if i < sharing-1 {
			part = 5 + r.IntN(part-4)
		}
		left -= part
		groups = append(groups, ets.Group{Number: numbers[i], Selection: dcbx.Enhanced, Bandwidth: part})
	}
	if r.IntN(3) == 0 {
		groups = append(groups, ets.Group{Number: numbers[sharing]})
	}
	if r.IntN(3) == 0 {
		groups = append(groups, ets.Group{Number: numbers[sharing+1], Selection: dcbx.CreditBased,
			IdleSlope: unit.BitRate(1+r.IntN(30)) * unit.Gbps})
	}
	strict := make([]bool, 16)
	var queues []ets.Queue
	for p := range 8 {
		g := groups[r.IntN(len(groups))].Number
		if strict[g] = strict[g] || r.IntN(12) == 0; strict[g] {
			queues = append(queues, ets.Queue{Priority: p, Group: g, Strict: true})
			continue
		}
		queues = append(queues, ets.Queue{Priority: p, Group: g, Weight: 1 + r.IntN(10)})
	}
	s, err := ets.NewSchedule(groups, queues)
	require.NoError(t, err)
	return groups, queues, s
}

// slack is by how many bytes a queue may be off because frames are sent whole: [bound] of its group on the port, of
// which it has its share, and of the queue in its group; two frames more, which are under way when the window begins
// and ends.
func slack(s *ets.Schedule, queue int, frame int64) float64 {
	const quantum = 256
	var groups, within []int64
	group, at := 0, 0
	for g := range s.Groups {
		if s.Groups[g].Selection == dcbx.Enhanced {
			if g == s.GroupOf(queue) {
				group = len(groups)
			}
			groups = append(groups, quantum*int64(s.Groups[g].Bandwidth))
		}
	}
	for i, q := range s.Queues {
		if s.GroupOf(i) == s.GroupOf(queue) && !q.Strict {
			if i == queue {
				at = len(within)
			}
			within = append(within, quantum*int64(max(q.Weight, 1)))
		}
	}
	out := 2 * float64(frame)
	if len(within) > 0 && !s.Queues[queue].Strict {
		out += float64(bound(within, at, frame))
	}
	if len(groups) > 0 && s.Groups[s.GroupOf(queue)].Selection == dcbx.Enhanced {
		out += float64(bound(groups, group, frame))
	}
	return out
}

// Random groups, loads and frames: every queue sends what it would if frames were as small as one likes, in a window of
// 8 ms within 1 % or the bound of deficit round robin, and in a longer one within 1 %. That is 8 ms for all cases but
// one, whose least queue has 0.04 % of the link: 32 ms. The bound alone promises it from 0.54 s on.
func TestSharesOfGroups(t *testing.T) {
	const first, last = 8 * unit.Millisecond, 32 * unit.Millisecond
	exact, short, longer := 0, 0, 0
	begin, end := effort.Seeds(25)
	for seed := begin; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 17))
		groups, queues, s := randomSchedule(t, r)
		var in [8]offered
		longest := int64(0)
		for q := range in {
			in[q] = offered{unit.Bytes(256 + r.IntN(8000)), unit.BitRate(r.IntN(60)) * unit.Gbps}
			if r.IntN(2) == 0 {
				in[q].load = rate
			}
			longest = max(longest, int64(in[q].frame)+overhead)
		}
		sched := scheduled(t, groups, queues)
		sched.Overhead = overhead // shares are then those of the wire, as the loads are
		want := fluid(s, in)
		observe(t, sched, in, func(bytes func(unit.Time) [8]float64) {
			for window := first; ; window *= 2 {
				got, off := bytes(window), 0.0
				for i, q := range s.Queues {
					expect, allowed := want[q.Priority]/8*float64(window)/float64(unit.Second), slack(s, i, longest)
					if window == first && allowed <= expect/100 {
						exact++
					} else if window == first {
						short++
					}
					require.InDelta(t, expect, got[q.Priority], math.Max(expect/100, allowed),
						"seed %d: queue %d of %+v, %+v", seed, q.Priority, s, in)
					if expect > 0 {
						off = max(off, math.Abs(got[q.Priority]-expect)/expect)
					}
				}
				if off <= 0.01 {
					break
				}
				longer++
				require.EqualValues(t, 12, seed, "the only one that needs 16 and then 32 ms")
				require.Less(t, window, last, "seed %d: a share is off by %v", seed, off)
			}
		})
	}
	t.Logf("in 8 ms %d queues within 1 %%, %d within the bound; %d longer windows", exact, short, longer)
	if !testing.Short() { // one seed says nothing about the many
		require.Greater(t, 25*exact, 100*int(end-begin), "more than 100 of 25 seeds")
	}
	if begin <= 12 && 12 < end {
		require.Equal(t, 2, longer)
	} else {
		require.Zero(t, longer)
	}
}

// All queues busy: the groups have their percentages of the bytes of frames,
// within 1 %, whatever the lengths of their frames are.
func TestSharesOfBytes(t *testing.T) {
	groups := []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 40},
		{Number: 1, Selection: dcbx.Enhanced, Bandwidth: 60}}
	queues := []ets.Queue{{Priority: 0, Group: 0, Weight: 1}, {Priority: 1, Group: 0, Weight: 3},
		{Priority: 3, Group: 1, Weight: 2}, {Priority: 4, Group: 1, Weight: 1}}
	in := [8]offered{0: {64, rate}, 1: {9216, rate}, 3: {4096, rate}, 4: {1500, rate}}
	got := sent(t, scheduled(t, groups, queues), in, 3*unit.Millisecond)
	sum := 0.0
	for q := range got {
		got[q] *= float64(in[q].frame) / float64(in[q].frame+overhead)
		sum += got[q]
	}
	for q, share := range map[int]float64{0: 0.1, 1: 0.3, 3: 0.4, 4: 0.2} {
		require.InEpsilon(t, share, got[q]/sum, 0.01)
	}
}

// The registers of groups are the scheduler's two levels, and a queue without a
// class is in the lowest class with a bandwidth.
func TestScheduleOfRegisters(t *testing.T) {
	s := scheduled(t, []ets.Group{{Number: 2, Selection: dcbx.Enhanced, Bandwidth: 100}, {Number: 15}},
		[]ets.Queue{{Priority: 3, Group: 2, Weight: 9}, {Priority: 7, Group: 15}})
	require.Equal(t, [8]int{2, 2, 2, 2, 2, 2, 2, 7}, s.Group)
	require.Equal(t, fabric.Selection{Algorithm: fabric.DWRR, Weight: 9}, s.Queues[3])
	require.Equal(t, fabric.Selection{Algorithm: fabric.Strict}, s.Queues[7])
	require.Equal(t, fabric.Selection{Algorithm: fabric.DWRR, Weight: 100}, s.Groups[2])
	require.Equal(t, fabric.Selection{Algorithm: fabric.Strict}, s.Groups[7])
	s = scheduled(t, []ets.Group{{Number: 2, Selection: dcbx.CreditBased, IdleSlope: 30 * unit.Gbps}},
		[]ets.Queue{{Priority: 3, Group: 2}})
	require.Equal(t, fabric.Selection{Algorithm: fabric.Shaped, IdleSlope: 30 * unit.Gbps}, s.Groups[2])
}
