package unknown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints what identify found, and writes the chip file.

// conclusion is what a run comes to. verdict is the word of the JSON document, says its sentence, and code the exit
// code of the verb.
type conclusion struct {
	verdict, says string
	code          int
}

// conclude says why the run ended, of how many rules are left, for how many of these no example was found, and how
// many answers were not predicted. unlike is without the outliers that the flags allow, and unasked are the choices
// of which some values were not asked about. The order of the cases counts: after a contradiction, drops of the
// egress or an answer that was not predicted, the rules that are left are no answer, whatever else ended the run.
// Only then may a budget or a missing example be the reason, and only what remains is an identification.
func conclude(stop identify.Stop, left, open, unlike int, unasked []string) conclusion {
	possible := cli.Plural(left, "rule is", "rules are") + " possible"
	if len(unasked) > 0 {
		possible += " before it was asked about " + strings.Join(unasked, ", ")
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

// concludeRead says what readings leave of the space: so many rules, of some of which no example was found, and so
// many steps of a next probe. It is never IDENTIFIED: no answer was predicted before it was read, as the control
// probe of a switch is. A probe that would tell more, or a rule without an example, is exit code 3.
func concludeRead(left, open, next int, unasked []string) conclusion {
	possible := cli.Plural(left, "rule", "rules") + " possible"
	if open > 0 {
		possible += fmt.Sprintf(" (of %d no example was found)", open)
	}
	switch {
	case next > 0 && len(unasked) > 0:
		possible += ", and say nothing of " + strings.Join(unasked, ", ") + "; a next probe is below"
	case next > 0:
		possible += "; a next probe is below"
	case open > 0:
		possible += ", and no probe that was tried tells them apart"
	default:
		return conclusion{"read", fmt.Sprintf("THE READINGS LEAVE %s, and no probe that was tried tells more; no answer was "+
			"predicted", strings.ToUpper(cli.Plural(left, "rule", "rules"))), cli.ExitFine}
	}
	return conclusion{"open", "OPEN: the readings leave " + possible, cli.ExitNoFit}
}

// sought are the choices that are printed. Those behind them have their first value in every hypothesis: to print it
// would claim that it was found.
var sought = rules.Choices()[:rules.Second]

// identifyDocument converts what was found. code is the exit code of the verdict. outliers is how many answers of the
// control probe may differ from what was predicted without changing the verdict.
func identifyDocument(e *identify.Identification, r *identify.Result, outliers int) (
	d report.IdentifyDocument, code int) {
	stop, idle := r.Stop, r.Unasked
	// The space has all rules with a meaning. The search looks at those together that answer alike.
	d = report.IdentifyDocument{Schema: report.Schema("identify"), Space: len(rules.All()),
		Numbers: map[string][2]int64{}, Next: []string{}, Contradict: []string{}}
	d.Cost.Drains, d.Cost.Readings, d.Cost.Packets = r.Cost.Drains, r.Cost.Readings, r.Cost.Packets
	open, unlike := 0, 0
	// The lists are [] in JSON where they are empty, and the maps {}.
	list := unnamed.List(&d.Rules, len(r.Rules))
	for i := range r.Rules {
		x, to := &r.Rules[i], &list[i]
		to.Choices, to.DynamicTh, to.Shown = map[string]string{}, int(x.Box.Alpha), x.Shown
		for _, c := range sought {
			value := c.Value(x.Box.Rule[c])
			// Once several groups were filled, the forms are told apart but for the limit by port, which needs two groups of
			// one port. Then the form is idle only because of port, and only free stands for it.
			if asked := !slices.Contains(idle, c.String()); !asked && value == "free" {
				value = "free or port"
			} else if !asked && c != rules.Form {
				value = "not asked"
			}
			to.Choices[c.String()] = value
		}
		to.Numbers = map[string][2]int64{}
		for _, n := range rules.AllNumbers() {
			// The rule does not depend on these, or nothing was asked yet that does.
			if short := x.Box.Lo[rules.Cell] > 1<<15; !x.Box.Rule.Uses(n) || n == rules.Pool && x.Box.Hi[n] >= identify.Far ||
				short && (n == rules.Cell || n == rules.Overhead) ||
				n == rules.Offset && slices.Contains(idle, rules.XON.String()) {
				continue
			}
			// The document has the widest interval of all rules: it holds whichever of them is the switch's.
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
	// A control that was never run leaves the list empty. Of an answer that is an interval (yes-no, or stray packets)
	// the lower end is what was accepted for sure.
	for i, c := range e.Controls {
		to := &controls[i]
		to.Port, to.Group, to.Packets, to.Length = c.Step.Port, c.Step.PG, c.Step.Packets, c.Step.Length
		to.Lowest, to.Highest, to.Accepted, to.Predicted = c.Predicted.Lo, c.Predicted.Hi, c.Step.Accepted.Lo, c.Held
		unlike += cli.CodeIf(!c.Held, 1)
	}
	// After the other reasons there is nothing left to tell apart, or nothing that could be. Next changes e.
	if stop == identify.Budget || stop == identify.Effort || stop == identify.Read {
		next := e.Next()
		for i, is := range e.Predict(next) {
			what := "packets not dropped"
			if next[i].Release {
				what = "groups paused"
			}
			d.Next = append(d.Next, fmt.Sprintf("%s (predicted: %v %s)", stepText(&next[i]), calibrate.Range(is), what))
		}
		// No probe was found because the search gave up, which must not be read as: no probe tells more.
		if len(d.Next) == 0 && e.Spent() {
			stop = identify.Effort
		}
	}
	c := conclude(stop, len(r.Rules), open, max(unlike-outliers, 0), idle)
	if stop == identify.Read {
		c = concludeRead(len(r.Rules), open, len(d.Next), idle)
	}
	d.Verdict, d.Says = c.verdict, c.says
	// This searches the whole space again, without some of the readings, so it is done only where it is the answer.
	if stop == identify.Contradiction {
		d.Contradict, d.Says = contradictions(e, d.Says)
	}
	return d, c.code
}

// stepText says what a step does. A port of packets is stopped before, if it is not yet; the text does not repeat it.
func stepText(x *identify.Step) string {
	if x.Release {
		return fmt.Sprintf("start egress port %d, and read which groups are paused", x.Dst)
	}
	return fmt.Sprintf("send %s packets of %d bytes to port %d group %d for egress port %d", unit.Thousands(x.Packets),
		x.Length, x.Port, x.PG, x.Dst)
}

// contradictions names the smallest sets of readings without which a rule remains, and adds to a verdict what is
// known if there is none. Sessions and steps count from 1 for people. A step that sent packets has the most that may
// not have been dropped.
func contradictions(e *identify.Identification, says string) ([]string, string) {
	sets, without := e.Conflicts()
	out := []string{}
	for _, set := range sets {
		var parts []string
		for _, p := range set {
			x := &e.Sessions[p.Session][p.Step]
			text := fmt.Sprintf("session %d step %d: %s", p.Session+1, p.Step+1, stepText(x))
			if !x.Release {
				text += fmt.Sprintf(" (%s not dropped)", unit.Thousands(x.Accepted.Hi))
			}
			parts = append(parts, text)
		}
		out = append(out, strings.Join(parts, ", and "))
	}
	// without is how many readings were left out, in all ways, and still no rule gave the rest: so more of them are
	// wrong, or the rule is not in the space.
	if len(out) == 0 && without > 0 {
		says += fmt.Sprintf("; none remains with %s left out either", cli.Plural(without, "reading", "readings"))
	}
	return out, says
}

// identifyScreen returns the tables. At most six rules stand side by side, and at most six lines tell the next probe:
// JSON has all.
func identifyScreen(d *report.IdentifyDocument) *cli.Screen {
	s := cli.Table("rules", "Possible rules", "choice")
	// A row for each choice, in their order because a map has none, and one for alpha.
	for _, c := range sought {
		s.Row(c.String())
	}
	s.Row("dynamic_th")
	for i, r := range d.Rules[:min(len(d.Rules), 6)] {
		s.Columns = append(s.Columns, fmt.Sprintf("rule %d", i+1))
		for row, c := range sought {
			s.Rows[row] = append(s.Rows[row], r.Choices[c.String()])
		}
		s.Rows[len(sought)] = append(s.Rows[len(sought)], fmt.Sprint(r.DynamicTh))
	}
	n := cli.Table("numbers", "Numbers, under all of these rules", "number", "lowest", "highest")
	for _, x := range rules.AllNumbers() {
		if is, there := d.Numbers[x.String()]; there {
			n.Row(x.String(), cli.Count(is[0]), cli.Count(is[1]))
		}
	}
	out := &cli.Screen{Head: []string{d.Says, fmt.Sprintf("%s, %s, %s; the space has %s rules",
		cli.Plural(int(d.Cost.Drains), "drain", "drains"), cli.Plural(int(d.Cost.Readings), "reading", "readings"),
		cli.Plural(int(d.Cost.Packets), "packet", "packets"), unit.Thousands(int64(d.Space)))}}
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
	out.Foot = append(out.Foot, cli.Prefixed("a rule remains without ", d.Contradict)...)
	return out
}
