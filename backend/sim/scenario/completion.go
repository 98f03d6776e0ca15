package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// Completion is how long the flows of an entry took, each from its start to the
// arrival of its last payload.
type Completion struct {
	Entry          string
	Flows, Arrived int
	First          unit.Time // start of the first flow; never if none has started
	Last           unit.Time // last arrival so far
	Times          Spread
	// Slowdowns are the times divided by those of the same flows alone on their
	// paths (fabric.Sim.Alone), in thousandths, rounded down.
	Slowdowns Spread
}

// Spread is a distribution. A percentile is a value that occurs, that with rank
// ceil(q*n) of n. A flow that has not arrived counts as longer than all others,
// so that a percentile among such flows is unknown, and so is the mean.
type Spread struct{ Mean, P50, P99, P999, Most Measure }

// Measure is a number, or Unknown.
type Measure int64

// Unknown is a number that is not known.
const Unknown = Measure(never)

// FlowTime is the completion of one flow. A flow without an end never has Arrived, and its times stay unknown.
type FlowTime struct {
	Start    unit.Time // never: it waits for other flows
	Arrived  bool      // all its payload has arrived
	Took     Measure   // from its start to its last arrival, in ps
	Slowdown Measure   // Took divided by the time of the flow alone, in thousandths
}

// flowTime returns the completion of a flow.
func flowTime(sim *fabric.Sim, i int) FlowTime {
	t := FlowTime{Start: never, Took: Unknown, Slowdown: Unknown}
	if at, ok := sim.Started(i); ok {
		t.Start = at
	}
	if t.Arrived = sim.Arrived(i); !t.Arrived {
		return t
	}
	t.Took = Measure(sim.Flow(i).Last - t.Start)
	// A flow whose path is not known, or which takes no time alone, has no slowdown.
	if alone, ok := sim.Alone(i); ok && alone > 0 {
		t.Slowdown = Measure(thousandths(int64(t.Took), int64(alone)))
	}
	return t
}

// thousandths returns 1,000 times a quotient, rounded down. A quotient that does not fit is Unknown's value, which is
// longer than any time.
func thousandths(n, by int64) int64 { return min(mulDiv(n, 1000, by), int64(never)) }

// completions returns the completion of each entry that has flows with an end,
// in the order of the file. An entry whose flows never end has none: there is no last payload to wait for.
func completions(n *fabric.Network, flows []flowResult) (out []Completion) {
	// entry is the completion of the flows of a name, and their measures.
	type entry struct {
		Completion
		took, slow []Measure
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
			c.Entry, c.First = n.Flows[i].Name, never
		}
		c.First, c.Last = min(c.First, f.Start), max(c.Last, f.Last)
		if f.Arrived {
			c.Arrived++
		}
		c.took, c.slow = append(c.took, f.Took), append(c.slow, f.Slowdown)
	}
	for _, c := range entries.All() {
		c.Times, c.Slowdowns = spread(c.took), spread(c.slow)
		out = append(out, c.Completion)
	}
	return out
}

// spread returns the distribution of one or more values. It sorts the values in place. Flows that have not arrived
// are last, because Unknown is greater than any time.
func spread(values []Measure) Spread {
	slices.Sort(values)
	n := int64(len(values))
	s := Spread{Mean: Unknown, P50: rank(values, 500), P99: rank(values, 990), P999: rank(values, 999),
		Most: values[n-1]}
	if s.Most == Unknown {
		return s
	}
	// Sums of quotients and remainders do not overflow.
	var whole, rest int64
	for _, v := range values {
		whole += int64(v) / n
		rest += int64(v) % n
	}
	s.Mean = Measure(whole + rest/n)
	return s
}

// rank returns the value at a rank in thousandths, of sorted values. The rank is ceil(n*thousandths/1000) of n,
// counted from 1: no value is interpolated.
func rank(sorted []Measure, thousandths int) Measure {
	return sorted[(len(sorted)*thousandths+999)/1000-1]
}

// CompletionColumns are the columns of a table of completions; a slowdown has a
// column for each percentile.
var CompletionColumns = []string{"entry", "flows", "arrived", "mean", "p50", "p99", "p99.9", "longest",
	"slowdown mean", "slowdown p50", "slowdown p99", "slowdown p99.9"}

// Row is a row of such a table.
func (c *Completion) Row() []string {
	t, s := &c.Times, &c.Slowdowns
	return []string{c.Entry, unit.Thousands(c.Flows), unit.Thousands(c.Arrived), t.Mean.timeText(), t.P50.timeText(),
		t.P99.timeText(), t.P999.timeText(), t.Most.timeText(),
		s.Mean.ratioText(), s.P50.ratioText(), s.P99.ratioText(), s.P999.ratioText()}
}

// timeText prints a time.
func (m Measure) timeText() string {
	if m == Unknown {
		return "unknown"
	}
	return unit.Time(m).String()
}

// ratioText prints thousandths: "1.250".
func (m Measure) ratioText() string {
	if m == Unknown {
		return "unknown"
	}
	return fmt.Sprintf("%d.%03d", m/1000, m%1000)
}

// UseText prints the use in percent.
func (l *linkUse) UseText() string { return fmt.Sprintf("%d.%d%%", l.Use/10, l.Use%10) }

// linkUse is how much of the time a port has sent. A port sends in one direction, so a link has two of them. Bytes
// are without preamble and gap, Sent is with them.
type linkUse struct {
	At     fabric.End
	Name   string
	Rate   unit.BitRate
	Sent   unit.Time  // for so long it has sent frames, pause frames included, with preamble and gap
	Use    int64      // Sent as a part of Result.Span, in thousandths, rounded down
	Frames int64      // data and feedback
	Bytes  unit.Bytes // of these
}

// linkUses returns the use of all ports that have sent, the most used first.
func (r *run) linkUses(span unit.Time) (out []linkUse) {
	for i := range r.Network.Links {
		l := &r.Network.Links[i]
		for _, at := range []fabric.End{l.A, l.B} {
			sent := r.sim.Busy(at)
			// A port that has sent nothing is in no table, and without traffic there is no time to have a part of.
			if sent == 0 || span == 0 {
				continue
			}
			c := r.sim.Counters(at)
			out = append(out, linkUse{At: at, Name: r.PortName(at), Rate: l.Rate, Sent: sent,
				Use: thousandths(int64(sent), int64(span)), Frames: c.FramesOut, Bytes: unit.Bytes(c.BytesOut)})
		}
	}
	// Ports that have sent for equally long are in the order of their places, so that every run has one order.
	slices.SortStableFunc(out, func(a, b linkUse) int {
		return cmp.Or(cmp.Compare(b.Sent, a.Sent), portNumber{at: a.At}.compare(portNumber{at: b.At}))
	})
	return out
}
