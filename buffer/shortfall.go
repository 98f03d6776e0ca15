package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
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

// String says what was asked of what and how much is missing.
func (s Shortfall) String() string {
	numbers := fmt.Sprintf("%d of %d cells, %d short", s.Needed, s.Available, s.Short)
	switch s.Reason {
	case "":
		return "it fits"
	case PoolTooLarge:
		if s.Limit {
			return fmt.Sprintf("the pool is larger than the chip can make one: it asks slice %d for %s", s.Slice, numbers)
		}
		return fmt.Sprintf("the pool itself does not fit: it asks slice %d for %s", s.Slice, numbers)
	case HeadroomPool:
		return fmt.Sprintf("the shared headroom pool is larger than the chip can make one: it asks slice %d for %s", s.Slice, numbers)
	case HeadroomOfPool:
		return fmt.Sprintf("the headroom of group %d alone asks the shared headroom pool of slice %d for %s", s.Group, s.Slice, numbers)
	case PortTooLarge:
		return fmt.Sprintf("group %d asks what the chip gives one port of headroom for %s", s.Group, numbers)
	case NoPortCells:
		return fmt.Sprintf("the port's own minimum asks slice %d for %s", s.Slice, numbers)
	case NoQueueCells:
		return fmt.Sprintf("the minimum of queue %d asks slice %d for %s", s.Group, s.Slice, numbers)
	default:
		return fmt.Sprintf("group %d asks slice %d for %s", s.Group, s.Slice, numbers)
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
