package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// join makes the network one part, for an observer: it sees all events in their
// order, and may look at the whole network at each of them. The network stays
// one part when the observer is removed.
func (s *Sim) join() {
	if len(s.parts) == 1 {
		return
	}
	one := &part{end: s.end, Clock: *s.joinedClock(), total: s.totals(), store: packet.NewStore(), beginsAt: clock.Never}
	for _, p := range s.parts {
		one.own = append(one.own, p.own...)
		one.Taken += p.Taken
		one.elided += p.elided
		one.lastElided = max(one.lastElided, p.lastElided)
	}
	for i := range s.ports {
		p := &s.ports[i]
		from := &s.partOf(int32(i)).store
		for q := range p.queues {
			var moved packet.Queue
			for p.queues[q].Len > 0 {
				k := p.queues[q].Pop(from)
				moved.Push(&one.store, &k)
			}
			p.queues[q] = moved
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		p.part, p.crosses = 0, p.pausing.layer != nil
	}
	s.parts, s.next = []*part{one}, s.next[:1]
	one.shared = s.shared
}

// joinedClock returns a clock with the events of all parts.
func (s *Sim) joinedClock() *clock.Clock {
	from := s.parts[0]
	var all pace
	for i := range s.ports {
		all.add(&s.ports[i])
	}
	c := clock.New(clock.NewEvents(from.Sources()), all.width(), all.reach)
	for source := range int32(from.Sources()) {
		if at, pending := from.At(source); pending {
			c.Set(source, at)
		}
	}
	c.Now = s.now
	return c
}
