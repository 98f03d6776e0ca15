package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/first"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// planReport is a plan as tables, with the first of its refusals or all of them. The verdict names the changes of the
// topology for which it holds. units is that of --units. Tables of times are another table of groups: only these have a
// speed, and the bill and the slices belong to several ports.
func planReport(p *buffer.Plan, in buffer.Intent, units string, all bool, set ...string) *cli.Screen {
	amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: p.Chip.Cell.Bytes(n)} }
	// The head is that of the first screen, too, which leaves some of its lines out.
	r := &cli.Screen{Head: planHead(p), Mood: first.Mood(p)}
	// The changes are in the first line, because the verdict is about the file with them.
	r.Head[0] += cli.ChangedText(set)
	r.Sections = append(r.Sections, sizedSection(p, units == cli.InBoth), billSection(p, amount), sliceSection(p, amount))
	groups := groupSection(p, units, amount)
	if units == cli.InTime {
		groups = timeSection(p, &in)
	}
	for _, s := range []cli.Section{groups, channelSection(p), pipeSection(p), egressSection(p, amount),
		trimSection(p, amount), groupsSection(p.Schedules), grantedSection(p)} {
		if len(s.Rows) > 0 {
			r.Sections = append(r.Sections, s)
		}
	}
	if !p.Fits {
		r.Foot = append(r.Foot, refusalLines(p, all)...)
	}
	// The decision names all tables, so it is made when the tables are complete, and before the warnings, which it
	// lists itself.
	r.Decision, r.Verdict = decisionSection(p, r), report.PlanVerdict(p)
	if lines := warningLines(p, all); len(lines) > 0 {
		r.Foot = append(append(r.Foot, "Warnings"), lines...)
	}
	return r
}

// decisionSection is the verdict with everything that was refused, what would make
// it fit, and what there is to know: all refusals and notes, whatever the other
// formats leave out. Its columns have the numbers of a refusal apart, so that a program need not take a sentence to
// pieces.
func decisionSection(p *buffer.Plan, r *cli.Screen) *cli.Section {
	s := &cli.Section{Name: "verdict", Columns: []string{"kind", "port", "group", "slice", "reason", "needed cells",
		"available cells", "short cells", "change", "to", "text"}}
	// A line without numbers leaves their columns empty.
	line := func(kind, text string) { s.Row(kind, "", "", "", "", "", "", "", "", "", text) }
	line("verdict", r.Head[0])
	for _, l := range r.Head[1:] {
		line("head", l)
	}
	for _, x := range p.Refusals {
		s.Row("refusal", x.Port, cli.Count(x.Group), cli.Count(x.Slice), string(x.Reason), cli.Count(x.Needed),
			cli.Count(x.Available), cli.Count(x.Short), "", "", x.Error())
	}
	// Only the first refusal has changes that help: later ones may be gone once the first is.
	if len(p.Refusals) > 0 {
		for _, m := range p.Refusals[0].Remedies {
			s.Row("remedy", "", "", "", "", "", "", "", m.Change, m.To, m.Text)
		}
	}
	for _, w := range p.Warnings {
		line("warning", w)
	}
	for _, n := range p.Notes {
		line("chip note", n)
	}
	// These are the names for --table.
	for i := range r.Sections {
		line("table", r.Sections[i].TableName())
	}
	return s
}

// warningLines lists what matters for this plan, and behind it in one line the
// notes that are the same for every plan of the chip, or all of them. Warnings are about this plan; notes are the
// chip's.
func warningLines(p *buffer.Plan, all bool) (out []string) {
	out = append(out, cli.Prefixed("- ", p.Warnings)...)
	switch n := len(p.Notes); {
	case n == 0:
	case all || n == 1:
		out = append(out, cli.Prefixed("- "+p.Chip.Name+": ", p.Notes)...)
	// Notes of a chip are the same in every plan: one shows that there are some.
	default:
		out = append(out, fmt.Sprintf("- %s: %s; and %d more that hold for every plan of the chip (--all lists them)",
			p.Chip.Name, p.Notes[0], n-1))
	}
	return out
}

// planHead is the head of a plan as lines of text: the names of the lines in a column. Names are padded to nine
// columns, as in every head of a report.
func planHead(p *buffer.Plan) []string {
	return grouped.Each(report.PlanHead(p), func(l report.HeadLine) string {
		if l.Name == "" {
			return l.Text
		}
		return fmt.Sprintf("%-9s %s", l.Name, l.Text)
	})
}

