package fabric

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/dcqcn"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// flow is the state of a flow. Its two ends may be in parts of the network that different workers run, so what the
// sender changes, what both read and what the receiver changes are a line of the cache each.
type flow struct {
	packet packet.Packet // its next frame, but for what its sender decides: length and WantsACK
	unsent int64         // payload that is left to send; negative: without end
	sent   int64         // frames
	ready  int64         // when a paced flow may send its next frame
	next   int32         // next flow in the ring of its class
	from   int32         // host

	sender  int32 // index into Sim.senders; -1: none
	toPort  int32
	frame   int64 // bytes of a frame
	header  int64 // bytes of it
	stop    int64 // when it stops sending
	rate    int64 // of a paced flow, bit/s
	perByte int64 // picoseconds per byte at the rate; 0: not a whole number
	resent  int64 // frames, among sent
	class   uint8
	rests   bool // it has no sender, and switches may trim its frames
	awaited bool // other flows start when this one has arrived: see [Flow.After]
	paced   bool // it has a rate below the link's

	delivered int64 // frames
	bytes     int64 // delivered
	last      int64 // time of the last delivery
	refused   int64 // frames that arrived out of sequence
	trimmed   int64 // frames that arrived trimmed
	lost      int64
	_         [2]int64
}

// frameTime is the time between two frames at a paced flow's rate, preamble and
// gap included.
func (fl *flow) frameTime(bytes int64) int64 {
	if fl.perByte > 0 {
		return bytes * fl.perByte
	}
	return int64(unit.BitRate(fl.rate).TimeFor(bytes * 8))
}

// arrived tells whether all payload of a flow is at its receiver.
func (fl *flow) arrived(payload int64) bool {
	return payload > 0 && fl.bytes-fl.delivered*fl.header == payload
}

// way is what every switch needs of a flow: half a cache line.
type way struct {
	from, to int32  // host
	hash     uint64 // chooses among routes of equal length
	// where the waypoints of the flow's packets end in the list of all, for each kind: that of a packet is so far before
	// the end as its TTL says; noWaypoints: they must be looked up
	waypoints [4]int32
}

// waypoint returns the number of the waypoint of a packet at a switch; one beyond all of them if it must be looked up,
// as that of a trimmed packet must: its DSCP has changed.
func (w *way) waypoint(k *packet.Packet) uint {
	return uint(uint32(w.waypoints[k.Kind&3]-int32(k.TTL)) | uint32(k.Kind&packet.Trimmed)<<29)
}

// class is the ring of a host's flows of one class that can send. They take
// turns frame by frame, in the order of their numbers: the next one is the first
// with a higher number than the one that was served last, and after the highest
// comes the lowest again. When a flow joined, or how long it was away, does not
// matter. The ring is kept in that order, so head is next; -1 if the ring is empty.
type class struct{ head, tail, served int32 }

// after tells how many places a flow is behind the one that was served
// last: 0 is the next one.
func (c *class) after(f, flows int32) int32 {
	if d := f - c.served - 1; d >= 0 {
		return d
	}
	return f - c.served - 1 + flows
}

// A flow can wait for other flows (Flow.After): it starts when their last payload has arrived. So a step of a
// collective operation begins when the step before it has brought its data.
//
// The flows with the same list wait at one gate. A gate counts the flows that are still missing, and when the last one
// has arrived it schedules the starts. A start is an event of its own, so that the order of events of one picosecond
// stays that of their sources.
//
// Flows that wait for flows to their own host are a matter of one part of the network. If any flow waits for another
// arrival, the network is one part.

// starting is when flows start.
type starting struct {
	at      []int64 // of each flow; never while it waits
	payload []int64 // of each flow; 0: without end
	gates   []gate
	// gates that wait for each flow to arrive, and to be acknowledged; nil: none does
	arrival, acknowledgement [][]int32
}

// gate is flows that wait for the same flows.
type gate struct {
	missing   int  // flows that have not arrived
	inTurn    bool // each arrival starts one flow
	followers []follower
}

// follower is a flow at a gate.
type follower struct {
	flow            int32
	delay, earliest int64
	spread          int64 // its draw of Sender.Spread
}

// gateName names a gate: flows wait at the same one if they share a list, whose memory they then share, and wait for it
// in the same way.
type gateName struct {
	first                *int // of the list
	n                    int
	acknowledged, inTurn bool
}

// gateOf names the gate of a flow that waits.
func gateOf(f *Flow) gateName {
	return gateName{&f.After[0], len(f.After), f.Acknowledged, f.InTurn}
}

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
	return gobackN{ackEvery: int32(a.Every), timeout: int64(cmp.Or(a.Timeout, 4*unit.Millisecond)),
		ack: a.Class.feedback(of, packet.ACK, cmp.Or(a.Frame, a.Class.answer(ackBytes))), trimmed: -1}
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
