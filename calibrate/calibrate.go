package calibrate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Calibrate returns what measurements say of a switch, with what is assumed. Where nothing is said of packets that leak
// out, it assumes that none do; where nothing tells about cells, that the shortest packet takes one cell, if it has at
// most 64 bytes. It refuses what Validate refuses.
func Calibrate(m Measurements, assumed []Assumption) (Result, error) {
	var bad fielderr.List
	bad.Join(m.Validate())
	for i := range assumed {
		assumed[i].validate(fmt.Sprintf("assumptions[%d]", i), &bad)
	}
	if err := bad.Err(); err != nil {
		return Result{}, err
	}
	q := &problem{m: &m, assumed: withDefaults(&m, assumed)}
	out := q.solve()
	r := Result{Agrees: out.ok, problem: q}
	if !out.ok {
		r.Contradictions, out = q.resolve()
	}
	r.candidates = out.candidates
	r.Parameters = q.parameters(&out, r.Contradictions)
	if r.Agrees {
		q.confirm(&r)
	}
	q.links(&r)
	return r, nil
}

// confirm tells apart what was measured and what was only assumed: a parameter is measured if it comes out the same
// without the assumptions about it.
func (q *problem) confirm(r *Result) {
	for i := range r.Parameters {
		p := &r.Parameters[i]
		own := func(a Assumption) bool { return a.Parameter == p.Name }
		first := slices.IndexFunc(q.assumed, own)
		if !p.Known || len(p.Basis) == 0 || first < 0 {
			continue
		}
		if q.assumed[first].Source == assumedSource { // nothing contradicts it: that is all that is known
			p.Assumption = true
			continue
		}
		without := *q
		without.assumed = slices.DeleteFunc(slices.Clone(q.assumed), own)
		o := without.solve()
		if o.ok {
			alone, ok := o.parameter(p.Name)
			p.Assumption = !ok || alone.Is != p.Is
		}
	}
}

// assumedSource is the source of what nobody has said.
const assumedSource = "assumed"

// withDefaults adds what is assumed where nothing is said.
func withDefaults(m *Measurements, given []Assumption) assumptions {
	out := assumptions(slices.Clone(given))
	if !out.has(LeakOut) && len(m.Fills) > 0 {
		out = append(out, Assumption{Parameter: LeakOut, Is: Exactly(0), Source: assumedSource})
	}
	if p := m.packets(); !out.has(Cell) && len(m.sizes()) == 0 && len(p) == 1 && p[0] <= 64 {
		// A cell that is as large as any: the packet takes one, whatever the overhead.
		out = append(out, Assumption{Parameter: Cell, Is: Exactly(mostCell), Source: oneCell})
	}
	return out
}

// oneCell is the source of the assumption that a packet takes one cell. It says nothing of the size of the cell.
const oneCell = "assumed: the shortest packet takes one cell"

// packets returns the lengths of the packets of fills and points, ascending.
func (m *Measurements) packets() (out []unit.Bytes) {
	for i := range m.Fills {
		out = append(out, m.Fills[i].Packet)
	}
	for i := range m.Points {
		out = append(out, m.Points[i].Packet)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mostAlone is how many readings are left out one by one to find those that contradict the rest.
const mostAlone = 64

// resolve looks for single assumptions, and then for single readings, without which the rest agrees. The outcome is
// what any of these leaves.
func (q *problem) resolve() (found []Contradiction, out outcome) {
	add := func(c Contradiction, o outcome) {
		found = append(found, c)
		if len(found) == 1 {
			out = o
			return
		}
		out.join(&o)
	}
	for i, a := range q.assumed {
		without := *q
		without.assumed = q.assumed.without(i)
		if o := without.solve(); o.ok {
			shows := ""
			if p, ok := o.parameter(a.Parameter); ok {
				shows = p.Value()
			}
			add(Contradiction{What: a.String(), Assumption: true, Shows: shows}, o)
		}
	}
	if len(found) > 0 {
		return found, out
	}
	try := func(k readingKey, what string) {
		if o := q.but(k).solve(); o.ok {
			add(Contradiction{What: what}, o)
		}
	}
	for i := range q.m.Fills {
		f := &q.m.Fills[i]
		if f.Headroom.IsGiven() {
			try(readingKey{i, -1}, f.From+": the configured headroom")
		}
		for j, r := range f.Readings {
			if len(f.Readings)*len(q.m.Fills) <= mostAlone {
				try(readingKey{i, j}, fmt.Sprintf("%s: %v of group %d", f.From, r.What, r.Group+1))
			}
		}
	}
	if len(found) == 0 {
		found = []Contradiction{{}}
	}
	return found, out
}

// but is the problem without some readings.
func (q *problem) but(keys ...readingKey) *problem {
	out := *q
	out.skip = map[readingKey]bool{}
	maps.Copy(out.skip, q.skip)
	for _, k := range keys {
		out.skip[k] = true
	}
	return &out
}
