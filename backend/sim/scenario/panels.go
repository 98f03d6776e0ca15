package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// facts are the numbers above the panels. They are the ones that each run has. What only some have, such as
// completions, is in tables.
func facts(res *Result) []page.Fact {
	s := &res.Summary
	n := unit.Thousands[int64]
	return []page.Fact{{Name: "frames delivered", Value: n(s.Delivered)}, {Name: "drops", Value: n(s.Drops)},
		{Name: "pause frames", Value: n(s.PauseSent)},
		{Name: "resume frames", Value: n(s.ResumeSent)}, {Name: "frames marked", Value: n(s.Marked)},
		{Name: "CNPs", Value: n(s.CNP)},
		{Name: "maximum shared cells of a group", Value: n(int64(s.MaxShared))},
		{Name: "maximum headroom cells of a group", Value: n(int64(s.MaxHeadroom))},
		{Name: "last delivery", Value: s.LastDelivery.String()}}
}

// points returns the values of a series that are not below the least, as points in the middle of their steps.
func (r *recorder) points(s *series, least int64) []page.Point {
	out := make([]page.Point, 0, len(s.values))
	for i, v := range s.values {
		if v >= least {
			out = append(out, page.Point{At: unit.Time(i)*r.step + r.step/2, Value: v})
		}
	}
	return out
}

// lineOf returns the line of a series. Its points are made if it is drawn.
func (r *recorder) lineOf(name, key string, s *series) page.Line {
	l := page.Line{Name: name, Key: key, Source: func() []page.Point { return r.points(s, 0) }}
	// The peak is found without making the points: a series that is not drawn costs nothing.
	if len(s.values) > 0 {
		highest := slices.Max(s.values)
		l.Peak = page.Point{At: unit.Time(slices.Index(s.values, highest))*r.step + r.step/2, Value: highest}
	}
	return l
}

// used returns the keys of what was ever used, with the highest peaks first. A peak of 0 is what was never used, and
// is left out.
func used[V any](m map[portNumber]V, peak func(V) int64) []portNumber {
	keys := slices.SortedFunc(maps.Keys(m), portNumber.compare)
	keys = slices.DeleteFunc(keys, func(k portNumber) bool { return peak(m[k]) == 0 })
	// The sort is stable over keys in order, so equal peaks keep the order of the ports.
	slices.SortStableFunc(keys, func(a, b portNumber) int { return cmp.Compare(peak(m[b]), peak(m[a])) })
	return keys
}

// colourKey names what a port's colour is of: the host at its link, so that both ends of the link have one colour, or
// the port itself between switches.
func (r *recorder) colourKey(at fabric.End) string {
	if host, found := r.hosts[at]; found {
		return r.Network.Hosts[host].Name
	}
	return r.PortName(at)
}

// groupName names a group by its port and a class in it. A group of several priorities has the name of the first one
// with a class.
func (r *recorder) groupName(key portNumber) string {
	for prio, g := range r.Network.Switches[key.at.Node].Ports[key.at.Port].Groups {
		if g == key.n && r.classAt(prio) != nil {
			return r.PortName(key.at) + " " + r.ClassName(prio)
		}
	}
	return r.PortName(key.at) + " " + otherClass
}

// addLimit adds a limit to a panel, unless the panel has its name or enough limits already.
func addLimit(p *page.Panel, limit page.Line) {
	named := slices.ContainsFunc(p.Limits, func(l page.Line) bool { return l.Name == limit.Name })
	if !named && len(p.Limits) < maxLimits {
		p.Limits = append(p.Limits, limit)
	}
}

// sharedPanel shows the shared cells of the groups, and the limits that matter:
// few different ones, near what is used. A limit has a line for each switch and kind of limit, since groups with one
// limit share its line.
func (r *recorder) sharedPanel() page.Panel {
	p := page.Panel{Title: "Shared cells of priority groups", Unit: "cells",
		Text: "The cells of the shared pool that each group uses. Dashed: the limit of the group, which decreases " +
			"as the pool fills. At its limit a lossless group sends XOFF, and a lossy group drops frames. Limits " +
			"far above the use are not drawn."}
	// Two passes: the limits that are worth drawing are known only when the highest use is known.
	keys := used(r.groups, func(g *groupSeries) int64 { return g.shared.peak })
	most := int64(0)
	for _, key := range keys {
		g := r.groups[key]
		p.Lines = append(p.Lines, r.lineOf(r.groupName(key), r.colourKey(key.at), &g.shared))
		most = max(most, g.shared.peak)
	}
	for _, key := range keys {
		if r.groups[key].shared.peak < most/10 {
			continue // far from its limit, and small beside the others
		}
		limit := r.Network.Switches[key.at.Node].MMU.Groups[key.n].Limit
		name := fmt.Sprintf("limit at %s, %v", r.Network.Switches[key.at.Node].Name, limit)
		points := r.points(&r.groups[key].limit, 0) // -1: a group without a limit
		// A limit ten times above the use would flatten the lines at the bottom of the panel.
		if slices.ContainsFunc(points, func(p page.Point) bool { return p.Value <= 10*most }) {
			addLimit(&p, page.Line{Name: name, Points: points})
		}
	}
	return p
}

