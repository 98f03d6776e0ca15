package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/unit"
)

// A large network is run in parts: a switch with its hosts is a part, with its
// own clock. What one part does reaches another only over a link,
// after the delay of the link. So for a window of that time the parts do not
// depend on each other, and each runs through the window alone, with its few
// ports in the processor's cache. When its neighbours have done so too, it takes
// over the frames that cross to it, and begins the next window. Several
// goroutines can share the parts (windows).
//
// The result is the same as with one clock for all, because only events of the
// same part affect each other within a window, and these happen in the same
// order. A test compares both on random networks.
//
// A network is not divided if its events have an order beyond time and port
// (Wire.InOrder), or if something acts on several switches at once: failures,
// looks for deadlocks, an observer (Sim.join), an AdmissionRule, which switches
// may share.

// Now returns the present time: the end of the last Run, or the time of the
// last event if no event is pending.
func (s *Sim) Now() unit.Time { return unit.Time(s.now + s.leaps.sum()) }

// run runs all events of the part up to and at a time. Sources of ports come first, and those of flows, senders and
// failures behind them: see flowSource.
func (s *part) run(end int64) {
	ports := s.ports
	flows := int32(len(ports)) * perPort
	for source := s.Take(end); source >= 0; source = s.Take(end) {
		s.source = source
		if source >= flows {
			s.flowDue(source - flows)
			continue
		}
		// Nearly all events are of these two kinds. Without a sign the division by a power of 2 is a shift.
		i, kind := int32(uint32(source)/perPort), uint32(source)%perPort
		p := &ports[i]
		if kind == onArrival {
			s.arrived(i, p)
		} else if kind == onSent {
			s.sent(i, p)
		} else {
			s.timerDue(i, kind)
		}
	}
	s.closeWindow(end)
}

// timerDue handles the other events of a port. onReady needs nothing but a look: a queue may have earned the credit
// of its shaper.
func (s *part) timerDue(i int32, kind uint32) {
	switch kind {
	case onPause:
		s.pauseArrived(i)
	case onExpiry:
		s.pauseExpired(i)
	case onRefresh:
		s.refreshPause(i)
	case onReady:
		s.kick(i)
	case onWatch:
		s.watchdogDue(i)
	case onLLDP:
		s.linkDue(i)
	}
}

// Observe registers a function that is called with every event, after the
// counters have changed. The function must not change the simulation. nil
// removes it; the simulation is faster without an observer.
func (s *Sim) Observe(f func(*Event)) {
	if f != nil {
		s.join()
		s.stopEliding()
	}
	for _, p := range s.parts {
		p.observer = f
	}
	for i := range s.switches {
		s.switches[i].observed = f != nil
		s.setElidable(&s.switches[i])
	}
}

// join makes the network one part, for an observer: it sees all events in their
// order, and may look at the whole network at each of them. The network stays
// one part when the observer is removed.
func (s *Sim) join() {
	if len(s.parts) == 1 {
		return
	}
	one := &part{end: s.end, Clock: *s.joinedClock(), total: s.totals(), beginsAt: clock.Never}
	for _, p := range s.parts {
		one.own = append(one.own, p.own...)
		one.Taken += p.Taken
		one.elided += p.elided
	}
	for i := range s.ports {
		p := &s.ports[i]
		if p.part = 0; p.way == across {
			p.way, p.near = onLink, p.peer
		}
	}
	s.parts, s.next = []*part{one}, s.next[:1]
	one.shared = s.shared
}

// joinedClock returns a clock with the events of all parts. The parts share one list of events, so the first part
// knows those of all.
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
