package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/unit"
)

// Sender describes how a flow sends. Its parts can be combined. The zero Sender
// sends as fast as the host's link and Flow.Rate allow, without
// acknowledgements, and sends nothing again. Several flows of a host's class
// take turns frame by frame.
type Sender struct {
	// Frames is the lengths of the frames, in turn, from destination address to
	// FCS, as in an IMIX; none: Flow.Frame.
	Frames []unit.Bytes
	// Message is the payload after which a frame ends early, as the last one of
	// a message; 0: Flow.Size is one message.
	Message unit.Bytes
	// Spread makes the flow start at a random time, up to so much later than
	// Flow.Start; 0: at Flow.Start.
	Spread unit.Time
	OnOff  OnOff // zero: always on
	// Trace is what becomes ready to send, and when, in place of Flow.Size;
	// none: everything is ready at the start.
	Trace []Burst
	// Window is the payload that may be sent without an acknowledgement, and at
	// least one frame; it needs ACK. 0: unlimited.
	Window unit.Bytes
	ACK    ACK    // zero: no acknowledgements
	DCQCN  *DCQCN // nil: no congestion control
}

// Burst is payload that becomes ready to send at a time.
type Burst struct {
	At    unit.Time // after the flow's start; not before the previous burst
	Bytes unit.Bytes
}

// Class is the class and the marking of frames.
type Class struct {
	Priority int // class at the sending host, 0 to 7
	PCP      int // in the VLAN tag; -1: no tag
	DSCP     int
}

// ACK makes the receiver acknowledge frames, and the sender send again
// everything from the first missing frame: go-back-N. The receiver refuses a
// frame out of sequence and sends one NAK for the gap. If the NAK or what
// follows it is lost, the timeout makes the sender go back.
type ACK struct {
	// Every is the frames per ACK. The last frame of a message, and of a
	// window, is acknowledged at once. 0: no ACK, nothing is sent again.
	Every int
	Class Class      // of ACKs and NAKs; hosts send them before data
	Frame unit.Bytes // length of ACK and NAK; 0: that of RoCEv2's, 66, or 70 with a tag
	// Timeout is the time without progress after which the sender goes back; 0:
	// 4 ms, which is this project's choice.
	Timeout unit.Time
}

// frame is the length of ACK and NAK.
func (a ACK) frame() unit.Bytes {
	if a.Frame == 0 {
		return a.Class.answer(ackBytes)
	}
	return a.Frame
}

// timeout is the timeout with its default.
func (a ACK) timeout() unit.Time {
	if a.Timeout == 0 {
		return 4 * unit.Millisecond
	}
	return a.Timeout
}

// What a RoCEv2 frame without data consists of (InfiniBand architecture, volume
// 1, chapter 9 and annex A17): Ethernet, IPv4, UDP and base transport header,
// invariant CRC and check sequence. An answer adds an acknowledge header, and a
// CNP 16 reserved bytes.
const (
	answerBytes unit.Bytes = 14 + 20 + 8 + 12 + 4 + 4
	tagBytes    unit.Bytes = 4
	ackBytes    unit.Bytes = 4
	cnpBytes    unit.Bytes = 16
)

// answer returns the length of an answer of the class, with so much behind its
// headers.
func (c Class) answer(more unit.Bytes) unit.Bytes {
	if c.PCP >= 0 {
		more += tagBytes
	}
	return answerBytes + more
}

// plain tells whether the flow needs no sender state.
func (x *Sender) stateless() bool {
	return len(x.Frames) == 0 && x.Message == 0 && x.OnOff == OnOff{} && len(x.Trace) == 0 && x.Window == 0 &&
		x.ACK.Every == 0 && x.DCQCN == nil
}

// Validate refuses what contradicts itself or is out of range, with all
// complaints at once.
func (x Sender) Validate() error {
	var bad complaints
	for i, f := range x.Frames {
		bad.between(fmt.Sprintf("frames[%d] in bytes", i), int64(f), int64(ShortestFrame), maxFrame)
	}
	bad.between("message in bytes", int64(x.Message), 0, int64(clock.Never))
	bad.between("spread in ps", int64(x.Spread), 0, int64(clock.Never)/4)
	bad.between("window in bytes", int64(x.Window), 0, int64(clock.Never))
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

// validateSender refuses a Sender that is wrong by itself or for its flow.
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

// Validate refuses values out of range, with all complaints at once.
func (a ACK) Validate() error {
	var bad complaints
	bad.between("every", int64(a.Every), 0, 1<<20)
	bad.between("frame in bytes", int64(a.Frame), 0, maxFrame)
	bad.between("timeout in ps", int64(a.Timeout), 0, int64(clock.Never)/4)
	bad.add("class", a.Class.Validate())
	return errors.Join(bad...)
}

// Validate refuses values out of range, with all complaints at once.
func (c Class) Validate() error {
	var bad complaints
	bad.between("priority", int64(c.Priority), 0, Priorities-1)
	bad.between("pcp", int64(c.PCP), -1, 7)
	bad.between("dscp", int64(c.DSCP), 0, 63)
	return errors.Join(bad...)
}

// maxFrame is the longest frame in bytes: a packet stores its length in 16
// bits.
const maxFrame = 1<<16 - 1
