package calibrate

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/unit"
)

// problem is the measurements with one list of assumptions.
type problem struct {
	m       *Measurements
	assumed assumptions
	skip    map[readingKey]bool // readings and points that are left out
}

// readingKey names a reading of a fill.
type readingKey struct{ fill, reading int }

// pointKey names a point.
func pointKey(i int) readingKey { return readingKey{-1, i} }

// candidate is one of the possible switches.
type candidate struct {
	rules.Point
	storage
	offset   map[string]Range // XON offset by profile
	headroom map[string]Range // by profile
	spare    Range            // shared headroom pool
}

// class is the candidates for cell and overhead that give every packet of the fills and points the same cells.
type class struct {
	cells    map[unit.Bytes]int64
	cell     Range
	overhead Range
	example  storage
	sizes    []int64 // of cells
}

// maxClasses is how many classes are searched. With more, nothing is known of the cell.
const maxClasses = 24

// classes divides the candidates for cell and overhead.
func (q *problem) classes(all []storage) []*class {
	order := q.m.packets()
	byCells := map[string]*class{}
	var out []*class
	n, text := make([]int64, len(order)), make([]byte, 0, 64)
	for _, s := range all {
		text = text[:0]
		for i, length := range order {
			n[i] = s.cells(length)
			text = strconv.AppendInt(append(text, ' '), n[i], 10)
		}
		key := string(text)
		c := byCells[key]
		if c == nil {
			if len(out) > maxClasses {
				return out
			}
			c = &class{cells: map[unit.Bytes]int64{}, cell: Exactly(s.cell), overhead: Exactly(s.overhead), example: s}
			for i, length := range order {
				c.cells[length] = n[i]
			}
			byCells[key], out = c, append(out, c)
		}
		c.cell, c.overhead = c.cell.join(Exactly(s.cell)), c.overhead.join(Exactly(s.overhead))
		if len(c.sizes) == 0 || c.sizes[len(c.sizes)-1] != s.cell {
			c.sizes = append(c.sizes, s.cell)
		}
	}
	if q.oneCell() {
		for _, c := range out { // what a cell holds is not known: bytes cannot be converted
			c.cell, c.sizes = Range{1, NoBound}, nil
		}
	}
	return out
}

// oneCell tells whether a packet is assumed to take one cell, because nothing tells about cells.
func (q *problem) oneCell() bool {
	return slices.ContainsFunc(q.assumed, func(a Assumption) bool { return a.Source == oneCell })
}

// searchOf prepares the search of a class. false: the assumptions leave no candidate.
func (q *problem) searchOf(c *class) (*search, rules.Box, bool) {
	s := &search{}
	most := int64(mostPackets)
	for i := range q.m.Fills {
		kept := q.readingsKept(i)
		f := poolFill{*kept, c.cells[kept.Packet]}
		f.Readings = nil
		for _, r := range kept.Readings {
			switch {
			case r.What == XOFF || r.What == Drop && f.Lossy:
				f.Readings = append(f.Readings, r)
				if r.Is.Hi != NoBound {
					most = min(most, r.Is.Hi*f.n)
				}
			case r.What == SharedMark:
				if r.Bytes {
					r.Is = inCells(r.Is, c.cell, false)
				}
				f.Readings = append(f.Readings, r)
			}
		}
		if f.Readings != nil {
			s.fills = append(s.fills, f)
		}
	}
	for i, p := range q.m.Points {
		if !q.skip[pointKey(i)] {
			x := poolPoint{n: c.cells[p.Packet], held: p.Held, used: p.Used, refused: p.Refused}
			s.points = append(s.points, x)
			if x.refused { // the reserved cells would have taken the packet
				most = min(most, x.held+x.n-1)
			}
		}
	}
	for _, u := range q.m.Uses {
		if mark, read := u.Shared.Get(); read && mark > 0 && c.cell.Hi != NoBound {
			// The group or the pool held these shared cells: its last one was taken. The pool then held at least as many.
			held := int64(cells.Size(c.cell.Hi).Within(mark))
			x := poolPoint{n: 1, used: held - 1, beyond: true}
			if u.Group != "" {
				x.held = held - 1
			}
			s.points = append(s.points, x)
		}
	}
	shared, ok := q.assumed.rangeOf(Shared, c.cell)
	reserved, fits := q.assumed.rangeOf(ReservedCells, c.cell)
	leak, plausible := q.assumed.rangeOf(LeakOut, c.cell)
	if !ok || !fits || !plausible {
		return nil, rules.Box{}, false
	}
	// The reserved cells of a group are full before it pauses, so the smallest reading bounds them, and so do the
	// packets that leak out: they are counted by the first group.
	bound := min(most, mostCells)
	reserved.Hi, leak.Hi = min(reserved.Hi, bound), min(leak.Hi, bound)
	shared.Hi = min(shared.Hi, mostCells)
	if len(s.fills) == 0 {
		leak = Exactly(0) // nothing was filled, so that nothing tells of packets that leaked out
	}
	// Headroom has no end here, so that every group pauses before it drops.
	root := rules.Box{Lo: rules.Numbers{rules.Headroom: mostPackets}, Hi: rules.Numbers{rules.Headroom: mostPackets}}
	for i, is := range [...]Range{shared, reserved, leak} {
		root.Lo[sought[i]], root.Hi[sought[i]] = is.Lo, is.Hi
	}
	return s, root, reserved.Lo <= reserved.Hi && leak.Lo <= leak.Hi
}

