package push

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
)

// This file has the tables of native values, by kind of value.

// waitingFor is what values of one kind that need a reload have in common. critical says that lossless groups need
// them.
type waitingFor struct {
	what, why string
	critical  bool
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
func foldWaiting(all []nos.Waiting) *grouped.By[waitingFor, int] {
	var out grouped.By[waitingFor, int]
	for _, w := range all {
		*out.Of(waitingFor{kindOf(w.Path), w.Why, w.Critical})++
	}
	return &out
}

// counted has a row for rows that are alike, with their number.
func counted(s cli.Section) cli.Section {
	alike := grouped.Lists(s.Rows, func(row []any) string { return fmt.Sprintf("%q", row) })
	s.Columns = append(s.Columns, "count")
	s.Rows = grouped.Each(alike, func(rows [][]any) []any { return append(rows[0], cli.Count(len(rows))) })
	return s
}

// kindSection counts native changes by kind. Values of a kind that may stop different parts of the traffic are
// different rows.
func kindSection(name, title string, changes []push.Change) cli.Section {
	s := cli.Table(name, title, "what", "may stop")
	for _, c := range changes {
		s.Row(kindOf(c.Path), c.Reach.String())
	}
	return counted(s)
}

// waitingSection lists the values that need a reload: all, or their number by kind. On SONiC a running switch refuses
// these, and takes them when its configuration is loaded anew.
func waitingSection(waiting []nos.Waiting, every bool) cli.Section {
	const name, title = "needs-reload", "Not sent: it needs a config reload"
	all, kinds := cli.Table(name, title, "path", "lossless", "why", "now", "after"), cli.Table(name, title, "what",
		"lossless", "why")
	for _, w := range waiting {
		all.Row(w.Path, neededText(w.Critical), w.Why, cli.Dash(w.From), cli.Dash(w.To))
		kinds.Row(kindOf(w.Path), neededText(w.Critical), w.Why)
	}
	if every {
		return all
	}
	return counted(kinds)
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
	all, kinds := cli.Table("before", "Present values", "path", "holds"), cli.Table("before", "Values before resuming",
		"what", "holds")
	for _, f := range r.Found {
		all.Row(f.Path, f.Holds)
		kinds.Row(kindOf(f.Path), f.Holds)
	}
	if every {
		return all
	}
	return counted(kinds)
}
