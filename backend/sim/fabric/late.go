package fabric

import (
	"math"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
)

// The end of a frame at a switch's port is mostly no news: the cells of the frame are free again, and the next frame of
// the queue begins. This file leaves out the event. The port rests, and what has left by a time is applied when
// something asks for it: the next frame that arrives at the switch, a pause, the end of a run.
//
// This is exact while the switch is calm: no group is paused. Then no frame that leaves makes the switch send anything,
// and frames that leave only give back cells, which is the same in any order. What depends on the cells is admission,
// and before it everything that has left by then is applied. A frame that makes the switch send XOFF turns the ends of
// all frames into events again. So does a frame that goes before those of the queues. Schedulers, markers, tallies and
// observers look at each frame, so their ports and switches have all events: see latePorts and setPlain.
//
// The next frame of a queue reaches the end of the link after the frame before it, so when that one arrives, the frames
// that have begun since are made (arrived). A host that only counts frames does not need them before the end of the
// run, and another part of the network not before the end of the window (departUpTo).

// frameEnd is the end of a frame at a port.
type frameEnd struct {
	at   int64
	port int32
}

// before tells whether the end comes before an event of this time and source.
func (e *frameEnd) before(at int64, source int32) bool {
	return e.at < at || e.at == at && e.port*perPort < source
}

// latePorts finds the ports of switches that may rest. The next frame of a queue must begin before the frame before it
// arrives, so a link without delay has events. A switch that gives credits has all events: a frame that leaves frees
// some.
func (b *build) elideAtSwitches() {
	for i := range b.s.ports {
		if p := &b.s.ports[i]; p.isSwitch {
			p.elidesEnds = p.elidable && p.linked && p.delay > 0 && p.pausing.watchdog == nil && p.pausing.lldp == nil &&
				!p.sw.credits
		}
	}
}

// insertEnd puts an end in its place. Frames are often of one length, so that it is mostly the last.
func (n *node) addElidedEnd(e frameEnd) {
	r := &n.elidedEnds
	*r.Extend() = e
	for i := r.Len - 1; i > 0; i-- {
		last := r.At(i - 1)
		if !e.before(last.at, last.port*perPort) {
			break
		}
		*r.At(i), *last = *last, e
	}
	n.elidedAt = r.First().at
}

// departUntil applies what leaves a switch before an event of this time and source: frames give back their cells, and
// the next ones begin.
func (s *part) applyElidedEnds(sw *node, at int64, source int32) {
	for sw.elidedEnds.Len > 0 && sw.elidedEnds.First().before(at, source) {
		e := sw.elidedEnds.Pop()
		p := &s.ports[e.port]
		s.elided++
		s.lastElided = max(s.lastElided, e.at)
		p.leaving.held = false
		sw.mmu.Leave(p.leaving.charged())
		if p.waiting&^p.paused == 0 {
			p.busy, p.endElided = false, false
			continue
		}
		s.departNext(e.port, p, e.at)
	}
	sw.elidedAt = sw.nextElidedEnd()
}

// nextEnd is the time of the first of late.
func (n *node) nextElidedEnd() int64 {
	if n.elidedEnds.Len == 0 {
		return clock.Never
	}
	return n.elidedEnds.First().at
}

// endLate makes the ends of the frames that leave a switch events again. What has left by now must have been applied.
func (s *part) restoreEnds(sw *node) {
	for sw.elidedEnds.Len > 0 {
		e := sw.elidedEnds.Pop()
		s.ports[e.port].endElided = false
		s.Set(e.port*perPort+onSent, e.at)
	}
	sw.elidedAt = clock.Never
}

// departUpTo applies what has left the switches of a part by the end of a window, and notes when the next frame begins
// that another part must know of.
func (s *part) closeWindow(at int64) {
	s.beginsAt = clock.Never
	for _, n := range s.own {
		sw := &s.switches[n]
		if sw.elidedAt <= at {
			s.applyElidedEnds(sw, at, math.MaxInt32)
		}
		s.beginsAt = min(s.beginsAt, sw.elidedAt)
	}
}

// nextAt is when something happens next that the other parts may have to know of.
func (s *part) nextAt() int64 { return min(s.Soonest(), s.beginsAt) }
