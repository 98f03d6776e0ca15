package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/dialect"
)

// alikeValues are values of one kind that share a line.
type alikeValues struct {
	what, why, reach string
	count            int
	critical         bool
}

// kindOf is a path without what tells one entry from another: the table of
// CONFIG_DB, or a path with stars for keys.
func kindOf(path string) string {
	if table, found := strings.CutPrefix(path, "/CONFIG_DB/localhost/"); found {
		name, _, _ := strings.Cut(table, "/")
		return name
	}
	var b strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		if b.Len() == 0 {
			b.WriteString(part)
			continue
		}
		key, _, _ := strings.Cut(part, "=")
		_, rest, _ := cutLast(part, "]")
		b.WriteString("[" + key + "=*]" + rest)
	}
	return b.String()
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// foldWaiting groups what waits by kind and reason.
func foldWaiting(all []dialect.Waiting) []alikeValues {
	var out []alikeValues
	for _, w := range all {
		out = foldInto(out, alikeValues{what: kindOf(w.Path), why: w.Why, critical: w.Critical})
	}
	return out
}

// foldChanges groups changes by kind.
func foldChanges(all []native.Change) []alikeValues {
	var out []alikeValues
	for _, c := range all {
		out = foldInto(out, alikeValues{what: kindOf(c.Path), reach: c.Reach.String()})
	}
	return out
}

func foldInto(out []alikeValues, one alikeValues) []alikeValues {
	i := slices.IndexFunc(out, func(a alikeValues) bool { a.count = 0; return a == one })
	if i < 0 {
		i, out = len(out), append(out, one)
	}
	out[i].count++
	return out
}

// changeSection lists changes: every one, or by kind. Nothing is what stands
// for what is not there, or not known.
func changeSection(title string, changes []native.Change, every bool, nothing string) section {
	if !every {
		s := section{title: title, columns: []string{"what", "may stop", "count"}}
		for _, a := range foldChanges(changes) {
			s.row(a.what, a.reach, count(a.count))
		}
		return s
	}
	s := section{title: title, columns: []string{"path", "may stop", "now", "after"}}
	for _, c := range changes {
		s.row(c.Path, c.Reach.String(), cmp.Or(c.From, nothing), dash(c.To))
	}
	return s
}

// waitingSection lists what takes a reload: every value, or by kind.
func waitingSection(waiting []dialect.Waiting, every bool) section {
	if !every {
		s := section{title: "Not sent: it takes a reload", columns: []string{"what", "lossless", "why", "count"}}
		for _, a := range foldWaiting(waiting) {
			s.row(a.what, neededText(a.critical), a.why, count(a.count))
		}
		return s
	}
	s := section{title: "Not sent: it takes a reload", columns: []string{"path", "lossless", "why", "now", "after"}}
	for _, w := range waiting {
		s.row(w.Path, neededText(w.Critical), w.Why, dash(w.From), dash(w.To))
	}
	return s
}

// omittedSection lists what a dialect does not express.
func omittedSection(omitted []dialect.Omission) section {
	s := section{title: "Not sent: the dialect has no words for it",
		columns: []string{"register", "lossless", "why", "count"}}
	for _, o := range omitted {
		s.row(o.Kind.String(), neededText(o.Critical), o.Why, count(o.Count))
	}
	return s
}

// losslessVerdict is the last line: whether the switch is lossless with what is sent.
func losslessVerdict(r *dialect.Rendering) string {
	if r.NeedsReload() {
		n := 0
		for _, w := range r.Waiting {
			if w.Critical {
				n++
			}
		}
		return fmt.Sprintf("NOT LOSSLESS BEFORE A RELOAD: %s that lossless groups need: take reload.json of cellwarden render --dialect sonic with --current, merge it into /etc/sonic/config_db.json, config reload", plural(n, "value waits", "values wait"))
	}
	var needed []string
	for _, o := range r.Omitted {
		if o.Critical {
			needed = append(needed, o.Kind.ShortName())
		}
	}
	if len(needed) > 0 {
		return "NOT LOSSLESS BY THIS PUSH ALONE: not in it are " + strings.Join(needed, ", ")
	}
	return "everything that its lossless groups need is there or sent"
}

