package calibrate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/unit"
)

// parameters returns everything that an outcome tells of cells, pool and groups, in a fixed order.
func (q *problem) parameters(o *outcome, contradictions []Contradiction) (out []Parameter) {
	dropped := map[string]bool{}
	for _, c := range contradictions {
		dropped[c.What] = c.Assumption
	}
	assumed := func(names ...string) []string { return q.assumedBut(dropped, names...) }
	pool := slices.Concat(q.basis(XOFF), q.basis(Drop), q.basis(SharedMark))
	for i := range q.m.Points {
		pool = append(pool, q.m.Points[i].From)
	}
	slices.Sort(pool)
	pool = slices.Compact(pool)
	all := o.pool()
	if o.values == nil { // nothing, or nothing that agrees
		for _, name := range []string{Shared, ReservedCells, DynamicTh, LimitRule, XOFFRule, XONRule, LeakOut,
			HeadroomPool} {
			all = append(all, Parameter{Name: name, Is: known[name]})
		}
	}
	for _, p := range all {
		p.Assumed = assumed(p.Name)
		switch p.Name {
		case Cell, Overhead:
			p = q.storageParameter(p, o, p.Assumed)
		case HeadroomPool:
			p.Basis = q.basis(Drop)
			p.Assumed = append(p.Assumed, assumed(Cell)...)
		case XONRule:
			p.Basis = q.basis(XONBelow)
			p.Known = o.values != nil && p.Is.IsPoint() && (len(p.Basis) > 0 || len(p.Assumed) > 0)
		default:
			p.Basis = pool
			p.Assumed = append(p.Assumed, assumed(LeakOut, Cell)...)
			slices.Sort(p.Assumed)
			p.Assumed = slices.Compact(p.Assumed)
			p.Known = o.tells(&p, q.assumed.has(p.Name))
		}
		if !p.Known {
			p.Basis, p.Assumed = nil, nil
			if r, ok := known[p.Name]; ok && p.Name != DynamicTh && p.Values == nil {
				p.Is = r
			}
		}
		out = append(out, p)
	}
	alone := assumed(Cell)
	if !q.manyGroups() {
		alone = append(alone, "assumed: the shared headroom pool is not smaller than the headroom of one group")
	}
	out = append(out, byProfile(HeadroomCells, o.headrooms, q.basis(Drop), alone)...)
	return append(out, byProfile(XONOffset, o.offsets, q.basis(XONBelow), assumed(Cell, XONRule))...)
}

// tells says whether the outcome narrows a parameter of the pool.
func (o *outcome) tells(p *Parameter, assumed bool) bool {
	if o.values == nil {
		return false
	}
	switch p.Name {
	case LeakOut:
		return o.filled && (assumed || p.Is.Lo > 0 || p.Is.Hi < o.bound())
	case LimitRule, XOFFRule:
		return p.Is.IsPoint()
	case DynamicTh:
		return assumed || p.Is != known[DynamicTh]
	case ReservedCells:
		return assumed || p.Is.Lo > 0 || p.Is.Hi < o.bound()
	}
	return p.Is.Hi < mostCells || p.Is.Lo > 0
}

// bound is the number of cells that the measured groups took at least: reserved cells up to this many are excluded by
// nothing, so that an interval which reaches it says nothing.
func (o *outcome) bound() int64 {
	var most int64
	for i := range o.candidates {
		most = max(most, o.candidates[i].Numbers[rules.Reserved])
	}
	if o.box.Lo[rules.Shared] == 0 { // all cells may be reserved ones
		return most
	}
	return NoBound
}

// storageParameter finishes cell and overhead.
func (q *problem) storageParameter(p Parameter, o *outcome, assumed []string) Parameter {
	for _, s := range q.m.sizes() {
		p.Basis = append(p.Basis, s.from)
	}
	slices.Sort(p.Basis)
	p.Basis = slices.Compact(p.Basis)
	whole := Range{leastCell, mostCell}
	if p.Name == Overhead {
		whole = Range{0, mostOverhead}
	}
	oneCell := q.oneCell() || p.Is.Lo > p.Is.Hi || o.cell == Range{}
	p.Known = !oneCell && (len(assumed) > 0 || p.Is != whole)
	if oneCell {
		p.Is, p.Values = whole, nil
	}
	return p
}

