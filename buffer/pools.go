package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// headroomPool returns the size of the shared headroom pool: as configured, or by ratio for the ports that there are.
func (a *Admission) headroomPool() unit.Bytes {
	ratio := cells.Count(a.in.Pool.SharedHeadroomRatio)
	if ratio == 0 {
		return a.in.Pool.SharedHeadroom
	}
	// Every slice gets an equal part of the pool, so the slice with the most headroom
	// decides, and no part may be too small for one group.
	var part cells.Count
	for s := range a.in.Chip.Slices {
		var together cells.Count
		for i := range a.ports {
			e := &a.ports[i]
			if slices.Contains(a.slices[e.pipe], s) {
				together += e.demand.headroom
			}
		}
		part = max(part, (together+ratio-1)/ratio)
	}
	for i := range a.ports {
		for j := range a.ports[i].demand.groups {
			part = max(part, a.ports[i].demand.groups[j].Headroom)
		}
	}
	return a.in.Chip.Cell.Bytes(part * cells.Count(len(a.in.Chip.Slices)))
}

// placePools makes each slice's ledger and charges the shared headroom pool.
// If a slice cannot hold the pool as configured, none is placed at all.
func (a *Admission) placePools() {
	in, n := &a.in, cells.Count(len(a.in.Chip.Slices))
	a.shared = a.headroomPool()
	a.part, a.initial, a.blocked = a.part[:0], a.initial[:0], Shortfall{}
	if cap(a.part) < int(n) {
		a.part, a.initial = make([]cells.Count, 0, n), make([]cells.Pool, 0, n)
	}
	part := in.Chip.Cell.Within(a.shared) / n
	for i := range in.Chip.Slices {
		s := &in.Chip.Slices[i]
		p := cells.Whole(s.Cells, s.Taken())
		if most := in.Chip.MaxPool; most > 0 && most < p.Size {
			// Cells beyond the chip's largest pool are unused, and granted before shared ones.
			p = cells.Pool{Total: p.Total, Chip: p.Chip, Size: most}
		}
		if in.Pool.Size > 0 {
			p.Size = in.Chip.Cell.Within(in.Pool.Size) / n
			p.SizeIncludesHeadroom = in.Pool.SizeIncludesHeadroom
			p.SizeIncludesReserved = in.Pool.SizeIncludesReserved
		}
		p.Floor = cells.Count(in.SharedFloor.Of(int64(s.Cells)))
		if short := a.place(&p, part); !short.Fits() && a.blocked.Fits() {
			short.Slice = i
			a.blocked = short
		}
		a.part = append(a.part, part)
		a.initial = append(a.initial, p)
	}
	if !a.blocked.Fits() {
		for i, p := range a.initial {
			a.initial[i] = cells.Pool{Total: p.Total, Chip: p.Chip}
		}
	}
	a.pools = append(a.pools[:0], a.initial...)
}

// place charges a slice's part of the shared headroom pool. The pool as configured must fit entirely, and within what
// the chip can program: only later grants may eat into it.
func (a *Admission) place(p *cells.Pool, part cells.Count) Shortfall {
	available := p.Total - p.Chip
	asked, shared := p.Size+part, p.Size // of the slice's cells; and of the pool's, which groups share
	switch {
	case a.in.Pool.Size == 0: // the pool is what the headroom pool leaves
		asked, shared = available, min(p.Size, available-part)
	case p.SizeIncludesHeadroom:
		asked, shared = p.Size, p.Size-part
	}
	most, mostHeadroom := a.in.Chip.MaxPool, a.in.Chip.MaxHeadroomPool
	switch {
	case asked > available:
		return shortfall(PoolTooLarge, 0, 0, asked, available)
	case shared < p.Floor:
		return shortfall(PoolTooLarge, 0, 0, part+p.Floor, part+shared)
	case most > 0 && shared > most:
		short := shortfall(PoolTooLarge, 0, 0, shared, most)
		short.Limit = true
		return short
	case mostHeadroom > 0 && part > mostHeadroom:
		return shortfall(HeadroomPool, 0, 0, part, mostHeadroom)
	}
	if short := p.Reserve(0, part); short > 0 { // checked above
		panic(fmt.Sprintf("buffer: a pool that fits is %d cells short", short))
	}
	return Shortfall{}
}
