package push

import (
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
)

// This file has the tables of native values, by kind of value.

// alikeValues are what values of one kind that share a line have in common. critical says that lossless groups need
// them. what is a path without keys, and why or reach is empty where the table has no such column.
type alikeValues struct {
	what, why, reach string
	critical         bool
}

// kindOf is a path without keys: the table of CONFIG_DB, or a path with stars in
// place of keys. A table has one row for each kind. Keys such as ports and queues are what differs between values of
// one kind.
func kindOf(path string) string {
	// The path of SONiC's gNMI server: database, instance, table, key, field.
	if table, found := strings.CutPrefix(path, "/CONFIG_DB/localhost/"); found {
		name, _, _ := strings.Cut(table, "/")
		return name
	}
	var b strings.Builder
	// gNMI's text of a path: name[key=value]. A value may hold slashes, and the last bracket ends it.
	for part := range strings.SplitSeq(path, "[") {
		if b.Len() == 0 {
			b.WriteString(part)
			continue
		}
		key, _, _ := strings.Cut(part, "=")
		b.WriteString("[" + key + "=*]" + part[strings.LastIndex(part, "]")+1:])
	}
	return b.String()
}

// foldWaiting counts the values that need a reload by kind and reason. Values of a kind that wait for different
// reasons are different lines.
func foldWaiting(all []nos.Waiting) *grouped.By[alikeValues, int] {
	var out grouped.By[alikeValues, int]
	for _, w := range all {
		*out.Of(alikeValues{what: kindOf(w.Path), why: w.Why, critical: w.Critical})++
	}
	return &out
}

// kindSection counts native changes by kind. Values of a kind that may stop different parts of the traffic are
// different rows.
func kindSection(name, title string, changes []push.Change) cli.Section {
	var folded grouped.By[alikeValues, int]
	for _, c := range changes {
		*folded.Of(alikeValues{what: kindOf(c.Path), reach: c.Reach.String()})++
	}
	s := cli.Table(name, title, "what", "may stop", "count")
	for a, n := range folded.All() {
		s.Row(a.what, a.reach, cli.Count(*n))
	}
	return s
}

// waitingSection lists the values that need a reload: all, or their number by kind. On SONiC a running switch refuses
// these, and takes them when its configuration is loaded anew.
func waitingSection(waiting []nos.Waiting, every bool) cli.Section {
	s := cli.Section{Name: "needs-reload", Title: "Not sent: it needs a config reload"}
	if !every {
		s.Columns = []string{"what", "lossless", "why", "count"}
		for a, n := range foldWaiting(waiting).All() {
			s.Row(a.what, neededText(a.critical), a.why, cli.Count(*n))
		}
		return s
	}
	s.Columns = []string{"path", "lossless", "why", "now", "after"}
	for _, w := range waiting {
		s.Row(w.Path, neededText(w.Critical), w.Why, cli.Dash(w.From), cli.Dash(w.To))
	}
	return s
}

// omittedSection lists the registers that a dialect cannot express. Registers of one kind that are omitted for one
// reason are one row, with their number.
func omittedSection(omitted []nos.Omission) cli.Section {
	s := cli.Table("not-sent", "Not sent: the dialect cannot express it", "register", "lossless", "why", "count")
	for _, o := range omitted {
		s.Row(o.Name(), neededText(o.Critical), o.Why, cli.Count(o.Count))
	}
	return s
}

// neededText marks a value that lossless groups need. It is in capitals, because a reader has to find it in a long
// table.
func neededText(critical bool) string {
	if critical {
		return "NEEDED"
	}
	return "-"
}

// holdsSection lists which values of a push the switch held: every path, or the number by kind. Holds is a word: the
// planned value, the previous one, or another. It is for a push that is resumed: another push has not recorded which
// values were there.
func holdsSection(r *push.Result, every bool) cli.Section {
	if every {
		s := cli.Table("before", "Present values", "path", "holds")
		for _, f := range r.Found {
			s.Row(f.Path, f.Holds)
		}
		return s
	}
	var folded grouped.By[alikeValues, int]
	for _, f := range r.Found {
		*folded.Of(alikeValues{what: kindOf(f.Path), why: f.Holds})++
	}
	s := cli.Table("before", "Values before resuming", "what", "holds", "count")
	for a, n := range folded.All() {
		s.Row(a.what, a.why, cli.Count(*n))
	}
	return s
}
