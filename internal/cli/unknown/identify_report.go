package unknown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/chipfile"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints what identify found, and writes the chip file.

// conclusion is what a run comes to.
type conclusion struct {
	verdict, says string
	code          int
}

// conclude says why the run ended, of how many rules are left, for how many of
// these no example was found, and how many answers were not predicted.
func conclude(stop identify.Stop, left, open, unlike int, unasked []string) conclusion {
	possible := cli.Plural(left, "rule is", "rules are") + " possible"
	if len(unasked) > 0 {
		possible = fmt.Sprintf("%s possible before it was asked about %s", cli.Plural(left, "rule is", "rules are"),
			strings.Join(unasked, ", "))
	}
	switch {
	case stop == identify.Contradiction:
		return conclusion{"contradiction", "CONTRADICTION: no rule of the space gives every reading: the switch has another " +
			"rule, a number is not as FILE says, or a reading is wrong", cli.ExitLint}
	case stop == identify.Egress:
		return conclusion{"egress", "NOT IDENTIFIED: an egress port dropped packets before the ingress did; want larger " +
			"limits of its queues", cli.ExitNoFit}
	case unlike > 0:
		return conclusion{"unpredicted", fmt.Sprintf("NOT PREDICTED: %s in the control probe differ from what was predicted, "+
			"though %s", cli.Plural(unlike, "answer", "answers"), possible), cli.ExitLint}
	case stop == identify.Budget:
		return conclusion{"unfinished", "NOT FINISHED: the drains are used up, and " + possible + "; want more --drains",
			cli.ExitNoFit}
	case stop == identify.Effort:
		return conclusion{"unfinished", "NOT FINISHED: the budget of computing is spent, and " + possible +
			"; want more --effort, or --within less", cli.ExitNoFit}
	case open > 0:
		return conclusion{"undecided", fmt.Sprintf("NOT DECIDED: %s, and for %s no example was found within the effort; "+
			"want more --effort", possible, cli.Plural(open, "rule", "rules")), cli.ExitNoFit}
	case left == 1:
		return conclusion{"identified", "IDENTIFIED: one rule of the space gives every reading", cli.ExitFine}
	}
	return conclusion{"identified", fmt.Sprintf("IDENTIFIED UP TO %d RULES: they answered alike in every probe that was tried",
		left), cli.ExitFine}
}

// ruleChoices names the value of each choice.
func ruleChoices(b *rules.Box) map[string]string {
	out := map[string]string{}
	for _, c := range rules.Choices() {
		if c == rules.Second || c == rules.Egress {
			continue // not looked for
		}
		out[c.String()] = c.Value(b.Rule[c])
	}
	return out
}

// unasked names the choices of which not every value was asked about.
func unasked(e *identify.Identification) (out []string) {
	for _, c := range rules.Choices() {
		if e.Unasked(c) {
			out = append(out, c.String())
		}
	}
	return out
}

// shownNumbers are the numbers that the output has.
func shownNumbers(r *rules.Rule) (out []rules.Number) {
	for _, n := range rules.AllNumbers() {
		if n != rules.MostPackets && n != rules.Queue && r.Uses(n) {
			out = append(out, n)
		}
	}
	return out
}

