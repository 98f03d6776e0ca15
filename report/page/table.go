package page

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// Table is a table of a page. Columns whose cells are all numbers are set to the right.
type Table struct {
	Title   string
	Text    string // under the title
	Columns []string
	Rows    [][]string
	Total   []string // the last row, set apart; nil: none
	// Cells says which columns are cells of the packet memory: a plan's page shows the same in MB and as time beside them.
	// Zero: none.
	Cells struct {
		Columns []int          // from 0
		Size    cells.Size     // of a cell
		Rates   []unit.BitRate // at which a row's cells are sent: one for each row, or one for all; none, or 0: no time
	}
}

// beside is a number of cells in other units; "": it has none.
type beside struct{ MB, Time string }

// beside returns what a cell of the table is in other units, nil if it is no number of cells. A negative row is the
// total.
func (t *Table) beside(row, column int) *beside {
	texts := t.Total
	if row >= 0 {
		texts = t.Rows[row]
	}
	if !slices.Contains(t.Cells.Columns, column) || column >= len(texts) {
		return nil
	}
	text, sign := strings.ReplaceAll(texts[column], ",", ""), ""
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") { // of a change, or of a margin
		text, sign = text[1:], text[:1]
	}
	n, err := strconv.ParseUint(text, 10, 50)
	if err != nil {
		return nil // "unknown"
	}
	bytes := t.Cells.Size.Bytes(cells.Count(n))
	out := &beside{MB: sign + megabytes(bytes)}
	if k := len(t.Cells.Rates); k == 1 {
		row = 0
	} else if row < 0 || row >= k {
		return out
	}
	if rate := t.Cells.Rates[row]; rate > 0 {
		hundredths := exact.Whole(bytes).Times(800_000_000, int64(rate)).Floor() // of a microsecond
		out.Time = fmt.Sprintf("%s%s.%02d us", sign, unit.Thousands(hundredths/100), hundredths%100)
		if hundredths == 0 && n > 0 {
			out.Time = sign + "<0.01 us"
		}
	}
	return out
}

// megabytes prints bytes in millions, rounded to two places.
func megabytes(b unit.Bytes) string {
	n := (int64(b) + 5_000) / 10_000
	if n == 0 && b > 0 {
		return "<0.01 MB"
	}
	return fmt.Sprintf("%s.%02d MB", unit.Thousands(n/100), n%100)
}

// right tells which columns of a table are set to the right.
func right(t Table) []bool {
	widest := max(len(t.Columns), len(t.Total))
	for _, r := range t.Rows {
		widest = max(widest, len(r))
	}
	out := make([]bool, widest)
	for i := range out {
		out[i] = t.right(i)
	}
	return out
}

// right tells whether a column is set to the right: each of its cells is a number, or is empty.
func (t Table) right(column int) bool {
	some := false
	for _, r := range t.Rows {
		if column >= len(r) {
			return false
		}
		text := r[column]
		if text == "" || text == "-" {
			continue
		}
		some = true
		if strings.Trim(text, "+-0123456789.,:% ") != "" {
			return false
		}
	}
	return some
}

// longText is a text, in characters, from which on a row is a list of its cells on a phone.
const longText = 60

// long tells whether a row of the table can be too wide for a phone because of its texts.
func (t Table) long() bool {
	for _, r := range t.Rows {
		if slices.ContainsFunc(r, func(text string) bool { return utf8.RuneCountInString(text) >= longText }) {
			return true
		}
	}
	return false
}

// label is the name of a column.
func (t Table) label(column int) string {
	if column >= len(t.Columns) {
		return ""
	}
	return t.Columns[column]
}

// Tables is a page without pictures: lines of text, then tables, then lines of text.
type Tables struct {
	Title string // of the page, and its heading
	Tone  string // what the title means to its reader, as Report.Tone: good, if, bad; "": nothing
	Head  []string
	// Picture is above the tables, as SVG; "": none.
	Picture template.HTML
	Tables  []Table
	Foot    []string
}

// Write writes the page.
func (t *Tables) Write(w io.Writer) error {
	return write(w, "tables", t.Title, t)
}

// Switch tells whether a table has cells, which can be shown in other units.
func (t *Tables) Switch() bool {
	return slices.ContainsFunc(t.Tables, func(x Table) bool { return len(x.Cells.Columns) > 0 })
}

// Times says what the times of the tables are; "": they have none.
func (t *Tables) Times() string {
	if slices.ContainsFunc(t.Tables, func(x Table) bool { return len(x.Cells.Rates) > 0 }) {
		return "us: for how long the port sends these cells."
	}
	return ""
}

// block is a part of lines of text: names with their texts, a list, a title or a line.
type block struct {
	Named       []named
	Items       []string
	Title, Text string
}

// named is a text with a name before it: "chip      tomahawk".
type named struct{ Name, Text string }

// blocks finds the parts of lines that are made for a terminal. A line behind an item that begins with blanks goes on
// with it, and one above an item is its title.
func blocks(lines []string) (out []block) {
	for i, line := range lines {
		last := &block{}
		if len(out) > 0 {
			last = &out[len(out)-1]
		}
		item, listed := strings.CutPrefix(line, "- ")
		name, text, wide := strings.Cut(line, "  ")
		text = strings.TrimSpace(text)
		columns := strings.Contains(text, "  ") // of a table that is made of text
		switch {
		case columns:
			out = append(out, block{Text: line})
		case listed && last.Items != nil:
			last.Items = append(last.Items, item)
		case listed:
			out = append(out, block{Items: []string{item}})
		case name == "" && wide && last.Items != nil:
			last.Items[len(last.Items)-1] += "\n" + text
		case name == "" && wide && last.Named != nil:
			last.Named[len(last.Named)-1].Text += "\n" + text
		case name != "" && wide && last.Named != nil:
			last.Named = append(last.Named, named{name, text})
		case name != "" && wide:
			out = append(out, block{Named: []named{{name, text}}})
		case i+1 < len(lines) && strings.HasPrefix(lines[i+1], "- "):
			out = append(out, block{Title: line})
		default:
			out = append(out, block{Text: line})
		}
	}
	return out
}
