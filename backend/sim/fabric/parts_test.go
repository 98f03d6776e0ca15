package fabric

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// randomNetwork is some switches in a random graph, with hosts, and flows of every kind between them. The pools are
// small, so that there are pauses, and links are short and long, so that there are several parts of several switches.
func randomNetwork(r *rand.Rand) Network {
	net := Network{Seed: r.Uint64()}
	switches, hosts := 2+r.IntN(7), 4+r.IntN(12)
	free := make([]int, switches) // next port of each switch that has no link
	for range switches {
		sw := losslessSwitch(24)
		sw.MMU.Pools[0].Shared = 400
		sw.OwnXON = r.IntN(3) == 0
		for p := range sw.Ports {
			sw.Ports[p].Resp = unit.Time(r.Int64N(3e5))
			if r.IntN(3) == 0 {
				sw.Ports[p].ECN[3] = Marking{Thresholds: ecn.Thresholds{KMin: 10e3, KMax: 60e3, PMax: unit.Whole / 2}}
			}
			if r.IntN(3) == 0 {
				sw.Ports[p].ETS.Queues[6] = Selection{Algorithm: Strict}
			}
		}
		net.Switches = append(net.Switches, sw)
	}
	port := func(node int) End {
		free[node]++
		return AtSwitch(node, free[node]-1)
	}
	link := func(a, b End) {
		l := Link{A: a, B: b, Rate: []unit.BitRate{100 * unit.Gbps, 40 * unit.Gbps, 25 * unit.Gbps}[r.IntN(3)],
			Delay: unit.Time(r.Int64N(3e6))}
		switch r.IntN(8) {
		case 0:
			l.Delay = 0
		case 1, 2, 3:
			l.Delay = 500 * unit.Nanosecond // many events of the same picosecond
		}
		net.Links = append(net.Links, l)
	}
	for i := 1; i < switches; i++ {
		link(port(i), port(r.IntN(i)))
	}
	for range r.IntN(switches) {
		if a, b := r.IntN(switches), r.IntN(switches); a != b && max(free[a], free[b]) < 8 {
			link(port(a), port(b))
		}
	}
	for i := range hosts {
		net.Hosts = append(net.Hosts, Host{PFC: pfc.Of(3), Response: unit.Time(r.Int64N(2e5))})
		node := r.IntN(switches)
		for free[node] == 24 {
			node = r.IntN(switches)
		}
		link(AtHost(i), port(node))
	}
	for range 3 * hosts {
		net.Flows = append(net.Flows, randomFlow(r, hosts))
	}
	waitForArrivals(r, net.Flows)
	return net
}

// waitForArrivals makes some flows wait for flows with lower numbers that arrive at their host.
func waitForArrivals(r *rand.Rand, flows []Flow) {
	for i := range flows {
		if r.IntN(3) > 0 {
			continue
		}
		for j := range i {
			if flows[j].To == flows[i].From && flows[j].Size > 0 && r.IntN(2) == 0 {
				flows[i].After = append(flows[i].After, j)
			}
		}
		if len(flows[i].After) > 0 {
			flows[i].Delay = unit.Time(r.Int64N(1e6))
			flows[i].Sender.Spread = unit.Time(r.Int64N(2) * r.Int64N(1e6))
		}
	}
}

// randomFlow is a flow of any kind between two hosts.
func randomFlow(r *rand.Rand, hosts int) Flow {
	from := r.IntN(hosts)
	f := Flow{From: from, To: (from + 1 + r.IntN(hosts-1)) % hosts, Priority: 3, PCP: 3, Frame: 1048, Header: 48,
		Size: unit.Bytes(1 + r.IntN(100000)), Start: unit.Time(r.Int64N(5e6)), ECT: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		f.Start = unit.Microsecond
	}
	answers := Class{Priority: 6, PCP: 6}
	switch r.IntN(7) {
	case 0:
		f.Stop = f.Start + unit.Time(r.Int64N(5e6))
	case 1:
		f.Rate = 3 * unit.Gbps
	case 2:
		f.Priority, f.PCP, f.Frame = r.IntN(8), r.IntN(8), unit.Bytes(100+r.IntN(9000))
	case 3:
		f.Sender.ACK = ACK{Every: 1 + r.IntN(4), Class: answers, Timeout: 30 * unit.Microsecond}
		f.Sender.Window = unit.Bytes(r.IntN(2) * 20000)
	case 4:
		f.ECT = true
		f.Sender = Sender{ACK: ACK{Every: 1, Class: answers}, DCQCN: &DCQCN{CNP: answers}}
	case 6:
		if f.Size%2 == 0 {
			f.Sender.Message, f.Sender.Frames = f.Size/3, []unit.Bytes{1048, 200, 600}[:f.Size%4]
		}
	case 5:
		f.Sender.OnOff = OnOff{On: 5 * unit.Microsecond, Off: 3 * unit.Microsecond, Exponential: true}
	}
	return f
}

// A network gives the same results whether it is run as a whole or in parts, by any number of workers, and with an
// observer from the start or from the middle on: every counter, time and register.
func TestPartsChangeNothing(t *testing.T) {
	divided, paused := 0, int64(0)
	for seed := range networks(manySeeds()) {
		r := rand.New(rand.NewPCG(seed, 3))
		parts, whole := sameInParts(t, r, randomNetwork(r), fmt.Sprintf("seed %d", seed))
		divided += parts - 1
		paused += whole.Summary().PauseSent
	}
	require.Greater(t, divided, 2*int(manySeeds()), "parts")
	require.Greater(t, paused, 10*int64(manySeeds()), "pauses")
}

