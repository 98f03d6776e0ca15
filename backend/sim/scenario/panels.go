package scenario

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/sim/plot"
	"github.com/cellwarden/cellwarden/unit"
)

// write writes the page. Panels without content are left out.
func (r *recorder) write(w io.Writer, res *Result) error {
	p := &plot.Page{Title: r.Name, Text: r.Lesson, End: res.End, Facts: facts(res)}
	if res.Cut {
		p.Notes = append(p.Notes, "The run was interrupted at "+res.End.String()+".")
	}
	for _, u := range res.Unmet {
		p.Notes = append(p.Notes, "Not as expected: "+u)
	}
	for _, panel := range []plot.Panel{r.sharedPanel(), r.headroomPanel(), r.queuePanel(), r.pausePanel(res.End),
		r.ratePanel(), r.lossPanel()} {
		if len(panel.Lines)+len(panel.Bars) > 0 {
			p.Panels = append(p.Panels, panel)
		}
	}
	return plot.Write(w, p)
}

// facts are the numbers above the panels.
func facts(res *Result) []plot.Fact {
	s := &res.Summary
	n := func(n int64) string { return strconv.FormatInt(n, 10) }
	out := []plot.Fact{{Name: "frames delivered", Value: n(s.Delivered)}, {Name: "drops", Value: n(s.Drops)},
		{Name: "pause frames", Value: n(s.PauseSent)},
		{Name: "resume frames", Value: n(s.ResumeSent)}, {Name: "frames marked", Value: n(s.Marked)},
		{Name: "CNPs", Value: n(s.CNP)},
		{Name: "maximum shared cells of a group", Value: n(int64(s.MaxShared))},
		{Name: "maximum headroom cells of a group", Value: n(int64(s.MaxHeadroom))},
		{Name: "last delivery", Value: s.LastDelivery.String()}}
	return out
}

// points returns a series as points in the middle of their steps.
func (r *recorder) points(s *series) []plot.Point {
	out := make([]plot.Point, 0, len(s.values))
	for i, v := range s.values {
		if v >= 0 {
			out = append(out, plot.Point{At: unit.Time(i)*r.step + r.step/2, Value: v})
		}
	}
	return out
}

// highest returns the keys with the highest peaks, sorted by port and number.
func highest[V any](m map[portNumber]V, peak func(V) int64) []portNumber {
	keys := slices.SortedFunc(maps.Keys(m), portNumber.compare)
	keys = slices.DeleteFunc(keys, func(k portNumber) bool { return peak(m[k]) == 0 })
	slices.SortStableFunc(keys, func(a, b portNumber) int { return cmp.Compare(peak(m[b]), peak(m[a])) })
	keys = keys[:min(len(keys), maxDrawn)]
	slices.SortFunc(keys, portNumber.compare)
	return keys
}

// groupName names a group by its port and a class in it.
func (r *recorder) groupName(key portNumber) string {
	for prio, g := range r.Network.Switches[key.at.Node].Ports[key.at.Port].Groups {
		if g == key.n && r.named(prio) {
			return r.PortName(key.at) + " " + r.ClassName(prio)
		}
	}
	return r.PortName(key.at) + " " + otherClass
}

// named tells whether a priority has a class.
func (s *Scenario) named(priority int) bool {
	return slices.ContainsFunc(s.Classes, func(c Class) bool { return c.Priority == priority })
}

// sharedPanel shows the shared cells of the groups, and the limits that matter:
// few different ones, near what is used.
func (r *recorder) sharedPanel() plot.Panel {
	p := plot.Panel{Title: "Shared cells of priority groups", Unit: "cells",
		Text: "The cells of the shared pool that each group uses. Dashed: the limit of the group, which decreases " +
			"as the pool fills. At its limit a lossless group sends XOFF, and a lossy group drops frames. Limits " +
			"far above the use are not drawn."}
	keys := highest(r.groups, func(g *groupSeries) int64 { return g.shared.peak })
	for _, key := range keys {
		p.Lines = append(p.Lines, plot.Line{Name: r.groupName(key), Points: r.points(&r.groups[key].shared)})
	}
	seen, most := map[string]bool{}, int64(0)
	for _, key := range keys {
		most = max(most, r.groups[key].shared.peak)
	}
	for _, key := range keys {
		if r.groups[key].shared.peak < most/10 {
			continue // far from its limit, and small beside the others
		}
		limit := r.Network.Switches[key.at.Node].MMU.Groups[key.n].Limit
		name := fmt.Sprintf("limit at %s, %v", r.Network.Switches[key.at.Node].Name, limit)
		points := r.points(&r.groups[key].limit)
		far := !slices.ContainsFunc(points, func(p plot.Point) bool { return p.Value <= 10*most })
		if !seen[name] && !far && len(seen) < 4 {
			seen[name] = true
			p.Lines = append(p.Lines, plot.Line{Name: name, Points: points, Dashed: true})
		}
	}
	return p
}

