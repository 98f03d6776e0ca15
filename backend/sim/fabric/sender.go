package fabric

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/unit"
)

// Sender is how a flow sends. Its parts go together; zero: as fast as the
// host's link and Flow.Rate allow, nothing acknowledged, nothing sent again.
// Several flows of one host and class take turns frame by frame.
type Sender struct {
	Frames  []unit.Bytes // lengths of the frames in turn, from destination address to FCS, as in IMIX; none: Flow.Frame
	Message unit.Bytes   // payload after which a frame ends early: a message's last; 0: Flow.Size is one message
	// the flow starts by chance up to so much later than Flow.Start, by Network.Seed;
	// 0: at Flow.Start
	Spread unit.Time
	OnOff  OnOff      // zero: always on
	Trace  []Burst    // what comes to be sent when, in the place of Flow.Size; none: all is there at the start
	Window unit.Bytes // payload that may be on its way unacknowledged, one frame at least; needs ACK; 0: any
	ACK    ACK        // zero: no acknowledgements
	DCQCN  *DCQCN     // nil: no congestion control
}

// Burst is payload that comes to be sent.
type Burst struct {
	At    unit.Time // after the flow's start; not before the burst that precedes it
	Bytes unit.Bytes
}

// Class is how frames are marked.
type Class struct {
	Priority int // class at the host that sends them, 0 to 7
	PCP      int // in their tag; -1: no tag
	DSCP     int
}

// ACK has the receiver acknowledge frames and the sender send again from the
// first that is missing: go-back-N. A frame out of sequence is refused and one
// NAK is sent for the gap; if that does not help, the timeout does.
type ACK struct {
	// frames that one ACK acknowledges; the last of a message, and of a window, at
	// once; 0: no ACK, nothing is sent again
	Every   int
	Class   Class      // of ACK and NAK; at the host they go before data
	Frame   unit.Bytes // length of ACK and NAK; 0: 64
	Timeout unit.Time  // without progress, after which the sender goes back by itself; 0: 4 ms, our choice
}

func (a ACK) frame() unit.Bytes {
	if a.Frame == 0 {
		return feedbackFrame
	}
	return a.Frame
}

func (a ACK) timeout() unit.Time {
	if a.Timeout == 0 {
		return 4 * unit.Millisecond
	}
	return a.Timeout
}

// feedbackFrame is the length of a frame that has nothing to carry: Ethernet's
// shortest.
const feedbackFrame unit.Bytes = 64

// plain tells whether nothing is asked for.
func (x *Sender) plain() bool {
	return len(x.Frames) == 0 && x.Message == 0 && x.OnOff == OnOff{} && len(x.Trace) == 0 && x.Window == 0 &&
		x.ACK.Every == 0 && x.DCQCN == nil
}

// Validate refuses what cannot be sent so, with all complaints at once.
func (x Sender) Validate() error {
	var bad complaints
	for i, f := range x.Frames {
		bad.between(fmt.Sprintf("frames[%d] in bytes", i), int64(f), int64(feedbackFrame), maxFrame)
	}
	bad.between("message in bytes", int64(x.Message), 0, int64(never))
	bad.between("spread in ps", int64(x.Spread), 0, int64(never)/4)
	bad.between("window in bytes", int64(x.Window), 0, int64(never))
	if x.Window > 0 && x.ACK.Every == 0 {
		bad.addf("window %d without ack.every (accepted: ack.every of 1 or more, or no window)", x.Window)
	}
	bad.trace(x.Trace)
	if len(x.Trace) > 0 && (x.OnOff != OnOff{} || x.Message > 0) {
		bad.addf("a trace beside on_off or message (accepted: one of them)")
	}
	bad.add("on_off", x.OnOff.Validate())
	bad.add("ack", x.ACK.Validate())
	if x.DCQCN != nil {
		bad.add("dcqcn", x.DCQCN.Validate())
	}
	return errors.Join(bad...)
}

