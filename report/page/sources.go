package page

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// sizes lists where every headroom comes from: the terms of each kind of port, with their sources.
func (r *Report) sizes() (out []Table) {
	for _, k := range r.Plan.Sizing.Kinds {
		t := Table{Title: fmt.Sprintf("Class %s at %v over %s: %s cells, %s bytes", k.Class, k.Rate, k.Path(),
			unit.Thousands(k.Cells), unit.Thousands(k.XOFF)), Columns: []string{"term", "bit times", "bytes", "kind", "source"}}
		if t.add(k.Terms, ""); len(t.Rows) > 0 {
			out = append(out, t)
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
			t.Rows = append(t.Rows, []string{cmp.Or(f.Label, f.Key), source})
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
