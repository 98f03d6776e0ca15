package fabric

import "github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"

// kick lets a port begin its next frame if it can. It is called whenever
// something has changed that may allow it.
func (s *part) kick(i int32) {
	p := &s.ports[i]
	if p.endElided {
		s.restoreEnd(i, p)
	}
	switch {
	case p.elidesSends:
		s.kickEliding(i, p)
	case p.busy || !p.linked:
	// A pause frame goes before all other frames.
	case p.pend && s.sendControl(i, p):
	case p.waiting&^p.paused == 0:
	case p.isSwitch:
		s.sendQueued(i, p)
	default:
		s.sendFlow(i, p, s.Now)
	}
}

// transmit puts a packet on the link. Its first bit leaves now, or at an
// earlier time on a port that elides events.
func (s *part) transmit(i int32, p *port, k *packet.Packet, at int64) {
	if s.observer != nil {
		s.report(Departs, i, k, p.last, -1)
	}
	bytes := int64(k.Bytes)
	end := at + p.frameTime(bytes)
	p.countOut(bytes)
	p.busy = true
	switch {
	case p.elidesThisEnd():
		s.elideEnd(p, end)
	case p.elidesEnds && !p.pend && p.sw.mmu.Calm():
		p.endElided = true
		p.sw.addElidedEnd(frameEnd{end, i})
	default:
		s.Set(i*perPort+onSent, end)
	}
	if p.way == onLink {
		s.expect(p.peer, k, end+p.delay)
		return
	}
	s.carry(i, p, k, end+p.delay)
}

// transmitElided is transmit for a port that elides its sends.
func (s *part) transmitElided(i int32, p *port, k *packet.Packet, at int64) {
	bytes := int64(k.Bytes)
	p.freeAt = at + p.frameTime(bytes)
	p.countOut(bytes)
	s.elided++
	s.lastElided = max(s.lastElided, at)
	if p.way == onLink {
		s.expect(p.peer, k, p.freeAt+p.delay)
		return
	}
	s.carry(i, p, k, p.freeAt+p.delay)
}

// carry lets a packet arrive at the other end of its link.
func (s *part) carry(i int32, p *port, k *packet.Packet, at int64) {
	switch p.way {
	case onLink:
		s.expect(p.peer, k, at)
	case across:
		s.cross(p, k, at)
	case counted:
		// A frame that arrives after the end of the run is not counted yet.
		if peer := p.peer; at <= s.end {
			s.countArrival(&s.ports[peer], k, at)
		} else {
			s.expect(peer, k, at)
		}
	case byLayer:
		s.transmitLayer(i, p, k)
	case nowhere:
		s.loseOnLink(i, k, dropLink)
	}
}

// cross puts a frame on the line to a port of another part, which sees it when the window is over.
func (s *part) cross(p *port, k *packet.Packet, at int64) {
	if e := s.crossings[p.crossing].Extend(); e != nil {
		e.at = at
		e.packet = *k
		return
	}
	s.letters = append(s.letters, frameLetter{p.crossing, onLine{at, *k}})
}

// expect puts a frame on the line to a port. Only the first frame on a line has
// an event.
func (s *part) expect(i int32, k *packet.Packet, at int64) {
	p := &s.ports[i]
	e := p.line.Extend()
	e.at = at
	e.packet = *k
	order := uint64(0)
	if s.Ordered() {
		order = s.Order()
		p.pausing.orders.Push(order)
	}
	if p.line.Len == 1 {
		s.Put(i*perPort+onArrival, at, order)
	}
}

// dropOrder forgets the order of the frame that has just been taken from a
// line, and returns that of the next one.
func (s *part) dropOrder(p *port) (next uint64) {
	if !s.Ordered() {
		return 0
	}
	if p.pausing.orders.Drop(); p.pausing.orders.Len > 0 {
		next = *p.pausing.orders.First()
	}
	return next
}

// sent handles the moment when a frame's last bit has left.
func (s *part) sent(i int32) {
	p := &s.ports[i]
	p.busy = false
	// The cells are in use until the last bit has left.
	switch held := p.leaving.held; {
	case held && p.elidable:
		p.leaving.held = false
		if r := p.sw.mmu.Leave(p.leaving.charged()); r.XON || r.Room {
			s.resume(p.sw, &p.leaving, r)
		}
	case held:
		p.leaving.held = false
		s.giveBack(p.sw, &p.leaving)
	}
	switch {
	case p.pend:
		s.kick(i)
	case p.waiting&^p.paused == 0:
	case p.busy: // a pause frame is
	case p.elidable:
		s.transmit(i, p, s.next(p), s.Now)
	case p.isSwitch:
		s.sendQueued(i, p)
	default:
		s.kick(i)
	}
}

// arrived handles the moment when a frame's last bit has arrived. Only the
// first frame on a link has an event: the next one is scheduled here.
func (s *part) arrived(i int32) {
	p := &s.ports[i]
	p.framesIn++
	k := &p.line.First().packet
	p.bytesIn += int64(k.Bytes)
	if p.isSwitch {
		s.admit(i, p, k)
	} else {
		s.deliver(p, k)
	}
	p.line.Drop()
	order := s.dropOrder(p)
	if p.line.Len > 0 {
		s.Put(i*perPort+onArrival, p.line.First().at, order)
	} else if from := &s.ports[p.peer]; from.elidesSends {
		s.sendNextElided(p.peer, from)
	} else if p.way != across && from.elidesEnds && from.endElided {
		s.applyElidedEnds(from.sw, s.Now, s.source)
	}
}
