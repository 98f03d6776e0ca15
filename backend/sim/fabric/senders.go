package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// wake puts a flow into its class's ring, or sets its timer. If the flow waits for an acknowledgement it does
// neither. It can be called at any time: a flow that is in its ring already is left there.
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
	// An earlier timer of the flow stays: it wakes the flow, which then sets the later one.
	case at < clock.Never:
		s.SetAtLatest(s.flowSource(f), at)
	}
}

// sendNext sends the next frame of a flow that was taken from its ring. While it waited there it may have lost the
// right to send: its on time may be over. The frame begins now, and wake looks for the time of the one after it.
func (s *part) sendNext(i int32, p *port, f int32) {
	fl := &s.flows[f]
	x := &s.senders[fl.sender]
	x.queued = false
	if x.nextTime(fl, s.Now) > s.Now {
		s.wake(f)
		s.kick(i)
		return
	}
	var bytes int64
	if x.repeats() {
		bytes = s.repeat(i, p, fl, x)
	} else {
		bytes = s.sendPayload(i, p, fl, x, x.payload(fl, &x.next), s.Now)
	}
	x.pace(fl, s.Now, bytes+int64(p.gap))
	s.wake(f)
}

// sendEven is sendNext for a flow whose sender is even: it knows at once what nextTime says, before the frame and
// after.
func (s *part) sendEven(i int32, p *port, fl *flow, x *sender) {
	x.queued = false
	payload := x.payload(fl, &x.next)
	if !x.canSend(fl, payload, s.Now) || fl.ready > s.Now {
		s.wake(x.flow)
		s.kick(i)
		return
	}
	bytes := s.sendPayload(i, p, fl, x, payload, s.Now)
	x.pace(fl, s.Now, bytes+int64(p.gap))
	switch {
	case !x.canSend(fl, x.payload(fl, &x.next), max(s.Now, fl.ready)):
	case fl.ready > s.Now:
		s.SetAtLatest(s.flowSource(x.flow), fl.ready)
	default:
		x.queued = true
		s.enqueueFlow(p, x.flow)
		s.kick(i)
	}
}

// sendSteady sends the next frame of a flow whose sender is steady, from its ring. It does what sendNext does, but for
// what follows: if the flow is alone in its ring and may go on, it stays there.
func (s *part) sendSteady(i int32, p *port, c *class, fl *flow, x *sender, payload int64) {
	s.sendPayload(i, p, fl, x, payload, s.Now)
	x.queued = x.canSend(fl, x.payload(fl, &x.next), s.Now)
	if fl.next < 0 && x.queued {
		return
	}
	s.leaveRing(p, c, fl)
	if x.queued {
		s.enqueueFlow(p, x.flow)
	}
}

// sendPayload sends the frame that is next in a flow, with so much payload, at a time that is now or, for a port that
// elides its sends, earlier. It returns its length. payload is in bytes, without the header.
func (s *part) sendPayload(i int32, p *port, fl *flow, x *sender, payload, at int64) (bytes int64) {
	bytes = payload + fl.header
	k := fl.packet.Now(x.next.seq, uint16(bytes))
	// The sender has gone back: the frame was sent before.
	if x.next.seq < x.newest {
		fl.resent++
	}
	x.advance(&x.next, payload)
	x.newest = max(x.newest, x.next.seq)
	fl.sent++
	if x.ackEvery > 0 {
		asks := x.endsMessage(&x.next) || x.window > 0 && !x.windowOpen(x.payload(fl, &x.next))
		if k.WantsACK != asks {
			k.WantsACK = asks
		}
		if x.next.off-x.oldest.off == payload { // nothing else was unacknowledged
			x.deadline = at + x.timeout
		}
		// One timer runs as long as something may be unacknowledged: see timedOut.
		if !x.timer {
			x.timer = true
			s.Set(s.senderSource(fl.sender, onTimeout), x.deadline)
		}
	}
	if p.elidesSends {
		s.transmitElided(i, p, k, at)
	} else {
		s.transmit(i, p, k, at)
	}
	k.Seq++
	return bytes
}

// queueFeedback sends an ACK, a NAK or a CNP from a flow's receiver to its sender. Feedback goes before all data of
// the host. It waits if its class is paused. The host of the receiver is that of the flow's toPort, and the frame
// goes back to the sender's.
func (s *part) queueFeedback(k *packet.Packet) {
	i := s.flows[k.Flow].toPort
	p := &s.ports[i]
	s.total.FeedbackMade++
	// Without an event at the end of the present frame nobody would send this one.
	if p.endElided {
		s.restoreEnd(i, p)
	}
	if p.sendsAtOnce(k.Priority) {
		s.answer(i, p, k)
		return
	}
	p.queues[k.Priority].Push(*k)
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
	// The caller has looked that one of the classes may send.
	n := uint8(bits.Len8(p.urgent&^p.paused) - 1)
	k := p.queues[n].First()
	p.queues[n].Drop()
	if p.queues[n].Len == 0 {
		p.urgent &^= 1 << n
		if s.classes[p.node][n].head < 0 {
			p.waiting &^= 1 << n
		}
	}
	s.answer(i, p, k)
}