// solve searches everything that the fills and points tell.
func (q *problem) solve() (out outcome) {
	cell, overhead := q.cellRanges()
	evidence := q.m.sizes()
	if len(evidence) == 0 && !q.hasPool() {
		out.ok, out.cell, out.overhead = true, cell, overhead
		return out
	}
	all := storages(cell, overhead, evidence)
	if len(all) == 0 {
		return out
	}
	classes := q.classes(all)
	out.cell, out.overhead = Range{NoBound, 0}, Range{NoBound, 0}
	if !q.hasPool() || len(classes) > maxClasses {
		for _, s := range all {
			out.storage(Exactly(s.cell), Exactly(s.overhead), s.cell)
		}
		out.ok = !q.hasPool() || len(classes) > maxClasses
		return out
	}
	alphas, ok := q.assumed.rangeOf(DynamicTh, cell)
	if !ok {
		return out
	}
	out.searched = true
	for _, c := range classes {
		for a := alphas.Lo; a <= alphas.Hi; a++ {
			for _, rule := range q.rules() {
				q.solveOne(c, int8(a), rule, &out)
			}
		}
	}
	out.ok = out.values != nil
	return out
}

// cellRanges returns the sizes that are looked at.
func (q *problem) cellRanges() (cell, overhead Range) {
	cell, overhead = Range{leastCell, mostCell}, Range{0, mostOverhead}
	if r, ok := q.assumed.rangeOf(Cell, cell); ok && q.assumed.has(Cell) {
		cell = r
	}
	if r, ok := q.assumed.rangeOf(Overhead, cell); ok && q.assumed.has(Overhead) {
		overhead = r
	}
	return cell, overhead
}

// hasPool tells whether anything was measured that depends on the pool.
func (q *problem) hasPool() bool {
	if len(q.m.Points)+len(q.m.Uses) > 0 {
		return true
	}
	for i := range q.m.Fills {
		for _, r := range q.m.Fills[i].Readings {
			if r.What == XOFF || r.What == SharedMark || r.What == Drop && q.m.Fills[i].Lossy {
				return true
			}
		}
	}
	return false
}

// rules returns the rules that the assumptions leave.
func (q *problem) rules() (out []rules.Rule) {
	limit, ok := q.assumed.rangeOf(LimitRule, Range{})
	xoff, fits := q.assumed.rangeOf(XOFFRule, Range{})
	if !ok || !fits {
		return nil
	}
	for l := limit.Lo; l <= limit.Hi; l++ {
		for x := xoff.Lo; x <= xoff.Hi; x++ {
			out = append(out, rules.Rule{rules.Limit: uint8(l), rules.XOFF: uint8(rules.XOFFRefused - x)})
		}
	}
	return out
}

