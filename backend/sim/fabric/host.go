package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// enqueueFlow puts a flow in its place in its class's ring. The one that was served last comes last. The ring of a
// class is a list in the order of the turns that follow the flow served last: place is how many turns away a flow is.
func (s *part) enqueueFlow(p *port, f int32) {
	fl := &s.flows[f]
	c := &s.classes[p.node][fl.class&(Priorities-1)]
	// alone is the flow that a host which elides its sends goes on with by itself: another one may have the turn now.
	fl.next, p.alone = -1, 0
	n := int32(len(s.flows))
	place := c.after(f, n)
	switch {
	case c.head < 0:
		c.head, c.tail = f, f
		p.waiting |= 1 << (fl.class & (Priorities - 1))
	// Most flows come back after they were served, and so at the end: this case comes before the search.
	case place > c.after(c.tail, n):
		s.flows[c.tail].next = f
		c.tail = f
	case place < c.after(c.head, n):
		fl.next, c.head = c.head, f
	default:
		before := c.head
		for next := s.flows[before].next; c.after(next, n) < place; next = s.flows[before].next {
			before = next
		}
		fl.next, s.flows[before].next = s.flows[before].next, f
	}
}

// nextOfAll returns the class whose turn it is if the flows of the host take turns whatever their class: the flow
// decides. It is for a network with OneRing (Wire), as in ns-3. Places are different for all flows, so there is one
// best.
func (s *part) nextOfAll(p *port) uint8 {
	n := int32(len(s.flows))
	best, place := uint8(0), n
	for m := p.waiting &^ p.paused; m != 0; m &= m - 1 {
		k := uint8(bits.TrailingZeros8(m))
		if d := s.turnOfAll(p, k); d < place {
			best, place = k, d
		}
	}
	return best
}

// turnOfAll brings a class's ring to the flow that comes next after the one that
// the host served last, whatever class that was, and returns its place.
func (s *part) turnOfAll(p *port, k uint8) int32 {
	c := &s.classes[p.node][k]
	n := int32(len(s.flows))
	// The ring was in order for an earlier flow served last: moving flows from its head to its tail turns it.
	c.served = s.classes[p.node][p.last].served
	for c.after(c.head, n) > c.after(c.tail, n) {
		f := c.head
		c.head, s.flows[c.tail].next, c.tail = s.flows[f].next, f, f
		s.flows[f].next = -1
	}
	return c.after(c.head, n)
}

// flowDue lets a flow send: at its start, or when its rate allows the next frame. Sources above those of the flows
// are timers of senders. A flow without a Sender is queued at once; one with a Sender may have to wait for
// acknowledgements still, which wake knows.
func (s *part) flowDue(f int32) {
	if n := int32(len(s.flows)); f >= n {
		s.senderTimer(f - n)
		return
	}
	i := s.flows[f].from
	// Frames that the port has elided begin before this flow is queued, and must not see it.
	s.applyElided(i)
	if s.flows[f].sender >= 0 {
		s.wake(f)
		return
	}
	s.enqueueFlow(&s.ports[i], f)
	s.kick(i)
}

// sendFlow sends a frame of the next flow, for a port that has an event for each.
func (s *part) sendFlow(i int32, p *port) {
	// Both are rare, so one test keeps them out of the way of all other frames. Feedback goes before data
	// (queueFeedback).
	if p.urgent|p.finishing != 0 {
		if p.urgent&^p.paused != 0 {
			s.sendFeedback(i, p)
			return
		}
		if p.finishing != 0 && !s.canSendAfterPause(p) {
			return
		}
	}
	n := p.roundRobin()
	if s.oneRing {
		n = s.nextOfAll(p)
	}
	p.last = n
	c := &s.classes[p.node][n&(Priorities-1)]
	f := c.head
	fl := &s.flows[f]
	c.served = f
	if fl.sender >= 0 {
		x := &s.senders[fl.sender]
		// The cases go from the sender that needs least to the one that needs all: each sends what sendNext would.
		if x.elidable {
			s.sendElidable(i, p, c, fl, x, s.Now)
			return
		}
		if x.steady {
			if payload := x.payload(fl, &x.next); x.canSend(fl, payload, s.Now) {
				s.sendSteady(i, p, c, fl, x, payload)
				return
			}
		}
		if s.leaveRing(p, c, fl); x.even {
			s.sendEven(i, p, fl, x)
		} else {
			s.sendNext(i, p, f)
		}
		return
	}
	// unsent is -1 for a flow without end.
	payload := fl.frame - fl.header
	if fl.unsent >= 0 {
		payload = min(payload, fl.unsent)
		fl.unsent -= payload
	}
	k := fl.packet.Now(fl.packet.Seq, uint16(payload+fl.header))
	fl.sent++
	s.transmit(i, p, k, s.Now)
	k.Seq++
	// Leaving its ring and coming back would change nothing.
	if fl.next < 0 && fl.unsent != 0 && !fl.paced && s.Now < fl.stop {
		return // it is alone in its ring, and stays there
	}
	s.leaveRing(p, c, fl)
	s.requeue(p, f, fl, payload+fl.header, s.Now)
}

