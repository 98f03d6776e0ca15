package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli/fold"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// This file prints reports in all output formats. A verb builds a report for people and a
// document for JSON; both have the same content.

// Formats are the values of -o. A verb may have more of them: see Output.More.
var Formats = []string{"table", "json", "csv", "md", "html"}

// Output is how a command prints its report. The zero Output is that of a verb that has not registered its flags yet.
type Output struct {
	Format string   // one of formats, or a command's own
	table  string   // CSV: the table to print; empty: the report's own choice
	dir    string   // CSV: the folder for a file of each table; empty: none
	known  []string // tables that the verb can print, if it says so before it acts; see oneOf
	all    bool     // everything, not only the first screen; see AllFlag
	More   []string // formats of the verb beside Formats, such as xlsx; set before its flags are made
	units  string   // of --units; empty: the default of the format, see UnitsFlag
	of     *cobra.Command
}

// OneOf refuses a table that the verb does not have. A verb that changes something calls
// it before: afterwards the choice of a table is no reason to fail. It is asked before the verb acts, with all tables
// that its report could have, also those that this run will not.
func (o *Output) OneOf(names []string) error {
	if o.known = names; o.table != "" && !slices.Contains(names, o.table) {
		return fmt.Errorf("--table %q (want %s)", o.table, strings.Join(names, ", "))
	}
	return nil
}

// OutputFlag adds -o to a command, and what chooses among the tables of CSV. A format that is not there, or a choice
// that it does not have, is refused before the command runs, so that a long run does not end with a wrong flag.
func OutputFlag(c *cobra.Command, o *Output) {
	c.PreRunE = func(*cobra.Command, []string) error { return CheckFormat(*o) }
	FormatFlags(c, o)
}

// formats are the values of -o of a verb.
func (o *Output) formats() []string { return append(slices.Clone(Formats), o.More...) }