// identifyDocument converts what was found.
func identifyDocument(e *identify.Identification, stop identify.Stop, outliers int) (d report.IdentifyDocument,
	code int) {
	r := e.Result(stop)
	d = report.IdentifyDocument{Schema: report.Schema("identify"), Space: len(rules.All()),
		Numbers: map[string][2]int64{}, Next: []string{}, Contradict: []string{}}
	d.Cost.Drains, d.Cost.Readings, d.Cost.Packets = r.Cost.Drains, r.Cost.Readings, r.Cost.Packets
	open, unlike, idle := 0, 0, unasked(e) // before a next probe is looked for, which brings more into use
	list := unnamed.List(&d.Rules, len(r.Rules))
	for i := range r.Rules {
		x, to := &r.Rules[i], &list[i]
		to.Choices, to.DynamicTh, to.Shown = ruleChoices(&x.Box), int(x.Box.Alpha), x.Example != nil
		for _, c := range idle {
			if to.Choices[c] == "free" {
				to.Choices[c] = "free or port"
			} else if c != rules.Form.String() {
				to.Choices[c] = "not asked"
			}
		}
		to.Numbers = map[string][2]int64{}
		for _, n := range shownNumbers(&x.Box.Rule) {
			// Nothing was asked yet that depends on these.
			if short := x.Box.Lo[rules.Cell] > 1<<15; n == rules.Pool && x.Box.Hi[n] >= identify.Far ||
				short && (n == rules.Cell || n == rules.Overhead) ||
				n == rules.Offset && slices.Contains(idle, rules.XON.String()) {
				continue
			}
			lo, hi := x.Box.Lo[n], x.Box.Hi[n]
			to.Numbers[n.String()] = [2]int64{lo, hi}
			if all, there := d.Numbers[n.String()]; there {
				lo, hi = min(lo, all[0]), max(hi, all[1])
			}
			d.Numbers[n.String()] = [2]int64{lo, hi}
		}
		if !to.Shown {
			open++
		}
	}
	controls := unnamed.List(&d.Controls, len(e.Controls))
	for i, c := range e.Controls {
		to := &controls[i]
		to.Port, to.Group, to.Packets, to.Length = c.Step.Port, c.Step.PG, c.Step.Packets, c.Step.Length
		to.Lowest, to.Highest, to.Accepted, to.Predicted = c.Predicted.Lo, c.Predicted.Hi, c.Step.Accepted.Lo, c.Held
		unlike += cli.CodeIf(!c.Held, 1)
	}
	if stop == identify.Budget || stop == identify.Effort || stop == identify.Read {
		for _, x := range e.Next() {
			d.Next = append(d.Next, stepText(&x))
		}
		if len(d.Next) == 0 && e.Spent() {
			stop = identify.Effort
		}
	}
	c := conclude(stop, len(r.Rules), open, max(unlike-outliers, 0), idle)
	if stop == identify.Read {
		c = concludeRead(len(r.Rules), open, len(d.Next), idle)
	}
	d.Verdict, d.Says = c.verdict, c.says
	if stop == identify.Contradiction {
		d.Contradict, d.Says = contradictions(e, d.Says)
	}
	return d, c.code
}

// stepText says what a step does.
func stepText(x *identify.Step) string {
	if x.Release {
		return fmt.Sprintf("start egress port %d, and read which groups are paused", x.Dst)
	}
	return fmt.Sprintf("send %s packets of %d bytes to port %d group %d for egress port %d", unit.Thousands(x.Packets),
		x.Length, x.Port, x.PG, x.Dst)
}

// contradictions names the smallest sets of readings without which a rule
// remains, and adds to a verdict what is known if there is none.
func contradictions(e *identify.Identification, says string) ([]string, string) {
	sets, without := e.Conflicts()
	out := []string{}
	for _, set := range sets {
		var parts []string
		for _, p := range set {
			x := &e.Sessions()[p.Session][p.Step]
			text := fmt.Sprintf("session %d step %d: %s", p.Session+1, p.Step+1, stepText(x))
			if !x.Release {
				text += fmt.Sprintf(" (%s not dropped)", unit.Thousands(x.Accepted.Hi))
			}
			parts = append(parts, text)
		}
		out = append(out, strings.Join(parts, ", and "))
	}
	if len(out) == 0 && without > 0 {
		says += fmt.Sprintf("; none remains with %s left out either", cli.Plural(without, "reading", "readings"))
	}
	return out, says
}

