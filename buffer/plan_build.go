package buffer

import (
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Plan writes down what the admission granted and refused.
func (a *Admission) Plan() *Plan {
	p, _ := a.planUntil(func() error { return nil }, a.clone())
	return p
}

// planUntil is Plan that ends when stop returns an error, and returns that error. The plan keeps own: an admission that
// is equal to a and does not change any more.
func (a *Admission) planUntil(stop func() error, own *Admission) (*Plan, error) {
	x, explained := &seeker{stop: stop}, explanations{}
	order, kinds := a.byName(), a.kinds(false)
	admitted, granted := order, kinds
	if !a.Fits() {
		admitted, granted = a.admitted(order), a.kinds(true)
	}
	p := &Plan{
		Chip:   ChipSummary{a.in.Chip.Name, a.in.Chip.Cell, a.in.Chip.TotalCells(), a.in.Chip.PortOwnsHeadroom()},
		Sizing: a.sizing(kinds, x, explained), Shared: a.sharedHeadroom(kinds),
		Slices: a.SliceBills(), Groups: a.groups(admitted), Channels: a.channels(admitted), Marking: a.in.markings(),
		Egress: a.egress(), Trim: a.trimRows(), Schedules: a.in.Schedules(), Ports: a.placed(order),
		Placements: a.placements(), Bill: a.bill(granted), Refusals: []*Refusal{}, Notes: a.in.chipNotes(), admission: own,
	}
	p.PortCount = len(a.ports)
	for i := range kinds {
		d, n := kinds[i].demand, kinds[i].ports()
		for j := range d.groups {
			if d.groups[j].Lossless {
				p.LosslessGroups += n
			}
		}
		p.ChannelCount += n * len(d.channels)
	}
	consumers := map[int][]Consumer{} // of each slice
	for i := range a.ports {
		if x.err != nil {
			return nil, x.err
		}
		if !a.ports[i].short.Fits() {
			p.Refusals = append(p.Refusals, a.refusal(i, consumers))
		}
	}
	if p.Fits = len(p.Refusals) == 0; !p.Fits {
		ways := x.remedies(a.in)
		for _, r := range p.Refusals {
			r.Remedies = ways
		}
	}
	if x.ended() {
		return nil, x.err
	}
	p.Warnings = a.warnings(p, kinds, explained)
	return p, nil
}

// kindOfPorts is the ports that ask for the same.
type kindOfPorts struct {
	demand *demand
	in     []int // how many there are in each pipe
}

// ports returns how many there are.
func (k *kindOfPorts) ports() (n int) {
	for _, in := range k.in {
		n += in
	}
	return n
}

// kinds counts the ports by what they ask for, in the order in which their kinds appear: all of them, or those that are
// admitted. A switch has many ports and few kinds.
func (a *Admission) kinds(admitted bool) (out []kindOfPorts) {
	at := map[*demand]int{}
	var last kindOfPorts // of the port before
	for i := range a.ports {
		e := &a.ports[i]
		if admitted && !e.short.Fits() {
			continue
		}
		if last.demand != e.demand {
			k, known := at[e.demand]
			if !known {
				k, at[e.demand] = len(out), len(out)
				out = append(out, kindOfPorts{e.demand, make([]int, len(a.slices))})
			}
			last = out[k]
		}
		last.in[e.pipe]++
	}
	return out
}

// byName returns the indices of all ports, sorted by their names.
func (a *Admission) byName() []int {
	out := make([]int, len(a.ports))
	for i := range out {
		out[i] = i
	}
	compare := func(i, j int) int { return ComparePorts(a.in.Ports[i].Name, a.in.Ports[j].Name) }
	if !slices.IsSortedFunc(out, compare) {
		slices.SortFunc(out, compare)
	}
	return out
}

// admitted returns the indices of an order that are of admitted ports.
func (a *Admission) admitted(order []int) []int {
	return slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !a.ports[i].short.Fits() })
}

// groups lists what the groups of admitted ports hold, by port, group, slice. The ports are given in order.
func (a *Admission) groups(admitted []int) []Group {
	n := 0
	for _, i := range admitted {
		n += len(a.ports[i].demand.groups) * len(a.slices[a.ports[i].pipe])
	}
	out := make([]Group, 0, n)
	type place struct { // of ports whose rows differ in their names
		*demand
		pipe int
	}
	known := map[place][]Group{}
	for _, i := range admitted {
		at := place{a.ports[i].demand, a.ports[i].pipe}
		rows := known[at]
		if rows == nil {
			rows = a.rows(at.demand, a.slices[at.pipe])
			known[at] = rows
		}
		out = append(out, rows...)
		own, name := out[len(out)-len(rows):], a.in.Ports[i].Name
		for k := range own {
			own[k].Port = name
		}
	}
	return out
}

// rows says what the groups of a kind of port have in these slices.
func (a *Admission) rows(d *demand, charged []int) []Group {
	if !slices.IsSorted(charged) {
		charged = slices.Sorted(slices.Values(charged))
	}
	grants, out := make([]GroupGrant, len(d.groups)), make([]Group, 0, len(d.groups)*len(charged))
	for i := range grants {
		grants[i] = a.grant(&d.groups[i])
		for _, s := range charged {
			out = append(out, Group{Group: d.groups[i].group, Slice: s, GroupGrant: &grants[i]})
		}
	}
	return out
}