// FormatFlags adds -o and the flags that choose among the tables of CSV. Verbs with findings check them by themselves.
func FormatFlags(c *cobra.Command, o *Output) {
	c.Flags().StringVarP(&o.Format, "output", "o", "table", "output format: "+strings.Join(o.formats(), ", "))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(o.formats(), cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringVar(&o.table, "table", "", "with -o csv: print this table; by default the verdict, which names the "+
		"others")
	c.Flags().StringVar(&o.dir, "tables", "", "with -o csv: write every table to a file of its own in this folder")
	ForceFlag(c)
	o.of = c
}

// TopologyFlags adds the flags of a command that answers a question about a topology: --set, --confine, -o, --all and
// --units.
func TopologyFlags(c *cobra.Command, o *Output) {
	SetFlag(c)
	OutputFlag(c, o)
	AllFlag(c, o)
	UnitsFlag(c, o)
}

// AllFlag adds --all to a command whose report has a first screen.
func AllFlag(c *cobra.Command, o *Output) {
	c.Flags().BoolVar(&o.all, "all", false, "print all lines and tables, not only the first screen")
}

// All tells whether --all was given.
func (o *Output) All() bool { return o.all }

// CheckFormat refuses a format that is not there, and a choice of tables for another format than CSV.
func CheckFormat(o Output) error {
	switch {
	case !slices.Contains(o.formats(), o.Format):
		return fmt.Errorf("--output %q (want %s)", o.Format, strings.Join(o.formats(), ", "))
	case o.table != "" && o.Format != "csv" && o.of != nil && o.of.Flags().Lookup(HeadroomTable) != nil:
		return fmt.Errorf("--table %q chooses among the tables of -o csv (want --%s for the table of a vendor)", o.table,
			HeadroomTable)
	case (o.table != "" || o.dir != "") && o.Format != "csv":
		return fmt.Errorf("--table and --tables choose among the tables of -o csv, not of -o %s", o.Format)
	case o.table != "" && o.dir != "":
		return errors.New("--table and --tables (want one of them)")
	// Programs read the other formats, one number in a column.
	case o.units == InBoth && o.Format != "table":
		return fmt.Errorf("--units %q: of -o table alone (want %s)", o.units, strings.Join(allUnits[1:], ", "))
	}
	return nil
}

// Screen is the output of a command: lines, then tables, then lines. One screen is every format but JSON, which has a
// document of its own: both are made from the same result.
type Screen struct {
	Head     []string
	Sections []Section
	Foot     []string
	// decision is the table of the verdict and its reasons, for CSV, where head and
	// foot are not printed. nil: made of these.
	Decision *Section
	// verdict is the first column of the other tables of CSV, so that a table alone
	// does not look like that of another verdict; empty: no such column.
	Verdict string
	// Mood is what the first line means to its reader.
	Mood Mood
	// Picture is above the tables of a page; empty: none. Other formats leave it out.
	Picture template.HTML
	// First is the first screen, which text has in place of all without --all; nil: everything.
	First *Screen

	// Of a first screen: whether lines and rows are left out to fit, and whether a report that fits is printed in its
	// place.
	fitted, orWhole bool
}

// Note adds lines below the tables, each with a hyphen.
func (r *Screen) Note(texts ...string) {
	r.Foot = append(r.Foot, Prefixed("- ", texts)...)
}

// Section is one table. Columns that hold numbers are aligned to the right. Cells are Number and Amount for numbers,
// nil for none, and anything else is printed as text.
type Section struct {
	Name    string // for --table; empty: made from the title
	Title   string
	Columns []string
	Rows    [][]any
	Total   []any // last row, set apart; nil: none
	beside  []beside
}

// Table is a section without rows. name is that of --table; empty: made from the title.
func Table(name, title string, columns ...string) Section {
	return Section{Name: name, Title: title, Columns: columns}
}

// Row adds a row, with a cell for each column.
func (s *Section) Row(cells ...any) { s.Rows = append(s.Rows, cells) }

// mapped returns the table with other rows, and another total if it has one: the report may be printed again.
func (s Section) mapped(other func(row []any) []any) Section {
	if s.Rows = grouped.Each(s.Rows, other); s.Total != nil {
		s.Total = other(s.Total)
	}
	return s
}

// Beside adds a column of numbers, those of a column before it in another unit: one for each row, and for the total.
// The row len(s.Rows) is the total.
func (s *Section) Beside(name string, of func(row int) Number) {
	s.Columns = append(s.Columns, name)
	for i := range s.Rows {
		s.Rows[i] = append(s.Rows[i], of(i))
	}
	if s.Total != nil {
		s.Total = append(s.Total, of(len(s.Rows)))
	}
}

// Write prints the report in a format, or the document as JSON. The order matters: texts are escaped first, then
// amounts get their unit, because a first screen is made of the same rows.
func (r *Screen) Write(w io.Writer, o Output, document any) error {
	r.plain()
	// The document of JSON is not touched by this: its numbers are those of package report.
	if o.Format != "html" || o.units != "" { // a page shows all units, if the user has not chosen one
		r.InUnits(o.Units())
	}
	switch o.Format {
	case "json":
		return WriteJSON(w, document)
	case "csv":
		return r.writeCSV(w, o)
	case "xlsx":
		return r.writeXLSX(w)
	case "html":
		return r.writeHTML(w)
	case "md":
		return r.writeMarkdown(w)
	}
	if r.First != nil && !o.all {
		r.First.plain()
		r.First.InUnits(o.Units())
		r = r.shown()
	}
	return r.writeText(w, surfaceOf(w, o.of))
}

// Answer writes the report of a command that has changed nothing.
func (r *Screen) Answer(cmd *cobra.Command, o Output, document any) error {
	return Interruptible(cmd.Context(), func() error { return r.Write(cmd.OutOrStdout(), o, document) })
}

// Interruptible does work that changes nothing: an interruption ends it wherever it is, in a long document or at a
// reader that takes nothing. What is left of the work ends with the process.
func Interruptible(ctx context.Context, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Print prints the report as the output of a command, and ends the command with an exit code, for which the output has
// the reason. An error of output is a failure, and so is an interruption. A code other than 0 prints no second line on
// standard error: the report has the reason.
func (r *Screen) Print(cmd *cobra.Command, o Output, document any, code int) error {
	return Ended(r.Answer(cmd, o, document), code)
}

// Ended ends a command that was to print its report: with the failure of its output, or else with the exit code that
// the report explains.
func Ended(err error, code int) error {
	if err != nil || code == ExitFine {
		return Failure(err)
	}
	return ExitWith(code, errors.New("")) // run prints no line for an error without text
}

// plain escapes what does not print in the lines of a report. The texts of tables
// are escaped by table. A line is one line: line breaks are escaped as well.
func (r *Screen) plain() {
	for _, lines := range [][]string{r.Head, r.Foot} {
		for i := range lines {
			lines[i] = fielderr.Escape(lines[i], false)
		}
	}
}

// WriteJSON prints a document: two spaces, no escapes for HTML, a line feed. Escapes for HTML would make < and & of
// names unreadable, and no document is put into a page as it is. A document that cannot be encoded prints nothing.
func WriteJSON(w io.Writer, document any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(PlainJSON(b.Bytes()))
	return err
}

// PlainJSON escapes the characters that could change how a terminal shows JSON: the
// encoder escapes the control characters of ASCII alone. All of them occur in texts. A code point beyond 16 bits
// becomes the two halves of UTF-16, as JSON escapes it (RFC 8259, 7).
func PlainJSON(text []byte) []byte {
	odd := func(c rune) bool { return c > unicode.MaxASCII && !unicode.IsGraphic(c) || c == 0x7f }
	if bytes.IndexFunc(text, odd) < 0 {
		return text
	}
	var out []byte
	for _, c := range string(text) {
		if !odd(c) {
			out = utf8.AppendRune(out, c)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// WriteText prints the report as text, without colours.
func (r *Screen) WriteText(w io.Writer) error { return r.writeText(w, surfaceOf(w, nil)) }

// writeText prints the report as text that fits a surface. Parts are separated by an empty line, and a table that was
// folded into several likewise.
func (r *Screen) writeText(w io.Writer, on surface) error {
	var out []string
	if len(r.Head) > 0 {
		lines := fold.Line(r.Head[0], on.width)
		for i := range lines {
			lines[i] = on.paint(r.Mood, lines[i])
		}
		for _, l := range r.Head[1:] {
			lines = append(lines, fold.Line(l, on.width)...)
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	for i := range r.Sections {
		s := &r.Sections[i]
		parts := grouped.Each(s.fold(on.width), func(part Section) string { return part.table().Render() })
		text := strings.Join(parts, "\n\n")
		if s.Title != "" {
			title := strings.Join(fold.Line(s.Title, on.width), "\n")
			text = on.paint(NoMood, title) + "\n" + text
		}
		out = append(out, text)
	}
	if len(r.Foot) > 0 {
		out = append(out, strings.Join(footLines(r.Foot, on), "\n"))
	}
	_, err := io.WriteString(w, strings.Join(out, "\n\n")+"\n")
	return err
}

// warnings is the line above the warnings of a report.
const warnings = "Warnings"

// footLines folds the lines below the tables, and paints what warns. Warnings begin at their own line and end at the
// next empty one.
func footLines(foot []string, on surface) (out []string) {
	warned := false
	for _, l := range foot {
		if l == warnings || l == "" {
			warned = l == warnings
		}
		for _, part := range fold.Line(l, on.width) {
			if warned {
				part = on.paint(Warn, part)
			}
			out = append(out, part)
		}
	}
	return out
}

// unmarked escapes what is markup in Markdown: names of a configuration are texts. Only what starts markup within a
// line is escaped; cells and lines of a report do not begin with # or -.
var unmarked = strings.NewReplacer("&", "&amp;", "<", "&lt;", "[", `\[`, "]", `\]`, "`", "\\`", "*", `\*`)

// writeMarkdown prints the report as Markdown. Two blanks at the end of a line are Markdown's line break. Rows are
// cloned, because a report may be printed again.
func (r *Screen) writeMarkdown(w io.Writer) error {
	var out []string
	if len(r.Head) > 0 {
		out = append(out, unmarked.Replace(strings.Join(r.Head, "  \n")))
	}
	for _, s := range r.Sections {
		s = s.mapped(func(row []any) []any {
			row = slices.Clone(row)
			for k, cell := range row {
				if text, is := cell.(string); is {
					row[k] = unmarked.Replace(text)
				}
			}
			return row
		})
		out = append(out, "## "+unmarked.Replace(s.Title)+"\n\n"+s.table().RenderMarkdown())
	}
	if len(r.Foot) > 0 {
		out = append(out, unmarked.Replace(strings.Join(r.Foot, "  \n")))
	}
	_, err := io.WriteString(w, strings.Join(out, "\n\n")+"\n")
	return err
}

// WithoutEmpty leaves out the tables without rows. A heading over nothing would look like an answer.
func (r *Screen) WithoutEmpty() *Screen {
	r.Sections = slices.DeleteFunc(r.Sections, func(s Section) bool { return len(s.Rows) == 0 })
	return r
}
