package fabric

import "github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"

// kick lets a port begin its next frame if it can. It is called whenever something has changed that may allow it.
// Calling it without a reason is harmless: a port that is busy, or has nothing to send, is left.
func (s *part) kick(i int32) {
	p := &s.ports[i]
	// Something may go before the frames of the queues now, so the end that was left out is an event again.
	if p.endElided {
		s.restoreEnd(i, p)
	}
	switch {
	case p.elidesSends:
		p.freeAt = max(p.freeAt, s.Now)
		s.sendNextElided(i, p)
	case p.busy || !p.linked:
	// A pause frame goes before all other frames.
	case p.pend && s.sendControl(i, p):
	case p.waiting&^p.paused == 0:
	case p.elidable:
		p.busy = true
		s.elideOrSet(i, p, s.depart(i, p, s.Now))
	case p.isSwitch():
		s.sendQueued(i, p)
	default:
		s.sendFlow(i, p)
	}
}

// elideOrSet elides the end of a frame at a switch's port, or makes it an event. end is the time in picoseconds at
// which the last bit has left. Eliding it saves the event, and gives the cells back later, with the same result.
func (s *part) elideOrSet(i int32, p *port, end int64) {
	switch {
	// In a calm MMU nothing waits for cells: it does not matter in which order they come back.
	case p.elidesEnds && p.of.mmu.Calm():
		p.endElided = true
		p.of.addElidedEnd(frameEnd{end, p, i, 0})
	case p.elidesEnds && p.waiting&^p.paused == 0 && p.of.elidesEnd(p, i, end):
	default:
		s.Set(i*perPort+onSent, end)
	}
}

// transmit puts a packet on the link. Its first bit leaves now, or at an earlier time on a port that elides events.
// The end of the frame is an event unless the port can do without one. It returns the packet on the link, for the
// caller to change; one that is not on the line any more is the caller's.
func (s *part) transmit(i int32, p *port, k *packet.Packet, at int64) *packet.Packet {
	if s.observer != nil {
		s.report(Departs, i, k, p.last, -1)
	}
	// frameTime includes preamble and gap, as the wire of the network has them.
	bytes := int64(k.Bytes)
	end := at + p.frameTime(bytes)
	p.countOut(bytes)
	p.busy = true
	switch {
	case p.elidesThisEnd():
		p.endElided, p.freeAt = true, end
		s.elided++
	case p.elidesEnds && !p.pend && p.of.mmu.Calm():
		p.endElided = true
		p.of.addElidedEnd(frameEnd{end, p, i, 0})
	case p.elidesEnds && !p.pend && p.waiting&^p.paused == 0 && p.of.elidesEnd(p, i, end):
	default:
		if source := i*perPort + onSent; !s.SetNear(source, end) {
			s.Set(source, end)
		}
	}
	if p.way != onLink || s.Ordered() {
		return s.carry(i, p, k, end+p.delay)
	}
	// This is expect, which is too long to be inlined.
	to := p.to
	e := to.line.Extend()
	*e = *k
	e.At = end + p.delay
	// The frames of a link arrive in the order in which they left, so those behind the first need no event yet.
	if source := p.peer*perPort + onArrival; to.line.Len == 1 && !s.SetNear(source, e.At) {
		s.Set(source, e.At)
	}
	return e
}

// carry lets a packet arrive at the other end of its link. at is the arrival of the last bit, in picoseconds. It
// returns what transmit returns.
func (s *part) carry(i int32, p *port, k *packet.Packet, at int64) *packet.Packet {
	switch p.way {
	case onLink:
		if s.Ordered() {
			return s.expect(p.peer, k, at)
		}
		to := p.to
		e := to.line.Extend()
		*e = *k
		e.At = at
		if source := p.peer*perPort + onArrival; to.line.Len == 1 && !s.SetNear(source, at) {
			s.Set(source, at)
		}
		return e
	case across:
		if s.direct {
			return s.cross(p, k, at)
		}
		// The other part sees it when the window is over.
		c := &s.crossings[p.crossing]
		e := c.Extend()
		if e == nil {
			e = s.extendLate(p.crossing)
		}
		*e = *k
		e.At = at
		return e
	case counted:
		// A frame that arrives after the end of the run is not counted yet.
		if at <= s.end {
			s.countArrival(p.to, k, at)
		} else {
			return s.expect(p.peer, k, at)
		}
	// The layer decides when the frame arrives, and whether it is repeated.
	case byLayer:
		s.transmitLayer(i, p, k)
	// The link is down: the frame leaves its port and arrives nowhere.
	case nowhere:
		s.loseOnLink(i, k, dropLink)
	}
	return k
}

// expect puts a frame on the line to a port. The caller must not call it out of the order of arrivals. Only the first
// frame on a line has an event. In a network that keeps the order of scheduling, the order is that of the moment when
// the frame was sent, also for the event that is made later.
func (s *part) expect(i int32, k *packet.Packet, at int64) *packet.Packet {
	p := &s.ports[i]
	e := p.line.Extend()
	*e = *k
	e.At = at
	order := s.Order()
	if s.Ordered() {
		p.pausing.orders.Push(order)
	}
	if p.line.Len == 1 {
		s.Put(i*perPort+onArrival, at, order)
	}
	return e
}