// neededText says whether lossless groups need a value.
func neededText(critical bool) string {
	if critical {
		return "NEEDED"
	}
	return "-"
}

// changeJSON is a change of a switch's own value.
type changeJSON struct {
	Path    string          `json:"path"`
	From    json.RawMessage `json:"from,omitempty"` // none: nothing is there
	To      json.RawMessage `json:"to,omitempty"`   // none: it goes
	MayStop string          `json:"may_stop,omitempty"`
}

func changesDocument(changes []native.Change) []changeJSON {
	out := make([]changeJSON, len(changes))
	for i, c := range changes {
		out[i] = changeJSON{Path: c.Path, From: json.RawMessage(c.From), To: json.RawMessage(c.To), MayStop: c.Reach.String()}
	}
	return out
}

// nativeJSON is the part of the report about native values.
type nativeJSON struct {
	Dialect     string        `json:"dialect"`
	Version     string        `json:"version,omitempty"` // that the switch reported
	Found       []foundJSON   `json:"found,omitempty"`   // resume: what the switch had of the push
	Changes     []changeJSON  `json:"changes"`
	Waiting     []waitingJSON `json:"takes_a_reload"`
	Differences []changeJSON  `json:"differences"` // from: what was read back
	Notes       []string      `json:"notes"`
}

type waitingJSON struct {
	changeJSON
	Why      string `json:"why"`
	Critical bool   `json:"lossless_critical"`
}

// fill puts the changes into the report's document.
func (s *nativeChanges) fill(_ *push, d *applyJSON) {
	r := s.report.Rendering
	own := &nativeJSON{Dialect: r.Dialect, Version: s.version, Found: foundDocument(s.report.Found),
		Changes: changesDocument(s.report.Changes), Waiting: []waitingJSON{},
		Differences: changesDocument(s.report.Differences), Notes: append([]string{}, r.Notes...)}
	for _, w := range r.Waiting {
		own.Waiting = append(own.Waiting, waitingJSON{changeJSON{Path: w.Path, From: json.RawMessage(w.From),
			To: json.RawMessage(w.To)}, w.Why, w.Critical})
	}
	for _, c := range s.report.Changes {
		d.Steps = append(d.Steps, fmt.Sprintf("%s: %s to %s", c.Path, dash(c.From), dash(c.To)))
	}
	for _, c := range s.report.Differences {
		d.Differences = append(d.Differences, fmt.Sprintf("%s: %s, not %s", c.Path, dash(c.From), dash(c.To)))
	}
	d.Gaps = []gapJSON{}
	for _, o := range r.Omitted {
		d.Gaps = append(d.Gaps, gapJSON{o.Kind.String(), o.Count, o.Why})
	}
	d.Profile, d.Native, d.Lossless = s.profile.Name, own, !s.resumed && r.Lossless() && !r.NeedsReload()
}

