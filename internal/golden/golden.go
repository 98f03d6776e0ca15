// Package golden is the slow, obvious model of admission, against which the
// fast one in package buffer is checked. It is written from the rules of a
// switch's cell memory, not from buffer's code, so that a mistake would have to
// be made twice to go unseen.
//
// Here a slice is five piles of cells that are moved from one to another. A
// port is tried on a copy of the piles, and the copy is kept only if every cell
// was found. There is no formula for what is shared or unused: it is what lies
// on the pile.
//
// Only the headroom of a link is not worked out again: the intent's own sizer is
// asked, because sizing is no part of admission.
package golden

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Slice is the memory of one slice: every cell lies on one of the piles.
type Slice struct {
	Chip, Reserved, Headroom, Shared, Unused cells.Count
}

// Answer is what became of one port. An admitted port has no Reason and zeros
// everywhere else.
type Answer struct {
	Admitted bool
	Reason   buffer.Reason
	Slice    int         // where cells were not found
	Group    int         // at which group; 0 where a pool is too large, which is no group's fault
	Missing  cells.Count // how many cells were not found
}

// Result is an intent admitted, port by port, and where the cells lie then.
type Result struct {
	Ports  []Answer
	Slices []Slice
}

// Fits tells whether every port is admitted.
func (r Result) Fits() bool {
	return !slices.ContainsFunc(r.Ports, func(a Answer) bool { return !a.Admitted })
}

// Admit serves the ports of an intent in order. The intent must be valid: one
// that cannot be sized panics.
func Admit(in buffer.Intent) Result {
	m := newModel(in)
	var answers []Answer
	for i, p := range in.Ports {
		answers = append(answers, m.serve(i, p))
	}
	return Result{answers, m.slices}
}

// WhatIf answers whether the i-th port could be p while all the others keep
// what they have: the memory is laid out again without port i, then p is tried.
func WhatIf(in buffer.Intent, i int, p buffer.Port) Answer {
	before := Admit(in)
	m := newModel(in)
	for j, other := range in.Ports {
		if j == i || !before.Ports[j].Admitted {
			continue
		}
		if again := m.serve(j, other); !again.Admitted {
			panic(fmt.Sprintf("golden: port %d does not fit any more when port %d is gone: %+v", j, i, again))
		}
	}
	return m.serve(i, p)
}

// model is a switch in the course of being filled.
type model struct {
	in     buffer.Intent
	slices []Slice
	floors []cells.Count
	part   cells.Count // of the shared headroom pool, in each slice
	none   Answer      // its Reason is set if nothing can be placed at all
	sized  map[buffer.Port][]group
}

// group is what one priority group of a port needs.
type group struct {
	number             int
	reserved, headroom cells.Count
}

func newModel(in buffer.Intent) *model {
	m := &model{in: in, sized: map[buffer.Port][]group{}}
	m.part = partOf(in, in.Pool.SharedHeadroom)
	if in.Pool.SharedHeadroomRatio > 0 {
		m.part = m.partByRatio()
	}
	for i, chip := range in.Chip.Slices {
		m.floors = append(m.floors, floorOf(in.SharedFloor, chip.Cells))
		empty := emptied(chip)
		placed, reason, missing := m.place(empty, m.floors[i])
		if missing > 0 && m.none.Reason == "" {
			m.none = Answer{Reason: reason, Slice: i, Missing: missing}
		}
		m.slices = append(m.slices, placed)
	}
	if m.none.Reason != "" {
		for i, chip := range in.Chip.Slices {
			m.slices[i] = emptied(chip)
		}
	}
	return m
}

// HeadroomPool is the size of the shared headroom pool, as configured or by
// ratio.
func HeadroomPool(in buffer.Intent) unit.Bytes {
	if in.Pool.SharedHeadroomRatio == 0 {
		return in.Pool.SharedHeadroom
	}
	return unit.Bytes(newModel(in).part) * unit.Bytes(in.Chip.Cell) * unit.Bytes(len(in.Chip.Slices))
}

