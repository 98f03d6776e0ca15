package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/unit"
)

// A flow can wait for other flows (Flow.After): it starts when their last payload has arrived. So a step of a
// collective operation begins when the step before it has brought its data.
//
// The flows with the same list wait at one gate. A gate counts the flows that are still missing, and when the last one
// has arrived it schedules the starts. A start is an event of its own, so that the order of events of one picosecond
// stays that of their sources.
//
// Flows that wait for flows to their own host are a matter of one part of the network. If any flow waits for another
// arrival, the network is one part.

// starting is when flows start.
type starting struct {
	at      []int64 // of each flow; never while it waits
	payload []int64 // of each flow; 0: without end
	gates   []gate
	// gates that wait for each flow to arrive, and to be acknowledged; nil: none does
	arrival, acknowledgement [][]int32
}

// gate is flows that wait for the same flows.
type gate struct {
	missing   int  // flows that have not arrived
	inTurn    bool // each arrival starts one flow
	followers []follower
}

// follower is a flow at a gate.
type follower struct {
	flow            int32
	delay, earliest int64
	spread          int64 // its draw of Sender.Spread
}

// maxAwaited is the most flows that all different lists may name together.
const maxAwaited = 1 << 22

// list names a list of flows, without reading it: flows that share a list share its memory.
type list struct {
	first *int
	n     int
}

// gateName names a gate: flows wait at the same one if they share a list and wait for it in the same way.
type gateName struct {
	list
	acknowledged, inTurn bool
}

// gateOf names the gate of a flow that waits.
func gateOf(f *Flow) gateName {
	return gateName{list{&f.After[0], len(f.After)}, f.Acknowledged, f.InTurn}
}

// after prepares the starts of all flows.
func (b *build) after() {
	s := &b.s.starting
	gates := map[gateName]int{}
	for i := range b.n.Flows {
		f := &b.n.Flows[i]
		s.payload = append(s.payload, f.payload())
		s.at = append(s.at, b.start(i))
		if len(f.After) == 0 {
			continue
		}
		s.at[i] = clock.Never
		n, ok := gates[gateOf(f)]
		if !ok {
			n = len(s.gates)
			gates[gateOf(f)] = n
			s.gates = append(s.gates, gate{missing: len(f.After), inTurn: f.InTurn})
			b.await(n, f)
		}
		s.gates[n].followers = append(s.gates[n].followers, follower{flow: int32(i), delay: int64(f.Delay),
			earliest: int64(f.Start), spread: b.start(i) - int64(f.Start)})
	}
}

// await makes the gate of a flow wait for others.
func (b *build) await(gate int, f *Flow) {
	opens := &b.s.starting.arrival
	if f.Acknowledged {
		opens = &b.s.starting.acknowledgement
	}
	if *opens == nil {
		*opens = make([][]int32, len(b.n.Flows))
	}
	for _, a := range f.After {
		(*opens)[a] = append((*opens)[a], int32(gate))
		if awaited := &b.s.flows[a]; f.Acknowledged {
			b.s.senders[awaited.sender].awaited = true
		} else {
			awaited.awaited = true
		}
	}
}

// payload is what a flow sends in all; 0: without end.
func (f *Flow) payload() int64 {
	sum := int64(f.Size)
	for _, t := range f.Sender.Trace {
		sum += int64(t.Bytes)
	}
	return sum
}

// localOrder tells whether flows wait only for what their own host knows: flows that arrive there, or that it has sent.
func (b *build) localOrder() bool {
	seen := map[gateName]int{}
	for i := range b.n.Flows {
		f := &b.n.Flows[i]
		if len(f.After) == 0 {
			continue
		}
		if host, ok := seen[gateOf(f)]; ok && host == f.From {
			continue
		}
		seen[gateOf(f)] = f.From
		for _, a := range f.After {
			knows := b.n.Flows[a].To
			if f.Acknowledged {
				knows = b.n.Flows[a].From
			}
			if knows != f.From {
				return false
			}
		}
	}
	return true
}

// arrived tells whether all payload of a flow is at its receiver.
func (fl *flow) arrived(payload int64) bool {
	return payload > 0 && fl.bytes-fl.delivered*fl.header == payload
}

// open counts what some gates have waited for, and starts the flows of those that wait for nothing more.
func (s *part) openGates(gates []int32) {
	for _, n := range gates {
		g := &s.starting.gates[n]
		g.missing--
		switch {
		case g.inTurn && len(g.followers) > 0:
			s.startFollower(&g.followers[0])
			g.followers = g.followers[1:]
		case g.missing == 0 && !g.inTurn:
			for i := range g.followers {
				s.startFollower(&g.followers[i])
			}
		}
	}
}

