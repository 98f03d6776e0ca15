package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/workbook"
)

// writeCSV prints one table: the one that is chosen, else the only one, else that
// of the verdict, which names the others; numbers without separators, for
// programs. Or it writes each table to a file of its own. A file that exists is
// not overwritten without --force. A table that the verb knows and this report lacks prints nothing, not even a
// header: a script reads no rows.
func (r *Screen) writeCSV(w io.Writer, o Output) error {
	tables := r.tables()
	// --tables prints nothing on standard output.
	if o.dir != "" {
		return writeTables(o, tables)
	}
	i := slices.IndexFunc(tables, func(s Section) bool { return s.TableName() == o.table })
	switch {
	case i >= 0:
	case slices.Contains(o.known, o.table): // this report has nothing for it
		return nil
	case o.table != "":
		return BadUsage("--table %q (want %s)", o.table, TableNames(tables))
	case r.Decision == nil && len(r.Sections) == 1:
		i = 1
	default:
		i = 0
	}
	_, err := io.WriteString(w, tables[i].csv())
	return err
}

// tables returns the tables of the report, that of the verdict first. Its order is that of the indices in writeCSV: 0
// is the verdict.
func (r *Screen) tables() []Section {
	out := []Section{r.Lines()}
	if r.Decision != nil {
		out[0] = *r.Decision
	}
	for _, s := range r.Sections {
		out = append(out, s.under(r.Verdict))
	}
	return out
}

// under returns the table with the verdict as its first column, if there is one. Rows are new ones: the report may be
// printed in another format afterwards.
func (s Section) under(verdict string) Section {
	if verdict == "" {
		return s
	}
	s.Columns = append([]string{"verdict"}, s.Columns...)
	return s.mapped(func(row []any) []any { return append([]any{verdict}, row...) })
}

// Lines returns the lines of the report as a table, with the names of the other
// tables. The rows of kind "table" are how a program learns which names --table accepts for this report.
func (r *Screen) Lines() Section {
	s := Table("verdict", "", "kind", "text")
	for _, l := range r.Head {
		s.Row("head", l)
	}
	for _, l := range r.Foot {
		if l != "" {
			s.Row("note", l)
		}
	}
	for i := range r.Sections {
		s.Row("table", r.Sections[i].TableName())
	}
	return s
}

// csv returns the table as CSV. Amounts were printed in their unit before.
func (s *Section) csv() string {
	plain := s.mapped(unseparated)
	return plain.table().RenderCSV() + "\n"
}

// unseparated returns the row with numbers without separators, and texts that no
// spreadsheet computes. A text that begins with =, +, - or @ would be computed by a spreadsheet: see
// internal/csvcell.
func unseparated(row []any) []any {
	out := slices.Clone(row)
	for i, v := range out {
		if n, ok := v.(Number); ok {
			out[i] = Number(strings.ReplaceAll(string(n), ",", ""))
		} else {
			out[i] = csvcell.Defuse(fielderr.Escape(fmt.Sprint(v), false))
		}
	}
	return out
}

// TableName is the name of a table for --table: its own, or its title up to a
// comma or a colon, in lower case, with a hyphen for what is no letter or digit.
func (s *Section) TableName() string {
	if s.Name != "" {
		return s.Name
	}
	title, _, _ := strings.Cut(strings.ToLower(s.Title), ",")
	title, _, _ = strings.Cut(title, ":")
	return strings.Join(strings.FieldsFunc(title, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "-")
}

// TableNames lists the names of tables for --table.
func TableNames(tables []Section) string {
	return strings.Join(grouped.Each(tables, func(s Section) string { return s.TableName() }), ", ")
}

// writeTables writes each table to a file of its name. All files get their names at the end or none does: the command
// commits them together.
func writeTables(o Output, tables []Section) error {
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	for i := range tables {
		if err := Put(o.of, filepath.Join(o.dir, tables[i].TableName()+".csv"), []byte(tables[i].csv())); err != nil {
			return err
		}
	}
	return Commit(o.of)
}

// writeXLSX writes the tables as a workbook, that of the verdict first. A terminal would show its bytes, and is
// refused. The total is the last row of its sheet, since a workbook has no footer.
func (r *Screen) writeXLSX(w io.Writer) error {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return BadUsage("-o xlsx is no text for a terminal (want > FILE.xlsx)")
	}
	// The names of sheets are those of --table.
	var out []workbook.Sheet
	for _, s := range r.tables() {
		if s.Total != nil {
			s.Row(s.Total...)
		}
		rows := make([][]any, len(s.Rows))
		for i := range rows {
			rows[i] = plainRow(s.Rows[i])
		}
		out = append(out, workbook.Sheet{Name: s.TableName(), Columns: s.Columns, Rows: rows})
	}
	return workbook.Write(w, out)
}
