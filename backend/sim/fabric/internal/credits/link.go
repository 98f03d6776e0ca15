package credits

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Direction is a link, its sender and its receiver. All times are bit times.
type Direction struct {
	Way      int64 // one way, from a bit's departure to its arrival
	Hold     int64 // at the receiver, from a frame's departure from the buffer until its credits count as freed
	Apply    int64 // at the sender, from the last bit of an answer until it may send by it
	Account  cbfc.Account
	Memory   thresholds.Memory // of the receiver; zero: the account's, a cell for each credit
	Channels []Channel
	// Pool shares the credits of the port among the channels, in place of their limits.
	// nil: each channel has its own.
	Pool *cbfc.Pool
	Room cells.Count // cells that the receiver has for all channels; 0: for all credits

	Spacing int64 // from the begin of a CF_Update to that of the next, at least
	Most    int64 // after this time a CF_Update is sent in any case; 0: never
	Timer   int64 // from a CC_Update to the next; 0: none are sent
	Phase   int64 // the time before which no CF_Update is sent, to place them against the frames
	Reverse int64 // length of the frames that the other direction always sends; 0: it is idle
	Answer  int64 // length of a CF_Update; 0: that of a control ordered set

	Errors int64 // one bit in Errors is wrong, in each direction; 0: none
	Seed   uint64
	Retry  *Retry // link-layer retry; nil: the link has none
}

// Channel is a virtual channel. Its sender always has a frame, until all are sent. Lengths are in bytes, and times in
// bit times. Frames of length Sizes follow each other in this order.
type Channel struct {
	Limit    cbfc.Credits // without a pool
	Sizes    []unit.Bytes // lengths of its frames, again and again
	Frames   int64        // how many it sends; 0: no end
	Start    int64        // when it begins
	Slow     int64        // its egress takes Slow times a frame's time; 0: a frame leaves as it arrives
	Stops    []Stop       // when its egress sends nothing, in order of time
	Restarts []Restart    // in order of time
}

// Stop is a time in which an egress begins no frame. At To it may begin one again.
type Stop struct{ From, To int64 }

// Restart is an initialization of a channel that is in use.
type Restart struct {
	At int64
	// Abrupt clears the counters of both ends at once, with frames on the link. Not
	// abrupt is SAI's order: the sender stops, all frames leave the receiver, both
	// ends are cleared, the sender goes on (SAI doc/CBFC, removal and initialization).
	Abrupt bool
}

// answer returns the length of an answer. It is in bit times.
func (l *Direction) answer() int64 { return cmp.Or(l.Answer, answerBits) }

// MostWay is the largest value of each time of a link. It keeps sums of times within 64 bits.
const MostWay = 1 << 40

// Validate returns everything that is wrong with the link, or nil.
func (l *Direction) Validate() error {
	var bad fielderr.List
	bad.Join(l.Account.Validate())
	for _, v := range []struct {
		name  string
		value int64
	}{{"way", l.Way}, {"hold", l.Hold}, {"apply", l.Apply}, {"spacing", l.Spacing}, {"most", l.Most},
		{"timer", l.Timer}, {"phase", l.Phase}, {"reverse", l.Reverse}, {"answer", l.Answer}, {"errors", l.Errors}} {
		bad.Within(v.name, v.value, 0, MostWay)
	}
	bad.Check(l.Reverse == 0 || l.Reverse >= answerBits, "reverse", l.Reverse, "0, or at least %d", answerBits)
	bad.Check(l.Timer == 0 || l.Timer >= ccBits, "timer", l.Timer, "0, or at least the %d bits of a CC_Update", ccBits)
	bad.Check(l.Room >= 0, "room", l.Room, "cells")
	bad.Within("channels", int64(len(l.Channels)), 1, cbfc.MaxChannels)
	for i := range l.Channels {
		bad.Under(fmt.Sprintf("channels[%d]", i), l.Channels[i].validate())
	}
	if l.Memory != (thresholds.Memory{}) {
		bad.Join(l.Memory.Validate())
	}
	if l.Pool != nil {
		bad.Under("pool", l.Pool.Validate())
		bad.Check(len(l.Pool.Profiles) == len(l.Channels), "pool.profiles", len(l.Pool.Profiles), "one for each channel")
	}
	if r := l.Retry; r != nil {
		bad.Within("retry.frames", r.Frames, 1, 1<<24)
		bad.Within("retry.bytes", int64(r.Bytes), 1, 1<<40)
		bad.Within("retry.spacing", r.Spacing, 0, MostWay)
		bad.Within("retry.timer", r.Timer, 0, MostWay)
		bad.Within("retry.count", int64(r.Count), 0, 255)
	}
	return bad.Err()
}

