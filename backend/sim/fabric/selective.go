package fabric

import (
	"math/bits"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// A flow with [ACK].Selective repeats single frames: its receiver takes them in any order, and names in a NAK each one
// that it has got trimmed. Without trimming it learns of no loss, so that only the timeout repeats.

// selective is the state of a flow that repeats single frames, of both its ends. The expected frame of gobackN is then
// -1, so that every frame is out of sequence there.
type selective struct {
	expected int32    // receiver: all frames before it have arrived
	got      []uint64 // receiver: frames from expected on that have arrived, a bit each, in a ring
	again    []int32  // sender: frames to be sent again, in the order of the NAKs
}

// newSelective returns the state before the first frame, for a window of so many frames at most.
func newSelective(frames int64) *selective {
	return &selective{got: make([]uint64, 1<<bits.Len64(uint64(frames/64)))}
}

// bit returns the place of a frame in the ring.
func (r *selective) bit(seq int32) (word *uint64, mask uint64) {
	return &r.got[int(seq/64)&(len(r.got)-1)], 1 << (seq % 64)
}

// take notes a frame that has arrived; false if it had arrived before.
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

// receiveSelective handles data of a flow that repeats single frames. It tells whether the frame is delivered: one that
// has arrived before is counted as refused.
func (s *part) receiveSelective(x *sender, k *packet.Packet) bool {
	r := x.selective
	taken := r.take(k.Seq)
	if !taken {
		s.total.Refused++
		s.flows[x.flow].refused++
	}
	if x.sinceACK++; !taken || k.WantsACK || x.sinceACK >= x.ackEvery {
		x.sinceACK = 0
		s.queueFeedback(x.flow, packet.ACK, &x.class, x.length, r.expected)
	}
	return taken
}

// repeats tells whether a frame is to be sent again. Frames that have been acknowledged meanwhile are not.
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
func (s *part) repeat(i int32, p *port, fl *flow, x *sender) (bytes int64) {
	r := x.selective
	seq := r.again[0]
	r.again = r.again[1:]
	bytes = min(x.most, x.end-int64(seq)*x.most) + fl.header
	k := packet.Packet{Flow: x.flow, Bytes: uint16(bytes), Seq: seq, PCP: fl.pcp, DSCP: fl.dscp, Priority: fl.class,
		TTL: fl.ttl, ECT: fl.ect, WantsACK: true}
	fl.sent++
	fl.resent++
	s.total.Sent++
	s.total.Resent++
	s.transmit(i, p, &k, s.Now)
	return bytes
}

// askedAgain handles a NAK for a single frame.
func (s *part) askedAgain(f int32, x *sender, seq int32) {
	if seq >= x.oldest.seq {
		x.selective.again = append(x.selective.again, seq)
		x.deadline = s.Now + x.timeout
	}
	s.wake(f)
}

// validateSelective refuses a flow whose frames have no place of their own: those of several lengths, of messages and of
// bursts. A window bounds what the receiver has to remember.
func (x *Sender) validateSelective(bad *fielderr.List) {
	if !x.ACK.Selective {
		return
	}
	bad.Check(x.ACK.Every > 0, "ack.selective", "true without ack.every", "ack.every of 1 or more")
	bad.Check(x.Window > 0 && x.Window <= 1<<30, "ack.selective", x.Window, "a window of 1B to 1GiB")
	bad.Check(len(x.Frames) == 0 && x.Message == 0 && len(x.Trace) == 0, "ack.selective",
		"beside frames, message or bursts", "frames of one length")
}
