package buffer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Admission is the engine behind a plan: a ledger of cells for each slice of the chip, and an intent's ports with what
// each of them was granted or refused. It is for callers who ask many questions of one switch. A question allocates
// nothing, except to size a kind of port (speed, cable, MTU) for the first time.
//
// The invariant: every pool of pools holds what its initial pool holds, plus the
// demands of all ports whose short is zero. A port that is refused holds nothing.
//
// An Admission is not safe for concurrent use.
type Admission struct {
	in      Intent
	shared  unit.Bytes           // size of the shared headroom pool: as configured, or by ratio; 0: dedicated headroom
	pools   []cells.Pool         // one per slice
	initial []cells.Pool         // the pools before any port
	part    []cells.Count        // of the shared headroom pool, in each slice
	blocked Shortfall            // why no port can be served at all; zero: ports can be
	demands map[portKind]*demand // of every kind of port that was sized
	last    *demand              // one of demands, which was asked for last; nil: none was
	asked   Port                 // the valid port that asked for it, without its name and its pipe
	ports   []entry              // in the order of in.Ports
	slices  [][]int              // charged for the ports of each pipe
	trial   *Admission           // of Trial; nil: none was asked for
	sums    []cellSums           // of Replan: of the ports of each pipe
}

// entry is one port's state.
type entry struct {
	demand  *demand
	pipe    int
	assumed bool      // the intent does not say the pipe: the port took the next in turn
	short   Shortfall // zero: the port holds its demand
}

// NewAdmission validates the intent, sizes it and admits its ports in order. The error is an *InvalidError for
// malformed input, or says which port and class cannot be sized; a port that does not fit is no error.
func NewAdmission(in Intent) (*Admission, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return newAdmission(in)
}

// newAdmission sizes and admits an intent that is known to be valid.
func newAdmission(in Intent) (*Admission, error) {
	in = in.clone()
	a := &Admission{in: in, demands: map[portKind]*demand{}, slices: in.Chip.slicesOfPipes()}
	a.ports = make([]entry, len(in.Ports))
	var bad []error
	failed := map[portKind]bool{} // so that a kind of 64 ports gives one complaint
	var last *demand              // of the port before: ports of a kind are mostly neighbours
	for i := range in.Ports {
		p := &in.Ports[i]
		if last == nil || !p.sameKind(&in.Ports[i-1]) {
			last = nil
			if len(failed) > 0 && failed[p.kind()] {
				continue
			}
			d, err := a.demand(p)
			if err != nil {
				bad = append(bad, err)
				failed[p.kind()] = true
				continue
			}
			last = d
		}
		a.ports[i] = entry{demand: last, pipe: in.PipeOf(i), assumed: p.Pipe == nil}
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, errors.Join(bad...))
	}
	a.placePools()
	a.Replan()
	return a, nil
}

// Fits tells whether NewAdmission accepts the intent and admits every port. It ends at the first that is refused, and
// sizes none of those behind it.
func (in *Intent) Fits() bool {
	if in.Validate() != nil {
		return false
	}
	if in.Pool.SharedHeadroomRatio > 0 { // the pool follows all ports
		a, err := newAdmission(*in)
		return err == nil && a.Fits()
	}
	a := &Admission{in: *in, demands: map[portKind]*demand{}, slices: in.Chip.slicesOfPipes()}
	a.placePools()
	for i := range in.Ports {
		d, err := a.demand(&in.Ports[i])
		if err != nil || !a.admit(d, in.PipeOf(i)).Fits() {
			return false
		}
	}
	return true
}

// Under returns what NewAdmission does of the same ports under other limits. From the intent it takes the pool, the
// floor, and of the chip the slices, the largest pools, the headroom of a port, and what the chip carries; all else is
// as it was, and no port is sized again unless headroom is shared now and was not before, or the reverse. The error is
// that of NewAdmission.
func (a *Admission) Under(limits Intent) (*Admission, error) {
	in, from := a.in, &limits.Chip
	in.Pool, in.SharedFloor = limits.Pool, limits.SharedFloor
	c := &in.Chip
	c.Slices, c.Ports, c.Bandwidth = from.Slices, from.Ports, from.Bandwidth
	c.MaxPool, c.MaxHeadroomPool, c.MaxPortHeadroom = from.MaxPool, from.MaxHeadroomPool, from.MaxPortHeadroom
	if in.Pool.SharesHeadroom() != a.in.Pool.SharesHeadroom() || len(c.Slices) != len(a.in.Chip.Slices) {
		return NewAdmission(in)
	}
	var bad fielderr.List
	in.validateLimits(&bad)
	in.validateCarried(&bad)
	if len(bad) > 0 {
		return nil, Invalid(bad)
	}
	c.Slices = slices.Clone(c.Slices)
	out := &Admission{in: in, demands: maps.Clone(a.demands), slices: a.slices, ports: slices.Clone(a.ports)}
	out.placePools()
	out.Replan()
	return out, nil
}

