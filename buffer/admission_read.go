package buffer

import (
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Denied is a port that an admission refused: its place in the intent, and the cells that it lacks.
type Denied struct {
	Index int
	Port  string
	Shortfall
}

// FirstDenied returns the first port that is refused; false if all are admitted. Unlike [Admission.Plan] it looks for
// no remedy.
func (a *Admission) FirstDenied() (Denied, bool) {
	i := a.refused()
	if i < 0 {
		return Denied{}, false
	}
	return Denied{i, a.in.Ports[i].Name, a.ports[i].short}, true
}

// PortCells returns what the i-th port asks for in each of its slices: its reserved cells, and its headroom, whether it
// is its own or from a pool.
func (a *Admission) PortCells(i int) (reserved, headroom cells.Count) {
	d := a.ports[i].demand
	return d.reserved, d.headroom
}

// PoolPart returns the cells of the shared headroom pool in each slice; 0: headroom is dedicated.
func (a *Admission) PoolPart() cells.Count {
	if a.shared == 0 || len(a.part) == 0 {
		return 0
	}
	return slices.Min(a.part)
}

// Denied returns all ports that are refused, in the order of the intent.
func (a *Admission) Denied() (out []Denied) {
	for i := range a.ports {
		if short := a.ports[i].short; !short.Fits() {
			out = append(out, Denied{i, a.in.Ports[i].Name, short})
		}
	}
	return out
}

// WorstHeadroom returns what the lossless groups of the slice with most of them can bring into a shared headroom pool
// when all of them pause at once: of each group the worst case of its link, or its headroom if that is less or if the
// delays of the ends are not known. A pool with fewer cells in a slice can lose packets.
func (a *Admission) WorstHeadroom() cells.Count {
	sums := make([]cells.Count, len(a.pools))
	for _, k := range a.kinds(false) {
		worst := a.worstOf(k.demand)
		for pipe, n := range k.in {
			for _, s := range a.slices[pipe] {
				sums[s] += worst * cells.Count(n)
			}
		}
	}
	return slices.Max(sums)
}

// worstOf sums the worst cases of a port's groups.
func (a *Admission) worstOf(d *demand) (sum cells.Count) {
	for i := range d.groups {
		g := &d.groups[i]
		if !g.Lossless {
			continue
		}
		n := g.Headroom
		w := thresholds.WorstCaseOf(a.in.Sizing, d.kind.link(g.class.frame(d.kind.MTU)), a.in.Memory())
		if w.Known {
			n = min(n, w.Cells)
		}
		sum += n
	}
	return sum
}

// PortGroup is a group that a port asks for, whether the port is admitted or not.
type PortGroup struct {
	Group
	Slices []int                // in which it is charged; Group.Slice is the first of them
	Sized  thresholds.Headroom  // zero for a lossy group; [Admission.Explain] has its terms
	Worst  thresholds.WorstCase // what the link can bring; zero for a lossy group
}

// Explain returns the headroom of a group of the i-th port with its terms and their sources; zero for a lossy group,
// and for one that the port does not have.
func (a *Admission) Explain(i, group int) thresholds.Explanation {
	d := a.ports[i].demand
	for j := range d.groups {
		if g := &d.groups[j]; g.group == group && g.Lossless {
			return a.in.explain(d.kind, g)
		}
	}
	return thresholds.Explanation{}
}

// GroupsOf returns the groups of the i-th port as it asks for them.
func (a *Admission) GroupsOf(i int) (out []PortGroup) {
	e := &a.ports[i]
	charged := slices.Sorted(slices.Values(a.slices[e.pipe]))
	for j := range e.demand.groups {
		g := &e.demand.groups[j]
		row := Group{a.in.Ports[i].Name, g.group, charged[0], new(a.grant(g))}
		p := PortGroup{Group: row, Slices: charged, Sized: *g.sized}
		if g.Lossless {
			p.Worst = thresholds.WorstCaseOf(a.in.Sizing, e.demand.kind.link(g.class.frame(e.demand.kind.MTU)),
				a.in.Memory())
		}
		out = append(out, p)
	}
	return out
}

// PipeOf returns the ingress pipe of the i-th port, the slices that it feeds, and whether the intent gives the pipe.
func (a *Admission) PipeOf(i int) (pipe int, feeds []int, given bool) {
	e := &a.ports[i]
	return e.pipe, slices.Sorted(slices.Values(a.slices[e.pipe])), !e.assumed
}

// MarkingGranted returns a marking threshold as the chip holds it.
func (c *Chip) MarkingGranted(b unit.Bytes) unit.Bytes { return c.Cell.Bytes(c.marking(b)) }
