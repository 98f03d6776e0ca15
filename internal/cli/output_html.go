package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/report/page"
)

// writeHTML prints the report as a whole page: the first line as its title and
// heading, the other lines as paragraphs. It looks as the pages with pictures do. The tones are by mood: none, good,
// if and bad are classes of the page's style sheet.
func (r *Screen) writeHTML(w io.Writer) error {
	p := page.Tables{Title: "cellwarden", Tone: []string{"", "good", "if", "bad"}[r.Mood], Foot: withText(r.Foot),
		Tables: PageTables(r.Sections), Picture: r.Picture}
	if len(r.Head) > 0 {
		p.Title, p.Head = fielderr.Escape(r.Head[0], true), withText(r.Head[1:])
	}
	return p.Write(w)
}

// withText returns the lines that are not empty: these separate nothing on a page.
func withText(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, fielderr.Escape(l, true))
		}
	}
	return out
}

// PageTables are the tables of a report as tables of a page. Verbs with pages of their own, such as plan, put these
// below their pictures.
func PageTables(sections []Section) []page.Table {
	out := make([]page.Table, len(sections))
	for i := range sections {
		s := &sections[i]
		out[i] = page.Table{Title: s.Title, Columns: s.Columns, Total: cellTexts(s.Total)}
		for _, row := range s.Rows {
			out[i].Rows = append(out[i].Rows, cellTexts(row))
		}
		s.cells(&out[i])
	}
	return out
}

// cells tells the table of a page which columns are amounts, if all of them have cells of one size: the page shows them
// in other units too. Amounts that were printed in a unit are none. Rates are bit/s of each row's port, by which the
// page shows times; 0 in all rows: the page has no times.
func (s *Section) cells(t *page.Table) {
	for row, values := range s.Rows {
		t.Cells.Rates = append(t.Cells.Rates, 0)
		for column, v := range values {
			a, is := v.(Amount)
			if !is || a.Cells == 0 {
				continue
			}
			size := cells.Size(int64(a.Bytes) / int64(a.Cells))
			if t.Cells.Size != 0 && t.Cells.Size != size {
				t.Cells.Columns, t.Cells.Rates = nil, nil
				return
			}
			t.Cells.Size, t.Cells.Rates[row] = size, a.Rate
			if !slices.Contains(t.Cells.Columns, column) {
				t.Cells.Columns = append(t.Cells.Columns, column)
			}
		}
	}
	if slices.Max(append(t.Cells.Rates, 0)) == 0 {
		t.Cells.Rates = nil
	}
}

// cellTexts prints the cells of a row; nil for no row. Characters that do not print are escaped here, and those of
// HTML by the page.
func cellTexts(row []any) (out []string) {
	for _, cell := range row {
		out = append(out, fielderr.Escape(fmt.Sprint(cell), true))
	}
	return out
}
