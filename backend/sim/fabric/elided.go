package fabric

import (
	"math"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/cells"
)

// Many events of a simulation carry no news. They are elided: what happens at their times is computed when something
// asks for it, and no event is scheduled. Results do not change, because events of the same picosecond happen in the
// order of their sources and not in the order of scheduling. Tests run random networks with and without an observer,
// for which no event is elided, and compare everything. The number of elided events counts with the others.
//
// There are four kinds. A network with failures, looks for deadlocks, an observer or the order of other simulators
// elides none of them.
//
//   - A host sends its next frame as soon as the last one has left (port.elidesSends), if only time, pauses and the
//     start of flows decide what it sends: none of its flows has a rate limit or a Sender that is not elidable, the
//     host answers no flow, it sends nothing after a pause takes effect (Host.AfterPause), it does not speak LLDP, and
//     its link has no link layer. The port makes its frames when they are needed: one frame when the one before it
//     arrives, and all frames that have begun by now when a pause takes effect, a flow starts, or an acknowledgement
//     arrives. A frame made late is the same frame, because everything that could change it first makes the frames that
//     have already begun. It is made late by the delay of the link at most, so a timeout must be longer.
//   - A frame arrives at a host that only counts it (counted): it is counted when it is sent.
//   - The frame of a host that has nothing more to send ends (port.elidesLastEnd); an acknowledgement is mostly
//     followed by nothing. When something may be sent again, the port is free if the end has passed, and otherwise the
//     end becomes an event after all. Nothing that happens before the end of the frame in the order of events can look
//     at the port at that picosecond: only events of the port itself, flows and timers do, and they come after the end
//     of its frame.
//   - The frame of a switch's port ends (port.elidesEnds), its cells are free again, and the next frame of its queue
//     begins. What has left by a time is applied when something asks for it: the next frame that arrives at the switch,
//     a pause, the end of a run.
//
// The last kind is exact while no group of the switch is paused. Then no frame that leaves makes the switch send
// anything, and frames that leave only give back cells, which is the same in any order. What depends on the cells is
// admission, and before it everything that has left by then is applied. A frame that makes the switch send XOFF turns
// the ends of all frames into events again. So does a frame that goes before those of the queues. Markers and
// schedulers look at a queue when a frame comes or begins to leave, and see the same as at its time. Shapers, tallies
// and observers look at the time of each frame, so their ports and switches are not elidable, and have all events.
//
// While groups are paused, the end of a frame is elided if nothing waits behind it, its own group is not paused, and
// the pools would not have room for another group even with the cells of all frames whose ends are elided. When a frame
// comes behind it, or another one leaves and makes so much room, the ends become events again.
//
// The next frame of a queue reaches the end of the link after the frame before it, so when that one arrives, the frames
// that have begun since are made (arrived). A host that only counts frames does not need them before the end of the
// run, and another part of the network not before the end of the window (closeWindow).

// applyElided makes what a port has sent by now without events. It is called
// before anything changes at the port.
func (s *part) applyElided(i int32) {
	switch p := &s.ports[i]; {
	case p.elidesSends:
		s.sendElidedUpTo(i, p, s.Now)
	case p.elidesEnds && p.endElided:
		s.applyElidedEnds(p.sw, s.Now, s.source)
	}
}

// sendElidedUpTo makes the frames that the port has begun by a time.
func (s *part) sendElidedUpTo(i int32, p *port, at int64) {
	for p.freeAt <= at && p.waiting&^p.paused != 0 {
		s.sendElided(i, p, p.freeAt)
	}
}

// sendNextElided makes one frame if the port has begun it by now.
func (s *part) sendNextElided(i int32, p *port) {
	if p.freeAt <= s.Now && p.waiting&^p.paused != 0 {
		s.sendElided(i, p, p.freeAt)
	}
}