// partByRatio is the least number of cells that, times the ratio, hold the
// headroom of all groups of any slice, and once hold that of any group.
func (m *model) partByRatio() cells.Count {
	var largest cells.Count
	inSlice := make([]cells.Count, len(m.in.Chip.Slices))
	for i, p := range m.in.Ports {
		for _, g := range m.groups(p) {
			largest = max(largest, g.headroom)
			for _, s := range m.feeds(i, p) {
				inSlice[s] += g.headroom
			}
		}
	}
	most, ratio := slices.Max(inSlice), cells.Count(m.in.Pool.SharedHeadroomRatio)
	part := most / ratio
	for part*ratio < most {
		part++
	}
	return max(part, largest)
}

// pooled tells whether groups share a headroom pool.
func (m *model) pooled() bool { return m.in.Pool.SharedHeadroom > 0 || m.part > 0 }

// emptied is a slice of which only the chip has had its cells.
func emptied(chip buffer.Slice) Slice {
	s := Slice{Unused: chip.Cells}
	for _, t := range chip.Takes {
		s.Unused -= t.Cells
		s.Chip += t.Cells
	}
	return s
}

// partOf is a slice's equal part of a size that is given for the whole chip.
func partOf(in buffer.Intent, size unit.Bytes) cells.Count {
	whole := int64(size) / int64(in.Chip.Cell)
	return cells.Count(whole / int64(len(in.Chip.Slices)))
}

// floorOf is the least number of cells that is at least the percentage.
func floorOf(share unit.Percent, total cells.Count) cells.Count {
	hundredths := int64(total) * int64(share)
	floor := hundredths / int64(unit.Whole)
	if floor*int64(unit.Whole) < hundredths {
		floor++
	}
	return cells.Count(floor)
}

// headroomInSize and reservedInSize tell whether the configured size counts
// such cells. Where the pool is all that is left, what is unused is what the chip
// cannot put into one pool, and there is no reason not to take it first.
func (m *model) headroomInSize() bool { return m.in.Pool.Size > 0 && m.in.Pool.SizeIncludesHeadroom }
func (m *model) reservedInSize() bool { return m.in.Pool.Size > 0 && m.in.Pool.SizeIncludesReserved }

// place lays out the pool and the shared headroom pool in an empty slice. If it
// cannot, it returns why and how many cells are missing for that, or how many
// there are beyond what the chip can put into one pool.
func (m *model) place(s Slice, floor cells.Count) (Slice, buffer.Reason, cells.Count) {
	limit, limitHeadroom := m.in.Chip.MaxPool, m.in.Chip.MaxHeadroomPool
	shared := s.Unused - m.part
	if limit > 0 {
		shared = min(shared, limit)
	}
	if m.in.Pool.Size > 0 {
		shared = partOf(m.in, m.in.Pool.Size)
	}
	if m.headroomInSize() {
		shared -= m.part
	}
	s.Unused -= shared + m.part
	s.Shared, s.Headroom = shared, m.part
	if s.Unused < 0 {
		return s, buffer.PoolTooLarge, -s.Unused
	}
	if s.Shared < floor {
		return s, buffer.PoolTooLarge, floor - s.Shared
	}
	if limit > 0 && s.Shared > limit {
		return s, buffer.PoolTooLarge, s.Shared - limit
	}
	if limitHeadroom > 0 && s.Headroom > limitHeadroom {
		return s, buffer.HeadroomPool, s.Headroom - limitHeadroom
	}
	return s, "", 0
}

