package diff

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// StepSection lists steps. Equal steps of several ports share a row, because a plan
// changes many ports in the same way. reach says how much traffic a step may stop on the device that gets it, and the
// columns from and to are texts of the register's kind: cells, exponents, weights.
func StepSection(name, title string, steps []buffer.Step, reach func(buffer.Step) buffer.Disruption) cli.Section {
	// The number of the group or queue is not in it, so the groups of a port with one change are one row, and count
	// says how many they are.
	type change struct {
		kind     buffer.Kind
		from, to int64
	}
	type row struct {
		first buffer.Step
		where []string
		count int
	}
	var rows grouped.By[change, row]
	for _, s := range steps {
		r := rows.Of(change{s.Kind, s.From, s.To})
		if r.count++; r.count == 1 {
			r.first = s
		}
		// A register of the chip has no port, and is shown by its slice.
		where := s.Port
		if where == "" {
			where = fmt.Sprintf("slice %d", s.Index)
		}
		if n := len(r.where); n == 0 || r.where[n-1] != where {
			r.where = append(r.where, where)
		}
	}
	out := cli.Section{Name: name, Title: title, Columns: []string{"phase", "register", "from", "to", "may stop", "count",
		"where"}}
	for c, r := range rows.All() {
		// The phase is that of the register and of the direction of its change, which all steps of a row have.
		out.Row(r.first.Phase().String(), c.kind.String(), c.kind.Text(c.from), c.kind.Text(c.to), reach(r.first).String(),
			cli.Count(r.count), buffer.FoldPorts(r.where))
	}
	return out
}