// refill is sendNextElided for a host from which a line has become empty. It does at once what nearly all such frames
// need, which are of one flow and one length.
func (s *part) refill(p *port, n int32) {
	from := &s.ports[n]
	at := from.freeAt
	if at > s.Now || from.waiting&^from.paused == 0 {
		return
	}
	fl := &s.flows[max(from.alone-1, 0)]
	rest := fl.unsent - (fl.frame - fl.header)
	if from.alone == 0 || fl.sender >= 0 || rest <= 0 || at >= fl.stop || from.way != onLink {
		s.sendElided(n, from, at)
		return
	}
	fl.unsent = rest
	from.freeAt = at + from.frameTime(fl.frame)
	from.countOut(fl.frame)
	s.elided++
	e := p.line.Only()
	*e = fl.packet
	e.At = from.freeAt + from.delay
	if source := from.peer*perPort + onArrival; !s.SetNear(source, e.At) {
		s.Set(source, e.At)
	}
	fl.packet.Seq++
	fl.sent++
}

// sendElided sends the next frame of a host that elides its sends, at a time that is now or earlier: what sendFlow
// does, with what such a host needs of it alone.
func (s *part) sendElided(i int32, p *port, at int64) {
	n := p.alone - 1
	if n < 0 {
		n = s.flowInTurn(p)
	}
	fl := &s.flows[n]
	if fl.sender >= 0 {
		s.sendElidable(i, p, &s.classes[p.node][fl.class], fl, &s.senders[fl.sender], at)
		return
	}
	payload := fl.frame - fl.header
	if fl.unsent >= 0 {
		payload = min(payload, fl.unsent)
		fl.unsent -= payload
	}
	bytes := payload + fl.header
	k := fl.packet.Now(fl.packet.Seq, uint16(bytes))
	s.transmitElided(i, p, k, at)
	k.Seq++
	fl.sent++
	if fl.next < 0 && fl.unsent != 0 && at < fl.stop {
		p.staysAlone(n, s.oneRing)
		return // it is alone in its ring, and stays there
	}
	s.leaveRing(p, &s.classes[p.node][fl.class], fl)
	s.requeue(p, n, fl, bytes, at)
}

// staysAlone notes that a flow that is alone in its ring sends again: the turn stays with it if no other class waits.
func (p *port) staysAlone(f int32, oneRing bool) {
	if p.waiting&(p.waiting-1) == 0 && !oneRing {
		p.alone = f + 1
	}
}

// flowInTurn returns the flow of a host that sends next, and notes that its turn has come.
func (s *part) flowInTurn(p *port) int32 {
	n := p.roundRobin()
	if s.oneRing {
		n = s.nextOfAll(p)
	}
	p.last = n
	c := &s.classes[p.node][n]
	c.served = c.head
	return c.head
}

// transmitElided puts a frame of a port that elides its sends on the link, at a time that is now or earlier.
func (s *part) transmitElided(i int32, p *port, k *packet.Packet, at int64) {
	bytes := int64(k.Bytes)
	p.freeAt = at + p.frameTime(bytes)
	p.countOut(bytes)
	s.elided++
	arrives := p.freeAt + p.delay
	if p.way != onLink {
		s.carry(i, p, k, arrives)
		return
	}
	to := p.to
	e := to.line.Extend()
	*e = *k
	e.At = arrives
	if source := p.peer*perPort + onArrival; to.line.Len == 1 && !s.SetNear(source, arrives) {
		s.Set(source, arrives)
	}
}

// countArrival counts a frame that will arrive, at a later time, at a host
// which only counts it.
func (s *part) countArrival(p *port, k *packet.Packet, at int64) {
	fl := &s.flows[k.Flow]
	p.framesIn++
	p.bytesIn += int64(k.Bytes)
	fl.delivered++
	fl.bytes += int64(k.Bytes)
	fl.last = at // the frames of a flow come over one link, one after the other
	s.elided++
}

// restoreEnd makes the end of a frame that is still being sent an event again. A switch's port goes on without one,
// unless something is to be sent before the frames of its queues.
func (s *part) restoreEnd(i int32, p *port) {
	if p.elidesEnds {
		sw := p.sw
		s.applyElidedEnds(sw, s.Now, s.source)
		if p.pend || sw.returning > 0 && p.endElided && p.waiting&^p.paused != 0 {
			s.restoreEnds(sw)
		}
		return
	}
	p.endElided = false
	if p.busy = p.freeAt > s.Now; p.busy {
		s.elided--
		s.Set(i*perPort+onSent, p.freeAt)
	}
}

