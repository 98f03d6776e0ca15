package calibrate

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/rules"
)

// Prediction is what the other measurements say of one that was left out.
type Prediction struct {
	From     string
	Group    string
	What     string
	Measured Range
	// Predicted is what the possible switches would give. If Agrees is false, none of them gives the measured number.
	Predicted Range
	Agrees    bool
	// Known is false if the others leave no candidate, or were no measurement of the kind.
	Known bool
}

// LeaveOneOut predicts each group of each fill from all other measurements: the readings of the group are left out,
// and those candidates for the pool are collected that give the rest. A group of a Point is predicted from the points
// of the other groups: Measured and Predicted are 1 for a packet that was refused, and 0 for one that was stored. The
// predictions are over the samples of the candidates: with more candidates than samples the interval can be narrower
// than the truth, and Agrees is then checked with the group put back.
func LeaveOneOut(m Measurements, assumed []Assumption) ([]Prediction, error) {
	if _, err := Calibrate(m, assumed); err != nil {
		return nil, err
	}
	q := &problem{m: &m, assumed: withDefaults(&m, assumed)}
	var out []Prediction
	for i := range m.Fills {
		groups := map[int]bool{}
		for _, r := range m.Fills[i].Readings {
			groups[r.Group] = true
		}
		if len(groups) < 2 && len(m.Fills) < 2 {
			continue
		}
		for g := range max(m.Fills[i].Groups, 1) {
			if groups[g] {
				out = append(out, q.predictGroup(i, g)...)
			}
		}
	}
	return append(out, q.predictPoints()...), nil
}

// predictGroup predicts the readings of a group of a fill.
func (q *problem) predictGroup(fill, group int) (out []Prediction) {
	f := &q.m.Fills[fill]
	var left []readingKey
	for j, r := range f.Readings {
		if r.Group == group {
			left = append(left, readingKey{fill, j})
		}
	}
	o := q.but(left...).solve()
	for j, r := range f.Readings {
		if r.Group != group || r.What == SharedMark || r.What == HeadroomMark {
			continue
		}
		p := Prediction{From: f.From, Group: fmt.Sprint(group + 1), What: r.What.String(), Measured: r.Is}
		for i := range o.candidates {
			if is, ok := o.candidates[i].predict(f, group, r.What); ok {
				p.may(is)
			}
		}
		if p.Known && !p.Agrees {
			// The samples are not all candidates: with this reading put back, one may be left.
			back := slices.DeleteFunc(slices.Clone(left), func(k readingKey) bool { return k.reading == j })
			p.Agrees = q.but(back...).solve().ok
		}
		out = append(out, p)
	}
	return out
}

// may adds what one of the possible switches would give.
func (p *Prediction) may(is Range) {
	if p.Known {
		is = p.Predicted.join(is)
	}
	p.Predicted, p.Known = is, true
	_, p.Agrees = p.Predicted.intersect(p.Measured)
}

// predict returns what a candidate would read. false: it does not say.
func (c *candidate) predict(f *Fill, group int, what Quantity) (Range, bool) {
	n := c.cells(f.Packet)
	var s rules.Model
	groups := fill(&c.Point, &s, f, n, nil)
	switch g := &groups[group]; what {
	case XOFF, SharedMark:
		return Exactly(reading(g, what)), what == SharedMark || !f.Lossy
	case Drop:
		if f.Lossy {
			return Exactly(reading(g, Drop)), true
		}
		headroom, known := c.headroom[f.Profile]
		if !known {
			return Range{}, false
		}
		return c.drops(groups, group, n, headroom), true
	case XONBelow:
		offset, known := c.offset[f.Profile]
		if !known || offset.Hi == NoBound {
			return Range{}, false
		}
		c.Numbers[rules.Offset] = offset.Lo
		least := s.XONBelow(group, n)
		c.Numbers[rules.Offset] = offset.Hi
		return Range{least, s.XONBelow(group, n)}, true
	}
	return Range{}, false
}

// drops returns the first drop of a group: behind what its headroom takes of what the groups before left in the pool.
func (c *candidate) drops(groups []rules.Filled, group int, n int64, headroom Range) Range {
	at := func(own, spare int64) int64 {
		for range group {
			if spare != NoBound && own != NoBound {
				spare = max(spare-min(own, spare)/n*n, 0)
			}
		}
		room := min(own, spare)
		if room == NoBound {
			return NoBound
		}
		return reading(&groups[group], Drop) + room/n
	}
	all := []int64{at(headroom.Lo, c.spare.Lo), at(headroom.Hi, c.spare.Lo), at(headroom.Lo, c.spare.Hi),
		at(headroom.Hi, c.spare.Hi)}
	out := Exactly(all[0])
	for _, n := range all {
		out = out.join(Exactly(n))
	}
	return out
}

// predictPoints predicts the points of each group from those of the others.
func (q *problem) predictPoints() (out []Prediction) {
	var byGroup grouped.By[string, []int]
	for i, p := range q.m.Points {
		points := byGroup.Of(p.Group)
		*points = append(*points, i)
	}
	if len(byGroup.Keys) < 2 {
		return nil
	}
	for name, points := range byGroup.All() {
		o := q.but(grouped.Each(*points, pointKey)...).solve()
		for _, i := range *points {
			x := &q.m.Points[i]
			p := Prediction{From: x.From, Group: name, What: "refused", Measured: Exactly(rules.One(x.Refused))}
			for j := range o.candidates {
				c := &o.candidates[j]
				point := poolPoint{n: c.cells(x.Packet), held: x.Held, used: x.Used}
				p.may(Exactly(rules.One(!point.takenBy(&c.Point))))
			}
			out = append(out, p)
		}
	}
	return out
}