// text is the report for people. A dry run tells every value.
func (s *nativeChanges) text(p *push, err error) *report {
	r := s.report
	out := &report{head: []string{fmt.Sprintf("%s: %s", p.report.Device, r.State), "  " + s.stateText(p, err)}}
	if p.met == nil {
		out.head = []string{p.report.Device + " (" + s.profile.Title + "): no switch was asked and nothing was sent"}
	} else {
		out.head = append(out.head, "  "+p.met.String())
	}
	if p.commit != "" {
		out.head = append(out.head, "  "+p.commit)
	}
	if s.version != "" {
		out.head = append(out.head, "  it is "+s.version)
	}
	if s.resumed {
		out.sections = append(out.sections, holdsSection(r.Found, p.opt.DryRun))
	}
	if len(r.Changes) > 0 {
		title := "Changes, in the words of " + r.Rendering.Dialect
		if r.State != backend.Applied {
			title = "Changes that the plan asks for, in the words of " + r.Rendering.Dialect
			if s.resumed {
				title = "Changes that are left, in the words of " + r.Rendering.Dialect
			}
		}
		nothing := "-"
		if p.met == nil {
			nothing = "not known"
		}
		out.sections = append(out.sections, changeSection(title, r.Changes, p.opt.DryRun, nothing))
	}
	if len(r.Differences) > 0 {
		out.sections = append(out.sections, changeSection("Differences: what the switch holds, and what it should hold",
			r.Differences, true, "-"))
	}
	if len(r.Rendering.Waiting) > 0 {
		out.sections = append(out.sections, waitingSection(r.Rendering.Waiting, p.opt.DryRun))
	}
	if len(r.Rendering.Omitted) > 0 {
		out.sections = append(out.sections, omittedSection(r.Rendering.Omitted))
	}
	for _, n := range r.Rendering.Notes {
		out.foot = append(out.foot, "note: "+n)
	}
	if s.resumed {
		return out
	}
	if !s.profile.NativeOnly() {
		out.foot = append(out.foot, "what OpenConfig carries goes by cellwarden apply without --native")
	}
	out.foot = append(out.foot, losslessVerdict(r.Rendering))
	return out
}

// stateText says in a sentence how the switch was left.
func (s *nativeChanges) stateText(p *push, err error) string {
	n := plural(len(s.report.Changes), "value", "values")
	switch {
	case s.report.State == backend.Unchanged && err != nil:
		return "nothing was sent"
	case s.report.State == backend.Unchanged && len(s.report.Changes) == 0 && s.resumed:
		return "nothing is left to be done, and nothing was sent"
	case s.report.State == backend.Unchanged && len(s.report.Changes) > 0:
		return "dry run: nothing was sent; " + n + " would change"
	case s.report.State == backend.Unchanged:
		return "it has all of the plan that it takes while it runs; nothing was sent"
	case s.report.State == backend.Applied:
		return n + " changed, read back and found equal"
	case s.report.State == backend.Partial:
		return fmt.Sprintf("it holds neither the plan nor what it held before: %s differ from before",
			plural(len(s.report.Differences), "value", "values"))
	}
	if s.report.State == backend.Unknown {
		verb := "apply"
		if s.resumed {
			verb = "resume"
		}
		return "it may hold the plan, what it held before, or parts of both, and may still be at work. Run " + verb +
			" again later: it compares first"
	}
	return stateText(p.report, p.opt, err)
}

// holdsSection lists what a switch had of a push: every path, or by kind.
func holdsSection(found []native.Found, every bool) section {
	if every {
		s := section{title: "What it holds", columns: []string{"path", "holds"}}
		for _, f := range found {
			s.row(dialect.Text(f.Path), string(f.Holds))
		}
		return s
	}
	type alike struct{ what, holds string }
	var order []alike
	n := map[alike]int{}
	for _, f := range found {
		a := alike{kindOf(dialect.Text(f.Path)), string(f.Holds)}
		if n[a]++; n[a] == 1 {
			order = append(order, a)
		}
	}
	s := section{title: "What it held", columns: []string{"what", "holds", "count"}}
	for _, a := range order {
		s.row(a.what, a.holds, count(n[a]))
	}
	return s
}

// foundJSON is what a switch had at a path of a push that is resumed.
type foundJSON struct {
	Path  string `json:"path"`
	Holds string `json:"holds"` // before, planned, something else
}

func foundDocument(found []native.Found) []foundJSON {
	var out []foundJSON
	for _, f := range found {
		out = append(out, foundJSON{dialect.Text(f.Path), string(f.Holds)})
	}
	return out
}
