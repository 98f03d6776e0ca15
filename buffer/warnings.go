package buffer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// warnings lists what the operator has to know beside the numbers of the plan:
// what is inferred, assumed, oversubscribed or used up.
func (a *Admission) warnings(p *Plan, kinds []kindOfPorts, x explanations) []string {
	out := make([]string, 0, 8)
	var room [pg.PerPort]*groupDemand
	warn := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if s := p.Shared; s != nil && s.Worst.Of > s.Worst.To && s.PoolCells > 0 {
		warn(fmt.Sprintf("shared headroom oversubscribed %v over the chip (%d cells of headroom for all groups, "+
			"%d in the pool); %v in slice %d, where %d groups of %d cells can be full at once",
			s.Ratio, s.GroupCells, s.PoolCells, s.Worst, s.WorstSlice, s.AtOnce, s.Largest))
	}
	for _, s := range p.Slices {
		if s.Shared == 0 && p.Fits {
			warn(fmt.Sprintf("slice %d has no shared cells: every group pauses or drops "+
				"as soon as its reserved cells are used", s.Index))
		}
	}
	if p.Fits {
		for _, m := range p.MarksFirst() {
			if text := m.String(); text != "" {
				warn(text)
			}
		}
	}
	for i := range kinds {
		d := kinds[i].demand
		a.noteMeasured(d, warn)
		a.warnQueueDepth(d, warn)
		for _, g := range d.firstOfClasses(room[:0]) {
			for _, w := range x.explanationOf(&a.in, d.kind, g).Warnings {
				warn(fmt.Sprintf("headroom at %v: %s", d.kind.Rate, w))
			}
			a.warnReserved(g, warn)
			a.warnRounding(g, warn)
		}
	}
	a.warnCredits(kinds, warn)
	p.warnEgress(warn)
	a.warnTrimming(p, warn)
	a.warnLimit(p, warn)
	a.warnDeep(warn)
	a.warnPlacement(p, warn)
	a.warnParts(warn)
	a.warnNoClass(warn)
	a.warnFrames(warn)
	a.warnPFC(warn)
	return out
}

// warnPFC says which ports have PFC without headroom.
func (a *Admission) warnPFC(warn func(string)) {
	var ports map[uint8][]string
	for i := range a.in.Ports {
		if p := &a.in.Ports[i]; p.PFCWithoutHeadroom != 0 {
			if ports == nil {
				ports = map[uint8][]string{}
			}
			ports[p.PFCWithoutHeadroom] = append(ports[p.PFCWithoutHeadroom], p.Name)
		}
	}
	if ports == nil {
		return
	}
	for _, set := range slices.Sorted(maps.Keys(ports)) {
		warn(fmt.Sprintf("%s: PFC without headroom for priority %s: the port stops sending while it is paused, and what it "+
			"receives is lossy", FoldPorts(ports[set]), priorityText(set)))
	}
}

// WithoutHeadroom lists the priorities of PFCWithoutHeadroom.
func (p *Port) WithoutHeadroom() []int { return priorityList(p.PFCWithoutHeadroom) }

// priorityText writes a set of priorities.
func priorityText(set uint8) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(priorityList(set)), " ", ", "), "[]")
}

// lossless returns a bit for each priority that is lossless on a port by pauses.
func (in *Intent) lossless(p *Port) (set uint8) {
	for i := range in.Classes {
		if c := &in.Classes[i]; c.Lossless && p.Classes.Has(i) {
			for _, n := range c.Priorities {
				if n >= 0 && n < pg.PerPort {
					set |= 1 << n
				}
			}
		}
	}
	return set
}

// priorityList lists the priorities of a set.
func priorityList(set uint8) (out []int) {
	for n := range pg.PerPort {
		if set>>n&1 == 1 {
			out = append(out, n)
		}
	}
	return out
}

// warnFrames says where the MTU of a port bounds the frames of a lossless class. A switch accepts that: its
// configuration has one longest lossless frame, and each port has an MTU.
func (a *Admission) warnFrames(warn func(string)) {
	for i := range a.in.Classes {
		c := &a.in.Classes[i]
		if c.MTU == 0 || !c.ownGroups() {
			continue
		}
		var names []string
		shortest := c.MTU
		for j := range a.in.Ports {
			if p := &a.in.Ports[j]; p.Classes.Has(i) && p.MTU < c.MTU {
				names, shortest = append(names, p.Name), min(shortest, p.MTU)
			}
		}
		if names != nil {
			warn(fmt.Sprintf("class %s: its mtu of %v is above that of %s: its frames there have at most the port's MTU, "+
				"%v, and the headroom is for these", c.Name, c.MTU, FoldPorts(names), shortest))
		}
	}
}

// noteMeasured says which headroom rests on a measurement, how many cells of it are there for the uncertainty, and
// whether the length of the cable speaks against the measurement.
func (a *Admission) noteMeasured(d *demand, warn func(string)) {
	k := d.kind
	if !k.Measured.IsGiven() {
		return
	}
	var room [pg.PerPort]*groupDemand
	for _, g := range d.firstOfClasses(room[:0]) {
		if !g.class.Lossless {
			continue
		}
		link := k.link(g.class.frame(k.MTU))
		exactly := link
		exactly.Measured, exactly.Delay = k.Measured.Exactly(), unit.Given(k.Measured.Exactly().OneWay())
		h, err1 := a.in.Sizing.Size(link, a.in.Memory())
		less, err2 := a.in.Sizing.Size(exactly, a.in.Memory())
		if err1 == nil && err2 == nil {
			warn(fmt.Sprintf("headroom at %v of class %s rests on a measurement: %v; %d cells for each group, %d of them "+
				"for the uncertainty", k.Rate, g.class.Name, k.Measured, h.Cells, h.Cells-less.Cells))
		}
	}
	if _, doubtful := k.Measured.Against(k.Cable, k.Medium); doubtful != "" {
		warn(fmt.Sprintf("headroom at %v: %s", k.Rate, doubtful))
	}
}

