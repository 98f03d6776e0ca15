package buffer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/unit"
)

// Reason is why a port was refused.
type Reason string

// The reasons for which a port is refused.
const (
	NoCells        Reason = "cells"           // the slice has not enough cells left above the floor
	PoolTooLarge   Reason = "pool"            // the pool as configured does not fit the slice, before any port, or the chip cannot make it so large
	HeadroomPool   Reason = "headroom pool"   // the chip cannot make the shared headroom pool so large
	HeadroomOfPool Reason = "shared headroom" // one group's headroom is larger than the slice's shared headroom pool
	PortTooLarge   Reason = "port headroom"   // the port's groups together need more headroom than the chip gives one port
	NoPortCells    Reason = "port minimum"    // the slice has not enough cells left for the minimum of the port itself
	NoQueueCells   Reason = "queue minima"    // the slice has not enough cells left for the minimum of an egress queue
)

// Shortfall is an admission's answer for one port, in numbers. The zero
// Shortfall means that the port is admitted.
type Shortfall struct {
	Reason    Reason
	Group     int // NoQueueCells: the queue; NoPortCells: 0
	Slice     int
	Needed    cells.Count // by this group in this slice, or by the pool
	Available cells.Count // of these
	Short     cells.Count // Needed - Available
	Limit     bool        // PoolTooLarge: Available is the chip's largest limit of one pool, not its memory
}

// Fits tells whether the port is admitted.
func (s Shortfall) Fits() bool { return s.Reason == "" }

// Admission is a chip's ledgers with an intent's ports in them: the engine
// behind a plan, for callers who ask many questions of one switch. Asking
// allocates nothing, except to size a kind of port (speed, cable, MTU) that it
// meets for the first time.
//
// An Admission is not safe for concurrent use.
type Admission struct {
	in      Intent
	shared  unit.Bytes    // size of the shared headroom pool: as configured, or by ratio
	pools   []cells.Pool  // one per slice
	initial []cells.Pool  // the pools before any port
	part    []cells.Count // of the shared headroom pool, in each slice
	blocked Shortfall     // why no port can be served at all
	demands map[portKind]*demand
	ports   []entry
	slices  [][]int // charged for the ports of each pipe
}

// entry is one port's state.
type entry struct {
	demand  *demand
	pipe    int
	assumed bool // nobody said which pipe it is
	short   Shortfall
}

// NewAdmission validates the intent, sizes it and admits its ports in order.
// The error is an *InvalidError for malformed input, or says which port and
// class cannot be sized; a port that does not fit is no error.
func NewAdmission(in Intent) (*Admission, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return newAdmission(in)
}

// newAdmission sizes and admits an intent that is known to be valid.
func newAdmission(in Intent) (*Admission, error) {
	in = in.clone()
	a := &Admission{in: in, demands: map[portKind]*demand{}}
	for p := range in.Chip.PipeCount() {
		a.slices = append(a.slices, in.Chip.SlicesOf(p))
	}
	a.ports = make([]entry, len(in.Ports))
	var bad []error
	failed := map[portKind]bool{} // one complaint for all ports of a kind
	for i := range in.Ports {
		if failed[in.Ports[i].kind()] {
			continue
		}
		d, err := a.demand(&in.Ports[i])
		if err != nil {
			bad = append(bad, err)
			failed[in.Ports[i].kind()] = true
			continue
		}
		a.ports[i] = entry{demand: d, pipe: in.PipeOf(i), assumed: in.Ports[i].Pipe == nil}
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, errors.Join(bad...))
	}
	a.placePools()
	a.Replan()
	return a, nil
}