// pipeSection lists the ports of each pipe. Whether a pipe was given or assumed decides whether the slices of its ports
// can be relied on.
func pipeSection(p *buffer.Plan) cli.Section {
	s := cli.Section{Name: "pipes", Title: "Pipes of the ports", Columns: []string{"pipe", "ports", "source"}}
	// Ports of one pipe are in two rows if some of them name it and others were put there.
	type key struct {
		pipe  int
		given bool
	}
	var pipes grouped.By[key, []string]
	for _, x := range p.Ports {
		names := pipes.Of(key{x.Pipe, x.Given})
		*names = append(*names, x.Port)
	}
	slices.SortFunc(pipes.Keys, func(a, b key) int {
		// Of one pipe, the ports that name it stand before those that were put there.
		if a.pipe == b.pipe && a.given {
			return -1
		}
		return a.pipe - b.pipe
	})
	for k, names := range pipes.All() {
		source := "assumed"
		if k.given {
			source = "given"
		}
		s.Row(cli.Count(k.pipe), buffer.FoldPorts(*names), source)
	}
	return s
}

// sizedSection lists the headroom of one group for each kind of link. A kind is a class at a speed over a cable: all
// ports of one kind need the same.
func sizedSection(p *buffer.Plan, both bool) cli.Section {
	// Cells are those of a group as its method asks for them, before the chip rounds.
	s := cli.Section{Name: "headroom", Title: "Headroom of a group", Columns: []string{"class", "speed", "cable",
		"mtu bytes", "bit times", "cells", "xoff bytes"}}
	for _, k := range p.Sizing.Kinds {
		// Only methods that add up delays have bit times; others know cells or bytes alone.
		s.Row(k.Class, k.Rate.String(), k.Path(), cli.Count(k.MTU), cli.Nonzero(k.BitTimes), cli.Count(k.Cells),
			cli.Count(k.XOFF))
	}
	// Both are of the xoff, in bytes, at the speed of the link.
	if both {
		s.Beside("MB", func(i int) cli.Number { return cli.Megabytes(p.Sizing.Kinds[i].XOFF) })
		s.Beside("time", func(i int) cli.Number {
			return cli.Number(cli.DrainText(p.Sizing.Kinds[i].XOFF, p.Sizing.Kinds[i].Rate))
		})
	}
	return s
}

// billSection sums up the cells of the chip by what they are used for. The items add up to the cells of the chip.
func billSection(p *buffer.Plan, amount func(cells.Count) cli.Amount) cli.Section {
	s := cli.Table("bill", "Bill of cells", "item", "count", "each", "cells", "share")
	var sum cells.Count
	for _, b := range p.Bill {
		sum += b.Cells
		s.Row(b.Item, cli.Count(b.Count), amount(b.Each), amount(b.Cells), cli.Share(b.Cells, p.Chip.TotalCells))
	}
	s.Total = []any{"total", "", "", amount(sum), cli.Share(sum, p.Chip.TotalCells)}
	s.LastMB("cells", "MB")
	return s
}

// sliceSection lists the five accounts of every slice. Total is the sum of the five accounts: the chip's own cells,
// reserved, headroom, shared, unused.
func sliceSection(p *buffer.Plan, amount func(cells.Count) cli.Amount) cli.Section {
	s := cli.Table("slices", "Slices, in cells", "slice", "total", "chip", "reserved", "headroom", "shared", "unused")
	for _, b := range p.Slices {
		s.Row(cli.Count(b.Index), amount(b.Total), amount(b.Chip), amount(b.Reserved), amount(b.Headroom), amount(b.Shared),
			amount(b.Unused))
	}
	s.LastMB("headroom", "headroom MB")
	s.LastMB("shared", "shared MB")
	return s
}

// groupSection lists the groups. Ports with equal groups share a row, because a
// switch has many ports of few kinds. in slices is how many slices each of the groups is charged in, as limits and
// counters are replicated.
func groupSection(p *buffer.Plan, units string, amount func(cells.Count) cli.Amount) cli.Section {
	s := cli.Table("groups", "Groups, in cells", "ports", "groups", "class", "in slices", "reserved", "headroom",
		"xon offset", "alpha", "dynamic_th")
	for line, ports := range foldGroups(p.Groups).All() {
		g := line.like
		// Both spellings: people speak of alpha, and SONiC and SAI store the exponent n of 2^n.
		alpha, dynamic := cli.Number(g.Limit.Alpha().String()), cli.Count(g.Limit.Alpha().DynamicTh())
		// A static limit is a number of cells and has no exponent.
		if g.Limit.Mode() == thresholds.StaticLimit {
			alpha, dynamic = "static "+amount(g.Limit.Cells()).In(units), "-"
		}
		s.Row(buffer.FoldPorts(*ports), line.groups, g.Class, cli.Count(line.slices), amount(g.Reserved),
			amount(g.Headroom), amount(g.XONOffset), alpha, dynamic)
	}
	s.LastMB("headroom", "headroom MB")
	return s
}