// solveOne adds what one class, alpha and rule leave, if they leave anything.
func (q *problem) solveOne(c *class, alpha int8, rule rules.Rule, out *outcome) {
	s, root, ok := q.searchOf(c)
	if !ok {
		return
	}
	root.Rule, root.Alpha = rule, alpha
	// Headroom and XON decide between rules too.
	heads, spare, spareKnown, ok := q.headrooms(c, rule[rules.XOFF] == rules.XOFFFull)
	if !ok {
		return
	}
	f, ok := s.run(root)
	if !ok {
		return
	}
	latched, offsets, ok := q.offsets(c, &f)
	if !ok {
		return
	}
	one := outcome{searched: true, filled: len(s.fills) > 0, cell: c.cell, overhead: c.overhead, sizes: c.sizes, box: f.Box,
		outer: f.outer, offsets: maps.Clone(offsets), headrooms: maps.Clone(heads), spare: spare, spareKnown: spareKnown,
		values: map[string]map[int64]bool{DynamicTh: {int64(alpha): true}, LimitRule: {int64(rule[rules.Limit]): true},
			XOFFRule: {int64(rules.XOFFRefused - rule[rules.XOFF]): true}, XONRule: latched}}
	for _, p := range f.samples {
		for l := range latched {
			p.Rule[rules.XON] = uint8(l)
			one.candidates = append(one.candidates, candidate{p, c.example, offsets, heads, spare})
		}
	}
	out.join(&one)
}

// outcome is what one list of assumptions leaves.
type outcome struct {
	ok         bool
	sizes      []int64 // of cells
	cell       Range
	overhead   Range
	searched   bool // a pool was searched
	filled     bool // by fills, and not by points alone
	box        rules.Box
	outer      bool
	values     map[string]map[int64]bool // of what was tried one by one: alpha and the rules
	offsets    map[string]Range
	headrooms  map[string]Range
	spare      Range
	spareKnown bool
	candidates []candidate
}

// storage adds a candidate for cell and overhead.
func (o *outcome) storage(cell, overhead Range, sizes ...int64) {
	o.cell, o.overhead = o.cell.join(cell), o.overhead.join(overhead)
	for _, s := range sizes {
		if i, there := slices.BinarySearch(o.sizes, s); !there {
			o.sizes = slices.Insert(o.sizes, i, s)
		}
	}
}

// joinAll joins ranges by name.
func joinAll(to, from map[string]Range) {
	for name, r := range from {
		if o, there := to[name]; there {
			r = r.join(o)
		}
		to[name] = r
	}
}

// join adds what another outcome leaves.
func (o *outcome) join(x *outcome) {
	o.storage(x.cell, x.overhead, x.sizes...)
	if o.values == nil { // the first that leaves anything
		x.cell, x.overhead, x.sizes = o.cell, o.overhead, o.sizes
		*o = *x
		return
	}
	o.box.Join(&x.box)
	o.outer, o.searched = o.outer || x.outer, o.searched && x.searched
	o.spare, o.spareKnown = o.spare.join(x.spare), o.spareKnown || x.spareKnown
	for name, values := range x.values {
		maps.Copy(o.values[name], values)
	}
	joinAll(o.offsets, x.offsets)
	joinAll(o.headrooms, x.headrooms)
	o.candidates = append(o.candidates, x.candidates...)
}

// parameter returns the parameter of an assumption; false if the outcome tells nothing of it.
func (o *outcome) parameter(name string) (Parameter, bool) {
	for _, p := range o.pool() {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// pool returns the parameters that have one value for the switch.
func (o *outcome) pool() []Parameter {
	out := []Parameter{{Name: Cell, Is: o.cell}, {Name: Overhead, Is: o.overhead}}
	if len(o.sizes) <= 16 { // few enough to print
		out[0].Values = o.sizes
	}
	if o.values == nil {
		return out
	}
	of := func(name string, n rules.Number) Parameter {
		return Parameter{Name: name, Is: rangeOf(&o.box, n), Outer: o.outer}
	}
	out = append(out, of(Shared, rules.Shared), of(ReservedCells, rules.Reserved))
	for _, name := range []string{DynamicTh, LimitRule, XOFFRule, XONRule} {
		out = append(out, listed(name, o.values[name]))
	}
	return append(out, of(LeakOut, rules.Leak), Parameter{Name: HeadroomPool, Is: o.spare, Known: o.spareKnown})
}

// listed returns a parameter whose values were all tried.
func listed(name string, values map[int64]bool) Parameter {
	all := slices.Sorted(maps.Keys(values))
	if len(all) == 0 {
		return Parameter{Name: name, Is: known[name]}
	}
	return Parameter{Name: name, Is: Range{all[0], all[len(all)-1]}, Values: all}
}
