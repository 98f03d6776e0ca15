package fabric

import "math"

// The end of a frame at a switch's port is mostly no news: the cells of the frame are free again, and the next frame of
// the queue begins. This file leaves out the event. The port rests, and what has left by a time is applied when
// something asks for it: the next frame that arrives at the switch, a pause, the end of a run.
//
// This is exact while the switch is calm: no group is paused. Then no frame that leaves makes the switch send anything,
// and frames that leave only give back cells, which is the same in any order. What depends on the cells is admission,
// and before it everything that has left by then is applied. A frame that makes the switch send XOFF turns the ends of
// all frames into events again. So does what goes before the frames of the queue, and what looks at each frame: see
// mayRest and setPlain.
//
// The next frame of a queue reaches the end of the link after the frame before it, so when that one arrives, the frames
// that have begun since are made (sendBehind). A host that only counts frames does not need them before the end of the
// run, and another part of the network not before the end of the window (departUpTo).

// mostLate is how many ports of a switch can rest at one time. With more, an event takes less time than looking at all
// of them before each admission.
const mostLate = 8

// restingSwitchPorts finds the ports of switches that may rest. The next frame of a queue must begin before the frame
// before it arrives, so a link without delay has events.
func (b *build) restingSwitchPorts() {
	for i := range b.s.ports {
		if p := &b.s.ports[i]; p.isSwitch {
			p.mayRest = p.linked && p.delay > 0 && p.pausing.watchdog == nil && p.pausing.lldp == nil
		}
	}
}

// restLate makes the end of a frame at a switch's port no event if that changes nothing, and tells whether it did.
func (s *part) restLate(i int32, p *port, end int64) bool {
	sw := p.sw
	if p.resting {
		p.freeAt = end // it goes on: nothing has come between
		return true
	}
	if !p.plain || !sw.plain || p.pend || !sw.mmu.Calm() || !p.listed && len(sw.late) == mostLate {
		return false
	}
	p.resting, p.freeAt = true, end
	sw.lateAt = min(sw.lateAt, end)
	if !p.listed {
		p.listed = true
		sw.late = append(sw.late, i)
	}
	return true
}

// departLate applies what has left a resting port before an event of this time and source: frames give back their
// cells, and the next ones begin.
func (s *part) departLate(i int32, p *port, at int64, source int32) {
	for p.freeAt < at || p.freeAt == at && i*perPort < source {
		s.skipped++
		s.latest = max(s.latest, p.freeAt)
		p.leaving.held = false
		p.sw.mmu.Leave(p.leaving.charged())
		if p.waiting&^p.paused == 0 {
			p.busy, p.resting = false, false
			return
		}
		q := p.roundRobin()
		k := p.take(&s.store, q)
		s.depart(i, p, q, &k, p.freeAt)
	}
}

// prepareToAdmit applies what may matter to a frame that arrives now: what has left its port, and what has left the
// switch unless the frame is admitted without a new peak even so.
func (s *part) prepareToAdmit(sw *node, o int32, q *port, k *packet, cell int32) {
	if q.resting {
		s.departLate(o, q, s.now, s.source)
	}
	if !sw.mmu.Unnoticed(k.charged(cell)) {
		s.catchUpDepartures(sw, s.now, s.source)
	}
}

// catchUpDepartures applies what has left a switch before an event of this time and source.
func (s *part) catchUpDepartures(sw *node, at int64, source int32) {
	next, kept := never, sw.late[:0]
	for _, i := range sw.late {
		p := &s.ports[i]
		if p.resting {
			s.departLate(i, p, at, source)
		}
		if !p.resting {
			p.listed = false
			continue
		}
		next = min(next, p.freeAt)
		kept = append(kept, i)
	}
	sw.late, sw.lateAt = kept, next
}

// endLate makes the ends of the frames that leave a switch events again. What has left by now must have been applied.
func (s *part) endLate(sw *node) {
	for _, i := range sw.late {
		p := &s.ports[i]
		p.listed = false
		if p.resting {
			p.resting = false
			s.set(i*perPort+onSent, p.freeAt)
		}
	}
	sw.late, sw.lateAt = sw.late[:0], never
}

// sendBehind makes the frames that a port has begun by now, when a frame of it arrives and no other is on the link.
func (s *part) sendBehind(i int32) {
	switch from := &s.ports[i]; {
	case from.lazy:
		s.sendLazy(i, from)
	case from.resting && from.isSwitch:
		s.departLate(i, from, s.now, s.source)
	}
}

// departUpTo applies what has left the switches of a part by the end of a window, and notes when the next frame begins
// that another part must know of.
func (s *part) departUpTo(end int64) {
	s.beginsAt = never
	for _, n := range s.own {
		sw := &s.switches[n]
		for _, i := range sw.late {
			p := &s.ports[i]
			if !p.crosses || !p.resting || p.waiting&^p.paused == 0 {
				continue
			}
			if s.departLate(i, p, end, math.MaxInt32); p.waiting&^p.paused != 0 {
				s.beginsAt = min(s.beginsAt, p.freeAt)
			}
		}
	}
}

// nextAt is when something happens next that the other parts may have to know of.
func (s *part) nextAt() int64 { return min(s.soonest(), s.beginsAt) }
