package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// This file prints reports in all output formats. A verb builds a report for people and a
// document for JSON; both have the same content.

// formats are the values of -o.
var formats = []string{"table", "json", "csv", "md", "html"}

// outputFlag adds -o to a command.
func outputFlag(c *cobra.Command, format *string) {
	c.Flags().StringVarP(format, "output", "o", "table", "output format: "+strings.Join(formats, ", "))
}

// checkFormat refuses an unknown format.
func checkFormat(format string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return fmt.Errorf("output format %q: accepted: %s", format, strings.Join(formats, ", "))
}

// report is the output of a command: lines, then tables, then lines.
type report struct {
	head     []string
	sections []section
	foot     []string
}

// section is one table. Columns that hold numbers are aligned to the right.
type section struct {
	title   string
	columns []string
	rows    [][]any
	total   []any // last row, set apart; nil: none
}

func (s *section) row(cells ...any) { s.rows = append(s.rows, cells) }

// write prints the report in a format, or the document as JSON.
func (r *report) write(w io.Writer, format string, document any) error {
	switch format {
	case "json":
		return writeJSON(w, document)
	case "csv":
		return r.writeCSV(w)
	default:
		return r.writeText(w, format)
	}
}

// writeJSON prints a document: two spaces, no escapes for HTML, a line feed.
func writeJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// writeCSV prints only the tables, each below a line with its title. Numbers have no
// separators, so that programs can read them.
func (r *report) writeCSV(w io.Writer) error {
	var out []string
	for _, s := range r.sections {
		plain := section{title: s.title, columns: s.columns, total: unseparated(s.total)}
		for _, row := range s.rows {
			plain.rows = append(plain.rows, unseparated(row))
		}
		out = append(out, "# "+s.title+"\n"+plain.table().RenderCSV()+"\n")
	}
	_, err := io.WriteString(w, strings.Join(out, "\n"))
	return err
}

// unseparated removes the thousands separators of a row's numbers.
func unseparated(row []any) []any {
	out := slices.Clone(row)
	for i, v := range out {
		if n, ok := v.(number); ok {
			out[i] = number(strings.ReplaceAll(string(n), ",", ""))
		}
	}
	return out
}

// writeText prints the report as plain text, Markdown or HTML.
func (r *report) writeText(w io.Writer, format string) error {
	var out []string
	if len(r.head) > 0 {
		out = append(out, paragraph(r.head, format))
	}
	for _, s := range r.sections {
		title := map[string]string{"table": s.title, "md": "## " + s.title, "html": "<h2>" + s.title + "</h2>"}[format]
		body := s.table().Render
		switch format {
		case "md":
			title += "\n"
			body = s.table().RenderMarkdown
		case "html":
			body = s.table().RenderHTML
		}
		out = append(out, title+"\n"+body())
	}
	if len(r.foot) > 0 {
		out = append(out, paragraph(r.foot, format))
	}
	_, err := io.WriteString(w, strings.Join(out, "\n\n")+"\n")
	return err
}

// paragraph joins lines; in HTML each is a paragraph of its own.
func paragraph(lines []string, format string) string {
	switch format {
	case "html":
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = "<p>" + escaped.Replace(l) + "</p>"
		}
		return strings.Join(out, "\n")
	case "md":
		return strings.Join(lines, "  \n")
	default:
		return strings.Join(lines, "\n")
	}
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
		t.AppendRow(table.Row(r))
	}
	if s.total != nil {
		t.AppendFooter(table.Row(s.total))
	}
	return t
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
func count[T ~int | ~int64](n T) number {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return number(sign + digits)
}

// share prints a part of a whole as a percentage with one decimal, computed in integers so
// that every machine prints the same.
func share[T ~int | ~int64](part, whole T) number {
	if whole == 0 {
		return "-"
	}
	tenths := (int64(part)*1000 + int64(whole)/2) / int64(whole)
	return number(fmt.Sprintf("%d.%d %%", tenths/10, tenths%10))
}