// egressSection compares the ingress with the egress, for lossless classes. Short is how many cells the egress lacks of
// what the ingress can hold; 0: none.
func egressSection(p *buffer.Plan, amount func(cells.Count) cli.Amount) cli.Section {
	s := cli.Table("egress", "Egress of lossless classes, in cells", "class", "egress pool", "slice", "ingress holds",
		"a queue takes", "short")
	for _, r := range p.Egress {
		s.Row(r.Class, r.Pool, cli.Count(r.Slice), amount(r.Ingress), amount(r.Egress), amount(r.Short()))
	}
	return s
}

// trimSection counts the queues for the rests of trimmed packets. The columns compare the queue's minimum with one rest
// of each other port, which arrive at once in the worst case.
func trimSection(p *buffer.Plan, amount func(cells.Count) cli.Amount) cli.Section {
	s := cli.Table("trimming", "Queue for what is left of trimmed packets, if all other ports send to one, in cells",
		"speed", "ports", "minimum", "one rest", "one of each port", "rests at full rate")
	for _, r := range p.Trim {
		s.Row(r.Speed.String(), cli.Count(r.Ports), amount(r.Minimum), amount(r.Rest), amount(r.AtOnce), r.Load.String())
	}
	return s
}

// grantedSection lists the thresholds that the chip rounds, with the planned and the
// granted value. A chip stores thresholds in steps: cells, or coarser ones.
func grantedSection(p *buffer.Plan) cli.Section {
	s := cli.Section{Name: "thresholds", Title: "Thresholds that the chip rounds", Columns: []string{"class", "ports",
		"threshold", "asked bytes", "granted bytes"}}
	for line, ports := range foldGroups(p.Groups).All() {
		for _, t := range line.like.Granted() {
			s.Row(line.like.Class, buffer.FoldPorts(*ports), t.Name, cli.Count(t.Asked), cli.Count(t.Granted))
		}
	}
	var shared [][]string // of the ports, said once for all classes
	for line, ports := range foldChannels(p.Channels).All() {
		for _, t := range line.like.Granted() {
			class := line.like.Class
			// The shared credits belong to the port, and every class of it has the row.
			if t.Name == buffer.SharedCreditsOfPort {
				if class = "all"; slices.ContainsFunc(shared, func(p []string) bool { return slices.Equal(p, *ports) }) {
					continue
				}
				shared = append(shared, *ports)
			}
			s.Row(class, buffer.FoldPorts(*ports), t.Name, cli.Count(t.Asked), cli.Count(t.Granted))
		}
	}
	// Marking is of a class on all ports, as its thresholds are those of every egress queue of it.
	for _, m := range p.Marking {
		for _, t := range m.Granted() {
			s.Row(m.Class, "all", t.Name, cli.Count(t.Asked), cli.Count(t.Granted))
		}
	}
	return s
}

// refusalLines print the first refusal, or all. For the first they also print the
// largest consumers of cells and the changes that would make the plan fit. Later
// refusals often follow from the first. Consumers are of the slice in which the first refused port found too few cells,
// the largest first.
func refusalLines(p *buffer.Plan, all bool) []string {
	// All of them are in the JSON and in CSV, whatever is printed here.
	shown := p.Refusals
	if !all {
		shown = shown[:1]
	}
	out := grouped.Each(shown, (*buffer.Refusal).Error)
	refusal := p.Refusals[0]
	if more := len(p.Refusals) - len(shown); more > 0 {
		out = append(out, fmt.Sprintf("and %s (--all lists them)", cli.Plural(more, "more port", "more ports")))
	}
	title := fmt.Sprintf("Largest consumers of slice %d", refusal.Slice)
	// These two compare sums and not one port: what is listed is asked for, and not granted.
	if refusal.Reason == buffer.PoolTooLarge || refusal.Reason == buffer.HeadroomPool {
		title = fmt.Sprintf("Demand on slice %d", refusal.Slice)
	}
	out = append(out, "", title)
	// An item of the chip itself has no ports, and its line would end with a blank.
	for _, c := range refusal.Consumers {
		out = append(out, strings.TrimRight(fmt.Sprintf("- %s: %s cells %s", c.Item, cli.Count(c.Cells), c.Ports), " "))
	}
	if len(refusal.Consumers) == 0 {
		out = append(out, "- none: no cells of this slice are granted")
	}
	out = append(append(out, ""), first.Remedies(refusal, len(refusal.Remedies))...)
	// An empty line sets the warnings apart.
	return append(out, "")
}