// maxLimits is the largest number of limits in a panel.
const maxLimits = 4

// headroomPanel shows the headroom of the groups, and what they were granted.
func (r *recorder) headroomPanel() page.Panel {
	p := page.Panel{Title: "Headroom", Unit: "cells",
		Text: "The cells that arrive after XOFF. Dashed: the granted headroom of the group. Frames beyond it are " +
			"dropped."}
	for _, key := range used(r.groups, func(g *groupSeries) int64 { return g.headroom.peak }) {
		p.Lines = append(p.Lines, r.lineOf(r.groupName(key), r.colourKey(key.at), &r.groups[key].headroom))
		// Groups of one class on ports of one kind have equal headroom: one line says it for all.
		addLimit(&p, level("granted", int64(r.Network.Switches[key.at.Node].MMU.Groups[key.n].Headroom)))
	}
	return p
}

// queuePanel shows the egress queues, and the thresholds at which they mark.
func (r *recorder) queuePanel() page.Panel {
	p := page.Panel{Title: "Egress queues", Unit: "bytes",
		Text: "The bytes that wait to be sent, without the frame in transmission."}
	keys, most := used(r.queues, func(s *series) int64 { return s.peak }), int64(0)
	for _, key := range keys {
		p.Lines = append(p.Lines, r.lineOf(r.PortName(key.at)+" "+r.ClassName(key.n), r.colourKey(key.at), r.queues[key]))
		most = max(most, r.queues[key].peak)
	}
	for _, key := range keys {
		// kmin and kmax are in bytes, as the depth of the queue is.
		curve := r.Network.Switches[key.at.Node].Ports[key.at.Port].ECN[key.n]
		for _, x := range []page.Line{level("kmin", int64(curve.KMin)), level("kmax", int64(curve.KMax))} {
			// A threshold that no queue comes near would flatten the lines, and 0 is a queue that does not mark.
			if v := x.Points[0].Value; v > 0 && v < 2*most {
				addLimit(&p, x)
			}
		}
	}
	return p
}

// level is a constant threshold. The name has the value in it, so that equal ones are drawn once. The second of its two
// points is later than the end of any run.
func level(name string, value int64) page.Line {
	return page.Line{Name: name + ": " + unit.Thousands(value),
		Points: []page.Point{{At: 0, Value: value}, {At: 1 << 60, Value: value}}}
}

// pausePanel shows when priorities were paused.
func (r *recorder) pausePanel(end unit.Time) page.Panel {
	p := page.Panel{Title: "Pauses", Text: "The times when a priority of a port was paused by the neighbour."}
	// A pause that lasts at the end of the run has no resume frame, and ends with the run.
	for _, x := range r.paused {
		x.end(end)
	}
	// The order is by the time that a port was paused, the longest first.
	for _, key := range used(r.paused, func(p *pauses) int64 { return int64(p.sum) }) {
		p.Rows = append(p.Rows, page.Row{Name: r.PortName(key.at) + " " + r.ClassName(key.n), Key: r.colourKey(key.at),
			Spans: r.paused[key].spans})
	}
	return p
}

// rateSteps is the number of steps over which a rate is averaged.
const rateSteps = 10

// ratePanel shows the delivered rate of the flows. The unit is megabits, 10^6 bits, per second.
func (r *recorder) ratePanel() page.Panel {
	// A frame is delivered at one instant, so a rate of a single step would jump between zero and the line rate.
	p := page.Panel{Title: "Delivered", Unit: "Mb/s", Text: fmt.Sprintf(
		"The rate of the frames that arrived at their hosts, averaged over %v. Headers are counted; preamble "+
			"and gap are not.", rateSteps*r.step)}
	// A panel of thousands of lines shows nothing, and the page would hold a point for each of their steps.
	if len(r.Network.Flows) > maxFlows {
		p.Text += fmt.Sprintf(" The %d flows are summed by their entries in the file.", len(r.Network.Flows))
	}
	// By name, so that the colours are the same in every run.
	for _, name := range slices.Sorted(maps.Keys(r.flows)) {
		// A line of several flows has no sender, and so not the colour of one.
		line := page.Line{Name: name, Key: r.sender[name]}
		line.Points = r.windows(r.flows[name], func(sum int64, window unit.Time) int64 {
			return int64(rate(unit.Bytes(sum), window) / unit.Mbps)
		})
		p.Lines = append(p.Lines, line)
	}
	return p
}

