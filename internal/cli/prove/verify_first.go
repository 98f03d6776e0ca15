package prove

import (
	"cmp"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
)

// firstVerify gives the tables of verify a first screen: what each group has and needs, what the headroom pools have
// and need, and what short headroom is enough for. Channels with credits are in no first screen: they are counted and
// not simulated, so nothing in them was proven.
func firstVerify(r *cli.Screen, v *report.Verification, plan *buffer.Plan) *cli.Screen {
	var shown []cli.Section
	for _, s := range r.Sections {
		switch s.TableName() {
		case "groups":
			// The table of the whole report has the frames and the peak as well.
			s = firstGroups(v, plan.Chip.Cell)
		case "channels":
			continue // counted, and as planned
		}
		shown = append(shown, s)
	}
	// It is printed also where the whole report would fit a screen, because it has the columns that a reader needs
	// first.
	return r.Short(shown...)
}

// firstGroups lists what each group has and needs. Needs is the number of cells below which the first frame is lost,
// and margin what is granted beyond that, which is negative where it is less.
func firstGroups(v *report.Verification, cell cells.Size) cli.Section {
	s := cli.Table("groups", "Worst case of a group, in cells", "ports", "groups", "class", "link", "has", "needs",
		"margin", "margin m", "drops")
	for f, ports := range foldVerified(v.Groups).All() {
		g := &f.like
		// The ports of a row have one speed, so their cells have a time.
		amount := func(n cells.Count) cli.Amount { return cli.Amount{Cells: n, Bytes: cell.Bytes(n), Rate: g.Speed} }
		s.Row(buffer.FoldPorts(*ports), f.groups, g.Class, g.Speed.String()+" "+cmp.Or(g.Path, g.Cable.String()),
			amount(g.Granted), amount(g.FirstDropBelow), amount(g.Margin), cli.Count(g.MarginMetres), cli.Count(g.Drops))
	}
	s.MB("has", "MB")
	s.Time("has", "time")
	return s
}
