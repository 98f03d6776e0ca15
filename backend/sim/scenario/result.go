package scenario

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/unit"
)

// Result is what came of a run.
type Result struct {
	Summary fabric.Summary
	End     unit.Time // until when it ran
	Cut     bool      // it was stopped before its end
	Checked bool      // the expectations were looked at: the run was neither cut nor given another end
	Unmet   []string  // expectations that do not hold, each with what was found
	Flows   []FlowResult
	// Storms are those that watchdogs found, and those of them that are over.
	Storms, StormsOver int64
	Deadlocks          []fabric.FoundDeadlock // deadlocks that were found while it ran, if the scenario looks for them
	InDeadlock         bool                   // queues wait for each other in a circle at the end
	Cycle              string                 // that circle
	Findings           []Finding              // if the scenario is to be diagnosed
	Depths             []Depth                // of the queues of Scenario.Watch
	Ports              []PortResult           // hosts, then the ports of each switch
}

// FlowResult is what came of a flow.
type FlowResult struct {
	Name string
	fabric.FlowState
	// Rate is what was delivered, headers counted, by the time from its start to
	// its last frame, or to the end of the run if there is more to send. A
	// scenario that has to settle is measured from then on.
	Rate unit.BitRate
}

// Depth is how many bytes waited in a queue, from the time on at which the
// network has settled.
type Depth struct{ Mean, Most unit.Bytes }

// PortResult is what a port has counted.
type PortResult struct {
	At         fabric.End
	Name       string
	Counters   fabric.PortCounters
	FirstPause unit.Time // when it first asked its neighbour to pause
}

// result collects the counters.
func (r *run) result(cut bool) *Result {
	res := &Result{Summary: r.sim.Summary(), End: r.end, Cut: cut}
	if cut {
		res.End = r.sim.Now()
	}
	n := &r.Network
	for i := range n.Flows {
		f := FlowResult{Name: r.FlowName(i), FlowState: r.sim.Flow(i)}
		f.Rate = r.rate(i, f, res.End)
		res.Flows = append(res.Flows, f)
	}
	for i := range n.Hosts {
		res.Ports = append(res.Ports, r.port(fabric.AtHost(i)))
	}
	var cycle fabric.Cycle
	if cycle, res.InDeadlock = r.sim.Deadlock(); res.InDeadlock {
		res.Cycle = cycle.String()
	}
	res.Deadlocks = r.sim.FoundDeadlocks()
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

// rate is a flow's rate, from its start or from when the network has settled,
// for as long as it had something to send or under way.
func (r *run) rate(i int, f FlowResult, end unit.Time) unit.BitRate {
	c := &r.Network.Flows[i]
	switch {
	case r.sim.Done(i):
		end = f.Last
	case c.Stop > 0:
		end = min(end, c.Stop)
	}
	if len(r.settled) == 0 {
		return rate(f.Bytes, end-c.Start)
	}
	return rate(f.Bytes-r.settled[i], end-max(c.Start, r.Settle))
}

// rate returns bytes by time, rounded down; 0 in no time at all.
func rate(n unit.Bytes, span unit.Time) unit.BitRate {
	if span <= 0 || n <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(n)*8, uint64(unit.Second))
	if high >= uint64(span) {
		return unit.BitRate(math.MaxInt64)
	}
	q, _ := bits.Div64(high, low, uint64(span))
	return unit.BitRate(min(q, math.MaxInt64))
}

func (r *run) port(at fabric.End) PortResult {
	first, ok := r.firstPause[at]
	if !ok {
		first = never
	}
	c := r.sim.Counters(at)
	for prio := range c.PausedTime {
		c.PausedTime[prio] = r.sim.PausedTime(at, prio)
	}
	return PortResult{At: at, Name: r.PortName(at), Counters: c, FirstPause: first}
}

// PortName names a port: a host by its name, a port of a switch by its
// neighbour: "s1:h2".
func (s *Scenario) PortName(e fabric.End) string {
	if !e.Switch {
		return s.Network.Hosts[e.Node].Name
	}
	w := &s.Network.Switches[e.Node]
	return w.Name + ":" + w.Ports[e.Port].Name
}

// FlowName names a flow by its entry and hosts: "incast h1-receiver".
func (s *Scenario) FlowName(i int) string {
	f := &s.Network.Flows[i]
	return fmt.Sprintf("%s %s-%s", f.Name, s.Network.Hosts[f.From].Name, s.Network.Hosts[f.To].Name)
}

// ClassName names a priority: by its class if it has one.
func (s *Scenario) ClassName(priority int) string {
	for _, c := range s.Classes {
		if c.Priority == priority {
			return c.Name
		}
	}
	return fmt.Sprintf("priority %d", priority)
}