// grant says what a group has in each of its slices.
func (a *Admission) grant(g *groupDemand) GroupGrant {
	cell := a.in.Chip.Cell
	out := GroupGrant{Class: g.class.Name, Lossless: g.Lossless,
		Reserved: g.Reserved, Headroom: g.Headroom, XOFF: g.xoff, XONOffset: g.XONOffset, Limit: g.Limit,
		ReservedAsked: g.reservedBytes, ReservedGranted: cell.Bytes(g.Reserved),
		HeadroomAsked: g.xoff, HeadroomGranted: cell.Bytes(g.Headroom),
		XONOffsetAsked: g.xonOffset, XONOffsetGranted: cell.Bytes(g.XONOffset)}
	if g.Limit.Mode() == thresholds.StaticLimit {
		out.StaticAsked, out.StaticGranted = g.class.StaticLimit/unit.Bytes(len(a.pools)), cell.Bytes(g.Limit.Cells())
	}
	return out
}

// sizing lists the headroom of every class on every kind of port, in the order in which the kinds appear.
func (a *Admission) sizing(kinds []kindOfPorts, x *seeker, known explanations) Sizing {
	s := Sizing{Method: a.in.Sizing.Method(), Kinds: []Sized{}}
	var room [pg.PerPort]*groupDemand
	for i := range kinds {
		if x.ended() {
			break
		}
		d := kinds[i].demand
		for _, g := range d.firstOfClasses(room[:0]) {
			link := d.kind.link(g.class.frame(d.kind.MTU))
			h := known.explanationOf(&a.in, d.kind, g)
			worst := thresholds.WorstCaseOf(a.in.Sizing, link, a.in.Memory())
			s.Kinds = append(s.Kinds, Sized{
				Class: g.class.Name, Link: link, Mix: h.Mix,
				Granted: g.Headroom, Worst: worst, Enough: worst.Judge(g.Headroom, a.in.Chip.Cell),
				Cells: h.Cells, XOFF: h.XOFF, BitTimes: h.BitTimes, Terms: h.Terms,
			})
		}
	}
	for i := range s.Kinds {
		if s.Kinds[i].Mix == s.Kinds[0].Mix {
			s.Mix = s.Kinds[i].Mix
			continue
		}
		s.Mix = thresholds.Mix{}
		break
	}
	return s
}

// firstOfClasses returns one group of each lossless class: all groups of a
// class are sized alike. They are appended to out.
func (d *demand) firstOfClasses(out []*groupDemand) []*groupDemand {
	for i := range d.groups {
		g := &d.groups[i]
		if g.Lossless && !slices.ContainsFunc(out, func(o *groupDemand) bool { return o.class == g.class }) {
			out = append(out, g)
		}
	}
	return out
}

// headroomOfPort is the [Chip.HeadroomRule] of chips whose ports own the headroom of their groups.
const headroomOfPort = "port"

// PortOwnsHeadroom tells whether a port owns the headroom of its groups, as long as they share no pool of headroom.
func (c *Chip) PortOwnsHeadroom() bool { return c.HeadroomRule == headroomOfPort }

// chipNotes are the notes that are the same for every plan of the chip with such a pool. Where a port owns headroom,
// the first says what that means: the sum of a port's groups is the same, and who may take it is not.
func (in *Intent) chipNotes() []string {
	c := &in.Chip
	notes := append(c.notChecked(), c.Notes...)
	if !c.PortOwnsHeadroom() || in.Pool.SharesHeadroom() {
		return notes
	}
	return append([]string{"headroom belongs to the port, as much as its groups have together: a group whose sender " +
		"does not stop can take all of it, and then the other groups of the port drop without a pause (" +
		c.Sources.HeadroomRule + ")"}, notes...)
}

// SharedHeadroom weighs the headroom of all groups asked for against the shared headroom pool; nil without one.
func (a *Admission) SharedHeadroom() *SharedRatio { return a.sharedHeadroom(a.kinds(false)) }

func (a *Admission) sharedHeadroom(kinds []kindOfPorts) *SharedRatio {
	if a.shared == 0 {
		return nil
	}
	r := &SharedRatio{}
	in := make([]cells.Count, len(a.pools))
	for _, k := range kinds {
		r.GroupCells += k.demand.headroom * cells.Count(k.ports())
		for i := range k.demand.groups {
			r.Largest = max(r.Largest, k.demand.groups[i].Headroom)
		}
		for pipe, n := range k.in {
			for _, s := range a.slices[pipe] {
				in[s] += k.demand.headroom * cells.Count(n)
			}
		}
	}
	for s, part := range a.part {
		r.PoolCells += part
		if here := (Ratio{in[s], part}); s == 0 || here.Of*r.Worst.To > r.Worst.Of*here.To {
			r.Worst, r.WorstSlice = here, s
		}
	}
	r.Ratio = Ratio{r.GroupCells, r.PoolCells}
	if r.Largest > 0 {
		r.AtOnce = a.part[r.WorstSlice] / r.Largest
	}
	return r
}
