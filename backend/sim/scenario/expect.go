package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// Expectation is a number of the result and the range in which it must be. All
// kinds of numbers are integers in the smallest unit, so that a comparison is
// exact.
type Expectation struct {
	Line int
	Path string // expect.flows[1].rate
	Want string // as in the file: ">0"

	lowest, highest int64               // both belong to the range
	value           func(*Result) int64 // of picoseconds, bit/s, bytes, or a count
	format          func(int64) string  // prints such a number with its unit
	subject         string              // for messages: whose number it is; "" if the path says it
}

// check returns a message if the result is not as expected; otherwise "". The text has the value that was found, so
// that a reader sees how far it is from the range.
func (e *Expectation) check(r *Result) string {
	n := e.value(r)
	if n >= e.lowest && n <= e.highest {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s, expected %s %s", e.Path, e.format(n), e.Want, e.subject))
}

// between reads "5", ">5", ">=5", "<5", "<=5" or "3..7". parse reads the
// numbers. Both bounds belong to the range.
func between(text string, parse func(string) (int64, error)) (lowest, highest int64, err error) {
	if from, to, ok := strings.Cut(text, ".."); ok {
		if lowest, err = parse(from); err == nil {
			highest, err = parse(to)
		}
		if err == nil && lowest > highest {
			err = fmt.Errorf("%q is empty (want the lower number first)", text)
		}
		return lowest, highest, err
	}
	// The longer operators are tried first: ">" is the beginning of ">=".
	for _, op := range []string{">=", "<=", ">", "<"} {
		rest, ok := strings.CutPrefix(text, op)
		if !ok {
			continue
		}
		n, err := parse(rest)
		switch op {
		case ">=":
			return n, math.MaxInt64, err
		case "<=":
			return math.MinInt64, n, err
		// Both bounds of an expectation belong to its range, so more than n begins at n + 1.
		case ">":
			// The bound keeps n + 1 from overflowing.
			return min(n, math.MaxInt64-1) + 1, math.MaxInt64, err
		default:
			return math.MinInt64, n - 1, err
		}
	}
	n, err := parse(text)
	return n, n, err
}

// parseCount reads a number without a unit.
func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a count (want 5, >5, >=5, <5, <=5, 3..7)", text)
	}
	return n, nil
}

// showTime prints a time; something that has not happened has the time never.
func showTime(t unit.Time) string {
	if t == never {
		return "never"
	}
	return t.String()
}

// parseTruth reads true as 1 and false as 0, so that a truth value is compared
// like a number.
func parseTruth(text string) (int64, error) {
	switch text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	return 0, fmt.Errorf("%q is not true or false", text)
}

