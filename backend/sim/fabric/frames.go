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
	bytes := int64(k.Bytes)
	p.framesOut++
	p.bytesOut += bytes
	if s.observer != nil {
		s.report(Departs, i, k, p.last, -1)
	}
	end := at + p.frameTime(bytes)
	p.busy = !p.elidesSends
	switch {
	case p.elidesSends:
		p.freeAt = end
		s.elided++
		s.lastElided = max(s.lastElided, at)
	case p.elidesThisEnd():
		s.elideEnd(p, end)
	case p.elidesEnds && (p.endElided || !p.pend && p.sw.mmu.Calm()):
		p.endElided = true
		p.sw.addElidedEnd(frameEnd{end, i})
	default:
		s.Set(i*perPort+onSent, end)
	}
	if p.down > 0 && p.pausing.layer == nil {
		s.loseOnLink(i, k, dropLink)
		return
	}
	arrives := end + p.delay
	switch {
	// A frame that arrives after the end of the run is not counted yet.
	case p.elidesArrivals && arrives <= s.end:
		s.countArrival(&s.ports[p.peer], k, arrives)
	case p.crosses && p.pend && p.pausing.layer != nil:
		s.transmitLayer(i, p, k)
	case p.crosses:
		s.cross(p, k, arrives)
	default:
		s.expect(p.peer, k, arrives)
	}
}

// cross puts a frame on the line to a port of another part, which sees it when the window is over.
func (s *part) cross(p *port, k *packet.Packet, at int64) {
	if e := s.crossings[p.crossing].Extend(); e != nil {
		e.at, e.packet = at, *k
		return
	}
	s.letters = append(s.letters, frameLetter{p.crossing, onLine{at, *k}})
}

// expect puts a frame on the line to a port. Only the first frame on a line has
// an event.
func (s *part) expect(i int32, k *packet.Packet, at int64) {
	p := &s.ports[i]
	seq := s.Order()
	if s.Ordered() {
		p.pausing.orders.Push(seq)
	}
	if p.line.Len == 0 {
		s.Put(i*perPort+onArrival, at, seq)
	}
	e := p.line.Extend()
	e.at, e.packet = at, *k
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
	if p.leaving.held {
		p.leaving.held = false
		s.giveBack(p.sw, &p.leaving)
	}
	switch {
	case p.pend:
		s.kick(i)
	case p.waiting&^p.paused == 0:
	case p.elidable && !p.busy:
		s.departNext(i, p, s.Now)
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
	} else if !p.crosses && from.elidesEnds && from.endElided {
		s.applyElidedEnds(from.sw, s.Now, s.source)
	}
}
