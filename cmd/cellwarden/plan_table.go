package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// planReport lays a plan out for reading: of its refusals the first, or all.
func planReport(p *buffer.Plan, units string, all bool) *report {
	amount := func(n cells.Count) number {
		if units == "bytes" {
			return count(p.Chip.Cell.Bytes(n))
		}
		return count(n)
	}
	r := &report{head: planHead(p)}
	r.sections = append(r.sections, sizedSection(p), billSection(p, units, amount), sliceSection(p, units, amount))
	if len(p.Groups) > 0 {
		r.sections = append(r.sections, groupSection(p, units, amount))
	}
	if s := grantedSection(p); len(s.rows) > 0 {
		r.sections = append(r.sections, s)
	}
	if !p.Fits {
		r.foot = append(r.foot, refusalLines(p, all)...)
	}
	if len(p.Warnings) > 0 {
		r.foot = append(r.foot, "Warnings")
		for _, w := range p.Warnings {
			r.foot = append(r.foot, "- "+w)
		}
	}
	return r
}

func planHead(p *buffer.Plan) []string {
	verdict := "FITS"
	if !p.Fits {
		verdict = fmt.Sprintf("DOES NOT FIT: %s, first %s", plural(len(p.Refusals), "port is refused",
			"ports are refused"), p.Refusals[0].Port)
	}
	out := []string{
		verdict,
		fmt.Sprintf("chip      %s: %s cells of %d bytes in %s", p.Chip.Name, count(p.Chip.TotalCells), p.Chip.Cell,
			plural(len(p.Slices), "slice", "slices")),
		fmt.Sprintf("ports     %s, %s", plural(p.Ports, "port", "ports"),
			plural(p.Lossless, "lossless group", "lossless groups")),
		fmt.Sprintf("headroom  method %s, %s", p.Sizing.Method, framesText(p)),
	}
	if s := p.Shared; s != nil {
		out = append(out,
			fmt.Sprintf("shared    headroom pool of %s cells for %s cells of all groups: oversubscribed %v; worst "+
				"slice %v",
				count(s.PoolCells), count(s.GroupCells), s.Ratio, s.Worst))
	} else {
		out = append(out, "shared    no headroom pool: every group's headroom is dedicated")
	}
	return out
}

