package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints reports in all output formats. A verb builds a report for people and a
// document for JSON; both have the same content.

// formats are the values of -o.
var formats = []string{"table", "json", "csv", "md", "html"}

// output is how a command prints its report.
type output struct {
	format string   // one of formats, or a command's own
	table  string   // CSV: the table to print; empty: the report's own choice
	dir    string   // CSV: the folder for a file of each table; empty: none
	known  []string // tables that the verb can print, if it says so before it acts; see oneOf
	of     *cobra.Command
}

// pushTables are the tables that the report of a push can have.
var pushTables = []string{"verdict", "changes", "differences", "sent", "rounded", "not-sent", "needs-reload", "needed",
	"before", "switches"}

// oneOf refuses a table that is none of a verb's. A verb that changes something calls
// it before: afterwards the choice of a table is no reason to fail.
func (o *output) oneOf(names []string) error {
	if o.known = names; o.table != "" && !slices.Contains(names, o.table) {
		return fmt.Errorf("--table %q: accepted: %s", o.table, strings.Join(names, ", "))
	}
	return nil
}

// outputFlag adds -o to a command, and what chooses among the tables of CSV.
func outputFlag(c *cobra.Command, o *output) {
	c.Flags().StringVarP(&o.format, "output", "o", "table", "output format: "+strings.Join(formats, ", "))
	tableFlags(c, o)
}

// tableFlags adds the flags that choose among the tables of CSV.
func tableFlags(c *cobra.Command, o *output) {
	name := "table"
	if c.Flags().Lookup(name) != nil { // headroom has it for a vendor's table
		name = "csv-table"
	}
	c.Flags().StringVar(&o.table, name, "", "with -o csv: print this table; by default the verdict, which names the others")
	c.Flags().StringVar(&o.dir, "tables", "", "with -o csv: write every table to a file of its own in this folder")
	forceFlag(c)
	o.of = c
}

// checkFormat refuses a format that is not there, and a choice of tables for
// another format than CSV.
func checkFormat(o output) error {
	switch {
	case !slices.Contains(formats, o.format):
		return fmt.Errorf("output format %q: accepted: %s", o.format, strings.Join(formats, ", "))
	case (o.table != "" || o.dir != "") && o.format != "csv":
		return fmt.Errorf("--table and --tables choose among the tables of -o csv, not of -o %s", o.format)
	case o.table != "" && o.dir != "":
		return errors.New("--table or --tables, not both")
	}
	return nil
}

// report is the output of a command: lines, then tables, then lines.
type report struct {
	head     []string
	sections []section
	foot     []string
	// decision is the table of the verdict and its reasons, for CSV, where head and
	// foot are not printed. nil: made of these.
	decision *section
	// verdict is the first column of the other tables of CSV, so that a table alone
	// does not look like that of another verdict; empty: no such column.
	verdict string
}

// section is one table. Columns that hold numbers are aligned to the right.
type section struct {
	name    string // for --table; empty: made from the title
	title   string
	columns []string
	rows    [][]any
	total   []any // last row, set apart; nil: none
}

func (s *section) row(cells ...any) { s.rows = append(s.rows, cells) }

// write prints the report in a format, or the document as JSON.
func (r *report) write(w io.Writer, o output, document any) error {
	r.plain()
	switch o.format {
	case "json":
		return writeJSON(w, document)
	case "csv":
		return r.writeCSV(w, o)
	case "html":
		return r.writeHTML(w)
	default:
		return r.writeText(w, o.format)
	}
}

// plain escapes what does not print in the lines of a report. The texts of tables
// are escaped by table.
func (r *report) plain() {
	for _, lines := range [][]string{r.head, r.foot} {
		for i := range lines {
			lines[i] = fielderr.Escape(lines[i], false)
		}
	}
}

// writeJSON prints a document: two spaces, no escapes for HTML, a line feed.
func writeJSON(w io.Writer, document any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(plainJSON(b.Bytes()))
	return err
}

// plainJSON escapes the characters that could change how a terminal shows JSON: the
// encoder escapes the control characters of ASCII alone. All of them stand in texts.
func plainJSON(text []byte) []byte {
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

// writeText prints the report as text or Markdown.
func (r *report) writeText(w io.Writer, format string) error {
	var out []string
	if len(r.head) > 0 {
		out = append(out, paragraph(r.head, format))
	}
	for _, s := range r.sections {
		if format == "md" {
			out = append(out, "## "+s.title+"\n\n"+s.table().RenderMarkdown())
		} else {
			out = append(out, s.title+"\n"+s.table().Render())
		}
	}
	if len(r.foot) > 0 {
		out = append(out, paragraph(r.foot, format))
	}
	_, err := io.WriteString(w, strings.Join(out, "\n\n")+"\n")
	return err
}

// paragraph joins lines.
func paragraph(lines []string, format string) string {
	if format == "md" {
		return strings.Join(lines, "  \n")
	}
	return strings.Join(lines, "\n")
}

// table makes the section's table: without a frame, with two blanks between columns.
func (s *section) table() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header, style.Format.Footer = text.FormatUpper, text.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	header := make(table.Row, len(s.columns))
	configs := make([]table.ColumnConfig, len(s.columns))
	for i, c := range s.columns {
		header[i] = c
		configs[i] = table.ColumnConfig{Number: i + 1}
		if s.numeric(i) {
			configs[i].Align, configs[i].AlignHeader, configs[i].AlignFooter = text.AlignRight, text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for _, r := range s.rows {
		t.AppendRow(plainRow(r))
	}
	if s.total != nil {
		t.AppendFooter(plainRow(s.total))
	}
	return t
}

// plainRow escapes what does not print in a row. A text stays in its cell: it has no
// line breaks.
func plainRow(cells []any) table.Row {
	out := make(table.Row, len(cells))
	for i, v := range cells {
		if out[i] = v; v != nil {
			if n, ok := v.(number); ok {
				out[i] = n
			} else {
				out[i] = fielderr.Escape(fmt.Sprint(v), false)
			}
		}
	}
	return out
}

// numeric tells whether a column's values are numbers.
func (s *section) numeric(column int) bool {
	for _, r := range s.rows {
		if _, ok := r[column].(number); !ok {
			return false
		}
	}
	return len(s.rows) > 0
}

// number is a count with thousands separators. Columns of numbers align to the right.
type number string

// count prints a whole number: 80,660.
func count[T ~int | ~int64](n T) number { return number(unit.Thousands(n)) }

// share prints a part of a whole as a percentage with one decimal, computed in integers so
// that every machine prints the same.
func share[T ~int | ~int64](part, whole T) number {
	if whole == 0 {
		return "-"
	}
	tenths := (int64(part)*1000 + int64(whole)/2) / int64(whole)
	return number(fmt.Sprintf("%d.%d %%", tenths/10, tenths%10))
}

// inTime is the value of --units for times, in microseconds.
const inTime = "us"

// withoutEmpty leaves out the tables without rows.
func (r *report) withoutEmpty() *report {
	kept := r.sections[:0]
	for _, s := range r.sections {
		if len(s.rows) > 0 {
			kept = append(kept, s)
		}
	}
	r.sections = kept
	return r
}