// validateSender refuses a Sender that is wrong, or wrong for its flow.
func (f *Flow) validateSender() error {
	var bad complaints
	for i, n := range f.Sender.Frames {
		if n <= f.Header {
			bad.addf("frames[%d] of %d bytes, %d of them header (accepted: more)", i, n, f.Header)
		}
	}
	if len(f.Sender.Trace) > 0 && f.Size > 0 {
		bad.addf("a trace beside a size of %d (accepted: one of them)", f.Size)
	}
	return errors.Join(append(bad, f.Sender.Validate())...)
}

// Validate refuses what is out of range, with all complaints at once.
func (a ACK) Validate() error {
	var bad complaints
	bad.between("every", int64(a.Every), 0, 1<<20)
	bad.between("frame in bytes", int64(a.Frame), 0, maxFrame)
	bad.between("timeout in ps", int64(a.Timeout), 0, int64(never)/4)
	bad.add("class", a.Class.Validate())
	return errors.Join(bad...)
}

// Validate refuses what is out of range, with all complaints at once.
func (c Class) Validate() error {
	var bad complaints
	bad.between("priority", int64(c.Priority), 0, Priorities-1)
	bad.between("pcp", int64(c.PCP), -1, 7)
	bad.between("dscp", int64(c.DSCP), 0, 63)
	return errors.Join(bad...)
}

// maxFrame is the longest frame that is taken, in bytes.
const maxFrame = 1<<16 - 1

// complaints are collected.
type complaints []error

func (c *complaints) addf(format string, args ...any) { *c = append(*c, fmt.Errorf(format, args...)) }

func (c *complaints) between(name string, v, low, high int64) {
	if v < low || v > high {
		c.addf("%s %d (accepted: %d to %d)", name, v, low, high)
	}
}

func (c *complaints) add(path string, err error) {
	if err != nil {
		c.addf("%s: %w", path, err)
	}
}

func (c *complaints) trace(t []Burst) {
	last := unit.Time(0)
	for i, b := range t {
		if b.At < last {
			c.addf("trace[%d].at %d ps (accepted: %d ps or later)", i, b.At, last)
		}
		c.between(fmt.Sprintf("trace[%d].bytes", i), int64(b.Bytes), 1, int64(never)/int64(len(t)))
		last = max(last, b.At)
	}
}

// sender is a Sender at work, both ends of it.
type sender struct {
	flow    int32
	queued  bool     // in its class's ring
	next    position // of the next frame
	newest  int32    // the first number that has not been sent yet
	frames  []int64
	message int64
	size    int64 // payload in all; 0: without end
	window  int64
	line    int64 // rate of the host's link, bit/s
	bursts  bursts
	trace   []arrival
	start   int64
	gobackN
	reaction
	notifier
}

// arrival is a Burst: the payload of the flow up to its end.
type arrival struct{ at, end int64 }

// position is a frame's place in a flow. It can be reckoned forward from any
// other, so that what was sent need not be remembered.
type position struct {
	seq   int32 // frames before it
	turn  int32 // in the cycle of frames
	burst int32 // in the trace
	off   int64 // payload before it
}

// sender makes a flow's sender.
func (b *build) sender(f *Flow, fl *flow, i int) {
	fl.sender = -1
	if f.Sender.plain() {
		return
	}
	c := &f.Sender
	fl.sender = int32(len(b.s.senders))
	x := sender{flow: int32(i), message: int64(c.Message), size: int64(f.Size), window: int64(c.Window),
		line: int64(b.s.ports[fl.from].rate), start: b.start(i)}
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
		x.reaction = newReaction(c.DCQCN, x.line, fl.rate)
		x.notifier = newNotifier(c.DCQCN)
	}
	b.s.senders = append(b.s.senders, x)
}

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