// byProfile returns a parameter for each profile, or one that is not known.
func byProfile(name string, all map[string]Range, basis, assumed []string) (out []Parameter) {
	for _, profile := range slices.Sorted(maps.Keys(all)) {
		out = append(out, Parameter{Name: name, Of: profile, Is: all[profile], Known: true, Basis: basis,
			Assumed: assumed})
	}
	if out == nil {
		out = []Parameter{{Name: name, Is: Range{0, mostCells}}}
	}
	return out
}

// basis returns the fills that have readings of a quantity.
func (q *problem) basis(what Quantity) (out []string) {
	for i := range q.m.Fills {
		f := &q.m.Fills[i]
		if slices.ContainsFunc(f.Readings, func(r FillReading) bool { return r.What == what }) {
			out = append(out, f.From)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// links adds what the links tell.
func (q *problem) links(r *Result) {
	propagation, ok := q.assumed.rangeOf(Propagation, Range{})
	found, agrees := linkDelays(q.m.Links, propagation)
	if !ok || len(q.m.Links) > 0 && !agrees {
		r.Agrees = false
		r.Contradictions = append(r.Contradictions, q.resolveLinks()...)
	}
	if !ok || !agrees || len(q.m.Links) == 0 {
		r.Parameters = append(r.Parameters, Parameter{Name: Propagation, Is: known[Propagation]},
			Parameter{Name: delaysName, Is: known[Response]})
		return
	}
	whole := found[0].propagation == known[Propagation]
	r.Parameters = append(r.Parameters, Parameter{Name: Propagation, Is: found[0].propagation, Known: !whole,
		Assumed: q.assumedTexts(Propagation)})
	for _, d := range found {
		of := d.rate.String()
		p := Parameter{Name: delaysName, Of: of, Is: d.delay, Known: d.delay != Range{0, NoBound}, Basis: d.from,
			Assumed: append(q.assumedTexts(Propagation), "the sender was at full rate")}
		r.Parameters = append(r.Parameters, p)
		q.split(r, p, Response, Interfaces)
		q.split(r, p, Interfaces, Response)
	}
}

// split adds one part of a delay, if the other part is assumed.
func (q *problem) split(r *Result, p Parameter, name, other string) {
	if !q.assumed.has(other) {
		return
	}
	is, ok := q.assumed.rangeOf(other, Range{})
	if !ok {
		return
	}
	whole := unit.Time(p.Is.Hi)
	p.Name = name
	p.Is = Range{max(p.Is.Lo-is.Hi, 0), p.Is.Hi}
	if p.Is.Hi != NoBound {
		p.Is.Hi -= is.Lo
	}
	p.Assumed = append(q.assumedTexts(other), p.Assumed...)
	if p.Is.Hi < 0 {
		r.Agrees = false
		for _, a := range q.assumed {
			if a.Parameter == other {
				r.Contradictions = append(r.Contradictions, Contradiction{What: a.String(), Assumption: true,
					Shows: fmt.Sprintf("at most %v in all at %s", whole, p.Of)})
			}
		}
		return
	}
	r.Parameters = append(r.Parameters, p)
}

// resolveLinks looks for the assumption, or else for single links, without which the others agree.
func (q *problem) resolveLinks() (out []Contradiction) {
	if found, ok := linkDelays(q.m.Links, known[Propagation]); ok && q.assumed.has(Propagation) {
		p := Parameter{Name: Propagation, Is: found[0].propagation}
		return []Contradiction{{What: q.assumedTexts(Propagation)[0], Assumption: true, Shows: p.Value()}}
	}
	propagation, _ := q.assumed.rangeOf(Propagation, Range{})
	for i := range q.m.Links {
		if _, ok := linkDelays(slices.Delete(slices.Clone(q.m.Links), i, i+1), propagation); ok {
			out = append(out, Contradiction{What: q.m.Links[i].From})
		}
	}
	if out == nil {
		out = []Contradiction{{}}
	}
	return out
}

// assumedTexts returns the assumptions about a parameter.
func (q *problem) assumedTexts(name string) []string { return q.assumedBut(nil, name) }

// assumedBut returns the assumptions about some parameters without those that were dropped.
func (q *problem) assumedBut(dropped map[string]bool, names ...string) (out []string) {
	for _, a := range q.assumed {
		switch {
		case !slices.Contains(names, a.Parameter) || dropped[a.String()]:
		case a.Source == oneCell:
			out = append(out, oneCell)
		default:
			out = append(out, a.String())
		}
	}
	return out
}
