package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/unit"
)

// A flow can wait for other flows (Flow.After): it starts when their last payload has arrived. So a step of a collective
// operation begins when the step before it has brought its data.
//
// The flows with the same list wait at one gate. A gate counts the flows that are still missing, and when the last one
// has arrived it schedules the starts. A start is an event of its own, so that the order of events of one picosecond
// stays that of their sources.
//
// Flows that wait for flows to their own host are a matter of one part of the network. If any flow waits for another
// arrival, the network is one part.

// starting is when flows start.
type starting struct {
	at      []int64   // of each flow; never while it waits
	payload []int64   // of each flow; 0: without end
	opens   [][]int32 // gates that wait for each flow; nil: no flow waits
	gates   []gate
}

// gate is flows that wait for the same flows.
type gate struct {
	missing   int // flows that have not arrived
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

// listOf returns the name of a list, which must not be empty.
func listOf(after []int) list { return list{&after[0], len(after)} }

// after prepares the starts of all flows.
func (b *build) after() {
	s := &b.s.starting
	gates := map[list]int{}
	for i := range b.n.Flows {
		f := &b.n.Flows[i]
		s.payload = append(s.payload, f.payload())
		s.at = append(s.at, b.start(i))
		if len(f.After) == 0 {
			continue
		}
		s.at[i] = never
		n, ok := gates[listOf(f.After)]
		if !ok {
			n = len(s.gates)
			gates[listOf(f.After)] = n
			s.gates = append(s.gates, gate{missing: len(f.After)})
			b.await(n, f.After)
		}
		s.gates[n].followers = append(s.gates[n].followers, follower{flow: int32(i), delay: int64(f.Delay),
			earliest: int64(f.Start), spread: b.start(i) - int64(f.Start)})
	}
}

// await makes a gate wait for flows.
func (b *build) await(gate int, flows []int) {
	s := &b.s.starting
	if s.opens == nil {
		s.opens = make([][]int32, len(b.n.Flows))
	}
	for _, f := range flows {
		s.opens[f] = append(s.opens[f], int32(gate))
		b.s.flows[f].awaited = true
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

// localOrder tells whether flows wait only for flows to their own host.
func (b *build) localOrder() bool {
	seen := map[list]int{}
	for i := range b.n.Flows {
		f := &b.n.Flows[i]
		if len(f.After) == 0 {
			continue
		}
		if host, ok := seen[listOf(f.After)]; ok && host == f.From {
			continue
		}
		seen[listOf(f.After)] = f.From
		for _, a := range f.After {
			if b.n.Flows[a].To != f.From {
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

// startFollowers opens the gates that waited for a flow alone.
func (s *part) startFollowers(f int32) {
	for _, n := range s.starting.opens[f] {
		g := &s.starting.gates[n]
		if g.missing--; g.missing > 0 {
			continue
		}
		for i := range g.followers {
			w := &g.followers[i]
			s.startAt(w.flow, max(s.now+w.delay, w.earliest)+w.spread)
		}
	}
}

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
	s.set(s.flowSource(f), at)
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
	return unit.Time(at), at < never
}

// Arrived tells whether all payload of a flow has arrived at its receiver. A flow without end never has.
func (s *Sim) Arrived(i int) bool { return s.flows[i].arrived(s.starting.payload[i]) }

// after validates the lists of flows that others wait for, and that no flow waits for itself.
func (v *checker) after() {
	lists := map[list]int{}
	total := 0
	for i := range v.n.Flows {
		f := &v.n.Flows[i]
		v.under("flows", i, f.validateDelay())
		if len(f.After) == 0 {
			continue
		}
		if _, seen := lists[listOf(f.After)]; seen {
			continue
		}
		lists[listOf(f.After)] = i
		if total += len(f.After); total > maxAwaited {
			v.bad.Add(fmt.Sprintf("flows[%d].after", i), fmt.Sprintf("%d flows or more in all lists", total),
				fmt.Sprintf("at most %d", maxAwaited))
			return
		}
		v.under("flows", i, v.awaited(f.After))
	}
	if len(v.bad) == 0 && len(lists) > 0 {
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

// awaited validates a list of flows for which others wait.
func (v *checker) awaited(after []int) error {
	var bad complain.List
	for j, a := range after {
		if within(a, 0, len(v.n.Flows)-1) && v.n.Flows[a].payload() > 0 {
			continue
		}
		at := fmt.Sprintf("after[%d]", j)
		if isIndex(&bad, a, len(v.n.Flows), at, "flows") {
			bad.Add(at, fmt.Sprint(a), "a flow with an end: a size above 0")
		}
	}
	return bad.Err()
}

// noCircle complains about a flow that would wait for itself: it takes away all flows that can start, and what is left
// waits in circles or for them.
func (v *checker) noCircle() {
	flows := v.n.Flows
	members, missing := map[list][]int{}, map[list]int{}
	waited := make([][]list, len(flows))
	var ready []int
	for i := range flows {
		if len(flows[i].After) == 0 {
			ready = append(ready, i)
			continue
		}
		key := listOf(flows[i].After)
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
			if missing[key]--; missing[key] == 0 {
				ready = append(ready, members[key]...)
			}
		}
	}
	for i := range flows {
		if !can[i] {
			v.bad.Add(fmt.Sprintf("flows[%d].after", i), "flows that wait for each other in a circle",
				"flows that can start")
			return
		}
	}
}