// PipeOf returns the ingress pipe of the i-th port: its own, or the next in turn.
func (in *Intent) PipeOf(i int) int { return in.pipeOf(i, &in.Ports[i]) }

// pipeOf returns the ingress pipe of a port in the i-th place.
func (in *Intent) pipeOf(i int, p *Port) int {
	if p.Pipe != nil {
		return *p.Pipe
	}
	return i % in.Chip.PipeCount()
}

// demand returns what a port asks for, sized once for each kind of port.
func (a *Admission) demand(p *Port) (*demand, error) {
	// Many questions in a row are of one kind of port, and to find it in the map costs as much as to admit a port.
	if a.last != nil && p.sameKind(&a.asked) {
		return a.last, nil
	}
	kind := p.kind()
	d, known := a.demands[kind]
	if !known {
		var err error
		if d, err = a.in.demandOf(p); err != nil {
			return nil, err
		}
		a.demands[kind] = d
	}
	a.last, a.asked = d, *p
	a.asked.Name, a.asked.Pipe = "", nil
	return d, nil
}

// question returns what a port asks for that is to be the i-th, or says what is malformed. It looks once at ports that
// are asked for in a row, if they differ in nothing but their names and pipes.
func (a *Admission) question(i int, p *Port) (*demand, error) {
	d := a.last
	var bad fielderr.List
	if d == nil || !p.sameKind(&a.asked) || p.PFCWithoutHeadroom != a.asked.PFCWithoutHeadroom ||
		p.Pipe != nil && uint(*p.Pipe) >= uint(len(a.slices)) {
		d = nil
		a.in.validatePort(p, "port", &bad)
	}
	if p.Rate != a.in.Ports[i].Rate { // otherwise the sum stays as it is
		a.in.validateSum(a.in.Ports, i, p, &bad)
	}
	if len(bad) > 0 {
		return nil, Invalid(bad)
	}
	if d == nil {
		return a.demand(p)
	}
	return d, nil
}

// clone returns a copy that later changes of a do not reach. Demands are shared,
// because they are not changed once they are made.
func (a *Admission) clone() *Admission {
	c := *a
	c.trial, c.sums = nil, nil
	c.in.Ports = slices.Clone(a.in.Ports)
	c.part, c.initial = slices.Clone(a.part), slices.Clone(a.initial)
	c.pools, c.ports, c.demands = slices.Clone(a.pools), slices.Clone(a.ports), maps.Clone(a.demands)
	return &c
}

// Replan takes back every grant and admits the ports again, in order.
func (a *Admission) Replan() {
	if a.admitAll() {
		return
	}
	copy(a.pools, a.initial)
	for i := range a.ports {
		e := &a.ports[i]
		e.short = a.admit(e.demand, e.pipe)
	}
}

// admitAll admits all ports at once if none is refused; else it returns false, and what the pools hold is undefined. A
// slice that holds a sum holds its parts in any order.
func (a *Admission) admitAll() bool {
	if len(a.sums) != len(a.slices) {
		a.sums = make([]cellSums, len(a.slices))
	}
	clear(a.sums)
	minima, last := cells.Count(0), (*demand)(nil) // of the port before
	for i := range a.ports {
		e := &a.ports[i]
		if e.demand != last && a.refusedAlone(e.demand) {
			return false
		}
		last = e.demand
		a.sums[e.pipe].reserved += last.reserved
		a.sums[e.pipe].headroom += a.charged(last)
		minima += last.minima
	}
	copy(a.pools, a.initial)
	for pipe, sum := range a.sums {
		for _, s := range a.slices[pipe] {
			if a.pools[s].Reserve(sum.reserved, sum.headroom) > 0 {
				return false
			}
		}
	}
	for s := range a.pools {
		if a.pools[s].Reserve(minima, 0) > 0 {
			return false
		}
	}
	for i := range a.ports {
		if e := &a.ports[i]; !e.short.Fits() {
			e.short = Shortfall{}
		}
	}
	return true
}

