package page

import (
	"io"
	"strings"
)

// Table is a table of a page. Columns whose cells are all numbers are set to the right.
type Table struct {
	Title   string
	Text    string // under the title
	Columns []string
	Rows    [][]string
	Total   []string // the last row, set apart; nil: none
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
		if strings.Trim(text, "-0123456789.,:% ") != "" {
			return false
		}
	}
	return some
}

// Tables is a page without pictures: lines of text, then tables, then lines of text.
type Tables struct {
	Title  string // of the page, and its heading
	Head   []string
	Tables []Table
	Foot   []string
}

// Write writes the page.
func (t *Tables) Write(w io.Writer) error {
	return write(w, "tables", t.Title, t)
}
