package page

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// sized is the headroom of a kind of port with its terms and their sources.
type sized struct {
	Title string
	Terms Table
}

// sizes lists where every headroom comes from.
func (r *Report) sizes() (out []sized) {
	for _, k := range r.Plan.Sizing.Kinds {
		s := sized{Title: fmt.Sprintf("Class %s at %v over %s: %s cells, %s bytes", k.Class, k.Rate, k.Path(),
			unit.Thousands(k.Cells), unit.Thousands(k.XOFF)),
			Terms: Table{Columns: []string{"term", "bit times", "bytes", "kind", "source"}}}
		s.Terms.add(k.Terms, "")
		if len(s.Terms.Rows) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// add adds rows for terms, and behind each those that it is the sum of.
func (t *Table) add(terms []thresholds.Term, indent string) {
	for _, x := range terms {
		times := "-"
		if x.BitTimes != 0 {
			times = unit.Thousands(x.BitTimes)
		}
		t.Rows = append(t.Rows, []string{indent + x.Name, times, unit.Thousands(x.Bytes), string(x.Kind), x.Source})
		t.add(x.Terms, indent+"\u2003")
	}
}

// chipSources lists where the numbers of a chip come from.
func chipSources(c *buffer.Chip) Table {
	t := Table{Title: "Numbers of " + c.Name, Columns: []string{"number", "source"}}
	for _, f := range buffer.ChipFields() {
		if source := f.Source(c); source != "" && !f.IsZero(c) {
			name := f.Label
			if name == "" {
				name = f.Key
			}
			t.Rows = append(t.Rows, []string{name, source})
		}
	}
	seen := map[string]bool{}
	for i := range c.Slices {
		for _, x := range c.Slices[i].Takes {
			if !seen[x.Item] && x.Source != "" {
				seen[x.Item] = true
				t.Rows = append(t.Rows, []string{"kept by the chip: " + x.Item, x.Source})
			}
		}
	}
	return t
}
