package sim

import (
	"fmt"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Switch returns the switch that the registers make, for a fabric.Network: its
// MMU, with eight groups and eight egress queues for each of the named ports, in
// their order, and what the simulator has to know of a port. The behaviour says
// how the chip compares; the zero one is the reference.
//
// What the registers do not say is chosen, and may be changed in the result:
//
//   - A priority whose own group has registers is in it. The others are in the
//     lowest group of the port that is lossy and has registers, as the priorities
//     of a lossy class are; if there is none, in the group of their number.
//   - A priority has PFC if its group is lossless.
//   - A port without a DSCP map trusts the tag. Of one that has a map, DSCPs that
//     the map leaves out have priority 0.
//   - Queues without a weight take turns, a packet each, with those that have one.
//   - The egress takes whatever the ingress admits: one pool without end, queues
//     without limits beside their minima.
//   - Headroom stands behind the shared buffer: there are no registers for a
//     first stage, such as Spectrum has ([mmu.Stage]).
//
// An MMUConfig has one limit for all slices. Where they differ, the running MMU
// has to be told: [ASIC.Attach] does it, or [ASIC.Tune].
//
// A port that is not known yet is placed now. A name that is empty or named
// twice is refused.
func (a *ASIC) Switch(ports []string, b behaviour.Family) (fabric.Switch, error) {
	seen := map[string]bool{}
	for i, p := range ports {
		if p == "" || seen[p] {
			return fabric.Switch{}, fmt.Errorf("%w: ports[%d]: %q: accepted: a name that no other port has", buffer.ErrInvalid, i, p)
		}
		seen[p] = true
	}
	steps := make([]buffer.Step, len(ports))
	for i, p := range ports {
		steps[i].Port = p
	}
	a.pipes, a.next = a.place(steps)
	return a.switchOf(a.registers(), ports, b), nil
}

// registers is what the registers hold, by register.
type registers map[buffer.Register]int64

func (a *ASIC) registers() registers {
	r := make(registers, len(a.now))
	for _, s := range a.now {
		r[s.Register] = s.Value
	}
	return r
}

// of returns a register of a port; 0 if nobody wrote it.
func (r registers) of(k buffer.Kind, port string, index int) int64 {
	return r[buffer.Register{Kind: k, Port: port, Index: index}]
}

func (a *ASIC) switchOf(r registers, ports []string, b behaviour.Family) fabric.Switch {
	n := len(a.chip.Slices)
	sw := fabric.Switch{Name: a.Name(), MMU: mmu.Config{Cell: a.chip.Cell, Overhead: a.chip.Overhead, Slices: n, Rule: b.Rule,
		Pools: []mmu.Pool{{Shared: a.shared(r, 0)}}, HeadroomPools: []cells.Count{headroomPool(r, 0)}, EgressPools: []mmu.Pool{{Shared: unlimited}}}}
	for i, port := range ports {
		sw.MMU.PortPools = append(sw.MMU.PortPools, mmu.PortPool{Reserved: cells.Count(r.of(buffer.PortMinimum, port, 0))})
		for g := range pg.PerPort {
			sw.MMU.Groups = append(sw.MMU.Groups, r.group(port, i, g, b))
			sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Reserved: cells.Count(r.of(buffer.QueueReserved, port, g)), Limit: thresholds.Unlimited(), Priority: g})
		}
		p := r.port(port, i)
		for q := range pg.PerPort {
			p.ECN[q].Thresholds = r.marking(a.chip.Cell, port, q)
		}
		sw.Ports = append(sw.Ports, p)
	}
	pipes := make([]int, len(ports))
	for i, p := range ports {
		pipes[i] = a.pipes[p]
	}
	sw.Slice = func(in, out int) int { return a.chip.SliceOf(pipes[in], pipes[out]) }
	return sw
}

// unlimited is as many cells as an MMU's account may have.
const unlimited cells.Count = 1 << 40

// group returns a group as the MMU knows it. Every lossless group counts against
// the headroom pool, which has no limit where there is none, so that a pool may
// come and go while the group is in use. The headroom of a group that is not
// lossless lies idle.
func (r registers) group(port string, number, group int, b behaviour.Family) mmu.Group {
	get := func(k buffer.Kind) cells.Count { return cells.Count(r.of(k, port, group)) }
	g := mmu.Group{PortPool: number + 1, HeadroomPool: 1, Reserved: get(buffer.GroupReserved), Limit: r.limit(port, group), Priority: group,
		Lossless: get(buffer.GroupLossless) > 0, XON: thresholds.XON{Offset: get(buffer.GroupXONOffset), Latched: b.Latched}}
	if g.Lossless {
		g.Headroom = get(buffer.GroupHeadroom)
	}
	return g
}

// limit returns a group's limit on shared cells. A group without one uses none.
func (r registers) limit(port string, group int) thresholds.Limit {
	alpha, written := r[buffer.Register{Kind: buffer.GroupAlpha, Port: port, Index: group}]
	if !written {
		alpha = buffer.Unset
	}
	return buffer.LimitOf(alpha, r.of(buffer.GroupStatic, port, group))
}