// identifyScreen returns the tables.
func identifyScreen(d *report.IdentifyDocument) *cli.Screen {
	s := cli.Section{Name: "rules", Title: "Possible rules", Columns: []string{"choice"}}
	for i := range d.Rules {
		if i < 6 {
			s.Columns = append(s.Columns, fmt.Sprintf("rule %d", i+1))
		}
	}
	row := func(name string, value func(i int) string) {
		out := []any{name}
		for i := range d.Rules[:min(len(d.Rules), 6)] {
			out = append(out, value(i))
		}
		s.Row(out...)
	}
	if len(d.Rules) > 0 {
		for _, c := range rules.Choices() {
			if _, there := d.Rules[0].Choices[c.String()]; there {
				row(c.String(), func(i int) string { return d.Rules[i].Choices[c.String()] })
			}
		}
		row("dynamic_th", func(i int) string { return fmt.Sprint(d.Rules[i].DynamicTh) })
	}
	n := cli.Section{Name: "numbers", Title: "Numbers, under all of these rules", Columns: []string{"number", "lowest",
		"highest"}}
	for _, x := range rules.AllNumbers() {
		if is, there := d.Numbers[x.String()]; there {
			n.Row(x.String(), cli.Count(is[0]), cli.Count(is[1]))
		}
	}
	out := &cli.Screen{Head: []string{d.Says,
		fmt.Sprintf("%s, %s, %s; the space has %s rules", cli.Plural(int(d.Cost.Drains), "drain", "drains"),
			cli.Plural(int(d.Cost.Readings), "reading", "readings"), cli.Plural(int(d.Cost.Packets), "packet", "packets"),
			unit.Thousands(int64(d.Space)))}}
	if len(d.Rules) > 0 {
		out.Sections = []cli.Section{s, n}
	}
	if len(d.Rules) > 6 {
		out.Foot = append(out.Foot, fmt.Sprintf("%d more rules: -o json", len(d.Rules)-6))
	}
	if len(d.Controls) > 0 {
		held := 0
		for _, c := range d.Controls {
			held += cli.CodeIf(c.Predicted, 1)
		}
		out.Foot = append(out.Foot, fmt.Sprintf("control: %d of %d answers were as predicted before the packets were sent", held,
			len(d.Controls)))
	}
	for i, text := range d.Next {
		if i == 5 && len(d.Next) > 6 {
			out.Foot = append(out.Foot, fmt.Sprintf("next: %d more steps: -o json", len(d.Next)-i))
			break
		}
		out.Foot = append(out.Foot, "next: "+text)
	}
	for _, text := range d.Contradict {
		out.Foot = append(out.Foot, "a rule remains without "+text)
	}
	return out
}

// writeChip writes the chip of FILE with the rule that was found.
func (f *identifyFlags) writeChip(cmd *cobra.Command, base *buffer.Chip, r identify.Result, code int) error {
	if len(r.Rules) != 1 || code != cli.ExitFine {
		return cli.ExitWith(cli.ExitLint, fmt.Errorf("--write: %s possible (want an identification with one)",
			cli.Plural(len(r.Rules), "rule is", "rules are")))
	}
	c := *base
	c.Name, c.Notes = f.name, slices.Clone(base.Notes)
	b := &r.Rules[0].Box
	source := fmt.Sprintf("measured %s: identify, %s, %s", f.date, cli.Plural(int(r.Cost.Drains), "drain", "drains"),
		cli.Plural(int(r.Cost.Readings), "reading", "readings"))
	limit, xoff, xon := buffer.LimitBefore, buffer.XOFFFull, buffer.XONCurrent
	if b.Rule[rules.Limit] == rules.LimitAfter {
		limit = buffer.LimitAfter
	}
	if b.Rule[rules.XOFF] == rules.XOFFRefused {
		xoff = buffer.XOFFRefused
	}
	if b.Rule[rules.XON] == rules.XONLatched {
		xon = buffer.XONLatched
	}
	if b.Rule[rules.XOFF] <= rules.XOFFRefused && b.Rule[rules.XON] <= rules.XONLatched {
		c.LimitRule, c.XOFFRule, c.XONRule, c.Sources.Rules = limit, xoff, xon, source
	}
	switch b.Rule[rules.Owner] {
	case rules.OwnerGroup, rules.OwnerPort:
		c.HeadroomRule, c.Sources.HeadroomRule = rules.Owner.Value(b.Rule[rules.Owner]), source
	}
	// A chip file has four rules. The others are for people.
	var rest []string
	choices := ruleChoices(b)
	for _, x := range rules.Choices() {
		if v, there := choices[x.String()]; there {
			rest = append(rest, x.String()+" "+v)
		}
	}
	c.Notes = append(c.Notes, source+": "+strings.Join(rest, ", ")+
		" (a chip file has limit_rule, xoff_rule, xon_rule and headroom_rule)")
	if err := c.Validate(); err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--write: %w", err))
	}
	return chipfile.Write(cmd, f.write, c)
}
