package fabric

// A host that has nothing more to send needs no event for the end of its frame: an acknowledgement is mostly followed
// by nothing. Its port rests. When something may be sent again, the port is free if the end has passed, and otherwise
// the end becomes an event after all.
//
// Nothing that happens before the end of the frame in the order of events can look at the port at that picosecond: only
// events of the port itself, flows and timers do, and all of them come after the end of its frame.

// rests tells whether a host's port has nothing to send after the frame that it begins now, and may leave out the
// event of its end. A network with failures or looks for deadlocks keeps all events.
func (p *port) elidesThisEnd() bool { return p.elidesLastEnd && p.waiting == 0 && !p.pend }

// rest leaves out the event of the end of a frame.
func (s *part) elideEnd(p *port, end int64) {
	p.endElided = true
	p.freeAt = end
	s.elided++
	s.lastElided = max(s.lastElided, s.Now)
}

// endRest makes the end of a frame that is still being sent an event again. A switch's port goes on without one, unless
// something is to be sent before the frames of its queues.
func (s *part) restoreEnd(i int32, p *port) {
	if p.elidesEnds {
		if s.applyElidedEnds(p.sw, s.Now, s.source); p.pend {
			s.restoreEnds(p.sw)
		}
		return
	}
	p.endElided = false
	if p.busy = p.freeAt > s.Now; p.busy {
		s.elided--
		s.Set(i*perPort+onSent, p.freeAt)
	}
}
