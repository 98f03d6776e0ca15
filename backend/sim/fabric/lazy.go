package fabric

// Half of the events of a plain simulation say nothing new. A host that always
// sends the next frame as soon as the last has left needs no event to tell it
// so; and a frame that is on its way to a host which only counts it may be
// counted at once. This file leaves these events out. Nothing else changes:
// events of the same picosecond go off by port, not as they were scheduled, so
// that nobody can tell from the results; a test compares both ways.
//
// A host's port sends ahead if nothing but time, pauses and the beginnings of
// flows decides what it sends: all its flows, both ways, are without sender and
// pace, it is committed to nothing, and nothing fails. Its frames are then made when somebody wants to know:
// one when the frame before it arrives, and all that have begun by now when a
// pause takes effect or a flow begins. What was true when a frame began is still
// true when it is made, because every change makes the frames before it first.

// lazyPorts lets those ports send ahead of which that is true.
func (b *build) lazyPorts() {
	s := b.s
	if b.n.Wire.InOrder || len(b.n.Failures) > 0 || b.n.DeadlockEvery > 0 {
		return
	}
	for _, i := range b.hosts {
		p := &s.ports[i]
		p.lazy, p.countOnly = p.linked && p.pausing.afterPause == 0, p.linked
	}
	for i := range s.flows {
		f := &s.flows[i]
		if f.sender >= 0 {
			s.ports[f.from].lazy, s.ports[f.toPort].lazy = false, false
			s.ports[f.from].countOnly, s.ports[f.toPort].countOnly = false, false
		}
		if f.paced {
			s.ports[f.from].lazy = false
		}
	}
}

// kickLazy lets a port begin its next frame now if it can, as kick does.
func (s *Sim) kickLazy(i int32, p *port) {
	p.freeAt = max(p.freeAt, s.now)
	s.sendLazy(i, p)
}

// catchUp makes the frames that a port has begun by now, before something
// changes at it.
func (s *Sim) catchUp(i int32) {
	if p := &s.ports[i]; p.lazy {
		s.catchUpTo(i, p, s.now)
	}
}

func (s *Sim) catchUpTo(i int32, p *port, at int64) {
	for p.freeAt <= at && p.waiting&^p.paused != 0 {
		s.sendFlow(i, p, p.freeAt)
	}
}

// sendLazy makes one frame if the port has begun it by now.
func (s *Sim) sendLazy(i int32, p *port) {
	if p.freeAt <= s.now && p.waiting&^p.paused != 0 {
		s.sendFlow(i, p, p.freeAt)
	}
}

// countDelivered counts a frame that will arrive at a host which only counts it.
func (s *Sim) countDelivered(p *port, pkt int32, at int64) {
	k := &s.store.packets[pkt]
	fl := &s.flows[k.flow]
	p.framesIn++
	p.bytesIn += int64(k.bytes)
	fl.delivered++
	fl.bytes += int64(k.bytes)
	fl.last = max(fl.last, at)
	s.total.Delivered++
	s.total.LastDelivery = max(s.total.LastDelivery, at)
	s.skipped++
	s.latest = max(s.latest, at)
	s.store.drop(pkt)
}

// stopLazy lets every port send by events from now on, as an observer wants
// to see them.
func (s *Sim) stopLazy() {
	for i := range s.ports {
		p := &s.ports[i]
		p.countOnly = false
		if !p.lazy {
			continue
		}
		s.catchUp(int32(i))
		p.lazy = false
		if p.busy = p.freeAt > s.now; p.busy {
			s.skipped--
			s.set(int32(i)*perPort+onSent, p.freeAt)
		}
	}
}

// finish makes the frames that have begun by the end of a run, and lets time
// pass until then.
func (s *Sim) finish() {
	for i := range s.ports {
		if p := &s.ports[i]; p.lazy {
			s.catchUpTo(int32(i), p, s.end)
			if p.freeAt <= s.end {
				s.latest = max(s.latest, p.freeAt)
			}
		}
	}
	if s.now = max(s.now, s.latest); s.near > 0 || len(s.later) > 0 {
		s.now = s.end
	}
}

// eventCount counts the events so far, those that were left out as well.
func (s *Sim) eventCount() int64 {
	n := s.taken + s.skipped
	for i := range s.ports {
		if p := &s.ports[i]; p.lazy && p.freeAt > s.end {
			n-- // its end is still to come
		}
	}
	return n
}
