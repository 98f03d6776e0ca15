package fabric

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/fielderr"
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

// OnOff makes a flow send and be silent in turn, from its start. A frame that
// has begun is finished.
type OnOff struct {
	On          unit.Time // time in which it may send; 0: always
	Off         unit.Time // time of silence
	Exponential bool      // On and Off are the means of random times
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
	// Selective makes the sender send again only the frames that the receiver got trimmed (see mmu.Queue.Trim), and the
	// receiver take frames in any order. It needs a window, and frames of one length. false: go-back-N.
	Selective bool
}

// DCQCN is congestion control with ECN (Zhu et al., SIGCOMM 2015). The receiver
// answers marked frames with CNPs. The sender cuts its rate with each CNP and
// raises it again without CNPs. It starts at line rate. A zero field has
// the default that is given beside it.
type DCQCN struct {
	Gain        int          // 1/g: how slowly alpha follows the marks; 256
	AlphaTimer  unit.Time    // K: alpha falls after so long without a CNP; 55 us
	Timer       unit.Time    // T: time between increases; 55 us
	ByteCounter unit.Bytes   // B: bytes between increases, with preamble and gap; 10 MB
	Recovery    int          // F: increases of each kind that only return to the target rate; 5
	Increase    unit.BitRate // R_AI: additive increase of the target rate; 40 Mb/s
	// Hyper is R_HAI: the increase of the target rate when timer and byte
	// counter are both beyond F; 200 Mb/s, as in the authors' ns-3
	// configuration.
	Hyper unit.BitRate
	Least unit.BitRate // lowest rate; 100 Mb/s, as in the HPCC simulator
	// CNPInterval is N, the shortest time between two CNPs of a flow. A frame
	// that is marked within it causes one at its end; 50 us.
	CNPInterval unit.Time
	// CNP is the class of the CNPs. It should be one that is not dropped and is
	// served first. Hosts send CNPs before data.
	CNP      Class
	CNPFrame unit.Bytes // length of a CNP; that of RoCEv2's, 78, or 82 with a tag
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

// stateless tells whether the flow needs no sender state.
func (x *Sender) stateless() bool {
	return len(x.Frames) == 0 && x.Message == 0 && x.OnOff == OnOff{} && len(x.Trace) == 0 && x.Window == 0 &&
		x.ACK.Every == 0 && x.DCQCN == nil
}

// Validate refuses what contradicts itself or is out of range, with all
// complaints at once.
func (x Sender) Validate() error {
	var bad fielderr.List
	for i, f := range x.Frames {
		bad.Within(fmt.Sprintf("frames[%d] in bytes", i), int64(f), int64(shortestFrame), maxFrame)
	}
	bad.Within("message in bytes", int64(x.Message), 0, int64(clock.Never))
	bad.Within("spread in ps", int64(x.Spread), 0, int64(clock.Never)/4)
	bad.Within("window in bytes", int64(x.Window), 0, int64(clock.Never))
	bad.Check(x.Window <= 0 || x.ACK.Every != 0, "window", x.Window, "ack.every of 1 or more, or no window")
	last := unit.Time(0)
	for i, b := range x.Trace {
		bad.Check(b.At >= last, fmt.Sprintf("trace[%d].at", i), b.At, "%v or later", last)
		bad.Within(fmt.Sprintf("trace[%d].bytes", i), int64(b.Bytes), 1, int64(clock.Never)/int64(len(x.Trace)))
		last = max(last, b.At)
	}
	bad.Check(len(x.Trace) == 0 || x.OnOff == OnOff{} && x.Message <= 0, "trace", "beside on_off or message",
		"one of them")
	bad.Under("on_off", x.OnOff.Validate())
	bad.Under("ack", x.ACK.Validate())
	x.validateSelective(&bad)
	if x.DCQCN != nil {
		bad.Under("dcqcn", x.DCQCN.Validate())
	}
	return bad.Err()
}

// Validate refuses values out of range, with all complaints at once.
func (a ACK) Validate() error {
	var bad fielderr.List
	bad.Within("every", int64(a.Every), 0, 1<<20)
	bad.Within("frame in bytes", int64(a.Frame), 0, maxFrame)
	bad.Within("timeout in ps", int64(a.Timeout), 0, int64(clock.Never)/4)
	bad.Under("class", a.Class.Validate())
	return bad.Err()
}

// Validate refuses values out of range, with all complaints at once.
func (c Class) Validate() error {
	var bad fielderr.List
	bad.Within("priority", int64(c.Priority), 0, Priorities-1)
	bad.Within("pcp", int64(c.PCP), -1, 7)
	bad.Within("dscp", int64(c.DSCP), 0, 63)
	return bad.Err()
}

// Validate refuses values out of range, with all complaints at once.
func (d DCQCN) Validate() error {
	var bad fielderr.List
	bad.Within("gain", int64(d.Gain), 0, 1<<20)
	for _, t := range []struct {
		name string
		time unit.Time
	}{{"alpha_timer", d.AlphaTimer}, {"timer", d.Timer}, {"cnp_interval", d.CNPInterval}} {
		if t.time != 0 {
			bad.Within(t.name+" in ps", int64(t.time), int64(unit.Microsecond), int64(unit.Second))
		}
	}
	bad.Within("byte_counter", int64(d.ByteCounter), 0, 1<<40)
	bad.Within("recovery", int64(d.Recovery), 0, 100)
	for _, r := range []struct {
		name string
		rate unit.BitRate
	}{{"increase", d.Increase}, {"hyper", d.Hyper}, {"least", d.Least}} {
		if r.rate != 0 {
			bad.Within(r.name+" in bit/s", int64(r.rate), int64(unit.Mbps), int64(unit.Tbps))
		}
	}
	bad.Under("cnp", d.CNP.Validate())
	bad.Within("cnp_frame in bytes", int64(d.CNPFrame), 0, maxFrame)
	return bad.Err()
}

// filled replaces zeros with the defaults.
func (d DCQCN) filled() DCQCN {
	d.Gain = cmp.Or(d.Gain, 256)
	d.AlphaTimer = cmp.Or(d.AlphaTimer, 55*unit.Microsecond)
	d.Timer = cmp.Or(d.Timer, 55*unit.Microsecond)
	d.ByteCounter = cmp.Or(d.ByteCounter, 10_000_000)
	d.Recovery = cmp.Or(d.Recovery, 5)
	d.Increase = cmp.Or(d.Increase, 40*unit.Mbps)
	d.Hyper = cmp.Or(d.Hyper, 200*unit.Mbps)
	d.Least = cmp.Or(d.Least, 100*unit.Mbps)
	d.CNPInterval = cmp.Or(d.CNPInterval, 50*unit.Microsecond)
	d.CNPFrame = cmp.Or(d.CNPFrame, d.CNP.answer(cnpBytes))
	return d
}

// Validate refuses values out of range, with all complaints at once.
func (o OnOff) Validate() error {
	if o == (OnOff{}) {
		return nil
	}
	var bad fielderr.List
	bad.Within("on in ps", int64(o.On), int64(shortest), int64(unit.Second)*1000)
	bad.Within("off in ps", int64(o.Off), int64(shortest), int64(unit.Second)*1000)
	return bad.Err()
}

// shortest is the shortest time that is accepted: a flow that alternates
// faster has in effect a lower rate.
const shortest = 100 * unit.Nanosecond
