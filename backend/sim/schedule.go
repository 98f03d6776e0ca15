package sim

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// schedule returns how the queues of a port share its bandwidth. With traffic classes it has two levels. Without, it is
// strict priority, or DWRR by weight (SAI's SCHEDULING_TYPE_DWRR). It is zero if no queue has a register of either.
func (r registers) schedule(port string) (s fabric.Scheduler) {
	for q := range pg.PerPort {
		if _, classed := r.class(port, q); classed {
			return r.groups(port)
		}
		s.Queues[q] = selectionOf(r.of(buffer.QueueWeight, port, q))
	}
	return s
}

// selectionOf returns what a weight says; 0 says nothing.
func selectionOf(weight int64) fabric.Selection {
	switch {
	case weight == buffer.Strict:
		return fabric.Selection{Algorithm: fabric.Strict}
	case weight > 0:
		return fabric.Selection{Algorithm: fabric.DWRR, Weight: int(weight)}
	}
	return fabric.Selection{}
}

// class returns the traffic class of a queue, and whether it is in one.
func (r registers) class(port string, queue int) (int, bool) {
	n, is := r[buffer.Register{Kind: buffer.QueueClass, Port: port, Index: queue}]
	return int(n), is && n != buffer.Unset
}

// groups returns the schedule of a port with traffic classes. The weights of the queues are for devices without
// classes, and are not used. A class with neither a bandwidth nor an idle slope has a weight of 1: its registers are
// not written yet.
func (r registers) groups(port string) (s fabric.Scheduler) {
	rest := 0
	for g := pg.PerPort - 1; g >= 0; g-- {
		slope := r.of(buffer.ClassIdleSlope, port, g)
		s.Groups[g] = selectionOf(r.of(buffer.ClassBandwidth, port, g))
		switch {
		case slope > 0:
			s.Groups[g] = fabric.Selection{Algorithm: fabric.Shaped, IdleSlope: unit.BitRate(slope) * ets.SlopeUnit}
		case s.Groups[g] == (fabric.Selection{}):
			s.Groups[g] = fabric.Selection{Algorithm: fabric.DWRR, Weight: 1}
		}
		if r.of(buffer.ClassBandwidth, port, g) > 0 {
			rest = g
		}
	}
	for q := range pg.PerPort {
		s.Queues[q], s.Group[q] = fabric.Selection{Algorithm: fabric.DWRR, Weight: 1}, rest
		if g, is := r.class(port, q); is {
			s.Group[q] = g
		}
		if share := r.of(buffer.QueueShare, port, q); share != 0 {
			s.Queues[q] = selectionOf(share)
		}
	}
	return s
}
