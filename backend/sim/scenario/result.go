package scenario

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/unit"
)

// Result is the result of a run.
type Result struct {
	Summary fabric.Summary
	End     unit.Time // time up to which it ran
	Cut     bool      // it was stopped before its end
	Workers int       // goroutines that shared the network, at most; nothing else depends on them
	// FastForward is what was left out; nil: every event was simulated, as asked.
	FastForward *fabric.FastForward
	Checked     bool     // the expectations were compared: the run was not cut, and its end was the scenario's
	Unmet       []string // expectations that are not met, each with the value that was found
	Flows       []flowResult
	// Storms is the number of storms that watchdogs found; StormsOver is how
	// many of these have ended.
	Storms, StormsOver int64
	Deadlocks          []fabric.FoundDeadlock // found during the run, if the scenario looks for them
	InDeadlock         bool                   // at the end of the run queues wait for each other in a circle
	Cycle              string                 // this circle
	Findings           []Finding              // of the diagnosis, if the scenario asks for one
	Depths             []Depth                // of the queues in Scenario.Watch
	Ports              []portResult           // hosts, then the ports of each switch
	Completions        []Completion           // of the entries whose flows have an end
	// Span is the time from the start of the first flow to the last delivery, or to
	// the end of the run if a flow has more to send.
	Span  unit.Time
	Links []linkUse // the use of the links within Span, the most used first
}

// Verdict says whether a run was as its scenario expects; good is true only if it was. A run that was cut, or that
// ended at another time than the file says, has no verdict on its expectations.
func (s *Scenario) Verdict(r *Result) (text string, good bool) {
	switch {
	case r.Cut:
		return fmt.Sprintf("CUT: the run was interrupted at %v; expectations were not checked", r.End), false
	case !r.Checked:
		return "expectations were not checked: --until ends the run at another time", false
	case len(r.Unmet) > 0:
		return fmt.Sprintf("NOT AS EXPECTED: %d of %d expectations are not met", len(r.Unmet), len(s.Expect)), false
	case len(s.Expect) == 0:
		return "the file has no expectations", false
	}
	return fmt.Sprintf("AS EXPECTED: %d expectations are met", len(s.Expect)), true
}

// flowResult is the result of a flow: its counters and its rate.
type flowResult struct {
	Name string
	fabric.FlowState
	FlowTime
	// Rate is the bytes that were delivered, headers included, divided by the
	// time from the flow's start to its last frame, or to the end of the run if
	// not all has arrived. In a scenario with Settle the time begins at
	// Settle.
	Rate unit.BitRate
}

// Depth is the number of bytes that waited in a queue since Settle.
type Depth struct{ Mean, Most unit.Bytes }

// portResult is the counters of a port. A pause that lasts at the end counts until then in PausedTime.
type portResult struct {
	At         fabric.End
	Name       string
	Counters   fabric.PortCounters
	FirstPause unit.Time          // when it first sent a pause frame; never: it did not
	DCBX       *negotiated        // nil: it does not speak it
	Layer      *fabric.LayerState // the credits, the retry and the errors of its link; nil: it has none of them
}

// port returns the result of a port of the network.
func (r *Result) port(at fabric.End) *portResult {
	return &r.Ports[slices.IndexFunc(r.Ports, func(p portResult) bool { return p.At == at })]
}

// result collects the counters. It does not change the simulation, so a run
// that was interrupted has the same kind of result. res.End of a cut run is the time that it has reached.
func (r *run) result(cut bool) *Result {
	res := &Result{Summary: r.sim.Summary(), End: r.end, Cut: cut}
	if cut {
		res.End = r.sim.Now()
	}
	n := &r.Network
	for i := range n.Flows {
		f := flowResult{Name: r.FlowName(i), FlowState: r.sim.Flow(i), FlowTime: flowTime(r.sim, i)}
		f.Rate = r.rate(i, f, res.End)
		res.Flows = append(res.Flows, f)
	}
	res.Completions = completions(n, res.Flows)
	// The span follows from the flows, and the use of the links from the span.
	res.Span = r.span(res)
	res.Links = r.linkUses(res.Span)
	for i := range n.Hosts {
		res.Ports = append(res.Ports, r.port(fabric.AtHost(i)))
	}
	var cycle fabric.Cycle
	if cycle, res.InDeadlock = r.sim.Deadlock(); res.InDeadlock {
		res.Cycle = cycle.String()
	}
	res.Deadlocks = r.sim.FoundDeadlocks()
	// The mean is rounded down to bytes. A queue without samples, in a run that was cut early, has 0.
	for _, d := range r.depths {
		res.Depths = append(res.Depths, Depth{d.sum / unit.Bytes(max(d.samples, 1)), d.most})
	}
	for i := range n.Switches {
		for j := range n.Switches[i].Ports {
			dog := r.sim.Watchdog(i, j)
			for q := range fabric.Priorities {
				res.Storms += dog.Storms[q]
				res.StormsOver += dog.Restored[q]
			}
			res.Ports = append(res.Ports, r.port(fabric.AtSwitch(i, j)))
		}
	}
	return res
}

