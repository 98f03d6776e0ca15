package calibrate

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/rules"
)

// headrooms returns the headroom of each profile and the shared headroom pool, if XOFF is sent when the shared part is
// full, or with the first refused packet. false: no
// headroom gives what was counted. The pool may be smaller than the headroom of a group, if more than one group was
// filled; otherwise it is taken to be as large.
func (q *problem) headrooms(c *class, full bool) (groups map[string]Range, pool Range, poolKnown, ok bool) {
	groups, pool, poolKnown, ok = q.headroomsIf(c, full, false)
	if !q.manyGroups() {
		return groups, pool, poolKnown, ok
	}
	more, other, also, fits := q.headroomsIf(c, full, true)
	switch {
	case !fits:
		return groups, pool, poolKnown, ok
	case !ok:
		return more, other, also, true
	}
	joinAll(groups, more)
	return groups, pool.join(other), poolKnown || also, true
}

// manyGroups tells whether the drops of more than one group of a fill were counted.
func (q *problem) manyGroups() bool {
	for i := range q.m.Fills {
		for _, r := range q.m.Fills[i].Readings {
			if r.What == Drop && r.Group > 0 && !q.m.Fills[i].Lossy {
				return true
			}
		}
	}
	return false
}

// headroomsIf is headrooms for a pool that is smaller than the headroom of a group, or not.
func (q *problem) headroomsIf(c *class, full, small bool) (
	groups map[string]Range, pool Range, poolKnown, ok bool,
) {
	groups, pool = map[string]Range{}, Range{0, NoBound}
	if assumed, fits := q.assumed.rangeOf(HeadroomPool, c.cell); fits && q.assumed.has(HeadroomPool) {
		pool, poolKnown = assumed, true
	}
	for i := range q.m.Fills {
		f := q.readingsKept(i)
		if f.Lossy {
			continue
		}
		group, have := q.configured(c, i)
		if old, there := groups[f.Profile]; there {
			if group, ok = group.intersect(old); !ok {
				return nil, pool, false, false
			}
			have = true
		}
		counted, some, possible := headroomOf(f, c.cells[f.Packet], full)
		if !possible {
			return nil, pool, false, false
		}
		if some {
			h, fits := counted.headroomFor(group, small)
			if !fits {
				return nil, pool, false, false
			}
			if pool, ok = pool.intersect(h.pool); !ok {
				return nil, pool, false, false
			}
			group, have = h.group, true
			poolKnown = poolKnown || h.pool.Hi != NoBound || h.pool.Lo > 0
		}
		if have {
			groups[f.Profile] = group
		}
	}
	for _, u := range q.m.Uses {
		if mark, read := u.Headroom.Get(); read && u.Group == "" && c.cell.Hi != NoBound {
			if pool, ok = pool.intersect(AtLeast(int64(cells.Size(c.cell.Hi).Within(mark)))); !ok {
				return nil, pool, false, false
			}
			poolKnown = true
		}
	}
	return groups, pool, poolKnown, true
}

// configured returns what the configuration and the watermarks of a fill say of the headroom of its groups.
func (q *problem) configured(c *class, i int) (group Range, known bool) {
	f := &q.m.Fills[i]
	group = Range{0, NoBound}
	if size, ok := f.Headroom.Get(); ok && c.cell.Hi != NoBound && !q.skip[readingKey{i, -1}] {
		group, known = inCells(Exactly(int64(size)), c.cell, true), true
	}
	for j, r := range f.Readings {
		if r.What != HeadroomMark || q.skip[readingKey{i, j}] {
			continue
		}
		is := r.Is
		if r.Bytes {
			is = inCells(is, c.cell, false)
		}
		if both, ok := group.intersect(AtLeast(is.Lo)); ok {
			group, known = both, true
		}
	}
	return group, known
}

// readingsKept returns a fill without the readings that are left out.
func (q *problem) readingsKept(i int) *Fill {
	f := q.m.Fills[i]
	if len(q.skip) == 0 {
		return &f
	}
	f.Readings = nil
	for j, r := range q.m.Fills[i].Readings {
		if !q.skip[readingKey{i, j}] {
			f.Readings = append(f.Readings, r)
		}
	}
	return &f
}

// offsets returns the XON rules and the offsets of each profile that give the packets that were counted, over the
// samples. false: the samples are all candidates, and none of them gives these packets.
func (q *problem) offsets(c *class, f *found) (latched map[int64]bool, out map[string]Range, ok bool) {
	rule, fits := q.assumed.rangeOf(XONRule, Range{})
	if !fits {
		return nil, nil, false
	}
	latched, out = map[int64]bool{}, map[string]Range{}
	for l := rule.Lo; l <= rule.Hi; l++ {
		for i := range f.samples {
			p := f.samples[i]
			p.Rule[rules.XON] = uint8(l)
			all, fits := q.offsetsAt(c, &p)
			if fits {
				latched[l] = true
				joinAll(out, all)
			}
		}
	}
	if len(latched) == 0 && !f.complete { // nothing is known
		for l := rule.Lo; l <= rule.Hi; l++ {
			latched[l] = true
		}
	}
	return latched, out, len(latched) > 0
}

// offsetsAt is offsets for one candidate.
func (q *problem) offsetsAt(c *class, p *rules.Point) (map[string]Range, bool) {
	var s rules.Model
	out := map[string]Range{}
	within := Range{0, mostCells}
	if r, ok := q.assumed.rangeOf(XONOffset, c.cell); ok {
		within = r
	}
	for i := range q.m.Fills {
		f := &q.m.Fills[i]
		n := c.cells[f.Packet]
		filled := false
		for j, r := range f.Readings {
			if r.What != XONBelow || q.skip[readingKey{i, j}] {
				continue
			}
			if !filled {
				fill(p, &s, f, n, nil)
				filled = true
			}
			have, there := out[f.Profile]
			if !there {
				have = within
			}
			is, ok := offsets(p, &s, r.Group, n, r.Is, have)
			if !ok {
				return nil, false
			}
			out[f.Profile] = is
		}
	}
	return out, true
}
