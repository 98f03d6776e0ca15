package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// wake puts a flow into its class's ring, or sets its timer. If the flow waits
// for an acknowledgement it does neither.
func (s *part) wake(f int32) {
	fl := &s.flows[f]
	x := &s.senders[fl.sender]
	if x.queued {
		return
	}
	switch at := x.nextTime(fl, s.Now); {
	case at <= s.Now:
		x.queued = true
		s.enqueueFlow(&s.ports[fl.from], f)
		s.kick(fl.from)
	case at < clock.Never:
		s.SetAtLatest(s.flowSource(f), at)
	}
}

// sendNext sends the next frame of a flow that was taken from its ring. While
// it waited there it may have lost the right to send: its on time may be over.
func (s *part) sendNext(i int32, p *port, f int32) {
	fl := &s.flows[f]
	x := &s.senders[fl.sender]
	x.queued = false
	if x.nextTime(fl, s.Now) > s.Now {
		s.wake(f)
		s.kick(i)
		return
	}
	bytes := s.sendPayload(i, p, fl, x)
	x.pace(fl, s.Now, bytes+int64(p.gap))
	s.wake(f)
}

// sendSteady sends the next frame of a flow whose sender is steady, from its ring. It does what sendNext does, but for
// what follows: if the flow is alone in its ring and may go on, it stays there.
func (s *part) sendSteady(i int32, p *port, c *class, fl *flow, x *sender) {
	s.sendPayload(i, p, fl, x)
	x.queued = x.canSend(fl, s.Now)
	if fl.next < 0 && x.queued {
		return
	}
	s.leaveRing(p, c, fl)
	if x.queued {
		s.enqueueFlow(p, x.flow)
	}
}

// sendPayload sends the frame that is next in a flow, and returns its length.
func (s *part) sendPayload(i int32, p *port, fl *flow, x *sender) (bytes int64) {
	payload := x.payload(fl, &x.next)
	bytes = payload + fl.header
	k := fl.packet
	k.Bytes, k.Seq = uint16(bytes), x.next.seq
	if x.next.seq < x.newest {
		s.total.Resent++
		fl.resent++
	}
	x.advance(&x.next, payload)
	x.newest = max(x.newest, x.next.seq)
	fl.sent++
	s.total.Sent++
	if x.ackEvery > 0 {
		k.WantsACK = x.endsMessage(&x.next) || !x.windowOpen(x.payload(fl, &x.next))
		s.startTimeout(fl.sender, x, payload)
	}
	s.transmit(i, p, &k, s.Now)
	return bytes
}

// acknowledge sends an ACK or a NAK: all frames before the one that is expected have arrived.
func (s *part) acknowledge(x *sender, what packet.Kind) {
	k := x.ack
	k.Kind, k.Seq = what, x.expected
	s.queueFeedback(&k)
}

// queueFeedback sends an ACK, a NAK or a CNP from a flow's receiver to its
// sender. Feedback goes before all data of the host. It waits if its class is
// paused.
func (s *part) queueFeedback(k *packet.Packet) {
	i := s.flows[k.Flow].toPort
	p := &s.ports[i]
	s.total.FeedbackMade++
	if p.endElided {
		s.restoreEnd(i, p)
	}
	if p.sendsAtOnce(k.Priority) {
		s.answer(i, p, k)
		return
	}
	p.queues[k.Priority].Push(&s.store, k)
	p.urgent |= 1 << k.Priority
	p.waiting |= 1 << k.Priority
	s.kick(i)
}

// answer begins to send a feedback frame.
func (s *part) answer(i int32, p *port, k *packet.Packet) {
	p.last = k.Priority
	s.total.Feedback[k.Kind]++
	s.transmit(i, p, k, s.Now)
}

// sendFeedback sends the first feedback frame of the highest class that is not
// paused.
func (s *part) sendFeedback(i int32, p *port) {
	n := uint8(bits.Len8(p.urgent&^p.paused) - 1)
	k := p.queues[n].Pop(&s.store)
	if p.queues[n].Len == 0 {
		p.urgent &^= 1 << n
		if s.classes[p.node][n].head < 0 {
			p.waiting &^= 1 << n
		}
	}
	s.answer(i, p, &k)
}

