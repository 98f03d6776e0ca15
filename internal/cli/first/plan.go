// Package first makes the first screen of a plan: 24 lines of 100 columns that say whether it fits, where the memory
// is, how far it goes, on which assumptions that turns, and what to do next. Everything else is behind --all.
//
// plan.go has the parts in the order of the screen. Two of them are computed for it alone and are in the document of
// the plan as well: how far the plan goes (further.go, a search in package capacity), and the commands to run next. A
// screen that is too long is made again with shorter lists, until it fits. capacity.go does the same for answers of the
// verb capacity.
package first

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
)

// size is how much a first screen shows of its lists. It says how many more there are. A 0 leaves a list out but for
// the line that says how many there are.
type size struct {
	kinds, remedies, assumptions, commands int
	apart                                  bool // an empty line between its parts
}

// largest is the size of a first screen that has the room.
var largest = size{kinds: 3, remedies: 4, assumptions: 3, commands: 2, apart: true}

// smaller returns a size with one line less: what a reader misses least goes first. It is false for the smallest. The
// order is by what a reader can find elsewhere: empty lines, then assumptions, remedies and kinds of links down to one
// or two, then the rest. The verdict, the memory and the first command always stay.
func (s size) smaller() (size, bool) {
	switch {
	case s.apart:
		s.apart = false
	case s.assumptions > 1:
		s.assumptions--
	case s.remedies > 2:
		s.remedies--
	case s.kinds > 1:
		s.kinds--
	case s.assumptions > 0:
		s.assumptions--
	case s.commands > 1:
		s.commands--
	case s.remedies > 0:
		s.remedies--
	default:
		return s, false
	}
	return s, true
}

// mostEntries is the number of entries of ports whose limits a first screen shows.
const mostEntries = 3

// mostChanges is the number of changes that the verdict of a first screen names.
const mostChanges = 3

// Plan is what the first screen of a plan is made of. File is "-" for standard input, and the commands then say so,
// too. Units is empty without the flag.
type Plan struct {
	Plan    *buffer.Plan
	Intent  buffer.Intent
	Entries []capacity.Entry // of the topology's ports
	File    string           // of the topology, for commands
	Set     []string         // its changes
	Units   string           // of --units
}

// Complete adds to the document of a plan what is on its first screen alone. The document has it as well as the screen:
// what a person reads first, a program finds under the same names.
func (x *Plan) Complete(doc *report.PlanDocument) error {
	answers, err := x.further()
	if err != nil {
		return err
	}
	doc.Answered(answers)
	doc.TurnsOn, doc.Next = x.assumptions(), x.commands()
	return nil
}

// Screen returns the first screen of a document that is complete. What other flags ask for comes behind it. The
// document must be complete, as its answers and commands are printed.
func (x *Plan) Screen(doc *report.PlanDocument) *cli.Screen {
	of, more := largest, true
	r := x.screen(doc, of)
	// A long verdict or refusal takes the place of what --all prints too.
	for more && r.Height(cli.FirstColumns) > cli.FirstLines {
		// The smallest screen is printed even where it is too long.
		of, more = of.smaller()
		r = x.screen(doc, of)
	}
	return r
}

// screen is the first screen of a size.
func (x *Plan) screen(doc *report.PlanDocument, of size) *cli.Screen {
	r := &cli.Screen{Head: x.head(of), Mood: Mood(x.Plan), Sections: []cli.Section{x.memory()}}
	parts := [][]string{x.refused(of.remedies), turnsOn(doc.TurnsOn, of.assumptions), x.next(doc.Next, of.commands)}
	if x.Plan.Fits {
		parts[0] = append([]string{"How far it goes, each by itself"}, x.furtherLines(doc.Further)...)
	}
	for i, part := range parts {
		if of.apart && i > 0 && len(part) > 0 {
			r.Foot = append(r.Foot, "")
		}
		r.Foot = append(r.Foot, part...)
	}
	return r
}

// head is what stands above the memory: the verdict, and what was planned. The lines are those of --all with the same
// names, so that both screens say the same in the same words.
func (x *Plan) head(of size) (out []string) {
	lines := map[string]string{}
	for _, l := range report.PlanHead(x.Plan) {
		lines[l.Name] = l.Text
	}
	changes := cli.ChangedText(x.Set[:min(len(x.Set), mostChanges)])
	if more := len(x.Set) - mostChanges; more > 0 {
		changes += fmt.Sprintf(" and %s", cli.Plural(more, "more change", "more changes"))
	}
	// MB are a million bytes, as the columns below have them.
	whole := cli.Megabytes(x.Plan.Chip.Cell.Bytes(x.Plan.Chip.TotalCells))
	out = append(out, lines[""]+changes,
		named("chip", fmt.Sprintf("%s, %s MB; %s", lines["chip"], whole, lines["ports"])),
		named("headroom", lines["headroom"]))
	return append(out, x.kinds(of.kinds)...)
}

