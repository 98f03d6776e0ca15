package page

import (
	"fmt"
	"io"
)

// HeatMap is the page of a sweep of one or two keys: a table whose cells are coloured by what remains to share, with
// the numbers in them, so that nothing is said by colour alone.
type HeatMap struct {
	Title         string
	Rows, Columns string // names of the keys; Columns is empty of a sweep of one key
	Names, Heads  []string
	Cells         [][]HeatCell // row by row: one for each of Names and Heads
}

// HeatCell is one point of a sweep.
type HeatCell struct {
	Text    string
	Why     string // shown when a reader points at the cell
	Percent int    // of the memory that remains to share; it decides the colour
	Refused bool   // the plan does not fit
	Invalid bool   // the value is not accepted
}

// heatColours is the number of colours from little to share to much: page.css has their classes, heat0 and so on.
const heatColours = 5

// Class is the class of the cell's colour.
func (c HeatCell) Class() string {
	switch {
	case c.Invalid:
		return "invalid"
	case c.Refused:
		return "refused"
	}
	return fmt.Sprintf("heat%d", min(heatColours-1, c.Percent*heatColours/100))
}

// Legend says what the colours mean.
func (h *HeatMap) Legend() (out []entry) {
	for i := range heatColours {
		out = append(out, entry{fmt.Sprintf("heat%d", i), fmt.Sprintf("from %d%%", 100*i/heatColours)})
	}
	return append(out, entry{"refused", "refused"}, entry{"invalid", "not accepted"})
}

// Reasons lists why points are refused, for those who cannot point at a cell.
func (h *HeatMap) Reasons() Table {
	t := Table{Title: "Why points are refused", Columns: []string{h.Rows, h.Columns, "why"}}
	for i, name := range h.Names {
		for k, c := range h.Cells[i] {
			if c.Why != "" {
				t.Rows = append(t.Rows, []string{name, h.Heads[k], c.Why})
			}
		}
	}
	return t
}

// Write writes the page.
func (h *HeatMap) Write(w io.Writer) error { return write(w, "heat", h.Title, h) }
