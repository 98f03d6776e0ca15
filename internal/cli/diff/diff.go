// Package diff has the verb that compares two plans.
//
// A side is a topology, which is planned here, or a plan that was written as JSON, which has its numbers and no
// registers. Both become a report.PlanFile, and package report compares these two: so a plan of an older version can be
// compared with a topology of today. The steps of a device come from the layouts, which only planned topologies have.
package diff

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// diff compares two plans: of two topologies, of a topology and its --set, or plans that were written as JSON.

// DiffCommand is the verb diff. Exit code 5 says that the plans differ, as it does for a device that differs from its
// plan. A plan that does not fit is no error: its refusals are what is compared.
func DiffCommand() *cobra.Command {
	var format cli.Output
	c := cli.Command("diff", cli.Args(1, 2), func(cmd *cobra.Command, args []string) error {
		// Both sides are planned before anything is compared: an error of one is reported without the other's
		// numbers.
		from, to, err := diffSides(cmd, args)
		if err != nil {
			return err
		}
		doc := report.Diff(from.file, to.file, stepsBetween(from.plan, to.plan))
		// The documents of two sides have no name of their own.
		// The names are those of the command line and not in a plan's JSON.
		doc.From.Name, doc.To.Name = from.name, to.name
		// Where not all of it fits, other values and steps are left to --all: the line of steps says how many there
		// are.
		screen := diffReport(&doc, from, to, format.Units()).
			Brief(12, "bill", "slices", "groups", "channels", "ets", "refusals")
		return screen.Print(cmd, format, doc, cli.CodeIf(!doc.Alike, cli.ExitDrift))
	})
	cli.TopologyFlags(c, &format)
	return c
}

// diffSide is one of the two plans.
type diffSide struct {
	name string
	file *report.PlanFile
	plan *buffer.Plan // nil: the plan was read as JSON
	// speeds are those of the ports; nil with plan
	speeds map[string]unit.BitRate
}

// bytes are the bytes of cells of this side. The two sides may be of chips with other cells, so each converts by its
// own.
func (d *diffSide) bytes(n cells.Count) unit.Bytes { return d.file.Cell().Bytes(n) }

// amounts are cells of both sides and their difference, of a port or of several without a rate. A rate of 0 prints no
// times.
func amounts(from, to *diffSide, a, b cells.Count, rate unit.BitRate) (before, after, change cli.Amount) {
	before = cli.Amount{Cells: a, Bytes: from.bytes(a), Rate: rate}
	after = cli.Amount{Cells: b, Bytes: to.bytes(b), Rate: rate}
	return before, after, cli.Amount{Cells: b - a, Bytes: after.Bytes - before.Bytes, Rate: rate, Change: true}
}

// diffSides reads the two plans. All of this is wrong usage but a file that cannot be read, which is, too: nothing was
// compared.
func diffSides(cmd *cobra.Command, args []string) (from, to diffSide, err error) {
	set := cmd.Flags().Changed(cli.Setting)
	// With two files it would not be clear which of them --set changes.
	switch {
	case len(args) == 2 && set:
		return from, to, errors.New("--set with two files (want it with one topology, which is compared with itself with " +
			"the changes)")
	case len(args) == 1 && !set:
		return from, to, errors.New("diff of one topology (want it with --set, or with a second file)")
	case len(args) == 2 && args[0] == "-" && args[1] == "-":
		return from, to, errors.New("- and - (want standard input once)")
	}
	name, data, err := cli.ReadInput(cmd, args[0])
	if err != nil {
		return from, to, cli.ExitWith(cli.ExitUsage, err)
	}
	// A switch of a fabric has the changes of its fabric.
	if from, err = diffSideOf(cmd, args[0], name, data, cli.MemberOf(cmd.Context(), args[0]).Changes...); err != nil {
		return from, to, err
	}
	// The text is read once and planned twice, so that standard input works, and a file that is edited meanwhile does
	// not differ from itself.
	if len(args) == 1 {
		to, err = diffSideOf(cmd, args[0], name, data, cli.ChangesOf(cmd)...)
		return from, to, err
	}
	if name, data, err = cli.ReadInput(cmd, args[1]); err != nil {
		return from, to, cli.ExitWith(cli.ExitUsage, err)
	}
	to, err = diffSideOf(cmd, args[1], name, data, cli.MemberOf(cmd.Context(), args[1]).Changes...)
	return from, to, err
}