// Mood is what the verdict of a plan means to its reader. A plan that fits only as its ports were placed, with notes on
// sizes, with egress pools that are too small, or with more headroom promised than there is, holds on a condition.
func Mood(p *buffer.Plan) cli.Mood {
	switch {
	case !p.Fits:
		return cli.Bad
	case report.PlanVerdict(p) == report.FitsAsPlaced, len(p.SizeNotes()) > 0, len(p.ShortEgress()) > 0, oversubscribed(p):
		return cli.Warn
	}
	return cli.Good
}

// oversubscribed tells whether the groups can ask for more headroom than their pool has.
func oversubscribed(p *buffer.Plan) bool {
	return p.Shared != nil && p.Shared.GroupCells > p.Shared.PoolCells
}

// named is a line with a name, as those of a plan.
func named(name, text string) string { return fmt.Sprintf("%-9s %s", name, text) }

// memory says where the cells of the chip are. It is the sum over the slices. Accounts without cells are left out, but
// for what is free: 0 free is an answer.
func (x *Plan) memory() cli.Section {
	p := x.Plan
	all := p.Memory()
	s := cli.Section{Columns: []string{"memory", "cells", "MB", "share"}}
	amount := func(n cells.Count) cli.Number { return cli.Count(n) }
	if x.Units == cli.InBytes {
		s.Columns[1] = "bytes"
		amount = func(n cells.Count) cli.Number { return cli.Count(p.Chip.Cell.Bytes(n)) }
	}
	for _, a := range []struct {
		name string
		n    cells.Count
	}{{"headroom", all.Headroom}, {"shared", all.Shared}, {"reserved", all.Reserved}, {"kept by the chip", all.Chip},
		{"free", all.Unused}} {
		if a.n == 0 && a.name != "free" {
			continue
		}
		s.Row(a.name, amount(a.n), cli.Megabytes(p.Chip.Cell.Bytes(a.n)), cli.Share(a.n, p.Chip.TotalCells))
	}
	return s
}

// kinds says what one group of each kind of link needs. The cells are what the chip grants to one group, which is at
// least what its method asks for.
func (x *Plan) kinds(shown int) (out []string) {
	kinds := x.Plan.Sizing.Kinds
	for i := range kinds[:min(len(kinds), shown)] {
		k := &kinds[i]
		// The time is what the link takes to send as many bytes at its speed.
		bytes := x.Plan.Chip.Cell.Bytes(k.Granted)
		out = append(out, named("", fmt.Sprintf("%s at %v over %s: %s cells, %s MB, %s at that speed", k.Class, k.Rate,
			k.Path(), cli.Count(k.Granted), cli.Megabytes(bytes), cli.DrainText(bytes, k.Rate))))
	}
	if more := len(kinds) - len(out); more > 0 {
		out = append(out, named("", fmt.Sprintf("and %s", cli.Plural(more, "more kind of link", "more kinds of links"))))
	}
	return out
}

// refused says what does not fit, and what would make it fit. Only the first refusal is on the first screen, with as
// many remedies as have room; --all has the others.
func (x *Plan) refused(shown int) []string {
	// A plan that fits has no refusals, so their place is free.
	if x.Plan.Fits {
		return nil
	}
	// Refusals are in the order in which ports were served, so the first one is where the memory ran out.
	first := x.Plan.Refusals[0]
	return append([]string{first.Error()}, Remedies(first, shown)...)
}

// Remedies lists the first changes that would make a plan fit. Each of them was planned, so none is a guess.
func Remedies(r *buffer.Refusal, shown int) []string {
	out := []string{"What would make it fit, each by itself"}
	for _, m := range r.Remedies[:min(len(r.Remedies), shown)] {
		out = append(out, "- "+m.Text)
	}
	if more := len(r.Remedies) - shown; more > 0 {
		out = append(out, fmt.Sprintf("and %s: --all", cli.Plural(more, "more way", "more ways")))
	}
	// Two changes together may still do it: remedies are single ones, each tried by itself.
	if len(r.Remedies) == 0 {
		out = append(out, "- no single change of ports, cables or buffers")
	}
	return out
}

