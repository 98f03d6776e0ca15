package fabric

import (
	"math"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// Half of the events of a simple simulation carry no news. A host that sends
// its next frame as soon as the last one has left needs no event for that. A
// frame on its way to a host that only counts it can be counted at once. This
// file leaves out these events. Results do not change, because events of the
// same picosecond happen in the order of their ports and not in the order of
// scheduling. A test compares both ways of running random networks.
//
// A host's port is lazy if only time, pauses and the start of flows decide what it sends: none of its flows, in either
// direction, has a rate limit or a Sender that is not greedy (greedy.go), the host sends nothing after a pause takes
// effect (Host.AfterPause), it does not speak LLDP, its link has no link layer, and the network has no failures. A lazy
// port makes its frames when they are needed: one frame when the one before it arrives, and all frames that have begun
// by now when a pause takes effect or a flow starts. A frame made late is the same frame, because everything that could
// change it first makes the frames that have already begun.

// lazyPorts finds the lazy ports, and the ports whose host only counts what
// arrives.
func (b *build) elideAtHosts() {
	s := b.s
	if b.n.Wire.InOrder || len(b.n.Failures) > 0 || b.n.DeadlockEvery > 0 {
		return
	}
	b.elideAtSwitches()
	for _, i := range b.hosts {
		p := &s.ports[i]
		p.elidesLastEnd = p.linked
		p.elidesSends = p.linked && p.pausing.afterPause == 0 && p.pausing.lldp == nil && p.pausing.layer == nil
		if p.linked && p.pausing.layer == nil {
			s.ports[p.peer].elidesArrivals = true
		}
	}
	// A sender's ACKs, windows and timers need every frame's event, at both
	// ends, unless it is greedy.
	for i := range s.flows {
		f := &s.flows[i]
		if f.sender >= 0 && !s.senders[f.sender].elidable {
			for _, end := range [...]int32{f.from, f.toPort} {
				s.ports[end].elidesSends = false
				s.ports[s.ports[end].peer].elidesArrivals = false
			}
		}
		if f.paced {
			s.ports[f.from].elidesSends = false
		}
		// The arrival of its last frame starts other flows.
		if f.awaited {
			s.ports[s.ports[f.toPort].peer].elidesArrivals = false
		}
	}
}

// kickLazy lets a lazy port begin its next frame now if it can, as kick does.
func (s *part) kickEliding(i int32, p *port) {
	p.freeAt = max(p.freeAt, s.Now)
	s.sendNextElided(i, p)
}

// catchUp makes the frames that a lazy port has begun by now. It is called
// before anything changes at the port.
func (s *part) applyElided(i int32) {
	switch p := &s.ports[i]; {
	case p.elidesSends:
		s.sendElidedUpTo(i, p, s.Now)
	case p.elidesEnds && p.endElided:
		s.applyElidedEnds(p.sw, s.Now, s.source)
	}
}

// catchUpTo makes the frames that the port has begun by a time.
func (s *part) sendElidedUpTo(i int32, p *port, at int64) {
	for p.freeAt <= at && p.waiting&^p.paused != 0 {
		s.sendFlow(i, p, p.freeAt)
	}
}

// sendLazy makes one frame if the port has begun it by now.
func (s *part) sendNextElided(i int32, p *port) {
	if p.freeAt <= s.Now && p.waiting&^p.paused != 0 {
		s.sendFlow(i, p, p.freeAt)
	}
}

// countDelivered counts a frame that will arrive, at a later time, at a host
// which only counts it.
func (s *part) countArrival(p *port, k *packet.Packet, at int64) {
	fl := &s.flows[k.Flow]
	p.framesIn++
	p.bytesIn += int64(k.Bytes)
	fl.delivered++
	fl.bytes += int64(k.Bytes)
	fl.last = max(fl.last, at)
	s.total.Delivered++
	s.total.LastDelivery = max(s.total.LastDelivery, at)
	s.elided++
	s.lastElided = max(s.lastElided, at)
}

// stopLazy ends lazy sending on all ports: an observer sees every event at its
// time.
func (s *Sim) stopEliding() {
	for i := range s.ports {
		p := &s.ports[i]
		p.elidesArrivals, p.elidesLastEnd, p.elidesEnds = false, false, false
		if !p.elidesSends && !p.endElided {
			continue
		}
		of := s.partOf(int32(i))
		of.applyElided(int32(i))
		p.elidesSends = false
		of.restoreEnd(int32(i), p)
	}
}

// finish makes the frames that lazy ports have begun by the end of a run, and
// moves the clock: to the end of the run if events are pending, else to the
// last thing that happened.
func (s *Sim) finish() {
	for i := range s.ports {
		p := &s.ports[i]
		if !p.elidesSends && !p.endElided {
			continue
		}
		of := s.partOf(int32(i))
		if p.elidesSends {
			of.sendElidedUpTo(int32(i), p, s.end)
		}
		if p.freeAt <= s.end {
			of.lastElided = max(of.lastElided, p.freeAt)
		}
	}
	pending := false
	for _, p := range s.parts {
		for _, n := range p.own {
			p.applyElidedEnds(&s.switches[n], s.end, math.MaxInt32)
			p.restoreEnds(&s.switches[n])
		}
		p.beginsAt = clock.Never
		s.now = max(s.now, p.Now, p.lastElided)
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