// diffSideOf plans a topology, or reads a plan. A plan is recognised by the schema in its JSON and not by its name,
// since - has none.
func diffSideOf(cmd *cobra.Command, file, name string, data []byte, changes ...topology.Override) (diffSide, error) {
	d := diffSide{name: cmp.Or(cli.MemberOf(cmd.Context(), file).Name, name)}
	// A plan as JSON has its numbers and not its topology, so no value of it can be set.
	if report.IsPlan(data) {
		if len(changes) > 0 {
			return d, cli.BadUsage("%s: --set with a plan (want it with a topology)", name)
		}
		file, err := report.ReadPlan(data)
		if err != nil {
			return d, cli.BadUsage("%s: %w", name, err)
		}
		d.file = file
		return d, nil
	}
	in, err := topology.Parse(name, data, cli.Beside(cmd, file, false), changes...)
	if err != nil {
		return d, cli.ExitWith(cli.ExitUsage, err)
	}
	if d.plan, err = buffer.NewUntil(cmd.Context().Err, in); err != nil {
		return d, cli.BadUsage("%s: %w", name, err)
	}
	// Only a topology has the speeds: a plan as JSON has no times with --units us.
	d.speeds = map[string]unit.BitRate{}
	for i := range in.Ports {
		d.speeds[in.Ports[i].Name] = in.Ports[i].Rate
	}
	// Both ways end in the same form, so that nothing depends on which one a side came by.
	doc := report.Plan(d.plan)
	if d.file, err = doc.File(); err == nil {
		d.file.Set = cli.ChangeTexts(changes)
	}
	return d, cli.Failure(err)
}

// stepsBetween returns the steps of a device, or the reason why they are unknown. A plan with refusals has no layout to
// go to: its error is then the reason.
func stepsBetween(from, to *buffer.Plan) report.DiffSteps {
	if from == nil || to == nil {
		return report.UnknownSteps("not known: a plan as JSON does not have every register")
	}
	steps, err := from.Diff(to)
	if err != nil {
		return report.UnknownSteps(err.Error())
	}
	return report.Steps(steps)
}

// diffReport is the difference as tables. Empty tables are left out. Columns of cells have their difference beside
// them, with a sign.
func diffReport(d *report.DiffDocument, from, to diffSide, units string) *cli.Screen {
	r := &cli.Screen{Head: []string{diffVerdict(d), "from      " + sideText(&d.From), "to        " + sideText(&d.To),
		"steps     " + stepsText(&d.Steps)}, Mood: cli.MoodOf(d.Alike)}
	// The order is that of plan: the bill, the slices, the groups. The steps come last, because they follow from the
	// rest. An item of the bill counts, too: two ports with half the headroom each are another plan with equal cells.
	bill := cli.Table("bill", "Bill, in cells", "item", "count from", "count to", "cells from", "cells to", "change")
	for _, c := range d.Bill {
		before, after, change := amounts(&from, &to, c.From, c.To, 0)
		bill.Row(c.Item, cli.Count(c.FromCount), cli.Count(c.ToCount), before, after, change)
	}
	bill.MB("change", "MB")
	parts := cli.Table("slices", "Slices, in cells", "slice", "account", "from", "to", "change")
	for _, c := range d.Slices {
		before, after, change := amounts(&from, &to, c.From, c.To, 0)
		parts.Row(cli.Count(c.Index), c.Account, before, after, change)
	}
	parts.MB("change", "MB")
	other := cli.Table("other", "Other values", "path", "from", "to")
	for _, c := range d.Other {
		// Notes and sources are sentences: they follow the tables, so that the columns stay narrow.
		if len(c.From)+len(c.To) > longText {
			r.Foot = append(r.Foot, "- "+c.Path+", from: "+cli.Dash(c.From), "  to: "+cli.Dash(c.To))
			continue
		}
		other.Row(c.Path, cli.Dash(c.From), cli.Dash(c.To))
	}
	if len(r.Foot) > 0 {
		r.Foot = append([]string{"Texts"}, r.Foot...)
	}
	r.Sections = []cli.Section{bill, parts, groupChanges(d.Groups, &from, &to, units),
		channelChanges(d.Channels, &from, &to, units), shareChanges(d.Shares),
		refusalChanges(d.Refusals), other}
	// The section is that of apply's report, under a name of its own.
	if len(d.Steps.Made) > 0 {
		r.Sections = append(r.Sections, StepSection("steps", "Steps", d.Steps.Made, buffer.Step.Disruption))
	}
	return r.WithoutEmpty()
}

// longText is the length of two texts that have lines of their own: a column of them would be too wide to read.
const longText = 100