// framesText says which frames are assumed to fill the headroom; of each class if
// they differ.
func framesText(p *buffer.Plan) string {
	if mix := p.Sizing.Mix.String(); mix != "" {
		return "headroom filled with frames of " + mix
	}
	var out []string
	for i := range p.Sizing.Kinds {
		k := &p.Sizing.Kinds[i]
		text := fmt.Sprintf("%v (%s)", k.Mix, k.Class)
		if k.Mix.String() != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return "frame size not stated by the method"
	}
	return "headroom filled with frames of " + strings.Join(out, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", count(n), many)
}

func sizedSection(p *buffer.Plan) section {
	s := section{title: "Headroom of a group", columns: []string{"class", "speed", "cable", "mtu bytes", "bit times",
		"cells", "xoff bytes"}}
	for _, k := range p.Sizing.Kinds {
		times := number("-")
		if k.BitTimes > 0 {
			times = count(k.BitTimes)
		}
		s.row(k.Class, k.Speed.String(), k.Path(), count(k.MTU), times, count(k.Cells), count(k.XOFF))
	}
	return s
}

func billSection(p *buffer.Plan, units string, amount func(cells.Count) number) section {
	s := section{title: "Bill of " + units, columns: []string{"item", "count", "each", units, "share"}}
	var sum cells.Count
	for _, b := range p.Bill {
		sum += b.Cells
		s.row(b.Item, count(b.Count), amount(b.Each), amount(b.Cells), share(b.Cells, p.Chip.TotalCells))
	}
	s.total = []any{"total", "", "", amount(sum), share(sum, p.Chip.TotalCells)}
	return s
}

func sliceSection(p *buffer.Plan, units string, amount func(cells.Count) number) section {
	s := section{title: "Slices, in " + units, columns: []string{"slice", "total", "chip", "reserved", "headroom",
		"shared", "unused"}}
	for _, b := range p.Slices {
		s.row(count(b.Index), amount(b.Total), amount(b.Chip), amount(b.Reserved), amount(b.Headroom), amount(b.Shared),
			amount(b.Unused))
	}
	return s
}

// groupSection folds ports whose groups are alike into one row.
func groupSection(p *buffer.Plan, units string, amount func(cells.Count) number) section {
	s := section{title: "Groups, in " + units, columns: []string{"ports", "groups", "class", "in slices", "reserved",
		"headroom", "xon offset", "alpha", "dynamic_th"}}
	for _, f := range foldGroups(p.Groups) {
		g := f.like
		alpha, dynamic := number(g.Limit.Alpha().String()), count(g.Limit.Alpha().DynamicTh())
		if g.Limit.Mode() == thresholds.StaticLimit {
			alpha, dynamic = "static "+amount(g.Limit.Cells()), "-"
		}
		s.row(buffer.FoldPorts(f.ports), f.groups, g.Class, count(f.slices), amount(g.Reserved), amount(g.Headroom),
			amount(g.XONOffset), alpha, dynamic)
	}
	return s
}

// grantedSection lists the thresholds that the chip holds otherwise than they
// were asked for.
func grantedSection(p *buffer.Plan) section {
	s := section{title: "Thresholds that the chip rounds", columns: []string{"class", "ports", "threshold",
		"asked bytes", "granted bytes"}}
	for _, f := range foldGroups(p.Groups) {
		for _, t := range f.like.Granted() {
			s.row(f.like.Class, buffer.FoldPorts(f.ports), t.Name, count(t.Asked), count(t.Granted))
		}
	}
	for _, m := range p.Marking {
		for _, t := range m.Granted() {
			s.row(m.Class, "all", t.Name, count(t.Asked), count(t.Granted))
		}
	}
	return s
}

// folded is a set of ports whose groups of one class are alike.
type folded struct {
	like   buffer.Group
	groups string
	slices int // how many each of them is charged in
	ports  []string
}

// foldGroups merges the plan's rows, which are sorted by port: first each
// port's groups and slices, then ports that are alike.
func foldGroups(rows []buffer.Group) []folded {
	var out []folded
	for len(rows) > 0 {
		n := 0
		for n < len(rows) && rows[n].Port == rows[0].Port {
			n++
		}
		for _, f := range foldPort(rows[:n]) {
			k := slices.IndexFunc(out,
				func(o folded) bool { return o.like == f.like && o.groups == f.groups && o.slices == f.slices })
			if k < 0 {
				out = append(out, f)
			} else {
				out[k].ports = append(out[k].ports, f.ports...)
			}
		}
		rows = rows[n:]
	}
	return out
}

// foldPort merges the rows of one port that differ in group and slice alone.
func foldPort(rows []buffer.Group) []folded {
	type set struct {
		like           buffer.Group
		groups, slices []int
	}
	var sets []set
	for _, g := range rows {
		like := g
		like.Port, like.Group, like.Slice = "", 0, 0
		k := slices.IndexFunc(sets, func(s set) bool { return s.like == like })
		if k < 0 {
			k = len(sets)
			sets = append(sets, set{like: like})
		}
		sets[k].groups = append(sets[k].groups, g.Group)
		sets[k].slices = append(sets[k].slices, g.Slice)
	}
	out := make([]folded, len(sets))
	for i, s := range sets {
		slices.Sort(s.slices)
		out[i] = folded{s.like, join(s.groups), len(slices.Compact(s.slices)), []string{rows[0].Port}}
	}
	return out
}

// join lists numbers once each, ascending.
func join(numbers []int) string {
	slices.Sort(numbers)
	var out []string
	for _, n := range slices.Compact(numbers) {
		out = append(out, fmt.Sprint(n))
	}
	return strings.Join(out, ",")
}

// refusalLines tell the first refusal, or all, and of the first what takes the
// cells and what would make the plan fit.
func refusalLines(p *buffer.Plan, all bool) []string {
	shown := p.Refusals
	if !all {
		shown = shown[:1]
	}
	var out []string
	for _, r := range shown {
		out = append(out, r.Error())
	}
	first := p.Refusals[0]
	if more := len(p.Refusals) - len(shown); more > 0 {
		out = append(out, fmt.Sprintf("and %s (--all lists them)", plural(more, "more port", "more ports")))
	}
	title := fmt.Sprintf("Largest consumers of slice %d", first.Slice)
	if first.Reason == buffer.PoolTooLarge || first.Reason == buffer.HeadroomPool {
		title = fmt.Sprintf("What is asked of slice %d", first.Slice)
	}
	out = append(out, "", title)
	for _, c := range first.Consumers {
		out = append(out, strings.TrimRight(fmt.Sprintf("- %s: %s cells %s", c.Item, count(c.Cells), c.Ports), " "))
	}
	if len(first.Consumers) == 0 {
		out = append(out, "- none: nothing was granted in it")
	}
	out = append(out, "", "What would make it fit, each by itself")
	for _, m := range first.Remedies {
		out = append(out, "- "+m.Text)
	}
	if len(first.Remedies) == 0 {
		out = append(out, "- nothing of ports, cable or buffers by itself")
	}
	return append(out, "")
}
