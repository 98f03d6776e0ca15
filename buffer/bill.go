package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// SliceBill is where the cells of one slice are; the parts sum to the total.
type SliceBill struct {
	Index    int
	Total    cells.Count
	Chip     cells.Count // kept by the chip itself
	Reserved cells.Count
	Headroom cells.Count
	Shared   cells.Count
	Unused   cells.Count // beyond the configured pool
}

// BillRow is one item of the bill of cells: Count times Each is Cells.
type BillRow struct {
	Item  string
	Count int
	Each  cells.Count
	Cells cells.Count
}

func (a *Admission) sliceBills() []SliceBill {
	out := make([]SliceBill, len(a.pools))
	for i := range a.pools {
		p := &a.pools[i]
		out[i] = SliceBill{i, p.Total, p.Chip, p.Reserved(), p.Headroom(), p.Shared(), p.Unused()}
	}
	return out
}

// bill accounts for every cell of the chip. A group that is charged in two
// slices counts twice.
func (a *Admission) bill() []BillRow {
	b := bill{}
	for i := range a.in.Chip.Slices {
		for _, t := range a.in.Chip.Slices[i].Takes {
			b.add("chip: "+t.Item, 1, t.Cells)
		}
	}
	for _, c := range a.charges() {
		n := 0
		for _, in := range c.in {
			n += in
		}
		b.add(c.item, n, c.each)
	}
	for i := range a.pools {
		if a.shared > 0 {
			b.add("shared headroom pool", 1, a.pools[i].Headroom())
		}
	}
	for i := range a.pools {
		b.add("shared", 1, a.pools[i].Shared())
	}
	for i := range a.pools {
		b.add("unused", 1, a.pools[i].Unused())
	}
	return b
}

type bill []BillRow

// add books count items of each cells, on the row of the same item and size if
// there is one; nothing is no row.
func (b *bill) add(item string, count int, each cells.Count) {
	if each == 0 || count == 0 {
		return
	}
	k := slices.IndexFunc(*b, func(r BillRow) bool { return r.Item == item && r.Each == each })
	if k < 0 {
		k = len(*b)
		*b = append(*b, BillRow{Item: item, Each: each})
	}
	(*b)[k].Count += count
	(*b)[k].Cells += each * cells.Count(count)
}

// warnings says what whoever decides on the plan has to know beside its
// numbers: what is inferred, assumed, oversubscribed or at its end.
func (a *Admission) warnings(p *Plan) []string {
	out := []string{}
	warn := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if s := p.Shared; s != nil && s.GroupCells > s.PoolCells && s.PoolCells > 0 {
		warn(fmt.Sprintf("shared headroom oversubscribed %v over the chip (%d cells of headroom for all groups, %d in the pool); %v in slice %d, where %d groups of %d cells can be full at once",
			s.Ratio, s.GroupCells, s.PoolCells, s.Worst, s.WorstSlice, s.AtOnce, s.Largest))
	}
	for _, s := range p.Slices {
		if s.Shared == 0 && p.Fits {
			warn(fmt.Sprintf("slice %d has no shared cells: every group pauses or drops as soon as its reserved cells are used", s.Index))
		}
	}
	for _, e := range a.ports {
		for _, g := range e.demand.firstOfClasses() {
			for _, w := range g.sized.Warnings {
				warn(fmt.Sprintf("headroom at %v: %s", e.demand.kind.rate, w))
			}
			a.warnReserved(g, warn)
			a.warnRounding(g, warn)
		}
	}
	a.warnLimit(p, warn)
	a.warnPipes(warn)
	a.warnParts(warn)
	for _, note := range a.in.Chip.Notes {
		warn(a.in.Chip.Name + ": " + note)
	}
	return out
}

// warnReserved compares a class's PG-min with what its headroom table has.
func (a *Admission) warnReserved(g *groupDemand, warn func(string)) {
	row := g.sized.Profile
	if !row.Stated {
		return
	}
	if !a.in.Pool.SharesHeadroom() && row.Size >= row.XOFF && row.XON > row.Size {
		warn(fmt.Sprintf("the headroom table's row of line %d resumes at %v, above its size of %v", row.Line, row.XON, row.Size))
	}
	if reserve := a.in.profileReserve(row); g.class.Reserved != 0 && reserve != g.class.Reserved {
		warn(fmt.Sprintf("class %s reserves %v, the headroom table %v: the class's is used", g.class.Name, g.class.Reserved, reserve))
	}
	if g.class.StaticLimit > 0 {
		warn(fmt.Sprintf("class %s has a static limit of %v, the headroom table alpha %v: the class's is used", g.class.Name, g.class.StaticLimit, row.Alpha))
	}
	if g.class.Alpha != nil && *g.class.Alpha != row.Alpha {
		warn(fmt.Sprintf("class %s has alpha %v, the headroom table %v: the class's is used", g.class.Name, g.class.Alpha, row.Alpha))
	}
}

// warnLimit says which cells no pool can have, because the rest of the memory
// is more than the chip can give one pool.
func (a *Admission) warnLimit(p *Plan, warn func(string)) {
	most := a.in.Chip.MaxPool
	if a.in.Pool.Size > 0 || most == 0 || !a.blocked.Fits() {
		return
	}
	var unused cells.Count
	in := 0
	for _, s := range p.Slices {
		if s.Unused > 0 {
			unused, in = unused+s.Unused, in+1
		}
	}
	if in > 0 {
		warn(fmt.Sprintf("%s gives one pool at most %d cells of a slice: %d cells in %d of %d slices stay unused", a.in.Chip.Name, most, unused, in, len(p.Slices)))
	}
}

// warnPipes says that the slices of ports were assumed.
func (a *Admission) warnPipes(warn func(string)) {
	if a.in.Chip.PipeCount() > 1 && slices.ContainsFunc(a.ports, func(e entry) bool { return e.assumed }) {
		warn(fmt.Sprintf("which pipe a port belongs to is inferred: ports take the %d pipes in turn; give pipe for each port to say so", a.in.Chip.PipeCount()))
	}
}

// warnParts says which cells of the configured sizes no slice got.
func (a *Admission) warnParts(warn func(string)) {
	n := cells.Count(len(a.pools))
	for _, s := range []struct {
		key  string
		size unit.Bytes
	}{{"pool.size", a.in.Pool.Size}, {"pool.shared_headroom", a.shared}} {
		if got := a.in.Chip.Cell.Bytes(a.in.Chip.Cell.Within(s.size) / n * n); got != s.size {
			warn(fmt.Sprintf("%s %v is not a whole number of cells in each of %d slices; %v are used", s.key, s.size, n, got))
		}
	}
}