// receiveForSender handles a frame that arrives at the host of a flow with a
// Sender. It returns true for data that is delivered, and false for feedback
// and for data out of sequence, which it has counted.
func (s *part) receiveForSender(fl *flow, k *packet.Packet) bool {
	x := &s.senders[fl.sender]
	if k.Kind != packet.Data {
		s.receiveFeedback(x, k)
		return false
	}
	if k.CE {
		s.notify(fl.sender, x)
	}
	switch {
	case x.ackEvery == 0:
	case k.Seq != x.expected:
		s.outOfSequence(x, k.Seq)
		return false
	default:
		x.expected++
		x.sinceACK++
		x.nakSent = false
		if k.WantsACK || x.sinceACK >= x.ackEvery {
			x.sinceACK = 0
			s.acknowledge(x, packet.ACK)
		}
	}
	return true
}

// receiveFeedback handles feedback that arrives at the host of a flow's sender.
func (s *part) receiveFeedback(x *sender, k *packet.Packet) {
	s.total.FeedbackDelivered++
	if k.Kind == packet.CNP {
		x.rate.Cut(s.Now)
	} else {
		s.acknowledged(k.Flow, x, k.Seq, k.Kind == packet.NAK)
	}
}

// outOfSequence handles a frame that is not the one that the receiver expects: the receiver sends one NAK per gap.
func (s *part) outOfSequence(x *sender, seq int32) {
	if seq < x.expected { // a second time: its ACK may have been lost
		s.acknowledge(x, packet.ACK)
	} else if !x.nakSent {
		x.nakSent = true
		s.acknowledge(x, packet.NAK)
	}
	s.total.Refused++
	s.flows[x.flow].refused++
}

// acknowledged handles an ACK or a NAK: all frames before seq have arrived. A
// NAK also says that seq itself is missing; the sender then goes back to it.
func (s *part) acknowledged(f int32, x *sender, seq int32, missing bool) {
	fl := &s.flows[f]
	if x.oldest.seq < seq || missing {
		x.deadline = s.Now + x.timeout
	}
	before := x.oldest.off
	for x.oldest.seq < seq {
		x.advance(&x.oldest, x.payload(fl, &x.oldest))
	}
	if x.awaited && x.oldest.off > before && x.oldest.off == x.size {
		s.openGates(s.starting.acknowledgement[f])
	}
	// An ACK can overtake the point to which the sender has gone back: the
	// frames up to it need not be sent again.
	if x.next.seq < x.oldest.seq || missing && seq == x.oldest.seq {
		x.next = x.oldest
	}
	s.wake(f)
}

// startTimeout starts the sender's timer when a frame is sent and nothing else
// was unacknowledged.
func (s *part) startTimeout(n int32, x *sender, payload int64) {
	if x.next.off-x.oldest.off == payload {
		x.deadline = s.Now + x.timeout
	}
	if source := s.senderSource(n, onTimeout); !s.Pending(source) {
		s.Set(source, x.deadline)
	}
}

// timedOut makes the sender go back if nothing has been acknowledged for the
// timeout. The timer is not set anew with every ACK. It compares with the
// deadline when it expires, and is set again if the deadline has moved.
func (s *part) timedOut(n int32) {
	x := &s.senders[n]
	if x.next.off == x.oldest.off || s.Now >= s.flows[x.flow].stop {
		return
	}
	if s.Now >= x.deadline {
		s.total.Timeouts++
		x.next = x.oldest
		x.deadline = s.Now + x.timeout
	}
	s.Set(s.senderSource(n, onTimeout), x.deadline)
	s.wake(x.flow)
}

// senderTimer handles a timer of a sender. Sources above those are of failures.
func (s *part) senderTimer(i int32) {
	if int(i) >= len(s.senders)*senderTimers {
		s.failureDue(s.source)
		return
	}
	switch n := i / senderTimers; i % senderTimers {
	case onTimeout:
		s.timedOut(n)
	case onWindow:
		s.sendCNP(&s.senders[n])
	}
}

// notify answers a marked frame with a CNP: at once if the last interval is
// over, or one for all marked frames at the end of the interval.
func (s *part) notify(n int32, x *sender) {
	if !x.rate.On() {
		return
	}
	send, timer := x.notifier.Marked(s.Now)
	if send {
		s.sendCNP(x)
	} else if timer > 0 {
		s.Set(s.senderSource(n, onWindow), timer)
	}
}

// sendCNP sends a CNP and begins an interval.
func (s *part) sendCNP(x *sender) {
	x.notifier.Send(s.Now)
	k := x.cnp
	s.queueFeedback(&k)
}
