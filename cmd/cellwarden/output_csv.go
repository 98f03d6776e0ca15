package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// writeCSV prints one table: the one that is chosen, else the only one, else that
// of the verdict, which names the others; numbers without separators, for
// programs. Or it writes each table to a file of its own. A file that exists is
// not overwritten without --force.
func (r *report) writeCSV(w io.Writer, o output) error {
	tables := r.tables()
	if o.dir != "" {
		return writeTables(o, tables)
	}
	i := slices.IndexFunc(tables, func(s section) bool { return s.tableName() == o.table })
	switch {
	case i >= 0:
	case slices.Contains(o.known, o.table): // this report has nothing for it
		return nil
	case o.table != "":
		return exitWith(exitUsage, fmt.Errorf("table %q: accepted: %s", o.table, tableNames(tables)))
	case r.decision == nil && len(r.sections) == 1:
		i = 1
	default:
		i = 0
	}
	_, err := io.WriteString(w, tables[i].csv())
	return err
}

// tables returns the tables of the report, that of the verdict first.
func (r *report) tables() []section {
	out := []section{r.lines()}
	if r.decision != nil {
		out[0] = *r.decision
	}
	for _, s := range r.sections {
		out = append(out, s.under(r.verdict))
	}
	return out
}

// under returns the table with the verdict as its first column, if there is one.
func (s section) under(verdict string) section {
	if verdict == "" {
		return s
	}
	first := func(row []any, what any) []any { return append([]any{what}, row...) }
	out := section{name: s.name, title: s.title, columns: append([]string{"verdict"}, s.columns...)}
	for _, row := range s.rows {
		out.rows = append(out.rows, first(row, verdict))
	}
	if s.total != nil {
		out.total = first(s.total, verdict)
	}
	return out
}

// lines returns the lines of the report as a table, with the names of the other
// tables.
func (r *report) lines() section {
	s := section{name: "verdict", columns: []string{"kind", "text"}}
	for _, l := range r.head {
		s.row("head", l)
	}
	for _, l := range r.foot {
		if l != "" {
			s.row("note", l)
		}
	}
	for i := range r.sections {
		s.row("table", r.sections[i].tableName())
	}
	return s
}

// csv returns the table as CSV.
func (s *section) csv() string {
	plain := section{title: s.title, columns: s.columns, total: unseparated(s.total)}
	for _, row := range s.rows {
		plain.rows = append(plain.rows, unseparated(row))
	}
	return plain.table().RenderCSV() + "\n"
}

// unseparated returns the row with numbers without separators, and texts that no
// spreadsheet computes.
func unseparated(row []any) []any {
	out := slices.Clone(row)
	for i, v := range out {
		if n, ok := v.(number); ok {
			out[i] = number(strings.ReplaceAll(string(n), ",", ""))
		} else {
			out[i] = csvcell.Defuse(fielderr.Escape(fmt.Sprint(v), false))
		}
	}
	return out
}

// tableName is the name of a table for --table: its own, or its title up to a
// comma or a colon, in lower case, with a hyphen for what is no letter or digit.
func (s *section) tableName() string {
	if s.name != "" {
		return s.name
	}
	title, _, _ := strings.Cut(strings.ToLower(s.title), ",")
	title, _, _ = strings.Cut(title, ":")
	return strings.Join(strings.FieldsFunc(title, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "-")
}

func tableNames(tables []section) string {
	names := make([]string, len(tables))
	for i := range tables {
		names[i] = tables[i].tableName()
	}
	return strings.Join(names, ", ")
}

// writeTables writes each table to a file of its name.
func writeTables(o output, tables []section) error {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	for i := range tables {
		f, err := create(o.of, filepath.Join(o.dir, tables[i].tableName()+".csv"))
		if err != nil {
			return err
		}
		if _, err = io.WriteString(f, tables[i].csv()); err != nil {
			return err
		}
	}
	return commit(o.of)
}
