package fabric

import (
	"fmt"
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// gobackN is the go-back-N state of a flow, of both its ends. See [ACK] for the
// protocol.
type gobackN struct {
	ackEvery int32 // frames per ACK; 0: no acknowledgements
	class    Class // of ACKs and NAKs
	length   int32 // of an ACK or a NAK
	timeout  int64
	oldest   position // sender: the first frame that is not acknowledged
	deadline int64    // sender: when it goes back without an ACK or a NAK
	expected int32    // receiver: number of the next frame in sequence
	sinceACK int32    // receiver: frames since the last ACK
	nakSent  bool     // receiver: a NAK has been sent for this gap
	awaited  bool     // other flows start when this one has been acknowledged: see after.go
}

// newGoBackN returns the state before the first frame.
func newGoBackN(a ACK) gobackN {
	return gobackN{ackEvery: int32(a.Every), class: a.Class, length: int32(a.frame()), timeout: int64(a.timeout())}
}

// queueFeedback sends an ACK, a NAK or a CNP from a flow's receiver to its
// sender. Feedback goes before all data of the host. It waits if its class is
// paused.
func (s *part) queueFeedback(f int32, what packet.Kind, class *Class, bytes, seq int32) {
	fl := &s.flows[f]
	k := packet.Packet{Flow: f, Kind: what, Bytes: uint16(bytes), Seq: seq, PCP: int8(class.PCP),
		DSCP: int8(class.DSCP), Priority: uint8(class.Priority), TTL: fl.ttl}
	p := &s.ports[fl.toPort]
	s.total.FeedbackMade++
	if p.endElided {
		s.restoreEnd(fl.toPort, p)
	}
	if p.sendsAtOnce(k.Priority) {
		s.answer(fl.toPort, p, &k)
		return
	}
	p.queues[k.Priority].Push(&s.store, &k)
	p.urgent |= 1 << k.Priority
	p.waiting |= 1 << k.Priority
	s.kick(fl.toPort)
}

// sendsAtOnce tells whether feedback of a class needs no queue: the host's port
// is free, and sends nothing before it.
func (p *port) sendsAtOnce(class uint8) bool {
	return !p.busy && !p.elidesSends && p.linked && !p.pend && p.finishing == 0 && p.urgent&^p.paused == 0 &&
		p.paused>>class&1 == 0
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
func (s *part) receiveForSender(k *packet.Packet) bool {
	x := &s.senders[s.flows[k.Flow].sender]
	switch k.Kind {
	case packet.CNP:
		s.total.FeedbackDelivered++
		x.rate.Cut(s.Now)
		return false
	case packet.ACK, packet.NAK:
		s.total.FeedbackDelivered++
		s.acknowledged(k.Flow, x, k.Seq, k.Kind == packet.NAK)
		return false
	}
	if k.CE {
		s.notify(s.flows[k.Flow].sender, x)
	}
	return x.ackEvery == 0 || s.inSequence(k.Flow, x, k.Seq, k.WantsACK)
}

// inSequence tells whether a frame is the one that the receiver expects, and
// acknowledges it. Out of sequence, the receiver sends one NAK per gap.
func (s *part) inSequence(f int32, x *sender, seq int32, ask bool) bool {
	switch {
	case seq == x.expected:
		x.expected++
		x.sinceACK++
		x.nakSent = false
		if ask || x.sinceACK >= x.ackEvery {
			x.sinceACK = 0
			s.queueFeedback(f, packet.ACK, &x.class, x.length, x.expected)
		}
		return true
	case seq < x.expected: // a second time: its ACK may have been lost
		s.queueFeedback(f, packet.ACK, &x.class, x.length, x.expected)
	case !x.nakSent:
		x.nakSent = true
		s.queueFeedback(f, packet.NAK, &x.class, x.length, x.expected)
	}
	s.total.Refused++
	s.flows[f].refused++
	return false
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

// Each sender has these timers, beside its flow's.
const (
	onTimeout    = iota // nothing has been acknowledged for too long
	onWindow            // the time in which one CNP may be sent is over
	senderTimers        // how many there are
)

// senderSource returns the event source of a sender's timer.
func (s *shared) senderSource(n int32, timer int32) int32 {
	return s.flowSource(int32(len(s.flows)) + n*senderTimers + timer)
}

// senderTimer handles a timer of a sender.
func (s *part) senderTimer(i int32) {
	switch n := i / senderTimers; i % senderTimers {
	case onTimeout:
		s.timedOut(n)
	case onWindow:
		s.sendCNP(&s.senders[n])
	}
}

// checkSenders appends an error for each flow whose counters contradict each
// other.
func (s *Sim) checkSenders(bad []error) []error {
	for i := range s.flows {
		f := &s.flows[i]
		if f.sent < f.delivered+f.refused+f.lost {
			bad = append(bad, fmt.Errorf("flow %d: %d frames sent, %d delivered, %d refused, %d lost", i, f.sent,
				f.delivered, f.refused, f.lost))
		}
	}
	for i := range s.senders {
		if err := s.senders[i].check(); err != nil {
			bad = append(bad, fmt.Errorf("flow %d: %w", s.senders[i].flow, err))
		}
	}
	return bad
}

// check verifies the order of the acknowledged, expected and sent frames, the
// window, and the bounds of the rate.
func (x *sender) check() error {
	if x.ackEvery > 0 && (x.oldest.seq > x.expected || x.expected > x.newest || x.oldest.seq > x.next.seq ||
		x.next.seq > x.newest) {
		return fmt.Errorf("frames up to %d acknowledged, %d expected, %d next, %d the first never sent", x.oldest.seq,
			x.expected, x.next.seq, x.newest)
	}
	if under := x.next.off - x.oldest.off; x.window > 0 && under > x.window && x.next.seq-x.oldest.seq > 1 {
		return fmt.Errorf("%d bytes unacknowledged, the window is %d", under, x.window)
	}
	return x.rate.Check()
}
