package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
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
	Findings           []Located              // of the diagnosis, if the scenario asks for one
	Depths             []Depth                // of the queues in Scenario.Watch
	Ports              []portResult           // hosts, then the ports of each switch
	Completions        []report.SimCompletion // of the entries whose flows have an end
	// Span is the time from the start of the first flow to the last delivery, or to
	// the end of the run if a flow has more to send.
	Span  unit.Time
	Links []report.SimLink // the use of the links within Span, the most used first
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
	// A flow without an end never has Arrived, and its times stay unknown.
	Start    unit.Time // never: it waits for other flows
	Arrived  bool      // all its payload has arrived
	Took     int64     // from its start to its last arrival, in ps; unknown
	Slowdown int64     // Took divided by the time of the flow alone, in thousandths; unknown
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
		f := r.flow(i)
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
	return unit.BitRate(exact.Of(int64(n), int64(span)).Times(8*int64(unit.Second), 1).Floor())
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

// unknown is a number that is not known: it is larger than any other.
const unknown = int64(never)

// orNull returns a number, or nil if it is not known: null in JSON, where 0 would be a time.
func orNull(n int64) *int64 {
	if n == unknown {
		return nil
	}
	return &n
}

// orNever is the inverse of orNull.
func orNever(n *int64) int64 {
	if n == nil {
		return unknown
	}
	return *n
}

// flow returns the result of a flow, but for its rate.
func (r *run) flow(i int) flowResult {
	f := flowResult{Name: r.FlowName(i), FlowState: r.sim.Flow(i), Arrived: r.sim.Arrived(i), Start: never, Took: unknown,
		Slowdown: unknown}
	if at, ok := r.sim.Started(i); ok {
		f.Start = at
	}
	if !f.Arrived {
		return f
	}
	f.Took = int64(f.Last - f.Start)
	// A flow whose path is not known, or which takes no time alone, has no slowdown.
	if alone, ok := r.sim.Alone(i); ok && alone > 0 {
		f.Slowdown = thousandths(f.Took, int64(alone))
	}
	return f
}

// thousandths returns 1,000 times a quotient, rounded down. A quotient that does not fit is unknown.
func thousandths(n, by int64) int64 { return min(exact.Of(n, by).Times(1000, 1).Floor(), unknown) }

// completions returns the completion of each entry that has flows with an end,
// in the order of the file. An entry whose flows never end has none: there is no last payload to wait for.
func completions(n *fabric.Network, flows []flowResult) []report.SimCompletion {
	// entry is the completion of the flows of a name, and their measures.
	type entry struct {
		report.SimCompletion
		first      unit.Time
		took, slow []int64
	}
	var entries grouped.By[string, entry]
	for i := range flows {
		f := &flows[i]
		// Only a flow with a size, or with a trace of what it sends, has an end.
		if n.Flows[i].Size == 0 && len(n.Flows[i].Sender.Trace) == 0 {
			continue
		}
		// The flows of an entry have its name.
		c := entries.Of(n.Flows[i].Name)
		if c.Flows++; c.Flows == 1 {
			c.Entry, c.first = n.Flows[i].Name, never
		}
		c.first, c.Last = min(c.first, f.Start), max(c.Last, int64(f.Last))
		if f.Arrived {
			c.Arrived++
		}
		c.took, c.slow = append(c.took, f.Took), append(c.slow, f.Slowdown)
	}
	return grouped.Each(entries.Values(), func(c entry) report.SimCompletion {
		c.First, c.Times, c.Slowdowns = orNull(int64(c.first)), spread(c.took), spread(c.slow)
		return c.SimCompletion
	})
}

// spread returns the distribution of one or more values. It sorts the values in place. Flows that have not arrived
// are last, because unknown is greater than any time.
func spread(values []int64) report.SimSpread {
	slices.Sort(values)
	n := int64(len(values))
	s := report.SimSpread{P50: rank(values, 500), P99: rank(values, 990), P999: rank(values, 999), Most: orNull(values[n-1])}
	if s.Most == nil {
		return s
	}
	// Sums of quotients and remainders do not overflow.
	var whole, rest int64
	for _, v := range values {
		whole += v / n
		rest += v % n
	}
	s.Mean = new(whole + rest/n)
	return s
}

// rank returns the value at a rank in thousandths, of sorted values. The rank is ceil(n*thousandths/1000) of n,
// counted from 1: no value is interpolated.
func rank(sorted []int64, thousandths int) *int64 {
	return orNull(sorted[(len(sorted)*thousandths+999)/1000-1])
}

// CompletionColumns are the columns of a table of completions; a slowdown has a
// column for each percentile.
var CompletionColumns = []string{"entry", "flows", "arrived", "mean", "p50", "p99", "p99.9", "longest",
	"slowdown mean", "slowdown p50", "slowdown p99", "slowdown p99.9"}

// CompletionRow is a row of such a table.
func CompletionRow(c *report.SimCompletion) []string {
	t, s := &c.Times, &c.Slowdowns
	return []string{c.Entry, unit.Thousands(c.Flows), unit.Thousands(c.Arrived), timeText(t.Mean), timeText(t.P50),
		timeText(t.P99), timeText(t.P999), timeText(t.Most), ratioText(s.Mean), ratioText(s.P50), ratioText(s.P99),
		ratioText(s.P999)}
}

// timeText prints a time.
func timeText(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return unit.Time(*n).String()
}

// ratioText prints thousandths: "1.250".
func ratioText(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprintf("%d.%03d", *n/1000, *n%1000)
}

// UseText prints the use of a link, which is in thousandths, in percent.
func UseText(use int64) string { return fmt.Sprintf("%d.%d%%", use/10, use%10) }

// linkUses returns the use of all ports that have sent, the most used first.
func (r *run) linkUses(span unit.Time) []report.SimLink {
	type use struct {
		report.SimLink
		at portNumber
	}
	var all []use
	for i := range r.Network.Links {
		l := &r.Network.Links[i]
		for _, at := range []fabric.End{l.A, l.B} {
			sent := r.sim.Busy(at)
			// A port that has sent nothing is in no table, and without traffic there is no time to have a part of.
			if sent == 0 || span == 0 {
				continue
			}
			c := r.sim.Counters(at)
			all = append(all, use{report.SimLink{Port: r.PortName(at), Rate: int64(l.Rate), Sent: int64(sent),
				Use: thousandths(int64(sent), int64(span)), Frames: c.FramesOut, Bytes: c.BytesOut}, portNumber{at: at}})
		}
	}
	// Ports that have sent for equally long are in the order of their places, so that every run has one order.
	slices.SortStableFunc(all, func(a, b use) int { return cmp.Or(cmp.Compare(b.Sent, a.Sent), a.at.compare(b.at)) })
	return grouped.Each(all, func(u use) report.SimLink { return u.SimLink })
}