// leaveRing takes the next flow of a class from its ring.
func (s *part) leaveRing(p *port, c *class, fl *flow) {
	p.alone = 0
	if c.head = fl.next; fl.next < 0 {
		p.waiting &^= 1 << (fl.class & (Priorities - 1))
	}
}

// requeue puts a flow back into its ring, or schedules it for when it may send again. bytes are those of the frame
// that was sent at the time at. A flow that has sent all, or whose stop has come, is not put back.
func (s *part) requeue(p *port, f int32, fl *flow, bytes, at int64) {
	switch {
	case fl.unsent == 0:
	case !fl.paced:
		if at < fl.stop {
			s.enqueueFlow(p, f)
		}
	default:
		// The next frame is due one frame time, with the gap, after this one was due or, if it had to wait for its turn,
		// after it was sent.
		fl.ready = max(fl.ready, at) + fl.frameTime(bytes+int64(p.gap))
		if fl.ready < fl.stop {
			s.Set(s.flowSource(f), fl.ready)
		}
	}
}

// deliver handles a frame that arrives at its host.
func (s *part) deliver(p *port, k *packet.Packet) {
	fl := &s.flows[k.Flow]
	if fl.sender >= 0 {
		if !s.receiveForSender(fl, k) {
			s.notDelivered(p, fl, k)
			return
		}
	} else if fl.rests && k.Kind == packet.Trimmed {
		// Without a Sender there is no receiver that could ask for a trimmed frame again.
		s.notDelivered(p, fl, k)
		return
	}
	fl.delivered++
	fl.bytes += int64(k.Bytes)
	fl.last = max(fl.last, s.Now)
	if s.observer != nil {
		s.report(Delivered, fl.toPort, k, 0, -1)
	}
	// Other flows wait for this one: see openGates.
	if fl.awaited && fl.arrived(s.starting.payload[k.Flow]) {
		s.openGates(s.starting.arrival[k.Flow])
	}
}

// sendElidable sends a frame of a flow whose sender is elidable, the next one of its class, at a time that is now or,
// for a port that elides its sends, earlier.
func (s *part) sendElidable(i int32, p *port, c *class, fl *flow, x *sender, at int64) {
	payload := x.payload(fl, &x.next)
	if payload <= 0 || at >= fl.stop { // all of it has been acknowledged since it went back, or its time is over
		x.queued = false
		s.leaveRing(p, c, fl)
		if p.elidesSends {
			s.sendNextElided(i, p)
		} else {
			s.kick(i)
		}
		return
	}
	s.sendPayload(i, p, fl, x, payload, at)
	x.queued = x.payload(fl, &x.next) > 0
	if fl.next < 0 && x.queued {
		p.staysAlone(x.flow, s.oneRing)
		return // it is alone in its ring, and stays there
	}
	s.leaveRing(p, c, fl)
	if x.queued {
		s.enqueueFlow(p, x.flow)
	}
}

// canSendAfterPause stops the paused classes whose next frame would end after their time is over. It tells whether
// any class is left that may send. A class in finishing has been paused, and may end a frame until finishBy: the time
// that the pause allows for its reaction.
func (s *part) canSendAfterPause(p *port) bool {
	for m := p.finishing & p.waiting; m != 0; m &= m - 1 {
		n := bits.TrailingZeros8(m)
		head := s.classes[p.node][n].head
		if head < 0 || s.Now+p.frameTime(s.nextFrame(&s.flows[head])) > p.past().finishBy[n] {
			p.finishing &^= 1 << n
			p.paused |= 1 << n
		}
	}
	return p.waiting&^p.paused != 0
}

// nextFrame is the length of the frame that a flow would send next. The length is in bytes, with the header.
func (s *part) nextFrame(f *flow) int64 {
	switch {
	case f.sender >= 0:
		x := &s.senders[f.sender]
		if x.repeats() {
			return f.frame
		}
		return x.payload(f, &x.next) + f.header
	case f.unsent < 0:
		return f.frame
	}
	return min(f.frame, f.unsent+f.header)
}

// openGates counts what some gates have waited for, and starts the flows of those that wait for nothing more.
func (s *part) openGates(gates []int32) {
	for _, n := range gates {
		g := &s.starting.gates[n]
		g.missing--
		switch {
		// In turn each arrival starts one follower; otherwise all start when nothing is missing.
		case g.inTurn && len(g.followers) > 0:
			s.startFollower(&g.followers[0])
			g.followers = g.followers[1:]
		case g.missing == 0 && !g.inTurn:
			for i := range g.followers {
				s.startFollower(&g.followers[i])
			}
		}
	}
}

// startFollower starts a flow whose gate has opened. The spread comes after the later of the two times, so that flows
// which wait for one gate do not start at the same moment.
func (s *part) startFollower(w *follower) { s.startAt(w.flow, max(s.Now+w.delay, w.earliest)+w.spread) }

// startAt schedules the start of a flow that has waited. A flow whose stop has come before it starts sends nothing.
func (s *part) startAt(f int32, at int64) {
	fl := &s.flows[f]
	if at >= fl.stop {
		return
	}
	s.starting.at[f] = at
	if fl.sender >= 0 {
		s.senders[fl.sender].startAt(at)
	}
	s.Set(s.flowSource(f), at)
}