// receiveForSender handles a frame that arrives at the host of a flow with a
// Sender. It returns true for data that is delivered, and false for feedback, for
// data out of sequence, which it has counted, and for trimmed data.
func (s *part) receiveForSender(fl *flow, k *packet.Packet) bool {
	x := &s.senders[fl.sender]
	if k.Kind != packet.Data {
		if k.Kind == packet.Trimmed {
			s.receiveTrimmed(fl, k)
			return false
		}
		s.receiveFeedback(fl, x, k)
		return false
	}
	// A frame that is out of sequence is answered with a CNP as well: it was marked on the same way.
	if k.CE {
		s.notify(fl.sender, x)
	}
	switch {
	// Without acknowledgements nothing is repeated, so every frame is delivered.
	case x.ackEvery == 0:
	case k.Seq != x.expected:
		return s.outOfSequence(x, k)
	default:
		x.expected++
		x.sinceACK++
		x.nakSent = false
		if k.WantsACK || x.sinceACK >= x.ackEvery {
			s.answerDue(x)
		}
	}
	return true
}

// receiveFeedback handles feedback that arrives at the host of a flow's sender. A CNP is for the sender's rate, an
// ACK or a NAK for its window and its next frame.
func (s *part) receiveFeedback(fl *flow, x *sender, k *packet.Packet) {
	s.total.FeedbackDelivered++
	if k.Kind == packet.CNP {
		x.rate.Cut(s.Now)
	} else {
		s.acknowledged(fl, x, k.Seq, k.Kind == packet.NAK)
	}
}

// outOfSequence handles a frame that is not the one that the receiver expects: the receiver sends one NAK per gap. It
// tells whether the frame is delivered all the same: if single frames are repeated. Go-back-N throws the frame away,
// whatever it is: the sender sends it again.
func (s *part) outOfSequence(x *sender, k *packet.Packet) bool {
	if x.selective != nil {
		return s.receiveSelective(x, k)
	}
	if k.Seq < x.expected { // a second time: its ACK may have been lost
		s.answerFor(x, packet.ACK, x.expected)
	} else if !x.nakSent {
		x.nakSent = true
		s.answerFor(x, packet.NAK, x.expected)
	}
	s.flows[x.flow].refused++
	return false
}

// acknowledged handles an ACK or a NAK: all frames before seq have arrived. A NAK also says that seq itself is
// missing; the sender then goes back to it. An ACK that comes after a later one moves nothing, as seq is not above
// oldest then.
func (s *part) acknowledged(fl *flow, x *sender, seq int32, missing bool) {
	if p := &s.ports[fl.from]; p.elidesSends && p.freeAt <= s.Now {
		s.sendElidedUpTo(fl.from, p, s.Now)
	}
	if missing && x.selective != nil {
		s.askedAgain(x.flow, x, seq)
		return
	}
	if x.oldest.seq < seq || missing {
		x.deadline = s.Now + x.timeout
	}
	before := x.oldest.off
	for x.oldest.seq < seq {
		x.advance(&x.oldest, x.payload(fl, &x.oldest))
	}
	// The first condition opens the gates once, though a later ACK says the same.
	if x.awaited && x.oldest.off > before && x.oldest.off == x.size {
		s.openGates(s.starting.acknowledgement[x.flow])
	}
	// An ACK can overtake the point to which the sender has gone back: the
	// frames up to it need not be sent again.
	back := x.next.seq < x.oldest.seq || missing && seq == x.oldest.seq
	if back {
		x.next = x.oldest
	}
	// Without a window, a flow that waits for the time of its next frame waits for it still.
	if !x.queued && (back || x.window > 0 || fl.ready <= s.Now) {
		s.wake(x.flow)
	}
}

// timedOut makes the sender go back if nothing has been acknowledged for the timeout. The timer is not set anew with
// every ACK. It compares with the deadline when it expires, and is set again if the deadline has moved. A timer ends
// when nothing is unacknowledged, and the next frame sets a new one.
func (s *part) timedOut(n int32) {
	x := &s.senders[n]
	s.applyElided(s.flows[x.flow].from) // before the timer counts as expired: these frames do not set it
	x.timer = false
	if x.next.off == x.oldest.off || s.Now >= s.flows[x.flow].stop {
		return
	}
	if s.Now >= x.deadline {
		s.total.Timeouts++
		x.next = x.oldest
		x.deadline = s.Now + x.timeout
	}
	x.timer = true
	s.Set(s.senderSource(n, onTimeout), x.deadline)
	s.wake(x.flow)
}

// senderTimer handles a timer of a sender. Sources above those are of failures. i counts from the first timer of the
// first sender.
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

