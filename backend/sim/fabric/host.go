package fabric

import "github.com/cellwarden/cellwarden/unit"

// flow is the state of a flow.
type flow struct {
	from, to  int32 // host
	toPort    int32
	next      int32 // next flow in the ring of its class
	left      int64 // payload that is left to send; negative: without end
	seq       int32
	frame     int64
	header    int64
	hash      uint64 // chooses among routes of equal length
	class     uint8
	pcp, dscp int8
	ttl       uint8
	ect       bool
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

// class is the ring of a host's flows of one class that can send. They take
// turns frame by frame. head is -1 if there are none.
type class struct{ head, tail int32 }

// enqueueFlow puts a flow at the end of its class's ring.
func (s *Sim) enqueueFlow(p *port, f int32) {
	fl := &s.flows[f]
	c := &s.classes[p.node][fl.class]
	fl.next = -1
	if c.head < 0 {
		c.head = f
		p.waiting |= 1 << fl.class
	} else {
		s.flows[c.tail].next = f
	}
	c.tail = f
}

// flowDue lets a flow send: at its start, or when its rate allows the next
// frame. Sources above those of the flows are timers of senders.
func (s *Sim) flowDue(f int32) {
	if n := int32(len(s.flows)); f >= n {
		s.senderTimer(f - n)
		return
	}
	if s.flows[f].sender >= 0 {
		s.wake(f)
		return
	}
	i := s.flows[f].from
	s.catchUp(i)
	s.enqueueFlow(&s.ports[i], f)
	s.kick(i)
}

// sendFlow sends a frame of the next flow, at a time that is now or, for a lazy
// port, earlier.
func (s *Sim) sendFlow(i int32, p *port, at int64) {
	if p.urgent&^p.paused != 0 {
		s.sendFeedback(i, p)
		return
	}
	if p.finishing != 0 && !s.canSendAfterPause(p) {
		return
	}
	n := p.roundRobin()
	p.last = n
	c := &s.classes[p.node][n]
	f := c.head
	fl := &s.flows[f]
	if c.head = fl.next; fl.next < 0 {
		p.waiting &^= 1 << n
	}
	if fl.sender >= 0 {
		s.sendNext(i, p, f)
		return
	}
	payload := fl.frame - fl.header
	if fl.left >= 0 {
		payload = min(payload, fl.left)
		fl.left -= payload
	}
	pkt := s.store.take()
	k := &s.store.packets[pkt]
	*k = packet{flow: f, bytes: uint16(payload + fl.header), seq: fl.seq, pcp: fl.pcp, dscp: fl.dscp, prio: n,
		ttl: fl.ttl, ect: fl.ect}
	fl.seq++
	fl.sent++
	s.total.Sent++
	s.transmit(i, p, pkt, at)
	s.requeue(p, f, fl, payload+fl.header, at)
}

// requeue puts a flow back into its ring, or schedules it for when it may send
// again.
func (s *Sim) requeue(p *port, f int32, fl *flow, bytes, at int64) {
	switch {
	case fl.left == 0:
	case !fl.paced:
		if at < fl.stop {
			s.enqueueFlow(p, f)
		}
	default:
		fl.ready = max(fl.ready, at) + fl.frameTime(bytes+p.gap)
		if fl.ready < fl.stop {
			s.set(s.flowSource(f), fl.ready)
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
func (s *Sim) deliver(p *port, pkt int32) {
	k := &s.store.packets[pkt]
	fl := &s.flows[k.flow]
	if fl.sender >= 0 {
		taken := s.receiveForSender(k)
		// receiveForSender may have queued feedback, which can move the
		// packets.
		if k = &s.store.packets[pkt]; !taken { // the answer may have moved it
			if s.observer != nil {
				s.reportNotDelivered(p.node, k)
			}
			s.store.drop(pkt)
			return
		}
	}
	fl.delivered++
	fl.bytes += int64(k.bytes)
	fl.last = max(fl.last, s.now)
	s.total.Delivered++
	s.total.LastDelivery = max(s.total.LastDelivery, s.now)
	if s.observer != nil {
		s.report(Delivered, fl.toPort, k, 0, -1)
	}
	s.store.drop(pkt)
}