// applyElidedEnds applies what leaves a switch before an event of this time and source: frames give back their cells,
// and the next ones begin.
func (s *part) applyElidedEnds(sw *node, at int64, source int32) {
	for sw.elidedEnds.Len > 0 {
		e := *sw.elidedEnds.First()
		if !e.before(at, source) {
			break
		}
		sw.elidedEnds.Drop()
		p := e.from
		s.elided++
		p.leaving.held = false
		sw.returning -= cells.Count(e.cells)
		sw.mmu.Leave(p.leaving.Charged())
		if p.waiting&^p.paused == 0 {
			p.busy, p.endElided = false, false
			continue
		}
		// The next frame: its end is elided in its turn.
		sw.addElidedEnd(frameEnd{s.depart(e.port, p, e.at), p, e.port, 0})
	}
	if sw.elidedAt = clock.Never; sw.elidedEnds.Len > 0 {
		sw.elidedAt = sw.elidedEnds.First().at
	}
}

// restoreEnds makes the ends of the frames that leave a switch events again. What has left by now must have been
// applied.
func (s *part) restoreEnds(sw *node) {
	for sw.elidedEnds.Len > 0 {
		e := sw.elidedEnds.Pop()
		e.from.endElided = false
		s.Set(e.port*perPort+onSent, e.at)
	}
	sw.elidedAt, sw.returning = clock.Never, 0
}

// keepEnds makes the ends of the frames that leave a switch events again if the cells that they give back may be enough
// to resume a group.
func (s *part) keepEnds(sw *node) {
	if sw.mmu.RoomWith(sw.returning) {
		s.restoreEnds(sw)
	}
}

// closeWindow applies what has left the switches of a part by the end of a window, and notes when the next frame begins
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

// stopEliding schedules every event from now on: an observer sees each at its time.
func (s *Sim) stopEliding() {
	for i := range s.ports {
		p := &s.ports[i]
		p.elidesLastEnd, p.elidesEnds = false, false
		p.countNoMore()
		if !p.elidesSends && !p.endElided {
			continue
		}
		of := s.partOf(int32(i))
		of.applyElided(int32(i))
		p.elidesSends = false
		of.restoreEnd(int32(i), p)
	}
}

// finish makes what ports have sent by the end of a run without events, and
// moves the clock: to the end of the run if events are pending, else to the
// last thing that happened. Frames that have left without an event arrive later, and then that is the last thing.
func (s *Sim) finish() {
	last := int64(0)
	for i := range s.ports {
		p := &s.ports[i]
		if !p.elidesSends && !p.endElided {
			continue
		}
		if p.elidesSends {
			s.partOf(int32(i)).sendElidedUpTo(int32(i), p, s.end)
		}
		if p.freeAt <= s.end {
			last = max(last, p.freeAt)
		}
	}
	pending := false
	s.now = max(s.now, last, s.lastDelivery())
	for _, p := range s.parts {
		for _, n := range p.own {
			p.applyElidedEnds(&s.switches[n], s.end, math.MaxInt32)
			p.restoreEnds(&s.switches[n])
		}
		p.beginsAt = clock.Never
		s.now = max(s.now, p.Now)
		pending = pending || p.AnyPending()
	}
	if pending {
		s.now = s.end
	}
	s.setNow()
}

// setNow sets the clocks of all parts to the present time.
func (s *Sim) setNow() {
	for _, p := range s.parts {
		p.Now = s.now
	}
}

// eventCount returns the number of events so far. It includes those that were
// left out, so that it does not depend on an observer.
func (s *Sim) eventCount() int64 {
	n := int64(0)
	for _, p := range s.parts {
		n += p.Taken + p.elided
	}
	for i := range s.ports {
		if p := &s.ports[i]; (p.elidesSends || p.endElided) && p.freeAt > s.end {
			n-- // its end is still to come
		}
	}
	return n
}
