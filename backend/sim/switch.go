package sim

import (
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Switch returns a switch for a fabric.Network, made from the registers: an MMU with eight priority groups and eight
// egress queues for each named port, in the order of the names, and the ports' maps, PFC, marking and scheduling. The
// family says how the chip compares counters with limits; the zero family is the chip's own: see [behaviour.OfChip].
//
// Some things have no register. They get these values, which the caller may change in the result:
//
//   - A priority whose own group has registers is in that group. The other
//     priorities are in the lowest lossy group of the port that has registers,
//     because the priorities of a lossy class share one group. If there is no
//     such group, each is in the group of its own number.
//   - A priority has PFC if its group is lossless.
//   - A port without a DSCP map trusts the VLAN tag. On a port with a map, a
//     DSCP that the map leaves out has priority 0.
//   - Queues without a weight send one packet per round, in turn with the
//     weighted ones. On a port with traffic classes, a queue that is in none
//     is in the lowest class with a bandwidth, with a share of 1.
//   - The egress admits every packet that the ingress admits: it has one
//     unlimited pool, and the queues have no limits beside their minima. See
//     [LimitEgress].
//   - Headroom is used after the shared buffer. There are no registers for a
//     buffer in front of it, which Spectrum has ([mmu.Stage]).
//
// An mmu.Config has one size for a pool in all slices. Where the slices differ,
// [ASIC.Attach] or [ASIC.Tune] sets the sizes in the running MMU.
//
// On a chip whose ports own headroom, each port has that of its groups. A running MMU that is attached counts it by
// group.
//
// A port that has no pipe yet gets one now. An empty name and a name that is given twice are refused.
func (a *ASIC) Switch(ports []string, b behaviour.Family) (fabric.Switch, error) {
	seen := map[string]bool{}
	for i, p := range ports {
		if p == "" || seen[p] {
			return fabric.Switch{}, fmt.Errorf("%w: ports[%d]: %q: want a name that no other port has",
				buffer.ErrInvalid, i, p)
		}
		seen[p] = true
	}
	steps := make([]buffer.Step, len(ports))
	for i, p := range ports {
		steps[i].Port = p
	}
	a.pipes, a.next = a.placePorts(steps)
	sw := a.switchOf(a.values(), ports, a.Family(b))
	if a.chip.PortOwnsHeadroom() && sw.MMU.HeadroomPools[0] == unlimited {
		ownHeadroom(&sw.MMU)
	}
	return sw, nil
}

// ownHeadroom gives each port the headroom of its groups, of which one group can take all.
func ownHeadroom(c *mmu.Config) {
	for i := range c.Groups {
		if i%pg.PerPort == 0 {
			c.HeadroomPools = append(c.HeadroomPools, 0)
		}
		c.Groups[i].HeadroomPool = len(c.HeadroomPools)
		c.HeadroomPools[len(c.HeadroomPools)-1] += c.Groups[i].Headroom
	}
	for i := range c.Groups {
		if g := &c.Groups[i]; g.Lossless {
			g.Headroom = c.HeadroomPools[g.HeadroomPool-1]
		}
	}
}

// Family returns a family that is not zero, or else the chip's own: see [behaviour.OfChip].
func (a *ASIC) Family(b behaviour.Family) behaviour.Family {
	if b.Name == "" && b.Rule == (mmu.Rule{}) && !b.Latched {
		return behaviour.OfChip(&a.chip)
	}
	return b
}

// registers maps each register that has been written to its value.
type registers map[buffer.Register]int64

// values returns the registers by name, for look-ups.
func (a *ASIC) values() registers {
	r := make(registers, len(a.registers))
	for _, s := range a.registers {
		r[s.Register] = s.Value
	}
	return r
}

// of returns the value of a port's register; 0 if it has not been written.
func (r registers) of(k buffer.Kind, port string, index int) int64 {
	return r[buffer.Register{Kind: k, Port: port, Index: index}]
}

// switchOf returns the fabric switch of register values: see [ASIC.Switch].
func (a *ASIC) switchOf(r registers, ports []string, b behaviour.Family) fabric.Switch {
	n := len(a.chip.Slices)
	sw := fabric.Switch{Name: a.Name(), MMU: mmu.Config{Cell: a.chip.Cell, Overhead: a.chip.Overhead, Slices: n,
		Rule:  b.Rule,
		Pools: []mmu.Pool{{Shared: a.shared(r, 0)}}, HeadroomPools: []cells.Count{headroomPool(r, 0)},
		EgressPools: []mmu.Pool{{Shared: unlimited}}}}
	for i, port := range ports {
		sw.MMU.PortPools = append(sw.MMU.PortPools, mmu.PortPool{Reserved: cells.Count(r.of(buffer.PortMinimum, port, 0))})
		for g := range pg.PerPort {
			sw.MMU.Groups = append(sw.MMU.Groups, r.group(port, i, g, b))
			sw.MMU.Queues = append(sw.MMU.Queues,
				mmu.Queue{Reserved: cells.Count(r.of(buffer.QueueReserved, port, g)), Limit: thresholds.Unlimited(),
					Priority: g})
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
	// The slice depends on the pipes of both ports: see buffer.Chip.SliceOf.
	sw.Slice = func(in, out int) int { return a.chip.SliceOf(pipes[in], pipes[out]) }
	return sw
}

// unlimited is the largest size that an account of the MMU may have. No chip has as many cells.
const unlimited cells.Count = 1 << 40

// group returns a priority group for the MMU. Every lossless group counts against the headroom pool, also where there
// is no pool: the pool is then unlimited. So a headroom pool can be configured or removed while the group is in use. A
// group that is not lossless does not use its headroom.
func (r registers) group(port string, number, group int, b behaviour.Family) mmu.Group {
	get := func(k buffer.Kind) cells.Count { return cells.Count(r.of(k, port, group)) }
	g := mmu.Group{PortPool: number + 1, HeadroomPool: 1, Reserved: get(buffer.GroupReserved) + r.creditCells(port, group),
		Limit: r.limit(port, group), Priority: group,
		Lossless: get(buffer.GroupLossless) > 0, XON: thresholds.XON{Offset: get(buffer.GroupXONOffset),
			Latched: b.Latched}}
	if g.Lossless {
		g.Headroom = get(buffer.GroupHeadroom)
	}
	return g
}

// limit returns a group's limit on shared cells. A group without a limit register uses no shared cells.
func (r registers) limit(port string, group int) thresholds.Limit {
	alpha, written := r[buffer.Register{Kind: buffer.GroupAlpha, Port: port, Index: group}]
	if !written {
		alpha = buffer.Unset
	}
	return buffer.LimitOf(alpha, r.of(buffer.GroupStatic, port, group))
}

// port returns a port's classifiers, marking and scheduler.
func (r registers) port(port string, number int) fabric.SwitchPort {
	p := fabric.SwitchPort{Name: port, PFC: r.lossless(port), ETS: r.schedule(port)}
	p.Trust, p.Map = r.trust(port)
	rest := r.lossyGroup(port)
	for prio := range fabric.Priorities {
		group := prio
		if rest >= 0 && !r.configured(port, prio) {
			group = rest
		}
		p.Groups[prio], p.Queues[prio], p.Cells[prio] = number*pg.PerPort+group, prio, number*pg.PerPort+prio
	}
	return p
}

// marking returns the ECN curve of a queue. Kmin and kmax are two registers, written one after the other, so kmin can
// be above kmax for a moment. Then, and without a probability, the curve is a step at kmax. Without kmax nothing is
// marked.
func (r registers) marking(cell cells.Size, port string, queue int) ecn.Thresholds {
	bytes := func(k buffer.Kind) unit.Bytes { return cell.Bytes(cells.Count(r.of(k, port, queue))) }
	e := ecn.Thresholds{KMin: bytes(buffer.QueueECNMin), KMax: bytes(buffer.QueueECNMax),
		PMax: unit.Percent(r.of(buffer.QueueECNPMax, port, queue))}
	switch {
	case e.KMax == 0:
		return ecn.Thresholds{}
	case e.PMax == 0 || e.KMin > e.KMax:
		return ecn.Thresholds{KMin: e.KMax, KMax: e.KMax, PMax: unit.Whole}
	}
	return e
}

// trust returns the DSCP map of a port if it has one: it is then a routed port, and a DSCP that the map leaves out has
// priority 0. A port without a map trusts the VLAN tag.
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

// lossless returns the priorities with PFC. A lossless group carries the one priority of its own number.
func (r registers) lossless(port string) (mask pfc.Priorities) {
	for g := range pg.PerPort {
		if r.of(buffer.GroupLossless, port, g) > 0 {
			mask |= pfc.Of(g)
		}
	}
	return mask
}

// lossyGroup returns the group of the priorities that have no group of their own, or -1.
func (r registers) lossyGroup(port string) int {
	for g := range pg.PerPort {
		if r.configured(port, g) && r.creditCells(port, g) == 0 && r.of(buffer.GroupLossless, port, g) == 0 {
			return g
		}
	}
	return -1
}

// configured tells whether any register of a group has been written.
func (r registers) configured(port string, group int) bool {
	for _, k := range [...]buffer.Kind{buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic,
		buffer.GroupLossless, buffer.GroupHeadroom} {
		if _, ok := r[buffer.Register{Kind: k, Port: port, Index: group}]; ok {
			return true
		}
	}
	return r.creditCells(port, group) > 0
}

// creditCells returns the cells that a group has for the virtual channels that this simulator counts in it: it has the
// number of the lowest traffic class of the channel. Channels of traffic classes above 7 are not simulated. That a chip
// counts so is inferred: SAI does not say what holds the packets of a channel. Each group whose channels use shared
// credits may use all of them. The neighbour bounds what all groups together use, so no lossy group finds them taken.
func (r registers) creditCells(port string, group int) (n cells.Count) {
	shares := false
	for vc := range cbfc.MaxChannels {
		traffic := cbfc.TrafficClasses(r.of(buffer.ChannelTraffic, port, vc))
		if traffic != 0 && bits.TrailingZeros64(uint64(traffic)) == group {
			n += cells.Count(r.of(buffer.ChannelReserved, port, vc))
			_, dynamic := r[buffer.Register{Kind: buffer.ChannelAlpha, Port: port, Index: vc}]
			shares = shares || dynamic || r.of(buffer.ChannelStatic, port, vc) > 0
		}
	}
	if shares {
		n += cells.Count(r.of(buffer.PortCredits, port, 0))
	}
	return n
}

// shared returns the size of a slice's shared pool: the value of its register,
// or all cells that are left, up to the chip's largest pool.
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

// headroomPool returns the size of a slice's headroom pool; unlimited without one.
func headroomPool(r registers, slice int) cells.Count {
	if n := r.of(buffer.PoolHeadroom, "", slice); n > 0 {
		return cells.Count(n)
	}
	return unlimited
}

// Tune sets the pool sizes of each slice in an MMU that was made from Switch. Call it before the first packet: it does
// not look for paused groups that a larger pool would resume.
func (a *ASIC) Tune(m *mmu.MMU) error { return a.tune(m, a.values()) }

// tune sets the sizes of the pools of every slice in an MMU.
func (a *ASIC) tune(m *mmu.MMU, r registers) error {
	for s := range a.chip.Slices {
		if err := a.tunePool(m, r, s); err != nil {
			return err
		}
	}
	return nil
}

// tunePool sets the sizes of one slice's pools in a running MMU.
func (a *ASIC) tunePool(m *mmu.MMU, r registers, slice int) error {
	if err := m.SetPool(slice, 0, a.shared(r, slice)); err != nil {
		return err
	}
	return m.SetHeadroomPool(slice, 0, headroomPool(r, slice))
}
