package diff

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
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
	var order []change
	first := map[change]buffer.Step{}
	ports := map[change][]string{}
	counts := map[change]int{}
	for _, s := range steps {
		c := change{s.Kind, s.From, s.To}
		if counts[c]++; counts[c] == 1 {
			order = append(order, c)
			first[c] = s
		}
		// A register of the chip has no port, and is shown by its slice.
		where := s.Port
		if where == "" {
			where = fmt.Sprintf("slice %d", s.Index)
		}
		if n := len(ports[c]); n == 0 || ports[c][n-1] != where {
			ports[c] = append(ports[c], where)
		}
	}
	out := cli.Section{Name: name, Title: title, Columns: []string{"phase", "register", "from", "to", "may stop", "count",
		"where"}}
	for _, c := range order {
		// The phase is that of the register and of the direction of its change, which all steps of a row have.
		s := first[c]
		out.Row(s.Phase().String(), c.kind.String(), c.kind.Text(c.from), c.kind.Text(c.to), reach(s).String(),
			cli.Count(counts[c]), buffer.FoldPorts(ports[c]))
	}
	return out
}
