package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// MarksFirst compares marking (ECN) with pausing (PFC) in the worst case of a plan, for a lossless class that marks:
// all lossless groups of a slice are congested, and one of them feeds the queue. The pool is the shared part of the
// slice, as planned. Groups are assumed to have the limit of the class, as [ecn.Check] assumes.
type MarksFirst struct {
	Class  string
	Slice  int            // the slice with the lowest pause threshold
	Groups int            // lossless groups in it
	Check  ecn.Check      // of one slice
	Curve  ecn.Thresholds // as the chip holds it
	Pause  unit.Bytes     // what one group holds when it pauses
	Most   int            // congested groups with which the queue still marks first
	KMin   unit.Bytes     // the largest with which the queue marks first with all of them; -1: none
	First  bool           // the queue marks before it pauses, with all of them
}

// MarksFirst answers for every lossless class that marks, in the order of the intent. Classes without an admitted port,
// and slices larger than the closed form's range, are left out.
func (p *Plan) MarksFirst() []MarksFirst {
	in := &p.admission.in
	var out []MarksFirst
	for i := range in.Classes {
		c := &in.Classes[i]
		if !c.Lossless || c.ECN.KMax <= 0 {
			continue
		}
		if worst, found := p.worstMarking(in, c); found {
			out = append(out, worst)
		}
	}
	return out
}

// worstMarking finds the slice and the group of a class with the lowest pause threshold.
func (p *Plan) worstMarking(in *Intent, c *Class) (worst MarksFirst, found bool) {
	lossless := make([]int, len(p.Slices))
	for i := range p.Groups {
		if p.Groups[i].Lossless {
			lossless[p.Groups[i].Slice]++
		}
	}
	curve := ecn.Thresholds{KMin: in.Chip.MarkingGranted(c.ECN.KMin), KMax: in.Chip.MarkingGranted(c.ECN.KMax),
		PMax: c.ECN.PMax}
	type alike struct {
		slice    int
		limit    thresholds.Limit
		reserved cells.Count
	}
	seen := map[alike]bool{}
	for i := range p.Groups {
		g := &p.Groups[i]
		key := alike{g.Slice, g.Limit, g.Reserved}
		if g.Class != c.Name || seen[key] {
			continue
		}
		seen[key] = true
		m := MarksFirst{Class: c.Name, Slice: g.Slice, Groups: min(lossless[g.Slice], thresholds.MaxGroups), Curve: curve}
		if m.compute(g, p.Slices[g.Slice].Shared, in.Chip.Cell) && (!found || m.KMin < worst.KMin) {
			worst, found = m, true
		}
	}
	return worst, found
}

// compute answers for one group of a slice with these shared cells; false if the closed form does not apply.
func (m *MarksFirst) compute(g *Group, shared cells.Count, cell cells.Size) bool {
	m.Check = ecn.Check{Sharing: ecn.SharingOf(g.Limit, shared, g.Reserved), Cell: cell, KMin: m.Curve.KMin, Feeding: 1}
	if m.Check.Validate() != nil {
		return false
	}
	m.Pause, m.KMin = m.Check.PauseThreshold(m.Groups), m.Check.KMinFor(m.Groups)
	m.Most, m.First = min(m.Check.MaxCongested(), m.Groups), m.Check.MarksFirst(m.Groups)
	return true
}

// String says what is wrong, in a sentence; "" if the class marks before it pauses.
func (m MarksFirst) String() string {
	if m.First {
		return ""
	}
	text := fmt.Sprintf("class %s: ECN does not come before PFC: with all %d lossless groups of slice %d congested, one of "+
		"them feeding the queue, a group pauses at %v, and its queue marks from %v on", m.Class, m.Groups, m.Slice, m.Pause,
		m.Curve.KMin)
	switch {
	case m.KMin < 0:
		text += "; no kmin marks first"
	case m.Most > 0:
		text += fmt.Sprintf("; it marks first with up to %d congested groups, or with all at a kmin of at most %v", m.Most,
			m.KMin)
	default:
		text += fmt.Sprintf("; it marks first at a kmin of at most %v", m.KMin)
	}
	return text
}
