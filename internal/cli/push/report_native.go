package push

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
)

// This file prints the report of a push of native configuration, as tables and as
// JSON.

// alikeValues are values of one kind that share a line.
type alikeValues struct {
	what, why, reach string
	count            int
	critical         bool
}

// kindOf is a path without keys: the table of CONFIG_DB, or a path with stars in
// place of keys. A table has one row for each kind.
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

// foldWaiting groups the values that need a reload by kind and reason.
func foldWaiting(all []nos.Waiting) []alikeValues {
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

// changeSection lists all changes, or their number by kind. The text nothing is
// printed for a previous value that is absent or unknown.
func changeSection(name, title string, changes []native.Change, every bool, nothing string) cli.Section {
	if !every {
		s := cli.Section{Name: name, Title: title, Columns: []string{"what", "may stop", "count"}}
		for _, a := range foldChanges(changes) {
			s.Row(a.what, a.reach, cli.Count(a.count))
		}
		return s
	}
	s := cli.Section{Name: name, Title: title, Columns: []string{"path", "may stop", "now", "after"}}
	for _, c := range changes {
		s.Row(c.Path, c.Reach.String(), cmp.Or(c.From, nothing), cli.Dash(c.To))
	}
	return s
}

// waitingSection lists the values that need a reload: all, or their number by kind.
func waitingSection(waiting []nos.Waiting, every bool) cli.Section {
	if !every {
		s := cli.Section{Name: "needs-reload", Title: "Not sent: it needs a config reload",
			Columns: []string{"what", "lossless", "why", "count"}}
		for _, a := range foldWaiting(waiting) {
			s.Row(a.what, neededText(a.critical), a.why, cli.Count(a.count))
		}
		return s
	}
	s := cli.Section{Name: "needs-reload", Title: "Not sent: it needs a config reload",
		Columns: []string{"path", "lossless", "why", "now", "after"}}
	for _, w := range waiting {
		s.Row(w.Path, neededText(w.Critical), w.Why, cli.Dash(w.From), cli.Dash(w.To))
	}
	return s
}

// omittedSection lists the registers that a dialect cannot express.
func omittedSection(omitted []nos.Omission) cli.Section {
	s := cli.Section{Name: "not-sent", Title: "Not sent: the dialect cannot express it",
		Columns: []string{"register", "lossless", "why", "count"}}
	for _, o := range omitted {
		s.Row(o.Name(), neededText(o.Critical), o.Why, cli.Count(o.Count))
	}
	return s
}

// losslessVerdict is the last line of the report: whether the push makes the switch
// lossless, and if not, what is missing.
func losslessVerdict(r *nos.Rendering) string {
	if r.NeedsReload() {
		n := 0
		for _, w := range r.Waiting {
			if w.Critical {
				n++
			}
		}
		return fmt.Sprintf("NOT LOSSLESS BEFORE A RELOAD: %s: write reload.json with "+
			"cellwarden render --dialect sonic --current FILE, merge it into /etc/sonic/config_db.json, run config reload",
			cli.Plural(n, "value that the lossless groups need is not sent", "values that the lossless groups need are not sent"))
	}
	var needed []string
	for _, o := range r.Omitted {
		if o.Critical {
			needed = append(needed, o.ShortName())
		}
	}
	if len(needed) > 0 {
		return "NOT LOSSLESS BY THIS PUSH ALONE: missing: " + strings.Join(needed, ", ")
	}
	if len(r.Undone) > 0 {
		return notKept(r)
	}
	return everythingSent
}

const everythingSent = "everything that the lossless groups need is on the switch or is sent"

// notKept is the last line for a configuration of which it is not known that the switch keeps
// it.
func notKept(r *nos.Rendering) string {
	var why []string
	for _, u := range r.Undone {
		why = append(why, u.What+": "+u.Why)
	}
	return "NOT KNOWN TO STAY LOSSLESS: " + strings.Join(why, "; ")
}

// neededText marks a value that lossless groups need.
func neededText(critical bool) string {
	if critical {
		return "NEEDED"
	}
	return "-"
}

// changeJSON is a change of a native value.
type changeJSON struct {
	Path    string          `json:"path"`
	From    json.RawMessage `json:"from,omitempty"` // nil: there is no value
	To      json.RawMessage `json:"to,omitempty"`   // nil: the value is removed
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
	Found       []foundJSON   `json:"found,omitempty"`   // resume: which changes the switch already had
	Changes     []changeJSON  `json:"changes"`
	Waiting     []waitingJSON `json:"takes_a_reload"`
	Differences []changeJSON  `json:"differences"` // from: what was read back
	Undone      []undoneJSON  `json:"may_be_undone,omitempty"`
	Notes       []string      `json:"notes"`
}

// undoneJSON is what a program on the switch changes afterwards, or may change.
type undoneJSON struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

type waitingJSON struct {
	changeJSON
	Why      string `json:"why"`
	Critical bool   `json:"lossless_critical"`
}

// fill writes the changes into the JSON report.
func (s *nativeChanges) fill(p *Push, d *ApplyJSON) {
	r := s.report.Rendering
	own := &nativeJSON{Dialect: r.Dialect, Version: s.version, Found: foundDocument(s.report.Found),
		Changes: changesDocument(s.report.Changes), Waiting: []waitingJSON{},
		Differences: changesDocument(s.report.Differences), Notes: append([]string{}, r.Notes...)}
	for _, w := range r.Waiting {
		own.Waiting = append(own.Waiting, waitingJSON{changeJSON{Path: w.Path, From: json.RawMessage(w.From),
			To: json.RawMessage(w.To)}, w.Why, w.Critical})
	}
	for _, u := range r.Undone {
		own.Undone = append(own.Undone, undoneJSON(u))
	}
	for _, c := range s.report.Changes {
		d.Steps = append(d.Steps, fmt.Sprintf("%s: %s to %s", c.Path, cli.Dash(c.From), cli.Dash(c.To)))
	}
	for _, c := range s.report.Differences {
		d.Differences = append(d.Differences, fmt.Sprintf("%s: %s, not %s", c.Path, cli.Dash(c.From), cli.Dash(c.To)))
	}
	d.Holds, d.Others = p.words().of(s.report.Has), []string{}
	for _, c := range s.report.Others {
		d.Others = append(d.Others, fmt.Sprintf("%s: %s, not %s", c.Path, cli.Dash(c.From), cli.Dash(c.To)))
	}
	d.Gaps = []gapJSON{}
	for _, o := range r.Omitted {
		d.Gaps = append(d.Gaps, gapJSON{o.Name(), o.Count, o.Why})
	}
	d.Shares = sharesDocument(r.Shares)
	d.Profile, d.Native, d.Lossless = s.profile.Name, own, !s.resumed && r.Lossless() && !r.NeedsReload()
}

// text is the report as tables. A dry run lists every value; otherwise values of one
// kind share a row.
func (s *nativeChanges) text(p *Push, err error) *cli.Screen {
	r := s.report
	out := &cli.Screen{Head: []string{p.headline(p.Report.Device, r.State), "  " + s.stateText(p, err)}}
	if p.met == nil {
		out.Head = []string{p.Report.Device + " (" + s.profile.Title + "): no switch was contacted, nothing was sent"}
		for _, f := range p.files {
			out.Head = append(out.Head, "  wrote "+f.File+": "+f.Purpose)
		}
	} else {
		out.Head = append(out.Head, "  "+p.met.String())
	}
	for _, text := range []string{unsaidText(p.unsaid), unrecordedText(p.lacking)} {
		if text != "" {
			out.Head = append(out.Head, "  "+text)
		}
	}
	if p.commit != "" {
		out.Head = append(out.Head, "  "+p.commit)
	}
	if s.version != "" {
		out.Head = append(out.Head, "  version "+s.version)
	}
	if s.resumed {
		out.Sections = append(out.Sections, holdsSection(r.Found, p.opt.DryRun))
	}
	if len(r.Changes) > 0 {
		title := "Changes"
		switch {
		case r.State == backend.Applied:
		case s.resumed:
			title = "Remaining changes"
		default:
			title = "Planned changes"
		}
		title += " of native configuration (" + r.Rendering.Dialect + ")"
		nothing := "-"
		if p.met == nil && p.native.current == nil {
			nothing = "unknown"
		}
		out.Sections = append(out.Sections, changeSection("changes", title, r.Changes, p.opt.DryRun, nothing))
	}
	if len(r.Differences) > 0 && len(r.Others) == 0 {
		out.Sections = append(out.Sections, changeSection("differences", differencesTitle(r.State, r.Has), r.Differences,
			true, "-"))
	}
	if len(r.Others) > 0 {
		out.Sections = append(out.Sections, changeSection("others", othersTitle, r.Others, true, "-"))
	}
	if len(r.Rendering.Waiting) > 0 {
		out.Sections = append(out.Sections, waitingSection(r.Rendering.Waiting, p.opt.DryRun))
	}
	if len(r.Rendering.Omitted) > 0 {
		out.Sections = append(out.Sections, omittedSection(r.Rendering.Omitted))
	}
	addShares(out, r.Rendering.Shares, &p.in)
	for _, n := range r.Rendering.Notes {
		out.Foot = append(out.Foot, "note: "+n)
	}
	if s.resumed {
		return out
	}
	if !s.profile.NativeOnly() && len(p.files) == 0 {
		out.Foot = append(out.Foot, "run cellwarden apply without --native to send the registers that OpenConfig can express")
	}
	verdict := losslessVerdict(r.Rendering)
	if verdict == everythingSent && len(p.files) > 0 {
		verdict = "everything that the lossless groups need is on the switch or in these files"
	}
	out.Foot = append(out.Foot, verdict)
	return out
}

// stateText describes the state of the switch after the push.
func (s *nativeChanges) stateText(p *Push, err error) string {
	n := cli.Plural(len(s.report.Changes), "value", "values")
	switch {
	case s.report.State == backend.Unchanged && err != nil:
		return "nothing was sent"
	case s.report.State == backend.Unchanged && len(s.report.Changes) == 0 && s.resumed:
		return p.nothingLeft()
	case s.report.State == backend.Unchanged && len(s.report.Changes) > 0:
		return "dry run: nothing was sent; " + n + " would change"
	case s.report.State == backend.Unchanged:
		return "the switch already holds every value of the plan that it accepts without a reload; nothing was sent"
	case s.report.State == backend.Applied:
		return p.changed(n, "")
	}
	r := s.report
	return p.failedText(r.State, r.Has, len(r.Differences), len(r.Others), "value", "values", err)
}

// holdsSection lists which values of a push the switch held: every path, or the number
// by kind.
func holdsSection(found []native.Found, every bool) cli.Section {
	if every {
		s := cli.Section{Name: "before", Title: "Present values", Columns: []string{"path", "holds"}}
		for _, f := range found {
			s.Row(nos.Text(f.Path), string(f.Holds))
		}
		return s
	}
	type alike struct{ what, holds string }
	var order []alike
	n := map[alike]int{}
	for _, f := range found {
		a := alike{kindOf(nos.Text(f.Path)), string(f.Holds)}
		if n[a]++; n[a] == 1 {
			order = append(order, a)
		}
	}
	s := cli.Section{Name: "before", Title: "Values before resuming", Columns: []string{"what", "holds", "count"}}
	for _, a := range order {
		s.Row(a.what, a.holds, cli.Count(n[a]))
	}
	return s
}

// foundJSON is the value that a switch had at a path of a resumed push.
type foundJSON struct {
	Path  string `json:"path"`
	Holds string `json:"holds"` // before, planned, something else
}

func foundDocument(found []native.Found) []foundJSON {
	var out []foundJSON
	for _, f := range found {
		out = append(out, foundJSON{nos.Text(f.Path), string(f.Holds)})
	}
	return out
}
