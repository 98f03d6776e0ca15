package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// flow is the state of a flow.
type flow struct {
	from      int32 // host
	toPort    int32
	next      int32 // next flow in the ring of its class
	unsent    int64 // payload that is left to send; negative: without end
	seq       int32
	frame     int64
	header    int64
	class     uint8
	pcp, dscp int8
	ttl       uint8
	ect       bool
	awaited   bool  // other flows start when this one has arrived: see after.go
	paced     bool  // it has a rate below the link's
	ready     int64 // when a paced flow may send its next frame
	rate      int64 // of a paced flow, bit/s
	perByte   int64 // picoseconds per byte at the rate; 0: not a whole number
	stop      int64 // when it stops sending
	sender    int32 // index into Sim.senders; -1: none
	sent      int64 // frames
	delivered int64
	lost      int64
	resent    int64 // frames, among sent
	refused   int64 // frames that arrived out of sequence
	bytes     int64 // delivered
	last      int64 // time of the last delivery
}

// way is what every switch needs of a flow: a quarter of a cache line.
type way struct {
	from, to int32  // host
	hash     uint64 // chooses among routes of equal length
}

// class is the ring of a host's flows of one class that can send. They take
// turns frame by frame, in the order of their numbers: the next one is the first
// with a higher number than the one that was served last, and after the highest
// comes the lowest again. When a flow joined, or how long it was away, does not
// matter. The ring is kept in that order, so head is next; -1 if there are none.
type class struct{ head, tail, served int32 }

// after tells how many places a flow stands behind the one that was served
// last: 0 is the next one.
func (c *class) after(f, flows int32) int32 {
	if d := f - c.served - 1; d >= 0 {
		return d
	}
	return f - c.served - 1 + flows
}

// enqueueFlow puts a flow in its place in its class's ring. The one that was
// served last comes last.
func (s *part) enqueueFlow(p *port, f int32) {
	fl := &s.flows[f]
	c := &s.classes[p.node][fl.class]
	fl.next = -1
	n := int32(len(s.flows))
	place := c.after(f, n)
	switch {
	case c.head < 0:
		c.head, c.tail = f, f
		p.waiting |= 1 << fl.class
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

// nextClass returns the class whose turn it is. Classes take turns, unless the
// flows of the host do so whatever their class: then the flow decides.
func (s *part) nextClass(p *port) uint8 {
	if !s.oneRing {
		return p.roundRobin()
	}
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
	c.served = s.classes[p.node][p.last].served
	for c.after(c.head, n) > c.after(c.tail, n) {
		f := c.head
		c.head, s.flows[c.tail].next, c.tail = s.flows[f].next, f, f
		s.flows[f].next = -1
	}
	return c.after(c.head, n)
}

// flowDue lets a flow send: at its start, or when its rate allows the next
// frame. Sources above those of the flows are timers of senders.
func (s *part) flowDue(f int32) {
	if n := int32(len(s.flows)); f >= n {
		s.senderTimer(f - n)
		return
	}
	i := s.flows[f].from
	s.applyElided(i)
	if s.flows[f].sender >= 0 {
		s.wake(f)
		return
	}
	s.enqueueFlow(&s.ports[i], f)
	s.kick(i)
}

// sendFlow sends a frame of the next flow, at a time that is now or, for a lazy
// port, earlier.
func (s *part) sendFlow(i int32, p *port, at int64) {
	if p.urgent&^p.paused != 0 {
		s.sendFeedback(i, p)
		return
	}
	if p.finishing != 0 && !s.canSendAfterPause(p) {
		return
	}
	n := s.nextClass(p)
	p.last = n
	c := &s.classes[p.node][n]
	f := c.head
	fl := &s.flows[f]
	c.served = f
	if fl.sender >= 0 {
		if x := &s.senders[fl.sender]; x.elidable {
			s.sendElidable(i, p, c, fl, x, at)
			return
		}
		s.leaveRing(p, c, fl)
		s.sendNext(i, p, f)
		return
	}
	payload := fl.frame - fl.header
	if fl.unsent >= 0 {
		payload = min(payload, fl.unsent)
		fl.unsent -= payload
	}
	k := packet.Packet{Flow: f, Bytes: uint16(payload + fl.header), Seq: fl.seq, PCP: fl.pcp, DSCP: fl.dscp, Priority: n,
		TTL: fl.ttl, ECT: fl.ect}
	fl.seq++
	fl.sent++
	s.total.Sent++
	s.transmit(i, p, &k, at)
	if fl.next < 0 && fl.unsent != 0 && !fl.paced && at < fl.stop {
		return // it is alone in its ring, and stays there
	}
	s.leaveRing(p, c, fl)
	s.requeue(p, f, fl, payload+fl.header, at)
}

// leaveRing takes the next flow of a class from its ring.
func (s *part) leaveRing(p *port, c *class, fl *flow) {
	if c.head = fl.next; fl.next < 0 {
		p.waiting &^= 1 << fl.class
	}
}

// requeue puts a flow back into its ring, or schedules it for when it may send
// again.
func (s *part) requeue(p *port, f int32, fl *flow, bytes, at int64) {
	switch {
	case fl.unsent == 0:
	case !fl.paced:
		if at < fl.stop {
			s.enqueueFlow(p, f)
		}
	default:
		fl.ready = max(fl.ready, at) + fl.frameTime(bytes+int64(p.gap))
		if fl.ready < fl.stop {
			s.Set(s.flowSource(f), fl.ready)
		}
	}
}

// frameTime is the time between two frames at a paced flow's rate, preamble and
// gap included.
func (fl *flow) frameTime(bytes int64) int64 {
	if fl.perByte > 0 {
		return bytes * fl.perByte
	}
	return int64(unit.BitRate(fl.rate).TimeFor(bytes * 8))
}

// deliver handles a frame that arrives at its host.
func (s *part) deliver(p *port, k *packet.Packet) {
	fl := &s.flows[k.Flow]
	if fl.sender >= 0 && !s.receiveForSender(k) {
		if s.observer != nil {
			s.reportNotDelivered(p.node, k)
		}
		return
	}
	fl.delivered++
	fl.bytes += int64(k.Bytes)
	fl.last = max(fl.last, s.Now)
	s.total.Delivered++
	s.total.LastDelivery = max(s.total.LastDelivery, s.Now)
	if s.observer != nil {
		s.report(Delivered, fl.toPort, k, 0, -1)
	}
	if fl.awaited && fl.arrived(s.starting.payload[k.Flow]) {
		s.openGates(s.starting.arrival[k.Flow])
	}
}