// turnsOn lists the first of the assumptions. A list of none has no heading.
func turnsOn(all []string, shown int) (out []string) {
	shown = min(shown, len(all))
	if shown > 0 {
		out = append(out, "What that turns on")
	}
	out = append(out, cli.Prefixed("- ", all[:shown])...)
	if more := len(all) - shown; more > 0 {
		out = append(out, fmt.Sprintf("and %s: --all", cli.Plural(more, "more assumption", "more assumptions")))
	}
	return out
}

// assumptions are what the verdict turns on: what would make it wrong comes first. The order is: notes on sizes, what
// the plan rests on, the egress, the shared headroom if it is oversubscribed, and the pipes that ports were given.
// Terms without a source come last.
func (x *Plan) assumptions() []string {
	out := []string{}
	for _, name := range []string{"size", "rests on", "egress", "shared", "pipes"} {
		for _, l := range report.PlanHead(x.Plan) {
			if l.Name == name && (name != "shared" || oversubscribed(x.Plan)) {
				out = append(out, assumed(l))
			}
		}
	}
	if text := inferred(x.Plan.Sizing.Kinds); text != "" {
		out = append(out, text)
	}
	return out
}

// assumed is a line of the head as an assumption. These two say nothing by themselves without their name.
func assumed(l report.HeadLine) string {
	if l.Name == "pipes" || l.Name == "shared" {
		return l.Name + ": " + l.Text
	}
	return l.Text
}

// inferred names the terms of the headroom for which no source has a number; empty: none. Terms are named once each,
// with the speeds at which no source has them.
func inferred(kinds []buffer.Sized) string {
	var names, speeds []string
	for i := range kinds {
		if terms := inferredTerms(kinds[i].Terms); len(terms) > 0 {
			names, speeds = grouped.Add(names, terms...), grouped.Add(speeds, kinds[i].Rate.String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("inferred, because no source has a number at %s: %s", strings.Join(speeds, ", "),
		strings.Join(names, "; "))
}

// inferredTerms are the names of terms that cellwarden scaled or assumed. A term that is a sum is inferred in its
// parts, of which the innermost are named.
func inferredTerms(terms []thresholds.Term) (out []string) {
	for _, t := range terms {
		if below := inferredTerms(t.Terms); len(below) > 0 {
			out = append(out, below...)
		} else if t.Kind == thresholds.Inferred {
			out = append(out, t.Name)
		}
	}
	return out
}

// commands are what to do next. The commands have the file and the changes of this one, quoted for a shell, so that
// they can be copied.
func (x *Plan) commands() []string {
	command := func(verb, more string) string {
		var text strings.Builder
		text.WriteString("cellwarden " + verb + " " + quoted(x.File))
		for _, s := range x.Set {
			text.WriteString(" --set " + quoted(s))
		}
		return text.String() + more
	}
	switch {
	case !x.Plan.Fits:
		if remedied := x.remedied(command); remedied != "" {
			return []string{remedied, command("capacity", "")}
		}
		return []string{command("capacity", "")}
	case oversubscribed(x.Plan):
		return []string{command("risk", ""), command("verify", "")}
	}
	return []string{command("verify", "")}
}

// remedied is the command that plans with the first remedy that is one key; empty: there is none. Remedies about ports
// or cables are work on a switch; one key of the topology can be tried at once.
func (x *Plan) remedied(command func(verb, more string) string) string {
	for _, m := range x.Plan.Refusals[0].Remedies {
		if strings.HasPrefix(m.Change, "pool.") || m.Change == "headroom.delays" || m.Change == "shared_floor" {
			return command("plan", " --set "+quoted(m.Change+"="+m.To))
		}
	}
	return ""
}

// quoted is a word for a shell. Single quotes keep every character but themselves (POSIX shell, 2.2.2).
func quoted(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./=:,+@%", c)
	}
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !plain(c) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// next lists what to do next, and what --all prints beside this. Two columns are left for the blank and the backslash
// at the end of a line.
func (x *Plan) next(commands []string, shown int) (out []string) {
	name := "next"
	for _, c := range commands[:min(shown, len(commands))] {
		// A command that takes several lines is continued as a shell wants it.
		parts := strings.Split(c, " --set ")
		// A line is only broken before a --set; the verb and its file stay together.
		line := named(name, parts[0])
		for _, p := range parts[1:] {
			if p = "--set " + p; len(line)+len(p) < cli.FirstColumns-2 {
				line += " " + p
				continue
			}
			out = append(out, line+` \`)
			line = named("", "    "+p)
		}
		// Only the first command has the name in front of it.
		out, name = append(out, line), ""
	}
	return append(out, named("more", fmt.Sprintf("--all prints slices, pipes, groups, thresholds and %s",
		cli.Plural(len(x.Plan.Warnings), "warning", "warnings"))))
}
