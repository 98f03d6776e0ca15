package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/dialect"
)

// alikeValues is values of one kind that are told in a line.
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

// foldWaiting tells what waits by kind and reason.
func foldWaiting(all []dialect.Waiting) []alikeValues {
	var out []alikeValues
	for _, w := range all {
		out = foldInto(out, alikeValues{what: kindOf(w.Path), why: w.Why, critical: w.Critical})
	}
	return out
}

// foldChanges tells changes by kind.
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
	needed := map[bool]string{true: "NEEDED", false: "-"}
	if !every {
		s := section{title: "Not sent: it takes a reload", columns: []string{"what", "lossless", "why", "count"}}
		for _, a := range foldWaiting(waiting) {
			s.row(a.what, needed[a.critical], a.why, count(a.count))
		}
		return s
	}
	s := section{title: "Not sent: it takes a reload", columns: []string{"path", "lossless", "why", "now", "after"}}
	for _, w := range waiting {
		s.row(w.Path, needed[w.Critical], w.Why, dash(w.From), dash(w.To))
	}
	return s
}

// omittedSection lists what a dialect does not express.
func omittedSection(omitted []dialect.Omission) section {
	s := section{title: "Not sent: the dialect has no words for it", columns: []string{"register", "lossless", "why", "count"}}
	for _, o := range omitted {
		s.row(o.Kind.String(), map[bool]string{true: "NEEDED", false: "-"}[o.Critical], o.Why, count(o.Count))
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