// port returns a port's maps.
func (r registers) port(port string, number int) fabric.SwitchPort {
	p := fabric.SwitchPort{Name: port, PFC: r.lossless(port), ETS: r.schedule(port)}
	p.Trust, p.Map = r.trust(port)
	rest := r.rest(port)
	for prio := range fabric.Priorities {
		group := prio
		if rest >= 0 && !r.configured(port, prio) {
			group = rest
		}
		p.Groups[prio], p.Queues[prio], p.Cells[prio] = number*pg.PerPort+group, prio, number*pg.PerPort+prio
	}
	return p
}

// schedule returns how the queues of a port share it: strict ones, and those with
// weights by DWRR, as SAI's SCHEDULING_TYPE_DWRR. Zero if no queue says anything.
func (r registers) schedule(port string) (s fabric.Scheduler) {
	for q := range pg.PerPort {
		switch w := r.of(buffer.QueueWeight, port, q); {
		case w == buffer.Strict:
			s.Queues[q].Algorithm = fabric.Strict
		case w > 0:
			s.Queues[q] = fabric.Turn{Algorithm: fabric.DWRR, Weight: int(w)}
		}
	}
	return s
}

// marking is the curve that a queue's registers say. Without a probability, and
// while kmin is above kmax because one of them is yet to be written, it is a step
// at kmax; without kmax nothing is marked.
func (r registers) marking(cell cells.Size, port string, queue int) ecn.Thresholds {
	bytes := func(k buffer.Kind) unit.Bytes { return cell.Bytes(cells.Count(r.of(k, port, queue))) }
	e := ecn.Thresholds{KMin: bytes(buffer.QueueECNMin), KMax: bytes(buffer.QueueECNMax), PMax: unit.Percent(r.of(buffer.QueueECNPMax, port, queue))}
	switch {
	case e.KMax == 0:
		return ecn.Thresholds{}
	case e.PMax == 0 || e.KMin > e.KMax:
		return ecn.Thresholds{KMin: e.KMax, KMax: e.KMax, PMax: unit.Whole}
	}
	return e
}

// trust returns the DSCP map of a port, if it has one: then it is a routed port,
// and DSCPs that the map leaves out have priority 0. Else it trusts the tag.
func (r registers) trust(port string) (fabric.Trust, *[pg.DSCPs]uint8) {
	var m pg.DSCPMap
	for p := range m {
		m[p] = pg.CodePoints(r.of(buffer.PriorityDSCP, port, p))
	}
	if m == (pg.DSCPMap{}) {
		return fabric.TrustPCP, nil
	}
	out := new([pg.DSCPs]uint8)
	for d := range out {
		p, _ := m.Priority(d)
		out[d] = uint8(p)
	}
	return fabric.TrustDSCP, out
}

// lossless returns the priorities with PFC: a lossless group has the priority of
// its number alone.
func (r registers) lossless(port string) (mask pfc.Priorities) {
	for g := range pg.PerPort {
		if r.of(buffer.GroupLossless, port, g) > 0 {
			mask |= pfc.Of(g)
		}
	}
	return mask
}

// rest returns the group of the priorities that have none of their own; below
// 0: there is none.
func (r registers) rest(port string) int {
	for g := range pg.PerPort {
		if r.configured(port, g) && r.of(buffer.GroupLossless, port, g) == 0 {
			return g
		}
	}
	return -1
}

// configured tells whether a group has any registers.
func (r registers) configured(port string, group int) bool {
	for _, k := range [...]buffer.Kind{buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic, buffer.GroupLossless, buffer.GroupHeadroom} {
		if _, ok := r[buffer.Register{Kind: k, Port: port, Index: group}]; ok {
			return true
		}
	}
	return false
}

// shared returns the cells that a slice shares: what its register says, or all
// that is left, up to the chip's largest pool.
func (a *ASIC) shared(r registers, slice int) cells.Count {
	if n := r.of(buffer.PoolShared, "", slice); n > 0 {
		return cells.Count(n)
	}
	s := &a.chip.Slices[slice]
	left, pooled := s.Cells-s.Taken(), headroomPool(r, slice) < unlimited
	for reg, n := range r {
		if a.charged(reg, slice, pooled, a.pipes) {
			left -= cells.Count(n)
		}
	}
	if most := a.chip.MaxPool; most > 0 {
		left = min(left, most)
	}
	return max(left, 0)
}

// headroomPool returns the limit of a slice's headroom pool.
func headroomPool(r registers, slice int) cells.Count {
	if n := r.of(buffer.PoolHeadroom, "", slice); n > 0 {
		return cells.Count(n)
	}
	return unlimited
}

// Tune gives the pools of an MMU that was made from Switch the sizes that they
// have in each slice. Groups that may go on afterwards are not told: call it
// before the first packet.
func (a *ASIC) Tune(m *mmu.MMU) error {
	r := a.registers()
	for s := range a.chip.Slices {
		if err := a.tunePool(m, r, s); err != nil {
			return err
		}
	}
	return nil
}

func (a *ASIC) tunePool(m *mmu.MMU, r registers, slice int) error {
	if err := m.SetPool(slice, 0, a.shared(r, slice)); err != nil {
		return err
	}
	return m.SetHeadroomPool(slice, 0, headroomPool(r, slice))
}