// windows returns a series as points in the middle of windows of rateSteps steps: the value of the sum of a window's
// steps and of its length. The last window is as long as the others and ends with the last step, so that it can begin
// before the one in front of it ends: a window of one step would show a single frame as more than the rate of the link.
func (r *recorder) windows(s *series, value func(sum int64, window unit.Time) int64) (out []page.Point) {
	for i := 0; i < len(s.values); i += rateSteps {
		// Only a run of fewer steps has a shorter window.
		from := max(min(i, len(s.values)-rateSteps), 0)
		steps := s.values[from:min(from+rateSteps, len(s.values))]
		sum, window := int64(0), unit.Time(len(steps))*r.step
		for _, v := range steps {
			sum += v
		}
		out = append(out, page.Point{At: unit.Time(from)*r.step + window/2, Value: value(sum, window)})
	}
	return out
}

// countPanel is a panel of counts: frames of each step of the recorder, by port and reason.
func (r *recorder) countPanel(title, done string, m map[place]*series) page.Panel {
	p := page.Panel{Title: title, Unit: "frames",
		Text: fmt.Sprintf("Frames %s in every %v. A stroke is as long as their number.", done, r.step)}
	// The order of a map is not the order of the page: the rows are sorted by name below.
	for key, s := range m {
		p.Rows = append(p.Rows, page.Row{Name: r.PortName(key.at) + " " + key.what, Key: r.colourKey(key.at),
			Counts: r.points(s, 1)})
	}
	slices.SortFunc(p.Rows, func(a, b page.Row) int { return cmp.Compare(a.Name, b.Name) })
	return p
}

// The largest numbers of rows of the tables on the page.
const (
	completionRows = 40
	linkRows       = 10
)

// tables are the completion times and the use of the links, for the page.
func tables(res *Result) (out []page.Table) {
	if n := len(res.Completions); n > 0 {
		t := page.Table{Title: "Completion times", Columns: CompletionColumns, Text: "From the start of a flow to the " +
			"arrival of its last payload. A slowdown is this time divided by the time of the same flow alone on its path. " +
			"A percentile among flows that have not arrived is unknown." + more(n, completionRows)}
		for i := range res.Completions[:min(n, completionRows)] {
			t.Rows = append(t.Rows, CompletionRow(&res.Completions[i]))
		}
		out = append(out, t)
	}
	if n := len(res.Links); n > 0 {
		// The most used links are what a reader asks for; the JSON has all of them.
		t := page.Table{Title: "Links", Columns: []string{"port that sends", "rate", "use", "frames"},
			Text: fmt.Sprintf("How much of the %v with traffic a port has sent, the most used first. Preamble, gap and "+
				"pause frames count.", res.Span) + more(n, linkRows)}
		for i := range res.Links[:min(n, linkRows)] {
			l := &res.Links[i]
			t.Rows = append(t.Rows, []string{l.Port, unit.BitRate(l.Rate).String(), UseText(l.Use), unit.Thousands(l.Frames)})
		}
		out = append(out, t)
	}
	return out
}

// more says how many rows a table leaves out.
func more(n, rows int) string {
	if n <= rows {
		return ""
	}
	return fmt.Sprintf(" These are %d of %d.", rows, n)
}

// sending records for how much of each step a port sends. A frame counts in the
// steps in which it is on the wire. Its values are picoseconds of sending within a step, so that the length of a step
// is full use.
type sending struct {
	series
	ahead unit.Time // what frames that have begun still take after this step
}

// departs records a frame that a port begins to send.
func (r *recorder) departs(e *fabric.Event) {
	// A page of thousands of ports would be too large to read and to draw: the first ports that send are recorded.
	s := tracked(r.sending, portNumber{at: e.Where})
	if s == nil {
		return
	}
	// A frame that crosses the end of a step counts in both: the rest is carried in ahead. Both times are picoseconds,
	// and the step that runs now ends at (count+1) steps.
	takes := r.rates[e.Where].TimeFor(int64(e.Bytes+r.Network.Wire.Overhead()) * 8)
	now := min(takes, max(unit.Time(r.count+1)*r.step-e.At, 0))
	s.add(int64(now))
	s.ahead += takes - now
}

// end ends a step. What frames that have begun still take goes on into the next one.
func (s *sending) end(steps int, length unit.Time) {
	// A frame of 9 KiB at 10G takes 7 us, which can be many steps.
	next := min(s.ahead, length)
	s.ahead -= next
	s.series.end(steps, int64(next), 0)
}

// linkPanel shows how much of the time ports send data and answers.
func (r *recorder) linkPanel() page.Panel {
	p := page.Panel{Title: "Use of links", Unit: "percent", Text: fmt.Sprintf("The part of %v in which a port sends "+
		"frames, preamble and gap included. Pause frames are not counted.", rateSteps*r.step)}
	for _, key := range used(r.sending, func(s *sending) int64 { return s.peak }) {
		p.Lines = append(p.Lines, page.Line{Name: r.PortName(key.at), Key: r.colourKey(key.at),
			Points: r.windows(&r.sending[key].series, func(sum int64, window unit.Time) int64 {
				return thousandths(sum, int64(window)) / 10 // percents, rounded down
			})})
	}
	return p
}