// notify answers a marked frame with a CNP: at once if the last interval is over, or one for all marked frames at the
// end of the interval. A flow without DCQCN sends no CNP.
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

// A flow with [ACK].Selective repeats single frames: its receiver takes them in any order, and names in a NAK each one
// that it has got trimmed. Without trimming it learns of no loss, so that only the timeout repeats.

// selective is the state of a flow that repeats single frames, of both its ends. The expected frame of gobackN is
// then -1, so that every frame is out of sequence there. The ring has a power of 2 of words, and more bits than the
// window has frames.
type selective struct {
	expected int32    // receiver: all frames before it have arrived
	got      []uint64 // receiver: frames from expected on that have arrived, a bit each, in a ring
	again    []int32  // sender: frames to be sent again, in the order of the NAKs
}

// newSelective returns the state before the first frame, for a window of so many frames at most. frames is the window
// in frames, rounded down, plus 1.
func newSelective(frames int64) *selective {
	return &selective{got: make([]uint64, 1<<bits.Len64(uint64(frames/64)))}
}

// bit returns the place of a frame in the ring.
func (r *selective) bit(seq int32) (word *uint64, mask uint64) {
	return &r.got[int(seq/64)&(len(r.got)-1)], 1 << (seq % 64)
}

// take notes a frame that has arrived; false if it had arrived before. It moves expected past all that has arrived,
// and clears their bits for later frames of the ring.
func (r *selective) take(seq int32) bool {
	word, mask := r.bit(seq)
	if seq < r.expected || *word&mask != 0 {
		return false
	}
	*word |= mask
	for {
		word, mask = r.bit(r.expected)
		if *word&mask == 0 {
			return true
		}
		*word &^= mask
		r.expected++
	}
}

// receiveSelective handles data of a flow that repeats single frames. It tells whether the frame is delivered: one
// that has arrived before is counted as refused. A frame that had arrived is acknowledged at once: the sender has not
// heard of it, or not in time.
func (s *part) receiveSelective(x *sender, k *packet.Packet) bool {
	r := x.selective
	taken := r.take(k.Seq)
	if !taken {
		s.flows[x.flow].refused++
	}
	if x.sinceACK++; !taken || k.WantsACK || x.sinceACK >= x.ackEvery {
		x.sinceACK = 0
		s.answerFor(x, packet.ACK, r.expected)
	}
	return taken
}

// answerFor sends an ACK up to a frame, or a NAK of it: all frames before it have arrived, or it alone is asked for.
func (s *part) answerFor(x *sender, what packet.Kind, seq int32) {
	k := x.ack.Now(seq, x.ack.Bytes)
	if k.Kind != what {
		k.Kind = what
	}
	s.queueFeedback(k)
	k.Seq++
}

// repeats tells whether a frame is to be sent again. Frames that have been acknowledged meanwhile are not. It takes
// acknowledged frames from the list, and so changes the sender.
func (x *sender) repeats() bool {
	r := x.selective
	if r == nil {
		return false
	}
	for len(r.again) > 0 && r.again[0] < x.oldest.seq {
		r.again = r.again[1:]
	}
	return len(r.again) > 0
}

// repeat sends the next frame that is to be sent again, and returns its length. The receiver acknowledges it at once.
// All frames have the same length but the last, so the number of a frame tells its place.
func (s *part) repeat(i int32, p *port, fl *flow, x *sender) (bytes int64) {
	r := x.selective
	seq := r.again[0]
	r.again = r.again[1:]
	bytes = min(x.most, x.end-int64(seq)*x.most) + fl.header
	k := fl.packet
	k.Bytes, k.Seq, k.WantsACK = uint16(bytes), seq, true
	fl.sent++
	fl.resent++
	s.transmit(i, p, &k, s.Now)
	return bytes
}

// askedAgain handles a NAK for a single frame. A NAK for a frame that has been acknowledged since is passed over.
func (s *part) askedAgain(f int32, x *sender, seq int32) {
	if seq >= x.oldest.seq {
		x.selective.again = append(x.selective.again, seq)
		x.deadline = s.Now + x.timeout
	}
	s.wake(f)
}

// validateSelective refuses a flow whose frames have no place of their own: those of several lengths, of messages and
// of bursts. A window bounds what the receiver has to remember. 1 GiB bounds the memory of the ring.
func (x *Sender) validateSelective(bad *fielderr.List) {
	if !x.ACK.Selective {
		return
	}
	bad.Check(x.ACK.Every > 0, "ack.selective", "true without ack.every", "ack.every of 1 or more")
	bad.Check(x.Window > 0 && x.Window <= 1<<30, "ack.selective", x.Window, "a window of 1B to 1GiB")
	bad.Check(len(x.Frames) == 0 && x.Message == 0 && len(x.Trace) == 0, "ack.selective",
		"beside frames, message or bursts", "frames of one length")
}