// serve gives a port all that its groups need in every slice that its pipe
// feeds, or nothing.
func (m *model) serve(i int, p buffer.Port) Answer {
	if m.none.Reason != "" {
		return m.none
	}
	if reclaimed(m.in, p) {
		return Answer{Admitted: true}
	}
	feeds := m.feeds(i, p)
	if refused := m.largerThanPort(p, feeds); refused.Reason != "" {
		return refused
	}
	if refused := m.largerThanPool(p, feeds); refused.Reason != "" {
		return refused
	}
	trial := slices.Clone(m.slices)
	for _, s := range feeds {
		for _, g := range m.groups(p) {
			if missing := m.grant(&trial[s], m.floors[s], g); missing > 0 {
				return Answer{Reason: buffer.NoCells, Slice: s, Group: g.number, Missing: missing}
			}
		}
		own := holding(m.in, p.Reserved)
		if missing := take(&trial[s], &trial[s].Reserved, own, m.floors[s], m.reservedInSize()); missing > 0 {
			return Answer{Reason: buffer.NoPortCells, Slice: s, Missing: missing}
		}
	}
	for s := range trial { // whatever comes in anywhere may leave by this port
		for queue, minimum := range minimaOf(m.in, p) {
			if missing := take(&trial[s], &trial[s].Reserved, minimum, m.floors[s], m.reservedInSize()); missing > 0 {
				return Answer{Reason: buffer.NoQueueCells, Slice: s, Group: queue, Missing: missing}
			}
		}
	}
	m.slices = trial
	return Answer{Admitted: true}
}

// minimaOf is what each egress queue of a port must have, by its number.
func minimaOf(in buffer.Intent, port buffer.Port) (out [8]cells.Count) {
	for i, c := range in.Classes {
		for _, p := range c.Priorities {
			if carried(port, i) && !reclaimed(in, port) {
				out[p] = holding(in, c.QueueReserved)
			}
		}
	}
	return out
}

// carried tells whether a port has the i-th class: all of them if it names none.
func carried(p buffer.Port, i int) bool {
	return p.Classes == 0 || int(p.Classes)/(1<<i)%2 == 1
}

// reclaimed tells whether a port holds nothing because nobody uses it.
func reclaimed(in buffer.Intent, p buffer.Port) bool {
	switch p.State {
	case buffer.PortAdminDown:
		return in.Chip.Reclaims != buffer.ReclaimsNothing
	case buffer.PortLinkDown:
		return in.Chip.Reclaims == buffer.ReclaimsLinkDown
	}
	return false
}

// feeds lists the slices in which a port is charged.
func (m *model) feeds(i int, p buffer.Port) []int {
	if len(m.in.Chip.Pipes) > 0 {
		pipe := i % len(m.in.Chip.Pipes)
		if p.Pipe != nil {
			pipe = *p.Pipe
		}
		return m.in.Chip.Pipes[pipe]
	}
	var all []int
	for s := range m.in.Chip.Slices {
		all = append(all, s)
	}
	return all
}

// largerThanPort refuses a port whose groups together need more headroom than
// the chip lets a port have.
func (m *model) largerThanPort(p buffer.Port, feeds []int) Answer {
	var together cells.Count
	for _, g := range m.groups(p) {
		together += g.headroom
		if most := m.in.Chip.MaxPortHeadroom; most > 0 && together > most {
			return Answer{Reason: buffer.PortTooLarge, Slice: feeds[0], Group: g.number, Missing: together - most}
		}
	}
	return Answer{}
}

// largerThanPool refuses a port of which one group alone overflows a slice's
// part of the shared headroom pool.
func (m *model) largerThanPool(p buffer.Port, feeds []int) Answer {
	if !m.pooled() {
		return Answer{}
	}
	for _, g := range m.groups(p) {
		if g.headroom > m.part {
			return Answer{Reason: buffer.HeadroomOfPool, Slice: feeds[0], Group: g.number, Missing: g.headroom - m.part}
		}
	}
	return Answer{}
}

// grant moves one group's cells and returns how many were not found. The
// headroom of groups that share a headroom pool was moved when the pool was
// placed.
func (m *model) grant(s *Slice, floor cells.Count, g group) cells.Count {
	missing := take(s, &s.Reserved, g.reserved, floor, m.reservedInSize())
	if !m.pooled() {
		missing += take(s, &s.Headroom, g.headroom, floor, m.headroomInSize())
	}
	return missing
}

// take moves n cells onto a pile, from the unused ones unless the pool's size
// counts this pile, then from the shared ones down to the floor.
func take(s *Slice, onto *cells.Count, n, floor cells.Count, inSize bool) (missing cells.Count) {
	if !inSize {
		n -= move(&s.Unused, onto, n, 0)
	}
	return n - move(&s.Shared, onto, n, floor)
}

