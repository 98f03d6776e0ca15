package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Reason is why a port was refused.
type Reason string

// The reasons for which a port is refused.
const (
	// NoCells: the slice has not enough cells left above the floor.
	NoCells Reason = "cells"
	// PoolTooLarge: the pool as configured does not fit the slice, before any port, or exceeds the chip's largest pool.
	PoolTooLarge Reason = "pool"
	// HeadroomPool: the shared headroom pool exceeds the chip's largest.
	HeadroomPool Reason = "headroom pool"
	// HeadroomOfPool: one group's headroom exceeds the slice's shared headroom pool.
	HeadroomOfPool Reason = "shared headroom"
	// PortTooLarge: the port's groups together need more headroom than the chip gives one port.
	PortTooLarge Reason = "port headroom"
	// NoCreditCells: the slice has not enough cells left for the reserved credits of a virtual channel.
	NoCreditCells Reason = "credits"
	// NoSharedCredits: the slice has not enough cells left for the credits that the channels of the port share.
	NoSharedCredits Reason = "shared credits"
	// NoPortCells: the slice has not enough cells left for the port's own minimum.
	NoPortCells Reason = "port minimum"
	// NoQueueCells: the slice has not enough cells left for the minimum of an egress queue.
	NoQueueCells Reason = "queue minima"
)

// Shortfall is an admission's answer for one port, in numbers. The zero Shortfall means that the port is admitted.
type Shortfall struct {
	Reason    Reason
	Group     int // NoQueueCells: the queue; NoCreditCells: the virtual channel; NoSharedCredits, NoPortCells: 0
	Slice     int
	Needed    cells.Count // by this group in this slice, or by the pool
	Available cells.Count // of those that are needed
	Short     cells.Count // Needed - Available
	Limit     bool        // PoolTooLarge: Available is the chip's largest limit of one pool, not its memory
}

// Fits tells whether the port is admitted.
func (s Shortfall) Fits() bool { return s.Reason == "" }

// shortfall returns the Shortfall of a group or queue that needs more cells than are available.
func shortfall(why Reason, group, slice int, needed, available cells.Count) Shortfall {
	return Shortfall{Reason: why, Group: group, Slice: slice, Needed: needed, Available: available,
		Short: needed - available}
}

// String says in a sentence which part needs how many cells and how many are missing: "group 3 needs 5,077 cells in
// slice 0 and has 4,769: 308 short".
func (s Shortfall) String() string {
	slice := fmt.Sprintf("slice %d", s.Slice)
	inSlice := "in " + slice
	switch s.Reason {
	case "":
		return "it fits"
	case PoolTooLarge:
		if s.Limit {
			return "the pool is larger than the chip can make one: " + s.needs(slice, "")
		}
		return "the pool itself does not fit: " + s.needs(slice, "")
	case HeadroomPool:
		return "the shared headroom pool is larger than the chip can make one: " + s.needs(slice, "")
	case HeadroomOfPool:
		return s.needs(fmt.Sprintf("the headroom of group %d alone", s.Group), "in the shared headroom pool of "+slice)
	case PortTooLarge:
		return s.needs(fmt.Sprintf("group %d", s.Group), "of the headroom that the chip gives one port")
	case NoCreditCells:
		return s.need(fmt.Sprintf("the credits of virtual channel %d", s.Group), inSlice)
	case NoSharedCredits:
		return s.need("the shared credits of the port", inSlice)
	case NoPortCells:
		return s.needs("the port's own minimum", inSlice)
	case NoQueueCells:
		return s.needs(fmt.Sprintf("the minimum of queue %d", s.Group), inSlice)
	default:
		return s.needs(fmt.Sprintf("group %d", s.Group), inSlice)
	}
}

// needs returns the sentence about one thing, and in which memory it needs cells; "" if the thing is the memory.
func (s Shortfall) needs(thing, inMemory string) string {
	return s.sentence(thing, "needs", inMemory, "has")
}

// need is needs about several things.
func (s Shortfall) need(things, inMemory string) string {
	return s.sentence(things, "need", inMemory, "have")
}

func (s Shortfall) sentence(thing, needs, inMemory, has string) string {
	count := unit.Thousands(s.Needed) + " cells"
	if s.Needed == 1 {
		count = "1 cell"
	}
	if inMemory != "" {
		count += " " + inMemory
	}
	return fmt.Sprintf("%s %s %s and %s %s: %s short", thing, needs, count, has, unit.Thousands(s.Available),
		unit.Thousands(s.Short))
}

// groupToName returns the group that a refusal names where no group in particular
// is the cause: the first lossless one, else the first.
func (d *demand) groupToName() int {
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

// overPortLimit finds the group at which the port's headroom exceeds the most that the chip gives one port.
func (d *demand) overPortLimit(most cells.Count, slice int) Shortfall {
	left := most
	for i := range d.groups {
		g := &d.groups[i]
		if g.Headroom > left {
			return shortfall(PortTooLarge, g.group, slice, g.Headroom, left)
		}
		left -= g.Headroom
	}
	panic("buffer: a port is too large but none of its groups")
}

// overHeadroomPool finds a group whose headroom exceeds its slice's part of the shared headroom pool. Such a group
// could not be lossless even if no other group used the pool.
func (a *Admission) overHeadroomPool(d *demand, charged []int) Shortfall {
	if a.shared == 0 {
		return Shortfall{}
	}
	for _, s := range charged {
		for i := range d.groups {
			if g := &d.groups[i]; g.Headroom > a.part[s] {
				return shortfall(HeadroomOfPool, g.group, s, g.Headroom, a.part[s])
			}
		}
	}
	return Shortfall{}
}

// failingGroup finds the group at which slice s runs out of cells. Its virtual
// channels come after its groups, then the credits that they share, and then its own minimum.
func (a *Admission) failingGroup(d *demand, s int) Shortfall {
	trial := a.pools[s]
	for i := range d.groups {
		g := &d.groups[i]
		headroom := g.Headroom
		if a.shared > 0 {
			headroom = 0
		}
		if short := trial.Reserve(g.Reserved, headroom); short > 0 {
			needed := g.Reserved + headroom
			return shortfall(NoCells, g.group, s, needed, needed-short)
		}
	}
	for i := range d.channels {
		c := &d.channels[i]
		if short := trial.Reserve(c.reserved, 0); short > 0 {
			return shortfall(NoCreditCells, c.Number, s, c.reserved, c.reserved-short)
		}
	}
	if short := trial.Reserve(d.shared, 0); short > 0 {
		return shortfall(NoSharedCredits, 0, s, d.shared, d.shared-short)
	}
	if short := trial.Reserve(d.port, 0); short > 0 {
		return shortfall(NoPortCells, 0, s, d.port, d.port-short)
	}
	panic(fmt.Sprintf("buffer: slice %d refuses a port but none of its groups", s))
}

// failingQueue finds the egress queue at which slice s runs out of cells. All groups have been granted then.
func (a *Admission) failingQueue(d *demand, s int) Shortfall {
	trial := a.pools[s]
	for _, q := range d.queues {
		if short := trial.Reserve(q.reserved, 0); short > 0 {
			return shortfall(NoQueueCells, q.queue, s, q.reserved, q.reserved-short)
		}
	}
	panic(fmt.Sprintf("buffer: slice %d refuses a port but none of its queues", s))
}