// diffVerdict is the first line: whether anything is different, and what the verdicts are.
func diffVerdict(d *report.DiffDocument) string {
	switch {
	case !d.Alike:
		// Equal cells can need steps: an exponent or a weight is a register and no cell. Steps are not in the sum: they
		// are what remains when it is 0.
		n := len(d.Bill) + len(d.Slices) + len(d.Groups) + len(d.Channels) + len(d.Shares) + len(d.Refusals) + len(d.Other)
		if n == 0 {
			return "DIFFERENT: the plans are alike in cells, and a device needs steps"
		}
		return fmt.Sprintf("DIFFERENT: %s, then %s", d.From.Verdict, d.To.Verdict)
	case d.Steps.Known:
		return "ALIKE: the plans are equal, and a device needs no step"
	default:
		return "ALIKE: the plans are equal; the steps of a device are not known"
	}
}

// sideText says which plan is on a side.
func sideText(s *report.DiffSide) string {
	text := fmt.Sprintf("%s%s: %s", s.Name, cli.ChangedText(s.Set), s.Verdict)
	if s.Refused > 0 {
		text += fmt.Sprintf(", %s", cli.Plural(s.Refused, "port is refused", "ports are refused"))
	}
	return text
}

// stepsText says how many steps there are and what they may stop.
func stepsText(s *report.DiffSteps) string {
	switch {
	case !s.Known:
		return s.Why
	case len(s.Steps) == 0:
		return "none"
	// Which ports a step may stop follows from its register: see buffer.Step.Disruption.
	case s.Ports != "":
		return fmt.Sprintf("%s; at worst the traffic of %s stops", cli.Plural(len(s.Steps), "step", "steps"), s.Ports)
	// No step is known to stop traffic. This does not say that none does: a chip without a source may stop it.
	case s.Reach == buffer.DisruptsNothing.String():
		return fmt.Sprintf("%s; none is known to stop traffic", cli.Plural(len(s.Steps), "step", "steps"))
	default:
		return fmt.Sprintf("%s; at worst the traffic of the whole %s stops", cli.Plural(len(s.Steps), "step", "steps"),
			s.Reach)
	}
}

// groupChanges lists the changes of groups. Ports and groups that change alike share a row; in time, if they have one
// speed.
func groupChanges(changes []report.GroupChange, from, to *diffSide, units string) cli.Section {
	s := cli.Table("groups", "Groups", "ports", "groups", "class", "value", "state", "from", "to", "change")
	// What a row says, without its ports and groups. One port's groups are folded first, then the ports that are alike.
	// Values are compared as they print, so that rows which look alike are one row.
	type likeness struct{ groups, class, value, state, from, to, change any }
	type onePort struct {
		port string
		like likeness
	}
	var groups grouped.By[onePort, []int]
	for i := range changes {
		c := &changes[i]
		// groups of a likeness is filled last, when all groups of the port are known.
		k := onePort{c.Port, likeness{class: c.Class, value: c.Value, state: c.State}}
		// A dash is a plan that does not have the group there. Only values in cells have a change.
		k.like.from, k.like.to, k.like.change = cli.Dash(c.From), cli.Dash(c.To), cli.Number("-")
		if c.Change != nil {
			k.like.change = cli.Amount{Cells: *c.Change, Change: true}.In(cli.InCells)
		}
		// The name of a value ends with its unit, so it changes with the unit.
		if of, inCells := strings.CutSuffix(c.Value, "_cells"); inCells && c.Change != nil {
			groupAmounts(c, from, to, units, &k.like.from, &k.like.to, &k.like.change)
			if units == cli.InBytes {
				k.like.value = of + "_bytes"
			}
		}
		// A group can have the same change twice, in two slices, and is named once. The rows are sorted by group, so
		// the last number decides.
		if of := groups.Of(k); len(*of) == 0 || (*of)[len(*of)-1] != c.Group {
			*of = append(*of, c.Group)
		}
	}
	var rows grouped.By[likeness, []string]
	for k, of := range groups.All() {
		k.like.groups = cli.Joined(*of)
		ports := rows.Of(k.like)
		*ports = append(*ports, k.port)
	}
	for l, ports := range rows.All() {
		s.Row(buffer.FoldPorts(*ports), l.groups, l.class, l.value, l.state, l.from, l.to, l.change)
	}
	s.MB("change", "MB")
	return s
}