// rate returns a flow's rate: see flowResult.Rate. A flow that waits for others has no rate. One with a stop is
// measured until then, or until all has arrived.
func (r *run) rate(i int, f flowResult, end unit.Time) unit.BitRate {
	c := &r.Network.Flows[i]
	switch {
	case f.Start == never:
		return 0
	// A flow that is complete ends with its last frame, however long the run goes on.
	case r.sim.Done(i), f.Arrived:
		end = f.Last
	case c.Stop > 0:
		end = min(end, c.Stop)
	}
	// Without settle, or before it, the rate is over the whole life of the flow.
	if len(r.settled) == 0 {
		return rate(f.Bytes, end-f.Start)
	}
	return rate(f.Bytes-r.settled[i], end-max(f.Start, r.Settle))
}

// span returns the time in which there was traffic: see Result.Span. It is 0 where no flow has started.
func (r *run) span(res *Result) unit.Time {
	first, last := never, res.Summary.LastDelivery
	for i := range res.Flows {
		f := &res.Flows[i]
		first = min(first, f.Start)
		if !f.Arrived && !r.sim.Done(i) {
			last = res.End
		}
	}
	return max(last-first, 0)
}

// rate returns bytes per time, rounded down; 0 if there was no time.
func rate(n unit.Bytes, span unit.Time) unit.BitRate {
	if span <= 0 || n <= 0 {
		return 0
	}
	return unit.BitRate(mulDiv(int64(n), 8*int64(unit.Second), int64(span)))
}

// mulDiv returns a*b/c, rounded down, of numbers that are not negative; at most math.MaxInt64. The product has up to 128
// bits.
func mulDiv(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	// Div64 panics if the quotient does not fit 64 bits.
	if high >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(high, low, uint64(c))
	return int64(min(q, math.MaxInt64))
}

// port returns the counters of a port.
func (r *run) port(at fabric.End) portResult {
	// Only ports that have sent a pause are in the map, and only in a run that observes events.
	first, ok := r.firstPause[at]
	if !ok {
		first = never
	}
	c := r.sim.Counters(at)
	for prio := range c.PausedTime {
		c.PausedTime[prio] = r.sim.PausedTime(at, prio)
	}
	p := portResult{At: at, Name: r.PortName(at), Counters: c, FirstPause: first, DCBX: r.negotiated(at)}
	if state, ok := r.sim.LinkLayer(at); ok {
		p.Layer = &state
	}
	return p
}

// PortName names a port. A host's port has the host's name; a switch's port has
// the names of the switch and of its neighbour: "s1:h2".
func (s *Scenario) PortName(e fabric.End) string {
	if !e.Switch {
		return s.Network.Hosts[e.Node].Name
	}
	w := &s.Network.Switches[e.Node]
	return w.Name + ":" + w.Ports[e.Port].Name
}

// peers returns the other end of each port's link.
func (s *Scenario) peers() map[fabric.End]fabric.End {
	out := map[fabric.End]fabric.End{}
	for i := range s.Network.Links {
		l := &s.Network.Links[i]
		out[l.A], out[l.B] = l.B, l.A
	}
	return out
}

// FlowName names a flow by its entry and its hosts: "incast h1-receiver".
func (s *Scenario) FlowName(i int) string {
	f := &s.Network.Flows[i]
	return fmt.Sprintf("%s %s-%s", f.Name, s.Network.Hosts[f.From].Name, s.Network.Hosts[f.To].Name)
}

// ClassName returns the class of a priority, or "priority 5" if it has none.
func (s *Scenario) ClassName(priority int) string {
	if c := s.classAt(priority); c != nil {
		return c.Name
	}
	return fmt.Sprintf("priority %d", priority)
}

// classAt returns the class of a priority; nil: it has none.
func (s *Scenario) classAt(priority int) *Class {
	i := slices.IndexFunc(s.Classes, func(c Class) bool { return c.Priority == priority })
	if i < 0 {
		return nil
	}
	return &s.Classes[i]
}