// validate returns what is wrong with a channel.
func (c *Channel) validate() error {
	var bad fielderr.List
	bad.Within("limit", int64(c.Limit), 0, int64(cbfc.MaxLimit))
	bad.Check(len(c.Sizes) > 0, "sizes", "none", "lengths of frames")
	for _, s := range c.Sizes {
		bad.Within("sizes", int64(s), int64(thresholds.MinFrame), int64(thresholds.MaxFrameSize))
	}
	bad.Within("frames", c.Frames, 0, 1<<40)
	bad.Within("start", c.Start, 0, MostWay)
	bad.Within("slow", c.Slow, 0, 1<<20)
	last := int64(0)
	for _, s := range c.Stops {
		bad.Check(s.From >= last && s.To >= s.From, "stops", s, "in order of time")
		last = s.To
	}
	last = 0
	for _, r := range c.Restarts {
		bad.Check(r.At >= last, "restarts", r.At, "in order of time")
		last = r.At
	}
	return bad.Err()
}

// Lengths on the link in bit times.
const (
	answerBits = 8 * int64(cbfc.OrderedSetBytes)
	gapBits    = 8 * int64(GapBytes) // of a frame's time, before its first bit: an error there harms nothing
)

// GapBytes is the gap before a frame (IEEE 802.3 clause 4): an error there harms nothing.
const GapBytes unit.Bytes = 12

// ccBits is a CC_Update with gap and preamble.
var ccBits = thresholds.FrameBits(cbfc.CCUpdateBytes)

// BufferToBuffer is a link with the credits of Fibre Channel, to compare with CBFC: one credit for each frame, whatever
// its length, and an R_RDY for each frame that has left the buffer. An R_RDY is a word of 4 bytes, and nothing spaces
// them. Not modelled: login, the recovery of credits after a lost R_RDY, and Fibre Channel's rates and encoding. The
// link runs at the rate that it is given, with Ethernet's gap and preamble.
type BufferToBuffer struct {
	Way     int64      // one way, in bit times
	Frame   unit.Bytes // length of all frames; Fibre Channel's longest is 2148
	Slow    int64      // the egress takes Slow times a frame's time; 0: a frame leaves as it arrives
	Credits cbfc.Credits
}

// readyBits is an R_RDY: a transmission word (FC-FS).
const readyBits = 32

// Link returns the link: a credit is as large as a frame.
func (b BufferToBuffer) Link() Direction {
	return Direction{Way: b.Way, Answer: readyBits, Account: cbfc.Account{Credit: b.Frame},
		Channels: []Channel{{Limit: b.Credits, Sizes: []unit.Bytes{b.Frame}, Slow: b.Slow}}}
}

// Full returns the smallest number of credits that keeps the slower of link and egress busy. A credit is in use for
// the time of its frame on the link, the way, the frame's time at the egress, the R_RDY, and the way back. The
// division rounds up: a part of a credit sends no frame.
func (b BufferToBuffer) Full() int64 {
	bits := thresholds.FrameBits(b.Frame)
	round := cbfc.Loop{Way: b.Way, Hold: b.Slow * bits, Answer: readyBits}.Round(bits)
	// It is the time between two frames of the slower one, in bit times.
	slower := bits * max(b.Slow, 1)
	return (round + slower - 1) / slower
}