// headroomPanel shows the headroom of the groups, and what they were granted.
func (r *recorder) headroomPanel() plot.Panel {
	p := plot.Panel{Title: "Headroom", Unit: "cells",
		Text: "The cells that arrive after XOFF. Dashed: the granted headroom of the group. Frames beyond it are " +
			"dropped."}
	keys := highest(r.groups, func(g *groupSeries) int64 { return g.headroom.peak })
	seen := map[int64]bool{}
	for _, key := range keys {
		p.Lines = append(p.Lines, plot.Line{Name: r.groupName(key), Points: r.points(&r.groups[key].headroom)})
	}
	for _, key := range keys {
		granted := int64(r.Network.Switches[key.at.Node].MMU.Groups[key.n].Headroom)
		if !seen[granted] {
			seen[granted] = true
			p.Lines = append(p.Lines, level("granted", granted))
		}
	}
	return p
}

// queuePanel shows the egress queues, and the thresholds at which they mark.
func (r *recorder) queuePanel() plot.Panel {
	p := plot.Panel{Title: "Egress queues", Unit: "bytes",
		Text: "The bytes that wait to be sent, without the frame in transmission."}
	keys, most := highest(r.queues, func(s *series) int64 { return s.peak }), int64(0)
	for _, key := range keys {
		p.Lines = append(p.Lines, plot.Line{Name: r.PortName(key.at) + " " + r.ClassName(key.n),
			Points: r.points(r.queues[key])})
		most = max(most, r.queues[key].peak)
	}
	seen := map[string]bool{}
	for _, key := range keys {
		curve := r.Network.Switches[key.at.Node].Ports[key.at.Port].ECN[key.n]
		for _, x := range []plot.Line{level("kmin", int64(curve.KMin)),
			level("kmax", int64(curve.KMax))} {
			if v := x.Points[0].Value; v > 0 && v < 2*most && !seen[x.Name] {
				seen[x.Name] = true
				p.Lines = append(p.Lines, x)
			}
		}
	}
	return p
}

// level is a constant threshold.
func level(name string, value int64) plot.Line {
	return plot.Line{Name: fmt.Sprintf("%s: %d", name, value), Dashed: true,
		Points: []plot.Point{{At: 0, Value: value}, {At: 1 << 60, Value: value}}}
}

// pausePanel shows when priorities were paused.
func (r *recorder) pausePanel(end unit.Time) plot.Panel {
	p := plot.Panel{Title: "Pauses", Text: "The times when a priority of a port was paused by the neighbour."}
	for _, x := range r.paused {
		x.end(end)
	}
	for _, key := range highest(r.paused, func(p *pauses) int64 { return int64(p.sum) }) {
		x := r.paused[key]
		p.Bars = append(p.Bars, plot.Bar{Name: fmt.Sprintf("%s %s", r.PortName(key.at), r.ClassName(key.n)),
			Spans: x.spans})
	}
	if n := len(r.paused) - len(p.Bars); n > 0 {
		p.Text += fmt.Sprintf(" The %d longest are drawn, %d more are not.", len(p.Bars), n)
	}
	return p
}

// rateSteps is the number of steps over which a rate is averaged.
const rateSteps = 10

// ratePanel shows the delivered rate of the flows.
func (r *recorder) ratePanel() plot.Panel {
	window := rateSteps * r.step
	p := plot.Panel{Title: "Delivered", Unit: "Mb/s", Text: fmt.Sprintf(
		"The rate of the frames that arrived at their hosts, averaged over %v. Headers are counted; preamble "+
			"and gap are not.", window)}
	for _, name := range r.tallest(r.flows) {
		line := plot.Line{Name: name}
		for i, values := 0, r.flows[name].values; i < len(values); i += rateSteps {
			sum := int64(0)
			for _, v := range values[i:min(i+rateSteps, len(values))] {
				sum += v
			}
			line.Points = append(line.Points,
				plot.Point{At: unit.Time(i)*r.step + window/2, Value: int64(rate(unit.Bytes(sum), window) / unit.Mbps)})
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// lossPanel shows the frames that were dropped or marked in each step.
func (r *recorder) lossPanel() plot.Panel {
	p := plot.Panel{Title: "Drops and marks", Unit: "frames", Text: fmt.Sprintf("In every %v.", r.step)}
	for _, m := range []map[string]*series{r.drops, r.marks} {
		for _, name := range r.tallest(m) {
			p.Lines = append(p.Lines, plot.Line{Name: name, Points: r.points(m[name]), Ticks: true})
		}
	}
	return p
}

// tallest returns the names with the highest peaks, sorted.
func (r *recorder) tallest(m map[string]*series) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(m[b].peak, m[a].peak) })
	names = names[:min(len(names), maxDrawn)]
	slices.Sort(names)
	return names
}

// maxDrawn is the largest number of lines or bars in a panel.
const maxDrawn = 8