// cellSums is what ports ask for together in each of their slices.
type cellSums struct{ reserved, headroom cells.Count }

// refusedAlone tells whether a port is refused on an empty switch for another reason than its cells.
func (a *Admission) refusedAlone(d *demand) bool {
	if !a.blocked.Fits() {
		return true
	}
	most := a.in.Chip.MaxPortHeadroom
	return most > 0 && d.headroom > most || !a.overHeadroomPool(d, a.slices[0]).Fits()
}

// Fits tells whether every port is admitted.
func (a *Admission) Fits() bool { return a.refused() < 0 }

// refused returns the first port that is not admitted, or -1.
func (a *Admission) refused() int {
	return slices.IndexFunc(a.ports, func(e entry) bool { return !e.short.Fits() })
}

// WhatIf answers whether the i-th port could be p. All other grants stay, and so does
// the size of a headroom pool by ratio; nothing changes. The error is an
// *InvalidError, or says that p cannot be sized. The name of p does not matter.
func (a *Admission) WhatIf(i int, p Port) (Shortfall, error) {
	d, err := a.question(i, &p)
	if err != nil {
		return Shortfall{}, err
	}
	pipe := a.in.pipeOf(i, &p)
	if a.canBe(&a.ports[i], d, pipe) {
		return Shortfall{}, nil
	}
	e := a.ports[i]
	a.release(e)
	short := a.admit(d, pipe)
	a.release(entry{demand: d, pipe: pipe, short: short})
	if e.short.Fits() {
		a.mustAdmit(i, e)
	}
	return short, nil
}

// canBe tells whether an admitted port could have a demand in place of its own: what release and admit would say, of
// copies of the pools. It returns false, too, for what admit looks at before the pools.
func (a *Admission) canBe(e *entry, d *demand, pipe int) bool {
	most, charged := a.in.Chip.MaxPortHeadroom, a.slices[pipe]
	if !e.short.Fits() || !a.blocked.Fits() || most > 0 && d.headroom > most {
		return false
	}
	for s := range a.pools {
		pool := a.pools[s]
		pool.Release(e.demand.minima, 0)
		if slices.Contains(a.slices[e.pipe], s) {
			pool.Release(e.demand.reserved, a.charged(e.demand))
		}
		if slices.Contains(charged, s) {
			if a.shared > 0 && d.largest > a.part[s] || pool.Reserve(d.reserved, a.charged(d)) != 0 {
				return false
			}
		}
		if d.minima > 0 && pool.Reserve(d.minima, 0) != 0 {
			return false
		}
	}
	return true
}

// mustAdmit gives a port back its cells of a moment ago.
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

// charged returns the headroom that a port is charged for: with a shared headroom pool only the pool is charged, once.
func (a *Admission) charged(d *demand) cells.Count {
	if a.shared > 0 {
		return 0
	}
	return d.headroom
}

// admit grants a port its cells in all its slices, or in none: whatever was reserved before the refusal is released.
func (a *Admission) admit(d *demand, pipe int) Shortfall {
	if !a.blocked.Fits() {
		short := a.blocked
		short.Group = d.groupToName()
		return short
	}
	if len(d.groups)+len(d.channels) == 0 {
		return Shortfall{}
	}
	charged := a.slices[pipe]
	if most := a.in.Chip.MaxPortHeadroom; most > 0 && d.headroom > most {
		return d.overPortLimit(most, charged[0])
	}
	if short := a.overHeadroomPool(d, charged); !short.Fits() {
		return short
	}
	for k, s := range charged {
		if a.pools[s].Reserve(d.reserved, a.charged(d)) == 0 {
			continue
		}
		a.releaseGroups(d, charged[:k])
		return a.failingGroup(d, s)
	}
	if d.minima == 0 {
		return Shortfall{}
	}
	for s := range a.pools {
		if a.pools[s].Reserve(d.minima, 0) == 0 {
			continue
		}
		short := a.failingQueue(d, s)
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
