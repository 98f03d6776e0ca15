// Package golden is the slow model of admission with which package buffer and its subpackage mmu are compared in tests.
// It is written from the rules of a switch's memory and not from the code of these packages, so that a mistake has to
// be made twice to stay unnoticed.
//
// For a plan, the memory of a slice is five piles of cells. Cells are moved from one pile to another. A port is tried
// on a copy of the piles, and the copy is kept only if every cell was found. There is no formula for shared or unused
// cells: they are what lies on the pile. For packets, [MMU] is a list of cells, and every number is counted from the
// list.
//
// Only the headroom of a link is not computed a second time: the intent's sizer
// is used, because sizing is not part of admission.
package golden

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Slice is the memory of one slice. Every cell is on one of the piles.
type Slice struct {
	Chip, Reserved, Headroom, Shared, Unused cells.Count
}

// Answer is the result for one port. An admitted port has no Reason, and zeros in all other fields.
type Answer struct {
	Admitted bool
	Reason   buffer.Reason
	Slice    int         // the slice in which cells are missing
	Group    int         // the group for which cells are missing; 0 if a pool is too large
	Missing  cells.Count // number of missing cells
}

// Result is the result of an intent: one answer per port, and the final piles.
type Result struct {
	Ports  []Answer
	Slices []Slice
}

// Fits tells whether every port is admitted.
func (r Result) Fits() bool {
	return !slices.ContainsFunc(r.Ports, func(a Answer) bool { return !a.Admitted })
}

// Admit serves the ports of an intent in order. It panics if the intent cannot be sized, so the intent must be valid.
func Admit(in buffer.Intent) Result {
	m := newModel(in)
	var answers []Answer
	for i, p := range in.Ports {
		answers = append(answers, m.serve(i, p))
	}
	return Result{answers, m.slices}
}

// WhatIf returns whether the i-th port can be p while all others keep what they
// have: the memory is filled again without port i, then p is tried.
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

// model is a switch that is being filled.
type model struct {
	in     buffer.Intent
	slices []Slice
	floors []cells.Count
	part   cells.Count // part of the shared headroom pool in each slice
	none   Answer      // its Reason is set if no port can be placed at all
	sized  map[buffer.Port][]group
}

// group is the need of one priority group of a port.
type group struct {
	number             int
	reserved, headroom cells.Count
}

// newModel places the pools in all slices. If one slice has no room for them, no port can be placed.
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

// HeadroomPool is the size of the shared headroom pool, given or by ratio.
func HeadroomPool(in buffer.Intent) unit.Bytes {
	if in.Pool.SharedHeadroomRatio == 0 {
		return in.Pool.SharedHeadroom
	}
	return unit.Bytes(newModel(in).part) * unit.Bytes(in.Chip.Cell) * unit.Bytes(len(in.Chip.Slices))
}

// partByRatio is the smallest number of cells that holds the headroom of any single group and that, times the ratio,
// holds the headroom of all groups of any slice.
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

// emptied is a slice from which only the chip has taken its cells.
func emptied(chip buffer.Slice) Slice {
	s := Slice{Unused: chip.Cells}
	for _, t := range chip.Takes {
		s.Unused -= t.Cells
		s.Chip += t.Cells
	}
	return s
}

// partOf is a slice's equal part of a size for the whole chip.
func partOf(in buffer.Intent, size unit.Bytes) cells.Count {
	whole := int64(size) / int64(in.Chip.Cell)
	return cells.Count(whole / int64(len(in.Chip.Slices)))
}

// floorOf is the smallest number of cells that is not below the percentage.
func floorOf(share unit.Percent, total cells.Count) cells.Count {
	hundredths := int64(total) * int64(share)
	floor := hundredths / int64(unit.Whole)
	if floor*int64(unit.Whole) < hundredths {
		floor++
	}
	return cells.Count(floor)
}

// headroomInSize and reservedInSize tell whether the configured size includes such cells. If the pool is everything
// that is left, unused cells are those that the chip cannot put into one pool, and they are taken first.
func (m *model) headroomInSize() bool { return m.in.Pool.Size > 0 && m.in.Pool.SizeIncludesHeadroom }
func (m *model) reservedInSize() bool { return m.in.Pool.Size > 0 && m.in.Pool.SizeIncludesReserved }

// place places the pool and the shared headroom pool in an empty slice. If it cannot, it returns the reason, and the
// number of cells that are missing or beyond what the chip can put into one pool.
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

// serve gives a port everything that its groups need in every slice that its pipe feeds, or nothing.
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
		if refused := m.grantCredits(s, &trial[s], p); refused.Reason != "" {
			return refused
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

// minimaOf is the minimum of each egress queue of a port, by its number.
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

// carried tells whether a port has the i-th class; a port that names no class has all.
func carried(p buffer.Port, i int) bool {
	return p.Classes == 0 || int(p.Classes)/(1<<i)%2 == 1
}

// reclaimed tells whether a port holds nothing because it is not in use.
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

// largerThanPort refuses a port whose groups need more headroom together than the chip allows a port.
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

// largerThanPool refuses a port with a group that needs more than a slice's part of the shared headroom pool.
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

// grant moves one group's cells, and returns the number of missing cells. If groups share a headroom pool, their
// headroom was moved when the pool was placed.
func (m *model) grant(s *Slice, floor cells.Count, g group) cells.Count {
	missing := take(s, &s.Reserved, g.reserved, floor, m.reservedInSize())
	if !m.pooled() {
		missing += take(s, &s.Headroom, g.headroom, floor, m.headroomInSize())
	}
	return missing
}

// take moves n cells to a pile: from the unused cells, unless the pool's size
// includes this pile, and then from the shared cells down to the floor.
func take(s *Slice, onto *cells.Count, n, floor cells.Count, inSize bool) (missing cells.Count) {
	if !inSize {
		n -= move(&s.Unused, onto, n, 0)
	}
	return n - move(&s.Shared, onto, n, floor)
}

// move moves up to n cells from one pile to another, leaves at least keep on the first, and returns how many it moved.
func move(from, onto *cells.Count, n, keep cells.Count) cells.Count {
	n = min(n, *from-keep)
	*from -= n
	*onto += n
	return n
}

// groups lists the needs of a port's groups by number. Ports that differ only
// in name and pipe have the same needs, which are stored.
func (m *model) groups(p buffer.Port) []group {
	p.Name, p.Pipe = "", nil
	if known, ok := m.sized[p]; ok {
		return known
	}
	var out []group
	for i, c := range m.in.Classes {
		if !carried(p, i) || counted(c, p) || reclaimed(m.in, p) {
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

// Differences counts the registers with different values in two layouts.
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