// headroomPool returns the size of the shared headroom pool: as configured, or
// by ratio for the ports that there are.
func (a *Admission) headroomPool() unit.Bytes {
	ratio := cells.Count(a.in.Pool.SharedHeadroomRatio)
	if ratio == 0 {
		return a.in.Pool.SharedHeadroom
	}
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

// PipeOf returns the ingress pipe of the i-th port: its own, or the next in
// turn.
func (in *Intent) PipeOf(i int) int { return in.pipeOf(i, &in.Ports[i]) }

func (in *Intent) pipeOf(i int, p *Port) int {
	if p.Pipe != nil {
		return *p.Pipe
	}
	return i % in.Chip.PipeCount()
}

// demand returns what a port asks for, sized once for each kind of port.
func (a *Admission) demand(p *Port) (*demand, error) {
	if d, known := a.demands[p.kind()]; known {
		return d, nil
	}
	d, err := a.in.demandOf(p)
	if err != nil {
		return nil, err
	}
	a.demands[d.kind] = d
	return d, nil
}

// placePools makes each slice's ledger and charges the shared headroom pool.
// If a slice cannot hold the pool as configured, none is placed at all.
func (a *Admission) placePools() {
	in, n := &a.in, cells.Count(len(a.in.Chip.Slices))
	a.shared = a.headroomPool()
	a.part, a.initial, a.blocked = a.part[:0], a.initial[:0], Shortfall{}
	part := in.Chip.Cell.Within(a.shared) / n
	for i := range in.Chip.Slices {
		s := &in.Chip.Slices[i]
		p := cells.Whole(s.Cells, s.Taken())
		if most := in.Chip.MaxPool; most > 0 && most < p.Size {
			p = cells.Pool{Total: p.Total, Chip: p.Chip, Size: most} // what is beyond it is unused, and granted first
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

// place charges a slice's part of the shared headroom pool. The pool as
// configured must fit entirely, and within what the chip can program: only
// later grants may eat into it.
func (a *Admission) place(p *cells.Pool, part cells.Count) Shortfall {
	available := p.Total - p.Chip
	asked, shared := p.Size+part, p.Size
	switch {
	case a.in.Pool.Size == 0:
		asked, shared = available, min(p.Size, available-part)
	case p.SizeIncludesHeadroom:
		asked, shared = p.Size, p.Size-part
	}
	most, mostHeadroom := a.in.Chip.MaxPool, a.in.Chip.MaxHeadroomPool
	switch {
	case asked > available:
		return Shortfall{Reason: PoolTooLarge, Needed: asked, Available: available, Short: asked - available}
	case shared < p.Floor:
		return Shortfall{Reason: PoolTooLarge, Needed: part + p.Floor, Available: part + shared, Short: p.Floor - shared}
	case most > 0 && shared > most:
		return Shortfall{Reason: PoolTooLarge, Needed: shared, Available: most, Short: shared - most, Limit: true}
	case mostHeadroom > 0 && part > mostHeadroom:
		return Shortfall{Reason: HeadroomPool, Needed: part, Available: mostHeadroom, Short: part - mostHeadroom}
	}
	if short := p.Reserve(0, part); short > 0 {
		panic(fmt.Sprintf("buffer: a pool that fits is %d cells short", short))
	}
	return Shortfall{}
}

// clone returns an admission that later changes of a do not reach.
func (a *Admission) clone() *Admission {
	c := *a
	c.in.Ports = slices.Clone(a.in.Ports)
	c.part, c.initial = slices.Clone(a.part), slices.Clone(a.initial)
	c.pools, c.ports, c.demands = slices.Clone(a.pools), slices.Clone(a.ports), maps.Clone(a.demands)
	return &c
}

// Replan takes back every grant and admits the ports again, in order.
func (a *Admission) Replan() {
	copy(a.pools, a.initial)
	for i := range a.ports {
		e := &a.ports[i]
		e.short = a.admit(e.demand, e.pipe)
	}
}

// Fits tells whether every port is admitted.
func (a *Admission) Fits() bool {
	for i := range a.ports {
		if !a.ports[i].short.Fits() {
			return false
		}
	}
	return true
}

// WhatIf answers whether the i-th port could be p instead of what it is, with
// all other grants as they stand, a headroom pool by ratio too; nothing
// changes. The error is an *InvalidError, or says that p cannot be sized. The
// name of p does not matter.
func (a *Admission) WhatIf(i int, p Port) (Shortfall, error) {
	var bad complain.List
	if a.in.validatePort(&p, "port", &bad); len(bad) > 0 {
		return Shortfall{}, invalid(bad)
	}
	d, err := a.demand(&p)
	if err != nil {
		return Shortfall{}, err
	}
	e := a.ports[i]
	a.release(e)
	pipe := a.in.pipeOf(i, &p)
	short := a.admit(d, pipe)
	a.release(entry{demand: d, pipe: pipe, short: short})
	if e.short.Fits() {
		a.mustAdmit(i, e)
	}
	return short, nil
}

// mustAdmit gives a port back what it held a moment ago.
func (a *Admission) mustAdmit(i int, e entry) {
	if again := a.admit(e.demand, e.pipe); !again.Fits() {
		panic(fmt.Sprintf("buffer: port %d no longer fits where it was: %+v", i, again))
	}
}

// release gives back what an admitted entry holds.
func (a *Admission) release(e entry) {
	if !e.short.Fits() {
		return
	}
	a.releaseGroups(e.demand, a.slices[e.pipe])
	a.releaseQueues(e.demand, len(a.pools))
}

// releaseQueues gives back the queue minima in the first n slices.
func (a *Admission) releaseQueues(d *demand, n int) {
	for s := range n {
		if d.minima > 0 {
			a.pools[s].Release(d.minima, 0)
		}
	}
}

// charged returns the headroom that a port is charged for: with a shared
// headroom pool only the pool is charged, once.
func (a *Admission) charged(d *demand) cells.Count {
	if a.shared > 0 {
		return 0
	}
	return d.headroom
}

// admit grants a port its cells in all its slices, or in none.
func (a *Admission) admit(d *demand, pipe int) Shortfall {
	if !a.blocked.Fits() {
		short := a.blocked
		short.Group = d.first()
		return short
	}
	if len(d.groups) == 0 {
		return Shortfall{}
	}
	charged := a.slices[pipe]
	if most := a.in.Chip.MaxPortHeadroom; most > 0 && d.headroom > most {
		return d.overPort(most, charged[0])
	}
	if short := a.overPool(d, charged); !short.Fits() {
		return short
	}
	for k, s := range charged {
		if a.pools[s].Reserve(d.reserved, a.charged(d)) == 0 {
			continue
		}
		a.releaseGroups(d, charged[:k])
		return a.blame(d, s)
	}
	if d.minima == 0 {
		return Shortfall{}
	}
	for s := range a.pools {
		if a.pools[s].Reserve(d.minima, 0) == 0 {
			continue
		}
		short := a.blameQueue(d, s)
		a.releaseQueues(d, s)
		a.releaseGroups(d, charged)
		return short
	}
	return Shortfall{}
}

// releaseGroups gives back what a port's groups hold in these slices.
func (a *Admission) releaseGroups(d *demand, charged []int) {
	for _, s := range charged {
		a.pools[s].Release(d.reserved, a.charged(d))
	}
}

// first returns the group to name when a port gets nothing at all.
func (d *demand) first() int {
	for i := range d.groups {
		if d.groups[i].Lossless {
			return d.groups[i].group
		}
	}
	if len(d.groups) == 0 {
		return 0
	}
	return d.groups[0].group
}

// overPort finds the group at which the port has had all that one port can.
func (d *demand) overPort(left cells.Count, slice int) Shortfall {
	for i := range d.groups {
		g := &d.groups[i]
		if g.Headroom > left {
			return Shortfall{Reason: PortTooLarge, Group: g.group, Slice: slice, Needed: g.Headroom, Available: left, Short: g.Headroom - left}
		}
		left -= g.Headroom
	}
	panic("buffer: a port is too large but none of its groups")
}

// overPool finds a group whose headroom exceeds its slice's part of the shared
// headroom pool: it could never be lossless, however quiet the others are.
func (a *Admission) overPool(d *demand, charged []int) Shortfall {
	if a.shared == 0 {
		return Shortfall{}
	}
	for _, s := range charged {
		for i := range d.groups {
			if g := &d.groups[i]; g.Headroom > a.part[s] {
				return Shortfall{Reason: HeadroomOfPool, Group: g.group, Slice: s, Needed: g.Headroom, Available: a.part[s], Short: g.Headroom - a.part[s]}
			}
		}
	}
	return Shortfall{}
}

// blame finds the group at which slice s runs out, or that only the port's own
// minimum is too much.
func (a *Admission) blame(d *demand, s int) Shortfall {
	trial := a.pools[s]
	for i := range d.groups {
		g := &d.groups[i]
		headroom := g.Headroom
		if a.shared > 0 {
			headroom = 0
		}
		if short := trial.Reserve(g.Reserved, headroom); short > 0 {
			needed := g.Reserved + headroom
			return Shortfall{Reason: NoCells, Group: g.group, Slice: s, Needed: needed, Available: needed - short, Short: short}
		}
	}
	if short := trial.Reserve(d.port, 0); short > 0 {
		return Shortfall{Reason: NoPortCells, Slice: s, Needed: d.port, Available: d.port - short, Short: short}
	}
	panic(fmt.Sprintf("buffer: slice %d refuses a port but none of its groups", s))
}

// blameQueue finds the queue at which slice s runs out, after all groups.
func (a *Admission) blameQueue(d *demand, s int) Shortfall {
	trial := a.pools[s]
	for _, q := range d.queues {
		if short := trial.Reserve(q.reserved, 0); short > 0 {
			return Shortfall{Reason: NoQueueCells, Group: q.queue, Slice: s, Needed: q.reserved, Available: q.reserved - short, Short: short}
		}
	}
	panic(fmt.Sprintf("buffer: slice %d refuses a port but none of its queues", s))
}
