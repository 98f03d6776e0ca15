package sim

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// egress runs the worst case of a slice's egress, if one is stated. Every port that can send into the slice fills all
// its lossless groups whose egress pool is stated, their reserved cells, the shared pool as far as their limits go, and
// their headroom. All frames wait in the queues of one port. Where a lossy class counts in the same pool, its packets
// have filled the shared pool before.
func (v *verifier) egress(slice int) error {
	s := worstCase{v: v, slice: slice, shortest: v.shortest(), egress: true, pool: headroomPool(v.values, slice)}
	s.ports = v.sending(slice, func(g filledGroup) bool {
		pool, stated := v.in.EgressPoolOf(v.classOf(g.group))
		return stated && pool.Size > 0
	})
	if len(s.ports) == 0 {
		return nil
	}
	sim, err := s.run()
	if err != nil {
		return err
	}
	m := sim.MMU(0)
	out := unnamed.Add(&v.out.Egress)
	out.Slice = slice
	for _, p := range s.ports {
		out.Groups += len(p.groups)
	}
	out.Drops = m.Drops(mmu.CauseQueueLimit) + m.Drops(mmu.CauseEgressPortLimit) + m.Drops(mmu.CauseEgressPool)
	return nil
}

// classOf returns the class of a priority, which is the number of its lossless group and of its queue.
func (v *verifier) classOf(priority int) *buffer.Class {
	i := slices.IndexFunc(v.in.Classes, func(c buffer.Class) bool { return slices.Contains(c.Priorities, priority) })
	return &v.in.Classes[i]
}

// LimitEgress gives a switch that [ASIC.Switch] made the egress pools of an intent, and the queues of its ports from
// this one on their limits and minima. Classes whose egress pool is not stated stay in pool 0, which takes everything.
// Egress pools are no registers of an ASIC, so Switch does not know them.
func LimitEgress(in *buffer.Intent, sw *fabric.Switch, from int) {
	for _, p := range in.EgressPools {
		size := in.Chip.PerSlice(p.Size)
		if p.Size == 0 { // not known
			size = unlimited
		}
		sw.MMU.EgressPools = append(sw.MMU.EgressPools, mmu.Pool{Shared: size})
	}
	for port := from; port < len(sw.Ports); port++ {
		queues := sw.MMU.Queues[port*pg.PerPort:]
		for i := range in.Classes {
			c := &in.Classes[i]
			pool := egressPool(in, c)
			for _, queue := range c.Priorities {
				if pool > 0 {
					queues[queue].Pool, queues[queue].Limit = pool, in.Chip.QueueLimit(c.Egress)
					queues[queue].Reserved = in.Chip.Cell.Holding(c.QueueReserved)
				}
			}
		}
	}
}

// egressPool returns the number of a class's egress pool in the simulated switch; 0: not stated.
func egressPool(in *buffer.Intent, c *buffer.Class) int {
	return 1 + slices.IndexFunc(in.EgressPools, func(p buffer.EgressPool) bool { return p.Name == c.Egress.Pool })
}

// lossyPool returns the egress pool of a filled group in which a lossy class counts too; 0: none.
func (s *worstCase) lossyPool() int {
	for i := range s.v.in.Classes {
		lossy := &s.v.in.Classes[i]
		if pool := egressPool(s.v.in, lossy); !lossy.Lossless && pool > 0 {
			for _, g := range s.ports[0].groups {
				if egressPool(s.v.in, s.v.classOf(g.group)) == pool {
					return pool
				}
			}
		}
	}
	return 0
}

// fillEgress charges the packets of a lossy class to the shared pool, and to the egress pool that it has in common with
// the lossless groups, as far as both have room.
func (s *worstCase) fillEgress(m *mmu.MMU, filler int) {
	if s.lossyPool() == 0 {
		return
	}
	queue := (len(s.ports) + 1) * pg.PerPort
	chip := &s.v.in.Chip
	for n := s.v.asic.shared(s.v.values, s.slice); n > 0; {
		bytes := max(chip.Cell.Bytes(n)-chip.Overhead, 1)
		p := mmu.Packet{Slice: s.slice, Group: filler, Queue: queue, Bytes: unit.Bytes(bytes)}
		if chip.Cell.Packet(bytes, chip.Overhead) > n || m.Arrive(p).Drop != mmu.CauseNone {
			n = cells.Count(n / 2)
		}
	}
}