// dropOrder forgets the order of a frame that has been taken from a line. Orders and frames of a line are two lists
// of one length.
func (s *part) dropOrder(p *port) {
	if s.Ordered() {
		p.pausing.orders.Drop()
	}
}

// arrivesFar schedules the arrival of the first frame on a line if it is not in the near future, and in a network that
// keeps the order of scheduling.
func (s *part) arrivesFar(i int32, p *port) {
	if source, at := i*perPort+onArrival, p.line.First().At; s.Ordered() {
		s.dropOrder(p)
		s.Put(source, at, *p.pausing.orders.First())
	} else {
		s.Set(source, at)
	}
}

// depart lets the next frame of a port that is elidable begin to leave, at a time that is now or, at a port without
// events, earlier. It returns when the frame has left. There must be a frame that may leave. A frame that arrives at
// a host that only counts is counted now, if that is within the run.
func (s *part) depart(i int32, p *port, at int64) (end int64) {
	if p.watched {
		return s.departWatched(i, p, at)
	}
	n := p.roundRobin()
	q := &p.queues[n]
	k := q.First()
	q.Drop()
	if q.Len == 0 {
		p.waiting &^= 1 << n
	}
	p.beginsToLeave(n, k)
	bytes := int64(k.Bytes)
	end = at + p.frameTime(bytes)
	p.countOut(bytes)
	if arrives := end + p.delay; p.way == counted && arrives <= s.end {
		s.countArrival(p.to, k, arrives)
	} else {
		s.carry(i, p, k, arrives)
	}
	return end
}

// departWatched is depart for a port with a scheduler or markers. A port with markers counts nothing ahead: the frame
// always goes by carry.
func (s *part) departWatched(i int32, p *port, at int64) (end int64) {
	var n uint8
	if p.ets != nil {
		n, _, _ = p.ets.Select(p.waiting&^p.paused, &p.queues)
	} else {
		n = p.roundRobin()
	}
	// The mask changes nothing, and tells the compiler that an index is in bounds and a shift is short.
	n &= Priorities - 1
	q := &p.queues[n]
	k := q.First()
	q.Drop()
	p.wait(n, -int64(k.Bytes))
	if q.Len == 0 {
		p.waiting &^= 1 << n
	}
	s.markLeaving(i, p, n, k)
	p.beginsToLeave(n, k)
	bytes := int64(k.Bytes)
	end = at + p.frameTime(bytes)
	p.countOut(bytes)
	s.carry(i, p, k, end+p.delay)
	return end
}

// sent handles the moment when a frame's last bit has left. It does in one place what kick and giveBack would, since
// most events of a run come here.
func (s *part) sent(i int32, p *port) {
	p.busy = false
	if !p.elidable {
		s.sentByRules(i, p)
		return
	}
	// The cells are in use until the last bit has left.
	if p.leaving.held {
		p.leaving.held = false
		sw := p.of
		if sw.elidedAt <= s.Now {
			s.applyElidedEnds(sw, s.Now, s.source)
		}
		if r := sw.mmu.Leave(p.leaving.Charged()); r.XON || r.Room {
			s.resume(sw, &p.leaving, r)
		}
		if sw.returning > 0 {
			s.keepEnds(sw)
		}
	}
	// A pause frame that waits goes first. Giving the cells back may have sent one already.
	switch {
	case p.pend:
		s.kick(i)
	case p.waiting&^p.paused == 0:
	case p.busy: // a pause frame is
	default:
		end := s.depart(i, p, s.Now)
		if p.busy = true; p.elidesEnds && (p.waiting&^p.paused == 0 || p.of.mmu.Calm()) {
			s.elideOrSet(i, p, end)
		} else if source := i*perPort + onSent; !s.SetNear(source, end) {
			s.Set(source, end)
		}
	}
}

// sentByRules is sent for a port whose frames others look at, and for a host's.
func (s *part) sentByRules(i int32, p *port) {
	if p.leaving.held {
		p.leaving.held = false
		s.giveBack(p.sw, &p.leaving)
	}
	if p.isSwitch() && !p.pend && !p.busy && p.waiting&^p.paused != 0 {
		s.sendQueued(i, p)
	} else {
		s.kick(i)
	}
}

// arrived handles the moment when a frame's last bit has arrived. Only the first frame on a link has an event: the
// next one is scheduled here. The frame is read in its place on the line, and is dropped after the last use of it.
func (s *part) arrived(i int32, p *port) {
	// Frames are counted as they arrive, also those that admit drops.
	p.framesIn++
	k := p.line.First()
	p.bytesIn += int64(k.Bytes)
	if p.isSwitch() {
		s.admit(i, p, k)
	} else {
		s.deliver(p, k)
	}
	if p.line.Drop(); p.line.Len > 0 {
		if source, at := i*perPort+onArrival, p.line.First().At; !s.SetNear(source, at) {
			s.arrivesFar(i, p)
		}
	} else if p.near < 0 {
		// What the other part sends is its own matter, and to look there would fetch a line of the cache from it.
		s.dropOrder(p)
	} else if from := &s.ports[p.near]; from.elidesSends {
		s.refill(p, p.near)
	} else if from.elidesEnds && from.endElided {
		s.applyElidedEnds(from.sw, s.Now, s.source)
	}
}