// channelSection lists the channels, in credits: a credit is a cell of the chip. Ports with equal channels share a row.
// alone is what a channel has while no other uses the shared credits of the port, and full rate how many keep the link
// full.
func channelSection(p *buffer.Plan) cli.Section {
	s := cli.Section{Name: "channels", Title: "Virtual channels (CBFC), in credits of a cell each",
		Columns: []string{"ports", "channels", "class", "traffic classes", "in slices", "reserved", "limit of shared",
			"shared of port", "alone", "full rate"}}
	for line, ports := range foldChannels(p.Channels).All() {
		// 0 stands for a round trip that is not known. With fewer credits than this a channel cannot fill its link.
		c, full := &line.like, cli.Number("not known")
		if c.FullRate > 0 {
			full = cli.Count(c.FullRate)
		}
		s.Row(buffer.FoldPorts(*ports), line.channels, c.Class, line.traffic, cli.Count(line.slices), cli.Count(c.Reserved),
			c.LimitText(), cli.Count(c.Shared), cli.Count(c.Alone), full)
	}
	return s
}

// groupsSection lists how ports share their bandwidth by groups, queue by queue. The bandwidth of a group is a part of
// what strict and shaped groups leave; so is the share of a queue, and the rate that is the least of it if those send
// nothing. Ports of one kind and speed share their rows: see buffer.PortSchedule.
func groupsSection(schedules []buffer.PortSchedule) cli.Section {
	// In its group is how a queue competes with the others of its group, by weight or strictly.
	s := cli.Section{Name: "ets", Title: "Shares of the bandwidth, by groups (ETS)", Columns: []string{"ports", "speed",
		"group", "name", "algorithm", "bandwidth", "queue", "in its group", "share", "least rate"}}
	for i := range schedules {
		p := &schedules[i]
		for _, q := range p.Rows() {
			s.Row(buffer.FoldPorts(p.Ports), cli.Number(p.Speed.String()), cli.Count(q.Of.Number), cli.Dash(q.Of.Name),
				q.Of.Selection.String(), cli.Number(q.Bandwidth), cli.Count(q.Priority), q.Within, cli.Number(q.Share),
				cli.Number(q.Least))
		}
	}
	return s
}

// timeSection lists the thresholds of the groups as times at the speed of their ports: how long a full threshold takes
// to leave the port, by the bytes of its cells. One profile for ports of several speeds is a different time on each.
// Ports with equal groups and one speed share a row.
func timeSection(p *buffer.Plan, in *buffer.Intent) cli.Section {
	s := cli.Section{Name: "groups", Title: "Groups, in time at the speed of the port",
		Columns: []string{"ports", "speed", "groups", "class", "reserved", "headroom", "xon offset", "limit alone"}}
	// The plan has no speeds of ports, and the intent has.
	rates := map[string]unit.BitRate{}
	for i := range in.Ports {
		rates[in.Ports[i].Name] = in.Ports[i].Rate
	}
	// A group is charged in one or several slices; the fewest shared cells of all is the safe side for its limit.
	least := p.Slices[0].Shared
	for _, b := range p.Slices {
		least = min(least, b.Shared)
	}
	for line, names := range foldGroups(p.Groups).All() {
		g := &line.like
		// Groups fold by their cells, and the same cells are another time at another speed: each speed has a row.
		for _, ports := range grouped.Lists(*names, func(name string) unit.BitRate { return rates[name] }) {
			rate := rates[ports[0]]
			at := func(n cells.Count) cli.Number { return cli.Number(cli.DrainText(p.Chip.Cell.Bytes(n), rate)) }
			s.Row(buffer.FoldPorts(ports), rate.String(), line.groups, g.Class, at(g.Reserved), at(g.Headroom), at(g.XONOffset),
				at(cells.Count(ecn.SharingOf(g.Limit, least, g.Reserved).Together(1).Floor())))
		}
	}
	return s
}