// follow starts a flow whose gate has opened.
func (s *part) startFollower(w *follower) { s.startAt(w.flow, max(s.Now+w.delay, w.earliest)+w.spread) }

// startAt schedules the start of a flow that has waited.
func (s *part) startAt(f int32, at int64) {
	fl := &s.flows[f]
	if at >= fl.stop {
		return
	}
	s.starting.at[f] = at
	if fl.sender >= 0 {
		s.senders[fl.sender].startAt(at)
	}
	s.Set(s.flowSource(f), at)
}

// startAt moves the times of a sender that has not started.
func (x *sender) startAt(at int64) {
	later := at - x.start
	x.start = at
	x.bursts.begins += later
	x.bursts.ends += later
	for i := range x.trace {
		x.trace[i].at += later
	}
}

// Started returns when a flow starts, or started; false while it waits for others.
func (s *Sim) Started(i int) (unit.Time, bool) {
	at := s.starting.at[i]
	return s.leaps.modelTime(at), at < clock.Never
}

// Arrived tells whether all payload of a flow has arrived at its receiver. A flow without end never has.
func (s *Sim) Arrived(i int) bool { return s.flows[i].arrived(s.starting.payload[i]) }

// after validates the lists of flows that others wait for, and that no flow waits for itself.
func (v *checker) after() {
	gates := map[gateName]bool{}
	total := 0
	for i := range v.n.Flows {
		f := &v.n.Flows[i]
		v.under("flows", i, f.validateDelay())
		if len(f.After) == 0 || gates[gateOf(f)] {
			continue
		}
		gates[gateOf(f)] = true
		if total += len(f.After); total > maxAwaited {
			v.bad.Add(fmt.Sprintf("flows[%d].after", i), fmt.Sprintf("%d flows or more in all lists", total),
				fmt.Sprintf("at most %d", maxAwaited))
			return
		}
		v.under("flows", i, v.awaited(f))
	}
	if len(v.bad) == 0 && len(gates) > 0 {
		v.noCircle()
	}
}

// validateDelay validates the time after the arrival of other flows.
func (f *Flow) validateDelay() error {
	var bad complain.List
	need(&bad, "delay", f.Delay, 0, longest)
	bad.Check(len(f.After) > 0 || f.Delay == 0, "delay", f.Delay,
		"0 for a flow that waits for no other: give its start")
	return bad.Err()
}

// awaited validates the flows for which a flow waits.
func (v *checker) awaited(f *Flow) error {
	var bad complain.List
	for j, a := range f.After {
		if within(a, 0, len(v.n.Flows)-1) && v.n.Flows[a].payload() > 0 &&
			(!f.Acknowledged || v.n.Flows[a].Sender.ACK.Every > 0) {
			continue
		}
		at := fmt.Sprintf("after[%d]", j)
		switch {
		case !isIndex(&bad, a, len(v.n.Flows), at, "flows"):
		case v.n.Flows[a].payload() <= 0:
			bad.Add(at, fmt.Sprint(a), "a flow with an end: a size above 0")
		default:
			bad.Add(at, fmt.Sprint(a), "a flow with acknowledgements, to wait for the last one")
		}
	}
	return bad.Err()
}

// noCircle complains about a flow that would wait for itself, or for a turn that never comes: it takes away all flows
// that can start, and what is left waits in circles or without end.
func (v *checker) noCircle() {
	flows := v.n.Flows
	members, missing := map[gateName][]int{}, map[gateName]int{}
	waited := make([][]gateName, len(flows))
	var ready []int
	for i := range flows {
		if len(flows[i].After) == 0 {
			ready = append(ready, i)
			continue
		}
		key := gateOf(&flows[i])
		if members[key] == nil {
			missing[key] = len(flows[i].After)
			for _, a := range flows[i].After {
				waited[a] = append(waited[a], key)
			}
		}
		members[key] = append(members[key], i)
	}
	can := make([]bool, len(flows))
	for len(ready) > 0 {
		f := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		can[f] = true
		for _, key := range waited[f] {
			missing[key]--
			switch {
			case key.inTurn && len(members[key]) > 0:
				ready = append(ready, members[key][0])
				members[key] = members[key][1:]
			case missing[key] == 0 && !key.inTurn:
				ready = append(ready, members[key]...)
			}
		}
	}
	for i := range flows {
		if !can[i] {
			v.bad.Add(fmt.Sprintf("flows[%d].after", i), "flows that wait for each other in a circle, or without end",
				"flows that can start")
			return
		}
	}
}
