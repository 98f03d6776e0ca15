package calibrate

import (
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// The sizes of cells and of overhead that are looked at if nothing narrows them: those of all known chips are among
// them (80 bytes to 4 KiB; 0 to 80 bytes).
const (
	leastCell, mostCell = 32, 1 << 14
	mostOverhead        = 128
)

// storage is one candidate for how the chip stores packets.
type storage struct {
	cell     int64
	overhead int64
}

// cells returns the cells of a packet.
func (s storage) cells(packet unit.Bytes) int64 {
	return int64(cells.Size(s.cell).Packet(packet, unit.Bytes(s.overhead)))
}

// sized is what tells something about the size of a cell. Each returns whether a candidate can be.
type sized struct {
	from string
	can  func(storage) bool
}

// sizes collects what the measurements tell about cells and overhead.
func (m *Measurements) sizes() (out []sized) {
	for i := range m.Stored {
		out = append(out, m.Stored[i].sized())
	}
	for i := range m.Fills {
		if s, ok := m.Fills[i].sized(); ok {
			out = append(out, s)
		}
		for j := range m.Fills[:i] {
			if s, ok := sameFill(&m.Fills[j], &m.Fills[i]); ok {
				out = append(out, s)
			}
		}
	}
	var marks []int64
	for i := range m.Uses {
		for _, mark := range []unit.Optional[unit.Bytes]{m.Uses[i].Headroom, m.Uses[i].Shared} {
			if n := int64(mark.Or(0)); n > 0 {
				marks = append(marks, n)
			}
		}
	}
	if len(marks) > 0 {
		slices.Sort(marks)
		marks = slices.Compact(marks)
		out = append(out, sized{m.Uses[0].From, func(s storage) bool {
			return !slices.ContainsFunc(marks, func(n int64) bool { return n%s.cell != 0 })
		}})
	}
	return out
}

// sized says that equal packets in an empty memory take a whole number of cells each.
func (x *Stored) sized() sized {
	return sized{x.From, func(s storage) bool {
		n := s.cells(x.Packet) * x.Packets
		if x.Bytes {
			n *= s.cell
		}
		return x.Mark.Has(n)
	}}
}

// sized says two things: watermarks in bytes are whole cells, and the packets in the headroom of the first group take
// as many cells as its configured headroom has, rounded up. The shared headroom pool must not be smaller than that.
func (f *Fill) sized() (sized, bool) {
	var marks []int64
	var xoff, drop Range
	var paused, dropped bool
	for _, r := range f.Readings {
		switch {
		case r.Bytes && r.Is.IsPoint():
			marks = append(marks, r.Is.Lo)
		case r.Group == 0 && r.What == XOFF:
			xoff, paused = r.Is, true
		case r.Group == 0 && r.What == Drop:
			drop, dropped = r.Is, true
		}
	}
	size, configured := f.Headroom.Get()
	bound := configured && paused && dropped && xoff.Hi != NoBound && drop.Hi != NoBound
	if !bound && marks == nil {
		return sized{}, false
	}
	return sized{f.From, func(s storage) bool {
		if slices.ContainsFunc(marks, func(n int64) bool { return n%s.cell != 0 }) {
			return false
		}
		// The packet of XOFF is the last in the shared part, or the first behind it.
		n, held := s.cells(f.Packet), int64(cells.Size(s.cell).Holding(size))
		return !bound || held/n >= drop.Lo-1-xoff.Hi && held/n <= drop.Hi-xoff.Lo
	}}, true
}

// sameFill compares two fills that differ in the length of their packets alone: the first group pauses at the same
// cells, but for what the last packet of each may be above or below.
func sameFill(a, b *Fill) (sized, bool) {
	same := a.Packet != b.Packet && a.Groups == b.Groups && a.InTurn == b.InTurn && a.Lossy == b.Lossy &&
		a.Profile == b.Profile
	x, first := a.first()
	y, second := b.first()
	if !same || !first || !second || x.Hi == NoBound || y.Hi == NoBound {
		return sized{}, false
	}
	return sized{b.From, func(s storage) bool {
		n, m := s.cells(a.Packet), s.cells(b.Packet)
		slack := 2 * (n + m)
		return x.Lo*n <= y.Hi*m+slack && y.Lo*m <= x.Hi*n+slack
	}}, true
}

// first returns the packet at which the first group pauses or, if it is lossy, drops.
func (f *Fill) first() (Range, bool) {
	for _, r := range f.Readings {
		if r.Group == 0 && (r.What == XOFF && !f.Lossy || r.What == Drop && f.Lossy) {
			return r.Is, true
		}
	}
	return Range{}, false
}

// storages returns the candidates for cell and overhead that agree with everything that tells about them.
func storages(cell, overhead Range, all []sized) (out []storage) {
	for c := cell.Lo; c <= cell.Hi; c++ {
	next:
		for o := overhead.Lo; o <= overhead.Hi; o++ {
			s := storage{c, o}
			for i := range all {
				if !all[i].can(s) {
					continue next
				}
			}
			out = append(out, s)
		}
	}
	return out
}