// truthOf is a truth value as parseTruth reads it.
func truthOf(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// numberKind is how numbers of one kind are read and printed. The parser returns the smallest unit, and the printer
// takes it: ps, bit/s, bytes.
type numberKind struct {
	parse func(string) (int64, error)
	show  func(int64) string
}

// ofUnit is the kind of a quantity with a unit.
func ofUnit[T ~int64](parse func(string) (T, error), show func(T) string) numberKind {
	return numberKind{func(text string) (int64, error) { n, err := parse(text); return int64(n), err },
		func(n int64) string { return show(T(n)) }}
}

// The kinds of numbers that a result has: counts, times, rates, sizes, and truth values as 0 and 1.
var (
	counted = ofUnit(parseCount, func(n int64) string { return strconv.FormatInt(n, 10) })
	timed   = ofUnit(unit.ParseTime, showTime)
	rated   = ofUnit(unit.ParseBitRate, unit.BitRate.String)
	sized   = ofUnit(unit.ParseBytes, unit.Bytes.String)
	truth   = ofUnit(parseTruth, func(n int64) string { return strconv.FormatBool(n == 1) })
)

// number adds an expectation if the file has it. got returns the number of the
// result, about names it in messages. v is the value of the file; nil adds nothing, so that callers need no test.
func (r *reader) number(v *document.Value, of numberKind, about string, got func(*Result) int64) {
	if v == nil {
		return
	}
	// What is expected is read with the file, so that a typing error is not found only after a long run.
	text := v.Text()
	lowest, highest, err := between(text, of.parse)
	if err != nil {
		v.Fail(err.Error())
		return
	}
	r.s.Expect = append(r.s.Expect, Expectation{Line: v.Line, Path: v.Path(), Want: text, lowest: lowest,
		highest: highest, value: got, format: of.show, subject: about})
}

// numberKey is an expectation about a number of a result of one kind.
type numberKey[T any] struct {
	key string
	of  numberKind
	got func(T) int64
}

// keysOf returns the keys of a table, which is the one place of them: what is accepted and what is compared cannot
// differ.
func keysOf[T any](table []numberKey[T]) []string {
	return grouped.Each(table, func(k numberKey[T]) string { return k.key })
}

// summaryKeys are the expectations about the whole run. Frames are counted for the whole network: one that crosses
// three switches and is delivered is one. Cells are the most that a single group has held, and drops counts frames of
// data and of feedback.
var summaryKeys = []numberKey[*Result]{
	{"frames_delivered", counted, func(r *Result) int64 { return r.Summary.Delivered }},
	{"drops", counted, func(r *Result) int64 { return r.Summary.Drops }},
	{"pause_sent", counted, func(r *Result) int64 { return r.Summary.PauseSent }},
	{"resume_sent", counted, func(r *Result) int64 { return r.Summary.ResumeSent }},
	{"ecn_marked", counted, func(r *Result) int64 { return r.Summary.Marked }},
	{"cnp_sent", counted, func(r *Result) int64 { return r.Summary.CNP }},
	{"max_headroom_cells", counted, func(r *Result) int64 { return int64(r.Summary.MaxHeadroom) }},
	{"max_shared_cells", counted, func(r *Result) int64 { return int64(r.Summary.MaxShared) }},
	{"frames_trimmed", counted, func(r *Result) int64 { return r.Summary.Trimmed }},
	{"trimmed_dropped", counted, func(r *Result) int64 { return r.Summary.TrimDropped }},
	{"trimmed_arrived", counted, func(r *Result) int64 { return r.Summary.TrimmedArrived }},
	{"frames_retransmitted", counted, func(r *Result) int64 { return r.Summary.Resent }},
	{"deadlocks", counted, func(r *Result) int64 { return int64(len(r.Deadlocks)) }},
	{"storms", counted, func(r *Result) int64 { return r.Storms }},
	{"storms_over", counted, func(r *Result) int64 { return r.StormsOver }},
	{"ends_locked", truth, func(r *Result) int64 { return truthOf(r.InDeadlock) }},
	{"credits_leaked", counted, ofChannels(func(c *fabric.ChannelCounters) int64 { return c.Leaked })},
	{"credits_repaired", counted, ofChannels(func(c *fabric.ChannelCounters) int64 { return c.Repaired })},
	{"without_credits", timed, ofChannels(func(c *fabric.ChannelCounters) int64 { return int64(c.Waited) })},
	{"llr_frames_resent", counted, func(r *Result) (n int64) {
		for i := range r.Ports {
			if layer := r.Ports[i].Layer; layer != nil {
				n += layer.Repeated
			}
		}
		return n
	}},
	{"last_delivery", timed, func(r *Result) int64 { return int64(r.Summary.LastDelivery) }},
}

// expect reads all expectations. It comes last in the file's reader, because it names flows, ports and classes of all
// other keys.
func (r *reader) expect(v *document.Value) {
	f := v.Fields(append([]string{"drops_by_reason", "flows", "ports", "queues", "findings", "completions", "dcbx"},
		keysOf(summaryKeys)...)...)
	for _, k := range summaryKeys {
		r.number(f[k.key], k.of, "", k.got)
	}
	// A run that leaves out steady states knows no maximum of the whole run: see run.fast.
	r.s.expectsMaximum = f["max_headroom_cells"] != nil || f["max_shared_cells"] != nil
	g := f["drops_by_reason"].Fields(fabric.Reasons()...)
	for _, reason := range fabric.Reasons() {
		r.number(g[reason], counted, "", func(r *Result) int64 { return r.Summary.ByReason[reason] })
	}
	for _, x := range f["flows"].Items() {
		r.expectFlow(x)
	}
	for _, x := range f["ports"].Items() {
		r.expectPort(x)
	}
	for _, x := range f["queues"].Items() {
		r.expectQueue(x)
	}
	for _, x := range f["dcbx"].Items() {
		r.expectDCBX(x)
	}
	for _, x := range f["findings"].Items() {
		r.expectFinding(x)
	}
	for _, x := range f["completions"].Items() {
		r.expectCompletion(x)
	}
}

// expectFlow reads expectations that every flow of an entry must meet. The sum
// over the flows is not compared: one starved flow would be hidden. Counters are frames, the rate is bit/s with
// headers, and last is the time of the last delivery.
func (r *reader) expectFlow(v *document.Value) {
	f := v.Fields("flow", "sent", "delivered", "lost", "resent", "rate", "last")
	v.Need(f, "flow")
	// An entry may have been made into many flows.
	flows, ok := r.entries[f["flow"].Text()]
	if f["flow"] != nil && !ok {
		f["flow"].Refuse("the name of an entry of flows")
	}
	// Every flow of the entry has an expectation of its own, and a message names the flow.
	for _, i := range flows {
		about := "of flow " + r.s.FlowName(i)
		r.number(f["sent"], counted, about, func(r *Result) int64 { return r.Flows[i].Sent })
		r.number(f["delivered"], counted, about, func(r *Result) int64 { return r.Flows[i].Delivered })
		r.number(f["lost"], counted, about, func(r *Result) int64 { return r.Flows[i].Lost })
		r.number(f["resent"], counted, about, func(r *Result) int64 { return r.Flows[i].Resent })
		r.number(f["rate"], rated, about, func(r *Result) int64 { return int64(r.Flows[i].Rate) })
		r.number(f["last"], timed, about, func(r *Result) int64 { return int64(r.Flows[i].Last) })
	}
}

// expectPort reads expectations about a port's counters: those of a class or,
// without a class, the sum over all priorities. pause_sent and resume_sent count a frame once for each priority that
// it names. paused is how long the neighbour has held the port, and first_pause when the port itself first sent one.
func (r *reader) expectPort(v *document.Value) {
	f := v.Fields("at", "to", "class", "pause_sent", "resume_sent", "pause_received", "resume_received", "marked",
		"drops", "last_drop", "paused", "first_pause")
	v.Need(f, "at")
	if f["at"] == nil {
		return
	}
	// Both are read before either ends the function, so that all mistakes of the entry are reported.
	at, ok := r.portNamed(f["at"], f["to"])
	class := r.classOf(f["class"])
	if !ok {
		return
	}
	// A port without a class in the key sums all priorities, those without a class too. Ports are found by their place
	// and not by an index, which is known only when the result is made.
	of := func(per func(c *fabric.PortCounters, priority int) int64) func(*Result) int64 {
		return func(res *Result) (sum int64) {
			counters := &res.port(at).Counters
			for prio := range fabric.Priorities {
				if class < 0 || r.s.Classes[class].Priority == prio {
					sum += per(counters, prio)
				}
			}
			return sum
		}
	}
	r.number(f["pause_sent"], counted, "", of(func(c *fabric.PortCounters, p int) int64 { return c.PauseSent[p] }))
	r.number(f["resume_sent"], counted, "", of(func(c *fabric.PortCounters, p int) int64 { return c.ResumeSent[p] }))
	r.number(f["pause_received"], counted, "",
		of(func(c *fabric.PortCounters, p int) int64 { return c.PauseReceived[p] }))
	r.number(f["resume_received"], counted, "",
		of(func(c *fabric.PortCounters, p int) int64 { return c.ResumeReceived[p] }))
	r.number(f["marked"], counted, "", of(func(c *fabric.PortCounters, p int) int64 { return c.Marked[p] }))
	r.number(f["drops"], counted, "", of(func(c *fabric.PortCounters, p int) int64 { return c.Drops[p] }))
	r.number(f["paused"], timed, "", of(func(c *fabric.PortCounters, p int) int64 { return int64(c.PausedTime[p]) }))
	// last_drop is the latest time of a drop at the port, and never without one: a sum would mean nothing.
	r.number(f["last_drop"], timed, "", func(res *Result) int64 {
		last := never
		for prio, dropped := range res.port(at).Counters.LastDrop {
			if dropped > 0 && (class < 0 || r.s.Classes[class].Priority == prio) && (last == never || dropped > last) {
				last = dropped
			}
		}
		return int64(last)
	})
	// The run observes events only if something needs them.
	r.s.firstPauses = r.s.firstPauses || f["first_pause"] != nil
	r.number(f["first_pause"], timed, "", func(res *Result) int64 { return int64(res.port(at).FirstPause) })
}

// portNamed reads a port: a host, or a switch and a neighbour. The second result is false after a complaint, and the
// port is then not to be used.
func (r *reader) portNamed(at, to *document.Value) (fabric.End, bool) {
	if i, ok := r.hosts[at.Text()]; ok {
		return fabric.AtHost(i), true
	}
	// A host has one port. A port of a switch is named by its neighbour, since numbers follow from the order of the
	// links.
	i, port := r.portOf(at, to)
	if to == nil {
		at.Fail("to: missing: want the neighbour to which the port leads")
	}
	return fabric.AtSwitch(max(i, 0), max(port, 0)), i >= 0 && port >= 0
}

// expectQueue reads expectations about the depth of a class's egress queue. The
// queue is added to those that the run measures. Depths are bytes that wait since settle, sampled at equal distances:
// most may miss a peak between two samples.
func (r *reader) expectQueue(v *document.Value) {
	f := v.Fields("at", "to", "class", "mean", "most")
	v.Need(f, "at", "to", "class")
	class := r.classOf(f["class"])
	node, port := r.portOf(f["at"], f["to"])
	if class < 0 || node < 0 || port < 0 {
		return
	}
	// The run samples the depth of a queue only if an expectation asks for it.
	i := len(r.s.Watch)
	r.s.Watch = append(r.s.Watch, Queue{node, port, r.s.Classes[class].Priority})
	r.number(f["mean"], sized, "", func(r *Result) int64 { return int64(r.Depths[i].Mean) })
	r.number(f["most"], sized, "", func(r *Result) int64 { return int64(r.Depths[i].Most) })
}

// ratio is a number in thousandths, such as a slowdown: "1.25".
var ratio = numberKind{parseRatio, func(n int64) string { return ratioText(orNull(n)) }}

// parseRatio reads a decimal number with up to three places. The result is thousandths.
func parseRatio(text string) (int64, error) {
	whole, part, point := strings.Cut(strings.TrimSpace(text), ".")
	// The simulator keeps three places of a slowdown, so a comparison is exact. 50 bits keep the product of a ratio and a
	// time within 64.
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 50)
	if err != nil || whole == "" || len(part) > 3 || point && part == "" {
		return 0, fmt.Errorf("%q is not a ratio (want 2, <1.5, 1..2.125; at most three places)", text)
	}
	return int64(n), nil
}

