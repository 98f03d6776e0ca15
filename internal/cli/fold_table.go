package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/cellwarden/cellwarden/internal/cli/fold"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// This file makes tables as text, and folds them to the width of a screen.

// gap is the number of blanks between columns. It is what the table library pads a column with on its right.
const gap = 2

// fold makes the table fit a width: texts are folded at their words, and if that is not enough, the columns are printed
// in several tables, each with the first column. A width of 0 or less is no bound. Numbers are never broken, so a
// table of numbers alone may stay wider than the screen.
func (s *Section) fold(width int) []Section {
	natural, least := s.widths()
	if width <= 0 || total(natural) <= width {
		return []Section{*s}
	}
	if total(least) <= width || len(s.Columns) < 3 {
		return []Section{s.narrowed(narrow(natural, least, width))}
	}
	// As many columns as fit with the first one, at least one more.
	n := 2
	for n < len(least) && total(least[:n+1]) <= width {
		n++
	}
	// The tail may be wider than the screen again: it is folded as a table of its own.
	head, tail := s.pick(1, n), s.pick(n, len(s.Columns))
	// Columns without a value would be a table of names.
	if tail.blank() {
		return head.fold(width)
	}
	return append(head.fold(width), tail.fold(width)...)
}

// blank tells whether a table has nothing but its first column.
func (s *Section) blank() bool {
	filled := func(row []any) bool {
		return slices.ContainsFunc(row[1:], func(v any) bool { return cellText(v) != "" })
	}
	return s.Total == nil && !slices.ContainsFunc(s.Rows, filled)
}

// total is the width of columns with the blanks between them.
func total(widths []int) int {
	sum := -gap
	for _, w := range widths {
		sum += w + gap
	}
	return sum
}

// pick returns the table with the first column and those from low to high. Each part has the first column, because it
// names the row. Columns are counted from 0, and high is not among them.
func (s *Section) pick(low, high int) *Section {
	out := s.mapped(func(row []any) []any { return append([]any{row[0]}, row[low:high]...) })
	out.Columns = append([]string{s.Columns[0]}, s.Columns[low:high]...)
	return &out
}

// leastText is the width down to which a text is folded, in columns. Most words of the reports are shorter, so that
// few are broken.
const leastText = 14

// widths returns how wide each column is, and how narrow it can be: a number stays on its line, and so does a word.
// Texts may be narrowed to leastText, but not below their longest word in the header.
func (s *Section) widths() (natural, least []int) {
	natural, least = make([]int, len(s.Columns)), make([]int, len(s.Columns))
	for i, c := range s.Columns {
		natural[i], least[i] = text.StringWidth(c), fold.LongestWord(c)
	}
	rows := slices.Clone(s.Rows)
	if s.Total != nil {
		rows = append(rows, s.Total)
	}
	for _, row := range rows {
		for i, v := range plainRow(row) {
			n := text.StringWidth(cellText(v))
			natural[i] = max(natural[i], n)
			if _, number := v.(Number); number {
				least[i] = max(least[i], n)
			} else {
				least[i] = max(least[i], min(n, leastText))
			}
		}
	}
	return natural, least
}

// narrow gives the columns less than they take by themselves, the widest first. A column that has reached its least
// keeps it. If all have, the table stays wider than the screen.
func narrow(natural, least []int, width int) []int {
	out := slices.Clone(natural)
	for total(out) > width {
		widest := -1
		for i := range out {
			if out[i] > least[i] && (widest < 0 || out[i] > out[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		out[widest]--
	}
	return out
}

// narrowed returns the table with its texts folded to widths. Cells are escaped before they are folded: an escape is
// longer than what it stands for.
func (s *Section) narrowed(widths []int) Section {
	out := s.mapped(func(row []any) []any {
		folded := plainRow(row)
		for i, v := range folded {
			if _, number := v.(Number); !number {
				folded[i] = block(strings.Join(fold.Text(cellText(v), widths[i]), "\n"))
			}
		}
		return folded
	})
	out.Columns = slices.Clone(s.Columns)
	for i, c := range out.Columns {
		out.Columns[i] = strings.Join(fold.Text(c, widths[i]), "\n")
	}
	return out
}

// table makes the section's table: without a frame, with two blanks between columns. Upper-case headers set it apart
// without a line, so that a table costs one line more than its rows. Blanks at the end of lines would break the
// comparison of outputs.
func (s *Section) table() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header, style.Format.Footer = text.FormatUpper, text.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	header := make(table.Row, len(s.Columns))
	configs := make([]table.ColumnConfig, len(s.Columns))
	for i, c := range s.Columns {
		header[i] = c
		configs[i] = table.ColumnConfig{Number: i + 1}
		if s.numeric(i) {
			configs[i].Align, configs[i].AlignHeader, configs[i].AlignFooter = text.AlignRight, text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for _, r := range s.Rows {
		t.AppendRow(plainRow(r))
	}
	if s.Total != nil {
		t.AppendFooter(plainRow(s.Total))
	}
	return t
}

// plainRow escapes what does not print in a row. A text stays in its cell: it has no
// line breaks. An amount that has not got its unit prints cells. A block keeps its line breaks, which fold has made.
func plainRow(cells []any) table.Row {
	out := make(table.Row, len(cells))
	for i, v := range cells {
		switch v := v.(type) {
		case nil:
		case Number:
			out[i] = v
		case Amount:
			out[i] = v.In(InCells)
		case block:
			out[i] = string(v)
		default:
			out[i] = fielderr.Escape(fmt.Sprint(v), false)
		}
	}
	return out
}

// block is a text of several lines in a cell, whose lines were escaped already. plainRow would escape its line
// breaks, if it were a string.
type block string

// cellText prints the value of a cell.
func cellText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// numeric tells whether a column's values are numbers. A column without rows is aligned as text.
func (s *Section) numeric(column int) bool {
	for _, r := range s.Rows {
		switch r[column].(type) {
		case Number, Amount:
		default:
			return false
		}
	}
	return len(s.Rows) > 0
}
