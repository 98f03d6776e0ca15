package page

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
	n, err := strconv.ParseInt(strings.ReplaceAll(texts[column], ",", ""), 10, 64)
	if err != nil || n < 0 || n > int64(1)<<50 {
		return nil // "unknown"
	}
	bytes := t.Cells.Size.Bytes(cells.Count(n))
	out := &beside{MB: megabytes(bytes)}
	if k := len(t.Cells.Rates); k == 1 {
		row = 0
	} else if row < 0 || row >= k {
		return out
	}
	if rate := t.Cells.Rates[row]; rate > 0 {
		hundredths := exact.Whole(bytes).Times(800_000_000, int64(rate)).Floor() // of a microsecond
		out.Time = fmt.Sprintf("%s.%02d us", unit.Thousands(hundredths/100), hundredths%100)
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
