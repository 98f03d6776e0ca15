package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
)

// linkDue handles what is due at a port besides frames and pauses: of its link layer, and of LLDP.
func (s *part) linkDue(i int32) {
	p := &s.ports[i]
	if l := p.pausing.layer; l != nil {
		s.layerDue(i, p, l)
	}
	if p.pausing.lldp != nil {
		s.lldpDue(i)
	}
}

// layerDue handles everything that is due now at a port with a link layer. All that happens at a time counts for what
// begins then. The order is: what arrives, what is known by now, what can be sent by it, and the time of the next
// look.
func (s *part) layerDue(i int32, p *port, l *layer) {
	for l.frames.Len > 0 && l.frames.First().at <= s.Now {
		f := l.frames.Pop()
		s.layerArrived(i, p, l, &f)
	}
	s.updateLayer(l)
	s.kick(i)
	s.planLayer(i, p, l)
}

// updateLayer takes over what a port knows by now: credits that count as freed, answers, and timers. The lists are in
// the order of their times, so only their fronts are looked at.
func (s *part) updateLayer(l *layer) {
	for l.freed.Len > 0 && l.freed.First().at <= s.Now {
		f := l.freed.Pop()
		l.end.Receiver.Free(int(f.channel), f.credits)
	}
	for l.sets.Len > 0 && l.sets.First().at <= s.Now {
		a := l.sets.Pop()
		l.end.Apply(s.Now, &a.set)
	}
	// CC_Updates are due at equal distances of time, whatever else is sent.
	for l.ccAt <= s.Now {
		l.end.CCDue = true
		l.ccAt += l.ccEvery
	}
	l.end.Expire(s.Now)
}

// planLayer schedules the next event of a port's link layer. One event serves all: the source is that of LLDP, whose
// look comes with it (linkDue).
func (s *part) planLayer(i int32, p *port, l *layer) {
	next := min(l.ccAt, l.end.Deadline())
	if l.frames.Len > 0 {
		next = min(next, l.frames.First().at)
	}
	if l.sets.Len > 0 {
		next = min(next, l.sets.First().at)
	}
	if l.freed.Len > 0 {
		next = min(next, l.freed.First().at)
	}
	if !p.busy {
		// A busy port looks again when its frame ends.
		next = min(next, l.end.NextAnswer(s.Now))
	}
	if next < clock.Never {
		s.SetAtLatest(i*perPort+onLLDP, max(next, s.Now))
	}
}

// expectLayer puts a frame or an ordered set on its way to a port. An ordered set has the time at which it may be
// used, and a frame that of its last bit.
func (s *part) expectLayer(m *layerLetter) {
	l := s.ports[m.to].pausing.layer
	at := m.frame.at
	if m.isSet {
		at = m.set.at
		l.sets.Push(m.set)
	} else {
		l.frames.Push(m.frame)
	}
	s.SetAtLatest(m.to*perPort+onLLDP, at)
}

// handOver sends a frame or an ordered set to the other end of a port's link.
func (s *part) handOver(p *port, m *layerLetter) {
	m.to = p.peer
	if s.ports[p.peer].part != p.part {
		// What goes to another part is kept until the parts exchange what they have for each other.
		mail := s.mailTo(p.crossing)
		mail.layers = append(mail.layers, *m)
		return
	}
	s.expectLayer(m)
}