// completionKeys are the expectations about an entry's completion. Times are in picoseconds; a slowdown is the time of
// a flow over its time alone in the network, in thousandths.
var completionKeys = []numberKey[*report.SimCompletion]{
	{"arrived", counted, func(c *report.SimCompletion) int64 { return int64(c.Arrived) }},
	{"first_start", timed, func(c *report.SimCompletion) int64 { return orNever(c.First) }},
	{"last_arrival", timed, func(c *report.SimCompletion) int64 { return c.Last }},
	{"mean", completed, func(c *report.SimCompletion) int64 { return orNever(c.Times.Mean) }},
	{"p50", completed, func(c *report.SimCompletion) int64 { return orNever(c.Times.P50) }},
	{"p99", completed, func(c *report.SimCompletion) int64 { return orNever(c.Times.P99) }},
	{"p99_9", completed, func(c *report.SimCompletion) int64 { return orNever(c.Times.P999) }},
	{"longest", completed, func(c *report.SimCompletion) int64 { return orNever(c.Times.Most) }},
	{"slowdown_mean", ratio, func(c *report.SimCompletion) int64 { return orNever(c.Slowdowns.Mean) }},
	{"slowdown_p50", ratio, func(c *report.SimCompletion) int64 { return orNever(c.Slowdowns.P50) }},
	{"slowdown_p99", ratio, func(c *report.SimCompletion) int64 { return orNever(c.Slowdowns.P99) }},
	{"slowdown_p99_9", ratio, func(c *report.SimCompletion) int64 { return orNever(c.Slowdowns.P999) }},
}

