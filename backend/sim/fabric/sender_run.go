package fabric

import (
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/dcqcn"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// sender is the state of a Sender, for both ends of the flow.
type sender struct {
	flow     int32
	queued   bool     // the flow is in its class's ring
	varies   bool     // its frames have several lengths, or messages or bursts end some of them early
	most     int64    // payload of a frame that nothing ends early, if it does not vary
	end      int64    // size, or never
	elidable bool     // it waits for nothing but its turn: see greedy.go
	next     position // position of the next frame
	newest   int32    // number of the first frame that has never been sent
	frames   []int64
	message  int64
	size     int64 // payload in all; 0: without end
	window   int64
	line     int64 // rate of the host's link, bit/s
	bursts   bursts
	trace    []arrival
	start    int64
	gobackN
	rate     dcqcn.Rate     // of DCQCN, at the sender
	notifier dcqcn.Notifier // of DCQCN, at the receiver
	cnpClass Class
	cnpBytes int32
}

// arrival is a Burst in absolute terms: its time, and the flow's payload up to
// its end.
type arrival struct{ at, end int64 }

// position is a frame's position in a flow. The position of the next frame can
// be computed from it, so the sender does not have to store what it has sent.
type position struct {
	seq   int32 // number of frames before it
	turn  int32 // index in the cycle of frame lengths
	burst int32 // index in the trace
	off   int64 // payload before it
}

// sender makes the state of a flow's sender.
func (b *build) sender(f *Flow, fl *flow, i int) {
	fl.sender = -1
	if f.Sender.stateless() {
		return
	}
	c := &f.Sender
	fl.sender = int32(len(b.s.senders))
	x := sender{flow: int32(i), message: int64(c.Message), size: int64(f.Size), window: int64(c.Window),
		line: int64(b.s.ports[fl.from].rate), start: b.start(i), elidable: f.isElidable(fl.paced)}
	for _, n := range c.Frames {
		x.frames = append(x.frames, int64(n))
	}
	for _, t := range c.Trace {
		x.size = int64(t.Bytes) + b.traceEnd(x.trace)
		x.trace = append(x.trace, arrival{x.start + int64(t.At), x.size})
	}
	x.bursts = newBursts(c.OnOff, x.start, b.chance(i, ofBursts))
	x.gobackN = newGoBackN(c.ACK)
	if c.DCQCN != nil {
		d := c.DCQCN.filled()
		x.rate = dcqcn.New(d.parameters(), x.topRate(fl))
		x.notifier, x.cnpClass, x.cnpBytes = dcqcn.NewNotifier(d.CNPInterval), d.CNP, int32(d.CNPFrame)
	}
	x.varies = x.frames != nil || x.trace != nil || x.message > 0
	x.most, x.end = fl.frame-fl.header, x.size
	if x.size == 0 {
		x.end = clock.Never
	}
	b.s.senders = append(b.s.senders, x)
}

// traceEnd returns the payload of the bursts so far.
func (b *build) traceEnd(t []arrival) int64 {
	if len(t) == 0 {
		return 0
	}
	return t[len(t)-1].end
}

// What chance is used for in a flow: each use has its own draws.
const (
	ofSpread = 1 + iota
	ofBursts
)

// chance returns the random numbers of one flow for one use.
func (b *build) chance(flow, use int) rand.PCG {
	var r rand.PCG
	r.Seed(b.n.Seed, mix(uint64(flow)<<8|uint64(use)))
	return r
}

// start returns when a flow starts.
func (b *build) start(i int) int64 {
	f := &b.n.Flows[i]
	if f.Sender.Spread == 0 {
		return int64(f.Start)
	}
	r := b.chance(i, ofSpread)
	return int64(f.Start) + below(r.Uint64(), int64(f.Sender.Spread))
}

// payload is the payload of the frame at a position; 0: there is no such frame.
func (x *sender) payload(fl *flow, at *position) int64 {
	if x.varies {
		return x.variedPayload(fl, at)
	}
	return min(x.most, x.end-at.off)
}

// variedPayload is payload for frames of several lengths.
func (x *sender) variedPayload(fl *flow, at *position) int64 {
	n := fl.frame
	if len(x.frames) > 0 {
		n = x.frames[at.turn]
	}
	n -= fl.header
	if x.trace != nil {
		if int(at.burst) == len(x.trace) {
			return 0
		}
		return min(n, x.trace[at.burst].end-at.off)
	}
	if x.message > 0 {
		n = min(n, x.message-at.off%x.message)
	}
	if x.size > 0 {
		n = min(n, x.size-at.off)
	}
	return n
}

// advance moves a position to the next frame.
func (x *sender) advance(at *position, payload int64) {
	at.off += payload
	at.seq++
	if !x.varies {
		return
	}
	if at.turn++; int(at.turn) >= len(x.frames) {
		at.turn = 0
	}
	if x.trace != nil && at.off == x.trace[at.burst].end {
		at.burst++
	}
}

// endsMessage tells whether the frame before a position was the last one of a
// message.
func (x *sender) endsMessage(at *position) bool {
	switch {
	case !x.varies:
	case x.trace != nil:
		return at.burst > 0 && x.trace[at.burst-1].end == at.off
	case x.message > 0 && at.off%x.message == 0:
		return true
	}
	return x.size > 0 && at.off == x.size
}

// windowOpen tells whether the window has room for a payload.
func (x *sender) windowOpen(payload int64) bool {
	under := x.next.off - x.oldest.off
	return x.window == 0 || under == 0 || under+payload <= x.window
}

// nextTime returns the time from which the sender may send its next frame;
// never if something else must happen first.
func (x *sender) nextTime(fl *flow, now int64) int64 {
	payload := x.payload(fl, &x.next)
	if payload <= 0 || !x.windowOpen(payload) {
		return clock.Never
	}
	at := max(now, fl.ready)
	if x.trace != nil {
		at = max(at, x.trace[x.next.burst].at)
	}
	if x.bursts.on > 0 {
		at = x.bursts.from(at)
	}
	if at >= fl.stop {
		return clock.Never
	}
	return at
}

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
	payload := x.payload(fl, &x.next)
	bytes := payload + fl.header
	k := packet.Packet{Flow: f, Bytes: uint16(bytes), Seq: x.next.seq, PCP: fl.pcp, DSCP: fl.dscp, Priority: fl.class,
		TTL: fl.ttl, ECT: fl.ect}
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
	x.pace(fl, s.Now, bytes+int64(p.gap))
	s.wake(f)
}

// topRate returns the highest rate of DCQCN: that of the line, or of the flow if that is lower.
func (x *sender) topRate(fl *flow) unit.BitRate {
	if fl.rate > 0 {
		return unit.BitRate(min(x.line, fl.rate))
	}
	return unit.BitRate(x.line)
}

// pace computes when the next frame may go. Rates include preamble and gap.
func (x *sender) pace(fl *flow, now, bytes int64) {
	if x.rate.On() {
		x.rate.Sent(now, bytes)
		if x.rate.LimitsBelow(x.line) {
			fl.ready = max(fl.ready, now) + x.rate.Gap(bytes)
		}
		return
	}
	if fl.paced {
		fl.ready = max(fl.ready, now) + fl.frameTime(bytes)
	}
}
