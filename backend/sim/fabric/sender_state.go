package fabric

import (
	"fmt"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/dcqcn"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// sender is the state of a Sender, for both ends of the flow. Times are in picoseconds and lengths in bytes. window
// is the payload that may be unacknowledged; 0: no bound.
type sender struct {
	flow     int32
	queued   bool     // the flow is in its class's ring
	timer    bool     // its timeout has an event
	varies   bool     // its frames have several lengths, or messages or bursts end some of them early
	most     int64    // payload of a frame that nothing ends early, if it does not vary
	end      int64    // size, or never
	elidable bool     // nothing but its turn decides when it sends: see Flow.isElidable
	steady   bool     // it waits for acknowledgements and its turn at most: no rate, no bursts, no times of silence
	even     bool     // its frames go in turn, by its rate: no bursts, times of silence or single repetitions
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
	cnp      packet.Packet  // as the receiver sends it
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

// gobackN is the go-back-N state of a flow, of both its ends. See [ACK] for the
// protocol.
type gobackN struct {
	ackEvery int32 // frames per ACK; 0: no acknowledgements
	awaited  bool  // other flows start when this one has been acknowledged: see [Flow.After]
	timeout  int64
	// how single frames are repeated, in place of going back; nil: it goes back
	selective *selective
	oldest    position      // sender: the first frame that is not acknowledged
	deadline  int64         // sender: when it goes back without an ACK or a NAK
	expected  int32         // receiver: number of the next frame in sequence
	sinceACK  int32         // receiver: frames since the last ACK
	nakSent   bool          // receiver: a NAK has been sent for this gap
	trimmed   int32         // receiver: the next frame, not before expected, that came trimmed; below expected: none
	ack       packet.Packet // receiver: as it probably sends it next; a NAK is of another kind only
}

// newGoBackN returns the state before the first frame of a flow. trimmed is below expected from the start, which is
// none.
func newGoBackN(a ACK, of *packet.Packet) gobackN {
	return gobackN{ackEvery: int32(a.Every), ack: a.Class.feedback(of, packet.ACK, a.frame()),
		timeout: int64(a.timeout()), trimmed: -1}
}

// feedback is what the receiver of a flow sends of a kind, with the class and a length. The number of the frame is
// filled in when it is sent.
func (c Class) feedback(of *packet.Packet, kind packet.Kind, bytes unit.Bytes) packet.Packet {
	return packet.Packet{Flow: of.Flow, Kind: kind, Bytes: uint16(bytes), PCP: int8(c.PCP), DSCP: int8(c.DSCP),
		Priority: uint8(c.Priority), TTL: of.TTL}
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
		// All bursts are sent.
		if int(at.burst) == len(x.trace) {
			return 0
		}
		return min(n, x.trace[at.burst].end-at.off)
	}
	// No frame holds parts of two messages.
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

// endsMessage tells whether the frame before a position was the last one of a message. The last frame of a message
// asks for an ACK: see sendPayload.
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

// windowOpen tells whether the window has room for a payload. With nothing under way a frame may go whatever the
// window, or a window below a frame would stop the flow for ever.
func (x *sender) windowOpen(payload int64) bool {
	under := x.next.off - x.oldest.off
	return x.window == 0 || under == 0 || under+payload <= x.window
}

// canSend tells whether a steady sender may send its next frame, whose payload the caller knows: nextTime returns the
// present time then. The sender has no times of silence, so that no random number has to be drawn.
func (x *sender) canSend(fl *flow, payload, now int64) bool {
	return payload > 0 && x.windowOpen(payload) && now < fl.stop
}

// nextTime returns the time from which the sender may send its next frame; never if something else must happen first.
// The order matters: bursts.from draws on, and must be asked with the time that the other conditions leave.
func (x *sender) nextTime(fl *flow, now int64) int64 {
	if payload := x.payload(fl, &x.next); !x.repeats() && (payload <= 0 || !x.windowOpen(payload)) {
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

// pace computes when the next frame may go. Rates include preamble and gap. bytes are those of the frame with
// preamble and gap.
func (x *sender) pace(fl *flow, now, bytes int64) {
	if x.rate.On() {
		x.rate.Sent(now, bytes)
		// At the rate of the line the port itself is the limit.
		if x.rate.LimitsBelow(x.line) {
			fl.ready = max(fl.ready, now) + x.rate.Gap(bytes)
		}
		return
	}
	if fl.paced {
		fl.ready = max(fl.ready, now) + fl.frameTime(bytes)
	}
}

// startAt moves the times of a sender that has not started. at is never earlier than the start that was planned.
func (x *sender) startAt(at int64) {
	later := at - x.start
	x.start = at
	x.bursts.begins += later
	x.bursts.ends += later
	for i := range x.trace {
		x.trace[i].at += later
	}
}

// check verifies the order of the acknowledged, expected and sent frames, the window, and the bounds of the rate. A
// window can be exceeded by a single frame: see windowOpen.
func (x *sender) check() error {
	expected := x.expected
	if x.selective != nil {
		expected = x.selective.expected
	}
	if x.ackEvery > 0 && (x.oldest.seq > expected || expected > x.newest || x.oldest.seq > x.next.seq ||
		x.next.seq > x.newest) {
		return fmt.Errorf("frames up to %d acknowledged, %d expected, %d next, %d the first never sent", x.oldest.seq,
			expected, x.next.seq, x.newest)
	}
	if under := x.next.off - x.oldest.off; x.window > 0 && under > x.window && x.next.seq-x.oldest.seq > 1 {
		return fmt.Errorf("%d bytes unacknowledged, the window is %d", under, x.window)
	}
	return x.rate.Check()
}

// bursts is the state of an OnOff. Its times are drawn when they are needed. on and off are means in picoseconds;
// random draws exponential times about them.
type bursts struct {
	on, off int64 // 0: always on
	chance  rand.PCG
	random  bool
	begins  int64 // of the present on time
	ends    int64
}

// newBursts returns the state at the flow's start, which begins an on time.
func newBursts(o OnOff, start int64, r rand.PCG) bursts {
	b := bursts{on: int64(o.On), off: int64(o.Off), random: o.Exponential, chance: r, begins: start}
	b.ends = start + b.draw(b.on)
	return b
}

// from returns the first time, at or after a given one, at which the flow may
// send. The given times must not decrease.
func (b *bursts) from(at int64) int64 {
	for at >= b.ends {
		b.begins = b.ends + b.draw(b.off)
		b.ends = b.begins + b.draw(b.on)
	}
	return max(at, b.begins)
}

// draw returns the length of the next time. A drawn time is 1 ps at least, so that from comes to an end.
func (b *bursts) draw(mean int64) int64 {
	if !b.random {
		return mean
	}
	return max(1, exponential(b.chance.Uint64(), mean))
}