// completed is a time that may be unknown.
var completed = numberKind{timed.parse, func(n int64) string { return timeText(orNull(n)) }}

// expectCompletion reads expectations about how long the flows of an entry take.
// A number that is unknown is as large as no bound, so it meets none from above.
func (r *reader) expectCompletion(v *document.Value) {
	f := v.Fields(append([]string{"entry"}, keysOf(completionKeys)...)...)
	v.Need(f, "entry")
	// Need has complained.
	if f["entry"] == nil {
		return
	}
	// A flow without an end never completes: a question about its time has no answer.
	name := f["entry"].Text()
	flows, ok := r.entries[name]
	if !ok || len(flows) > 0 && !r.ends(flows[0]) {
		f["entry"].Refuse("the name of an entry of flows or collectives, whose flows have an end")
		return
	}
	for _, k := range completionKeys {
		r.number(f[k.key], k.of, "of "+name, func(res *Result) int64 {
			// Every entry whose flows have an end has a completion, as was checked above.
			i := slices.IndexFunc(res.Completions, func(c report.SimCompletion) bool { return c.Entry == name })
			return k.got(&res.Completions[i])
		})
	}
}

// ends tells whether a flow has an end. One flow speaks for its entry, whose flows differ in nothing that decides
// this.
func (r *reader) ends(i int) bool {
	f := &r.s.Network.Flows[i]
	return f.Size > 0 || len(f.Sender.Trace) > 0
}