// groupAmounts are a value in cells on both sides and its change. A side without the group keeps its dash. A count that
// is empty is 0 here and stays a dash in the table.
func groupAmounts(c *report.GroupChange, from, to *diffSide, units string, before, after, change *any) {
	var rate unit.BitRate
	// Only with --units us, as a time is of one speed, and a group's port can have another in each plan.
	if units == cli.InTime {
		if rate = to.speeds[c.Port]; rate == 0 || from.speeds != nil && from.speeds[c.Port] != rate {
			rate = 0 // not known, or another one on each side
		}
	}
	count := func(text string) cells.Count {
		n, _ := strconv.ParseInt(text, 10, 64) // empty: the plan does not have the group
		return cells.Count(n)
	}
	a, b, d := amounts(from, to, count(c.From), count(c.To), rate)
	// An amount of 0 would claim that the group is there and holds nothing.
	if c.From != "" {
		*before = a
	}
	if c.To != "" {
		*after = b
	}
	*change = d
}

// refusalChanges lists the refusals that come, go or change. Those of ports that are alike share a row: the same texts
// but for the name of the port, which is in the first column. A port that was refused before and is refused now for
// another reason has both texts.
func refusalChanges(changes []report.RefusalChange) cli.Section {
	s := cli.Table("refusals", "Refusals", "ports", "state", "from", "to")
	type likeness struct{ state, from, to string }
	var rows grouped.By[likeness, []string]
	for _, c := range changes {
		ports := rows.Of(likeness{c.State, refusalReason(c.From, c.Port), refusalReason(c.To, c.Port)})
		*ports = append(*ports, c.Port)
	}
	for l, ports := range rows.All() {
		s.Row(buffer.FoldPorts(*ports), l.state, cli.Dash(l.from), cli.Dash(l.to))
	}
	return s
}

// refusalReason is the text of a refusal without the words that name its port.
func refusalReason(text, port string) string {
	// Without the name, the texts of ports that are refused for one reason are equal and fold into a row.
	if before, reason, found := strings.Cut(text, " for interface "+port+": "); found {
		return before + ": " + reason
	}
	return text
}

// channelChanges lists the changes of channels. Ports and channels that change alike share a row, as groups do.
func channelChanges(changes []report.ChannelChange, from, to *diffSide, units string) cli.Section {
	// A channel changes as a group does; the table differs in its name and in one column. The number of a channel takes
	// the place of that of a group.
	like := make([]report.GroupChange, len(changes))
	for i, c := range changes {
		// The document has channels apart, since a port may have groups and channels.
		like[i] = report.GroupChange{Port: c.Port, Group: c.Channel, Class: c.Class, Slices: c.Slices, State: c.State,
			Value: c.Value, From: c.From, To: c.To, Change: c.Change}
	}
	s := groupChanges(like, from, to, units)
	s.Name, s.Title, s.Columns[1] = "channels", "Virtual channels (CBFC)", "channels"
	return s
}

// shareChanges lists the changes of groups and queues. Speeds are those of ports, because a share in bits a second
// depends on them.
func shareChanges(changes []report.ShareChange) cli.Section {
	s := cli.Table("ets", "Shares of the bandwidth, by groups (ETS)", "ports", "speed", "group or queue", "value", "state",
		"from", "to")
	for _, c := range changes {
		s.Row(c.Ports, cli.Number(c.Speed), c.Item, c.Value, c.State, cli.Dash(c.From), cli.Dash(c.To))
	}
	return s
}

// StepSection lists steps. Equal steps of several ports share a row, because a plan
// changes many ports in the same way. reach says how much traffic a step may stop on the device that gets it, and the
// columns from and to are texts of the register's kind: cells, exponents, weights.
func StepSection(name, title string, steps []buffer.Step, reach func(buffer.Step) buffer.Disruption) cli.Section {
	// The number of the group or queue is not in it, so the groups of a port with one change are one row, and count
	// says how many they are.
	type change struct {
		kind     buffer.Kind
		from, to int64
	}
	type row struct {
		first buffer.Step
		where []string
		count int
	}
	var rows grouped.By[change, row]
	for _, s := range steps {
		r := rows.Of(change{s.Kind, s.From, s.To})
		if r.count++; r.count == 1 {
			r.first = s
		}
		// A register of the chip has no port, and is shown by its slice.
		where := cmp.Or(s.Port, fmt.Sprintf("slice %d", s.Index))
		if n := len(r.where); n == 0 || r.where[n-1] != where {
			r.where = append(r.where, where)
		}
	}
	out := cli.Table(name, title, "phase", "register", "from", "to", "may stop", "count", "where")
	for c, r := range rows.All() {
		// The phase is that of the register and of the direction of its change, which all steps of a row have.
		out.Row(r.first.Phase().String(), c.kind.String(), c.kind.Text(c.from), c.kind.Text(c.to), reach(r.first).String(),
			cli.Count(r.count), buffer.FoldPorts(r.where))
	}
	return out
}