// chance returns a flow's source of chance for a use.
func (b *build) chance(flow, use int) rand.PCG {
	var r rand.PCG
	r.Seed(b.n.Seed, mix(uint64(flow)<<8|uint64(use)))
	return r
}

// start is when a flow starts.
func (b *build) start(i int) int64 {
	f := &b.n.Flows[i]
	if f.Sender.Spread == 0 {
		return int64(f.Start)
	}
	r := b.chance(i, ofSpread)
	return int64(f.Start) + below(r.Uint64(), int64(f.Sender.Spread))
}

// payload is that of the frame at a place; 0: there is none.
func (x *sender) payload(fl *flow, at *position) int64 {
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

// advance moves a place behind its frame.
func (x *sender) advance(at *position, payload int64) {
	at.off += payload
	at.seq++
	if at.turn++; int(at.turn) >= len(x.frames) {
		at.turn = 0
	}
	if x.trace != nil && at.off == x.trace[at.burst].end {
		at.burst++
	}
}

// endsMessage tells whether the frame before a place was the last of a message.
func (x *sender) endsMessage(at *position) bool {
	switch {
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

// nextTime returns the time from which the sender may send its next frame, and
// never if something else has to happen before.
func (x *sender) nextTime(fl *flow, now int64) int64 {
	payload := x.payload(fl, &x.next)
	if payload <= 0 || !x.windowOpen(payload) {
		return never
	}
	at := max(now, fl.ready)
	if x.trace != nil {
		at = max(at, x.trace[x.next.burst].at)
	}
	if x.bursts.on > 0 {
		at = x.bursts.from(at)
	}
	if at >= fl.stop {
		return never
	}
	return at
}

// wake puts a flow into its class's ring, or sets its timer, or leaves it alone
// if it has to wait for something else.
func (s *Sim) wake(f int32) {
	fl := &s.flows[f]
	x := &s.senders[fl.sender]
	if x.queued {
		return
	}
	switch at := x.nextTime(fl, s.now); {
	case at <= s.now:
		x.queued = true
		s.enqueueFlow(&s.ports[fl.from], f)
		s.kick(fl.from)
	case at < never:
		s.setAtLatest(s.flowSource(f), at)
	}
}

// sendNext sends the next frame of a flow that has been taken from its ring. It
// may have waited there until it could not send any more.
func (s *Sim) sendNext(i int32, p *port, f int32) {
	fl := &s.flows[f]
	x := &s.senders[fl.sender]
	x.queued = false
	if x.nextTime(fl, s.now) > s.now {
		s.wake(f)
		s.kick(i)
		return
	}
	payload := x.payload(fl, &x.next)
	bytes := payload + fl.header
	pkt := s.store.take()
	k := &s.store.packets[pkt]
	*k = packet{flow: f, bytes: uint16(bytes), seq: x.next.seq, pcp: fl.pcp, dscp: fl.dscp, prio: fl.class,
		ttl: fl.ttl, ect: fl.ect}
	if x.next.seq < x.newest {
		s.total.Resent++
		fl.resent++
	}
	x.advance(&x.next, payload)
	x.newest = max(x.newest, x.next.seq)
	fl.sent++
	s.total.Sent++
	if x.ackEvery > 0 {
		k.wantsACK = x.endsMessage(&x.next) || !x.windowOpen(x.payload(fl, &x.next))
		s.startTimeout(fl.sender, x, payload)
	}
	s.transmit(i, p, pkt, s.now)
	x.pace(fl, s.now, bytes+p.gap)
	s.wake(f)
}

// pace says when the next frame may go: the rate counts preamble and gap.
func (x *sender) pace(fl *flow, now, bytes int64) {
	if x.reaction.on {
		x.reaction.sent(now, bytes)
		if x.reaction.limits(x.line) {
			fl.ready = max(fl.ready, now) + x.reaction.gap(bytes)
		}
		return
	}
	if fl.paced {
		fl.ready = max(fl.ready, now) + fl.frameTime(bytes)
	}
}