// warnNoClass says which priorities no class of a port has, in a line for all ports that lack the same ones. The plan
// has no group and no queue for their packets: where they are counted is the device's choice.
func (a *Admission) warnNoClass(warn func(string)) {
	var ports grouped.By[pfc.Priorities, []string]
	missing := pfc.All
	for i := range a.in.Ports {
		p := &a.in.Ports[i]
		if i == 0 || p.Classes != a.in.Ports[i-1].Classes {
			missing = pfc.All
			for j := range a.in.Classes {
				if p.Classes.Has(j) {
					missing &^= pfc.Of(a.in.Classes[j].Priorities...)
				}
			}
		}
		if missing != 0 {
			names := ports.Of(missing)
			*names = append(*names, p.Name)
		}
	}
	for missing, names := range ports.All() {
		where := "of any port"
		if len(*names) < len(a.in.Ports) {
			where = "of " + FoldPorts(*names)
		}
		text := "priorities %v are in no class %s: the plan has no group and no queue for their packets"
		if missing&(missing-1) == 0 {
			text = "priority %v is in no class %s: the plan has no group and no queue for its packets"
		}
		warn(fmt.Sprintf(text, missing, where))
	}
}

// warnReserved compares a class's PG-min with what its headroom table has.
func (a *Admission) warnReserved(g *groupDemand, warn func(string)) {
	row := g.sized.Profile
	if !row.Stated {
		return
	}
	if !a.in.Pool.SharesHeadroom() && row.Size >= row.XOFF && row.XON > row.Size {
		warn(fmt.Sprintf("the headroom table's row of line %d resumes at %v, above its size of %v", row.Line, row.XON,
			row.Size))
	}
	own, given := g.class.Reserved.Get()
	if reserve := a.in.profileReserve(row); given && reserve != own {
		warn(fmt.Sprintf("class %s reserves %v, the headroom table %v: the class's is used", g.class.Name,
			own, reserve))
	}
	if g.class.StaticLimit > 0 {
		warn(fmt.Sprintf("class %s has a static limit of %v, the headroom table alpha %v: the class's is used",
			g.class.Name, g.class.StaticLimit, row.Alpha))
	}
	if g.class.Alpha != nil && *g.class.Alpha != row.Alpha {
		warn(fmt.Sprintf("class %s has alpha %v, the headroom table %v: the class's is used", g.class.Name,
			g.class.Alpha, row.Alpha))
	}
}

// warnLimit says which cells no pool can have, because the rest of the memory is more than the chip can give one pool.
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
		warn(fmt.Sprintf("%s gives one pool at most %d cells of a slice: %d cells in %d of %d slices stay unused",
			a.in.Chip.Name, most, unused, in, len(p.Slices)))
	}
}

// warnPlacement says that the pipes of ports were assumed, where that decides which ports fit.
func (a *Admission) warnPlacement(p *Plan, warn func(string)) {
	if !p.Assumed() {
		return
	}
	best, worst := p.BestPlacement(), p.WorstPlacement()
	if best.Fits == worst.Fits {
		return
	}
	warn(fmt.Sprintf("which ports fit depends on their pipes, and that they take the %d pipes in turn is inferred: %d "+
		"of %d fit; %s %d, %s %d; give pipe for each port", a.in.Chip.PipeCount(), p.Placements[0].Fits,
		len(a.ports), best.Name, best.Fits, worst.Name, worst.Fits))
}

// warnParts says which cells of the configured sizes no slice got.
func (a *Admission) warnParts(warn func(string)) {
	n := cells.Count(len(a.pools))
	for _, s := range []struct {
		key  string
		size unit.Bytes
	}{{"pool.size", a.in.Pool.Size}, {"pool.shared_headroom", a.shared}} {
		if got := a.in.Chip.Cell.Bytes(a.in.Chip.Cell.Within(s.size) / n * n); got != s.size {
			warn(s.key + " " + s.size.String() + " is not a whole number of cells in each of " +
				strconv.FormatInt(int64(n), 10) + " slices; " + got.String() + " are used")
		}
	}
}

// warnRounding says where the chip itself, beside its cells, grants a group something else.
func (a *Admission) warnRounding(g *groupDemand, warn func(string)) {
	c := &a.in.Chip
	if n := c.Cell.Holding(g.xonOffset); g.XONOffset != n {
		warn(fmt.Sprintf("class %s: an XON offset of %d cells becomes %d: %s holds multiples of %d; "+
			"that it rounds up is inferred", g.class.Name, n, g.XONOffset, c.Name, c.Rounding.ResumeOffset))
	}
	if g.Headroom != g.sized.Cells {
		warn(fmt.Sprintf("class %s: a headroom of %d cells becomes %d: %s holds %d bits of it", g.class.Name,
			g.sized.Cells, g.Headroom, c.Name, c.Rounding.HeadroomMantissa))
	}
}