// move carries up to n cells from one pile to another, leaves the first one
// with no less than keep, and returns how many it carried.
func move(from, onto *cells.Count, n, keep cells.Count) cells.Count {
	n = min(n, *from-keep)
	*from -= n
	*onto += n
	return n
}

// groups lists what a port's groups need, by number. Ports that differ in name
// and pipe alone need the same, which is remembered.
func (m *model) groups(p buffer.Port) []group {
	p.Name, p.Pipe = "", nil
	if known, ok := m.sized[p]; ok {
		return known
	}
	var out []group
	for i, c := range m.in.Classes {
		if !carried(p, i) || reclaimed(m.in, p) {
			continue
		}
		reserved, headroom := needOf(m.in, c, p)
		for _, number := range numbersOf(c) {
			out = append(out, group{number, reserved, headroom})
		}
	}
	slices.SortFunc(out, func(a, b group) int { return a.number - b.number })
	m.sized[p] = out
	return out
}

// numbersOf lists the groups of a class: one for each priority if lossless,
// else one with the number of the lowest.
func numbersOf(c buffer.Class) []int {
	if c.Lossless {
		return c.Priorities
	}
	return []int{slices.Min(c.Priorities)}
}

// needOf is what each group of a class needs on a port.
func needOf(in buffer.Intent, c buffer.Class, p buffer.Port) (reserved, headroom cells.Count) {
	if !c.Lossless {
		return holding(in, c.Reserved), 0
	}
	link := thresholds.Link{Rate: p.Rate, Cable: p.Cable, Medium: p.Medium, Delay: p.Delay, Extra: p.Extra,
		MACsec: p.MACsec, Response: p.Response, MTU: p.MTU, LosslessMTU: c.MTU}
	if c.MTU == 0 {
		link.LosslessMTU = p.MTU
	}
	h, err := in.Sizing.Size(link, thresholds.Memory{Cell: in.Chip.Cell, Overhead: in.Chip.Overhead})
	if err != nil {
		panic(fmt.Sprintf("golden: port %+v, class %s: %v", p, c.Name, err))
	}
	bytes := c.Reserved
	switch {
	case bytes != 0:
	case h.Profile.Stated:
		bytes = reservedOfRow(in, h.Profile)
	default:
		bytes = h.XON
	}
	return holding(in, bytes), storable(in, h.Cells)
}

// storable is the least headroom, at least n, that the chip can write down: one
// whose bits after the first few are all zero.
func storable(in buffer.Intent, n cells.Count) cells.Count {
	bits := int(in.Chip.Rounding.HeadroomMantissa)
	if bits == 0 {
		return n
	}
	step := cells.Count(1)
	for n > step<<bits-step { // the largest that this step can write down
		step *= 2
	}
	up := n / step * step
	if up < n {
		up += step
	}
	return up
}

// reservedOfRow is the PG-min in a table's row. Where headroom is dedicated,
// the row's size is PG-min and headroom together; a size that is too small for
// that can only be PG-min alone.
func reservedOfRow(in buffer.Intent, r thresholds.Profile) unit.Bytes {
	together := in.Pool.SharedHeadroom == 0 && in.Pool.SharedHeadroomRatio == 0 && r.Size >= r.XOFF
	if together {
		return r.Size - r.XOFF
	}
	return r.Size
}

// holding is how many cells hold b bytes, the last of them perhaps in part.
func holding(in buffer.Intent, b unit.Bytes) cells.Count {
	n := int64(b) / int64(in.Chip.Cell)
	if int64(b)%int64(in.Chip.Cell) > 0 {
		n++
	}
	return cells.Count(n)
}

// Differences counts the registers that hold different values in two layouts,
// each looked up in the other.
func Differences(a, b buffer.Layout) int {
	n := 0
	for _, s := range a {
		if b.Value(s.Register) != s.Value {
			n++
		}
	}
	for _, s := range b {
		if !slices.ContainsFunc(a, func(o buffer.Setting) bool { return o.Register == s.Register }) {
			n++
		}
	}
	return n
}