// manySeeds is how many random networks this run tests, of 30. The race detector sees four, with -short: every one
// starts the goroutines many times.
func manySeeds() uint64 {
	first, end := effort.Seeds(30)
	if effort.Races() {
		return 4
	}
	return max(end-first, 2)
}

// networks are the seeds of n random networks, others where this run tests those that another has left.
func networks(n uint64) iter.Seq[uint64] {
	first, _ := effort.Seeds(30)
	return func(yield func(uint64) bool) {
		for seed := 100 * first; seed < 100*first+n && yield(seed); seed++ {
		}
	}
}

// sameInParts requires that a network gives the same results as a whole and in parts. It returns how many parts there
// are, and the simulation of the whole.
func sameInParts(t *testing.T, r *rand.Rand, net Network, name string) (int, *Sim) {
	return sameInPartsUntil(t, r, net, name, unit.Second)
}

// sameInPartsUntil is sameInParts with the end of the last run.
func sameInPartsUntil(t *testing.T, r *rand.Rand, net Network, name string, last unit.Time) (int, *Sim) {
	usual := partsPerWorker
	partsPerWorker = 1
	defer func() { partsPerWorker = usual }()
	whole := newBuild(context.Background(), net)
	whole.whole = true
	require.NoError(t, net.Validate())
	require.NoError(t, whole.run())
	require.Len(t, whole.s.parts, 1)
	parts, half, watched := started(t, net), started(t, net), started(t, net)
	two, eight := started(t, net), started(t, net)
	parts.SetWorkers(1)
	two.SetWorkers(2)
	eight.SetWorkers(8)
	count := len(parts.parts)
	watched.Observe(func(*Event) {})
	require.Len(t, watched.parts, 1)
	for i, end := range append(ends(r, 60*unit.Microsecond), last) {
		if i == 4 {
			half.Observe(func(*Event) {})
		}
		want := whole.s.Run(end)
		wantState := stateOf(whole.s)
		ways := map[string]*Sim{"two workers": two, "eight": eight, "half": half}
		if !effort.Races() {
			ways["parts"], ways["watched"] = parts, watched // in one goroutine
		}
		for how, s := range ways {
			at := fmt.Sprintf("%s, %s, run %d to %v", name, how, i, end)
			require.Equal(t, want, s.Run(end), at)
			requireState(t, wantState, s, at)
		}
	}
	return count, whole.s
}

// ends are times at which runs end.
func ends(r *rand.Rand, last unit.Time) (list []unit.Time) {
	for at := unit.Time(0); at < last; {
		at += unit.Time(1 + r.Int64N(int64(last)/6))
		list = append(list, at)
	}
	return list
}

// requireSame fails unless two simulations of a network are in the same state.
func requireSame(t *testing.T, want, got *Sim, at string) { requireState(t, stateOf(want), got, at) }

// requireState fails unless a simulation is in this state.
func requireState(t *testing.T, want state, got *Sim, at string) {
	require.NoError(t, got.Check(), at)
	if have := stateOf(got); !want.equal(&have) {
		require.Equal(t, want, have, at) // it says what differs
		require.Fail(t, "the states differ", at)
	}
}

// state is all that can be seen of a simulation.
type state struct {
	summary   Summary
	now       unit.Time
	flows     []flowState
	registers [][]mmu.Balance
	ports     []portState
	dcbx      []DCBXState
}

// flowState is all that can be seen of a flow.
type flowState struct {
	FlowState
	rate unit.BitRate
}

// portState is all that can be seen of a port, but for its DCBX.
type portState struct {
	counters PortCounters
	paused   [Priorities]unit.Time
	layer    LayerState
	dcbx     bool
}

// equal compares by values, because reflection takes longer than the simulation.
func (s *state) equal(o *state) bool {
	return s.now == o.now && reflect.DeepEqual(s.summary, o.summary) && slices.Equal(s.flows, o.flows) &&
		slices.EqualFunc(s.registers, o.registers, slices.Equal[[]mmu.Balance]) && slices.Equal(s.ports, o.ports) &&
		reflect.DeepEqual(s.dcbx, o.dcbx)
}

// stateOf returns the state of a simulation.
func stateOf(s *Sim) state {
	out := state{summary: s.Summary(), now: s.Now(), flows: make([]flowState, len(s.flows)),
		ports: make([]portState, len(s.ports))}
	for i := range s.flows {
		out.flows[i] = flowState{s.Flow(i), s.flowRate(i)}
	}
	for i := range s.switches {
		out.registers = append(out.registers, s.MMU(i).Snapshot(nil))
	}
	for i := range s.ports {
		e, p := s.endOf(int32(i)), &out.ports[i]
		for q := range p.paused {
			if s.ports[i].linked {
				p.paused[q] = s.PausedTime(e, q)
			}
		}
		p.counters = s.Counters(e)
		p.layer, _ = s.LinkLayer(e)
		var negotiated DCBXState
		if negotiated, p.dcbx = s.DCBX(e); p.dcbx {
			out.dcbx = append(out.dcbx, negotiated)
		}
	}
	return out
}
