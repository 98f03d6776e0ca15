package shipped

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// sized prints a size; nothing where there is no such pool, or none of an interval is the likeliest.
func sized(b unit.Bytes) cli.Number {
	if b == 0 {
		return ""
	}
	return cli.Count(b)
}

// Screen lists the pools of a folder, and the sum of the first of them. Columns that no line fills are left out. The
// bounds and the running sizes are columns of the first table where any line has them.
func Screen(doc *report.PoolsDocument) *cli.Screen {
	t := cli.Section{Title: "Pools that a device folder would ship, in bytes", Name: "shipped",
		Columns: []string{"topology", "sum", "roles", "ingress_lossless", "xoff", "ingress_lossy", "egress_lossless",
			"egress_lossy"}}
	items := cli.Section{Title: "The sum of the first line, in bytes", Name: "items",
		Columns: []string{"item", "count", "each", "in all", "source"}}
	// Neither is known before all rows were seen, and a column has to be in all of them.
	allowed, runs := false, false
	for i := range doc.Pools {
		r := &doc.Pools[i]
		allowed, runs = allowed || len(r.Allowed) > 0, runs || r.Running != nil
		// An xoff of 0 is printed, because a pool without shared headroom has it; a size of 0 is no pool.
		t.Row(r.Topology, r.Sum, r.Roles, sized(r.IngressLossless), cli.Count(r.XOFF), sized(r.IngressLossy),
			sized(r.EgressLossless), sized(r.EgressLossy))
		// Only the first line's sum is itemised, and the title of the table says so.
		for _, item := range r.Items {
			if i == 0 {
				items.Row(item.What, cli.Count(item.Count), cli.Count(item.Each), cli.Count(unit.Bytes(item.Count)*item.Each),
					item.Source)
			}
		}
	}
	// A row without an interval has an empty cell.
	bounds := func(of func([]unit.Bytes) unit.Bytes) func(int) cli.Number {
		return func(row int) cli.Number {
			if all := doc.Pools[row].Allowed; len(all) > 0 {
				return cli.Count(of(all))
			}
			return ""
		}
	}
	if allowed {
		t.Beside("at least", bounds(slices.Min[[]unit.Bytes]))
		t.Beside("at most", bounds(slices.Max[[]unit.Bytes]))
	}
	// Running is of the chip, which is one for all rows: either all of them have it or none.
	out := &cli.Screen{Head: []string{fmt.Sprintf("pools of %s: %s, memory %d bytes, %s", doc.Folder, doc.Chip, doc.Memory,
		doc.Ports)}}
	if runs {
		// A folder with two ingress pools is compared with the size of each of two.
		t.Beside("running size", func(row int) cli.Number {
			// Only a folder with two ingress pools has a size here.
			if doc.Pools[row].IngressLossy > 0 {
				return cli.Count(doc.Pools[row].Running.EachOfTwo)
			}
			return cli.Count(doc.Pools[row].Running.Pool)
		})
		t.Beside("running xoff", func(row int) cli.Number { return cli.Count(doc.Pools[row].Running.SharedHeadroom) })
		out.Foot = append(out.Foot,
			"the running size is what the dynamic buffer manager of a switch computes for the same ports")
	}
	out.Sections = append(out.Sections, t)
	if len(items.Rows) > 0 {
		out.Sections = append(out.Sections, items)
	}
	out.Foot = append(out.Foot, doc.Notes...)
	return out
}
