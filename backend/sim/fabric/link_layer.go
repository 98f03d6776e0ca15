package fabric

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/credits"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// LinkLayer is what a link does beside carrying frames: credit-based flow control (CBFC), link-layer retry (LLR), and
// errors. The state machine of both ends is that of package credits.
//
// Messages take the wire as they are. A CF_Update, an LLR_ACK and an LLR_NACK are ordered sets of 8 bytes without gap
// and preamble, which wait for the end of a frame that has begun; a CC_Update is a frame of 64 bytes. So they cost
// bandwidth of their direction. Pause frames go first, then ordered sets, then frames that are repeated, then
// CC_Updates, then frames of queues (inferred: no text that was read has an order).
//
// Pause frames and LLDP are not repeated by LLR; an error can corrupt them too.
type LinkLayer struct {
	ToA, ToB *Credits // that the end A, or B, gives to the other end; nil: none
	LLR      *LLR     // in both directions; nil: none
	Errors   int64    // one bit in Errors is wrong, in each direction; 0: none
	// Apply is the time from the last bit of an ordered set until its receiver acts by it.
	Apply unit.Time
}

// Credits is CBFC in one direction of a link, by which the receiver limits what the sender has under way and in the
// receiver's buffer. A virtual channel is a priority, and has its number. The other direction is independent.
//
// The buffer of a switch is that of its MMU: each channel needs a group with as many reserved cells as it can have
// credits in use. Without them frames are dropped, and counted as drops. A frame whose priority at the receiver is not
// that by which its sender has counted it is dropped too, with the reason "channel": the ends have different class
// maps, and no text says what a receiver does then.
type Credits struct {
	Channels pfc.Priorities // priorities with credits; required
	Account  cbfc.Account
	Pool     cbfc.Pool    // the credits: one profile for each of 8 priorities
	Updates  cbfc.Updates // zero: cbfc.DefaultUpdates
	Hold     unit.Time    // from the departure of a frame from the buffer until its credits count as freed
}

// LLR is link-layer retry (SAI doc/LLR).
type LLR struct {
	Frames  int64      // most that are not acknowledged
	Bytes   unit.Bytes // most of them in bytes
	Spacing unit.Bytes // of the link, between two acknowledgements, at least
	Timer   unit.Time  // without progress until all is repeated; 0: never
	Count   int        // replays without progress before all frames are given up
}

// CreditLink is one link with credits (CBFC) and link-layer retry (LLR), alone, in bit times: Way, Hold, Apply, Spacing
// and so on are numbers of bits, so all results are exact. Its Run gives what happened up to a time. It has what links
// of a [Network] have not: channels that begin or are initialized in the wrong order, egresses that stop, ends that do
// not agree. The same state machines drive both, and a test compares both to the picosecond.
type CreditLink = credits.Direction

// CreditChannel is a virtual channel of a [CreditLink]: its Limit, the Sizes of its frames, how many Frames it sends,
// and how Slow its egress is. Its sender always has a frame, until all are sent.
type CreditChannel = credits.Channel

// BufferToBuffer is a link with the credits of Fibre Channel, to compare: one credit for each frame, whatever its
// length. Its method Link returns it as a [CreditLink], and Full how many credits keep it busy.
type BufferToBuffer = credits.BufferToBuffer

// CreditDisagreement returns runs that show what happens on a link whose ends do not agree about credits; false if
// there are none of this name. Findings about the two ends of a link name them: "credits-at-one-end",
// "credits-too-large", "credits-too-few".
func CreditDisagreement(name string) (runs credits.Disagreement, ok bool) {
	all := credits.Disagreements()
	i := slices.IndexFunc(all, func(d credits.Disagreement) bool { return d.Name == name })
	if i < 0 {
		return credits.Disagreement{}, false
	}
	return all[i], true
}

// validate returns everything that is wrong with the credits themselves.
func (c *Credits) validate() error {
	var bad fielderr.List
	bad.Join(c.Account.Validate())
	bad.Under("pool", c.Pool.Validate())
	bad.Check(c.Channels != 0, "channels", "none", "one or more of 0 to 7")
	if bad.Check(len(c.Pool.Profiles) == Priorities, "pool.profiles", len(c.Pool.Profiles), "%d, one for each priority",
		Priorities); len(c.Pool.Profiles) == Priorities {
		for prio, p := range c.Pool.Profiles {
			bad.Check(c.Channels.Has(prio) || p == (cbfc.Profile{}), fmt.Sprintf("pool.profiles[%d]", prio),
				"credits of a priority without a channel", "none")
		}
	}
	if c.Updates != (cbfc.Updates{}) {
		bad.Join(c.Updates.Validate())
	}
	need(&bad, "hold", c.Hold, 0, longest)
	return bad.Err()
}

// validate returns everything that is wrong with link-layer retry.
func (r *LLR) validate() error {
	var bad fielderr.List
	bad.Within("frames", r.Frames, 1, 1<<24)
	bad.Within("bytes", int64(r.Bytes), int64(LongestFrame), 1<<40)
	bad.Within("spacing in bytes", int64(r.Spacing), 0, 1<<30)
	need(&bad, "timer", r.Timer, 0, longest)
	bad.Within("count", int64(r.Count), 0, 255)
	return bad.Err()
}

// updates returns when messages are sent, with the default.
func (c *Credits) updates() cbfc.Updates {
	return cmp.Or(c.Updates, cbfc.DefaultUpdates())
}

// layer is the link layer of a port: its end of the link, and what stops its queues. A port with a link layer always
// counts as one with a control frame to send (port.pend), so that it takes no short way: each of its frames asks here
// whether it may be sent.
type layer struct {
	end      credits.End[packet.Packet]
	to, from *Credits // that it gives, and by which it sends; nil: none

	ccAt    int64             // when the next CC_Update is due
	ccEvery int64             // the timer of CC_Updates
	blocked uint8             // queues (a host: classes) whose next frame has no credits, or no place in the replay buffer
	short   uint8             // channels whose next frame has no credits
	since   [Priorities]int64 // when each of these had none
	waited  [Priorities]int64 // for how long, before
	full    bool              // the replay buffer has no place for a frame that waits
	fullAt  int64             // since when
	fullFor int64             // for how long, before

	frames packet.Ring[layerFrame] // on their way to this port, in order of arrival
	sets   packet.Ring[orderedSet] // the same, in order of effect
	freed  packet.Ring[freeing]    // credits of frames that have left the buffer, and do not count as freed yet
	frees  [Priorities]int64       // credits that were freed

	set, gap, apply, hold int64 // times of an ordered set, of the gap before a frame, of LinkLayer.Apply, Credits.Hold
}

// layerFrame is a frame on its way on a link with a link layer, or an INIT.
type layerFrame struct {
	at    int64 // arrival of its last bit
	frame credits.Frame[packet.Packet]
	init  *credits.Init[packet.Packet] // nil: a frame
}

// orderedSet is an ordered set on its way.
type orderedSet struct {
	at  int64 // of its effect
	set credits.Set
}

// freeing is credits that will count as freed.
type freeing struct {
	at      int64
	channel uint8
	credits cbfc.Credits
}

// layerLetter is a frame or an ordered set that crosses from one part to another.
type layerLetter struct {
	to    int32
	isSet bool
	frame layerFrame
	set   orderedSet
}

// EndCounters count the credits of a virtual channel that were consumed, returned, leaked and repaired at one end.
type EndCounters = credits.ChannelCounters

// ChannelCounters count the credits of a virtual channel at one port.
type ChannelCounters struct {
	EndCounters
	Waited unit.Time // for which its next frame had no credits
	Freed  int64     // by frames that left the port's buffer, or were dropped there
}

// channel returns the counters of a channel, and the credits of what the port gives that have leaked and were not
// repaired.
func (l *layer) channel(n int, now int64) (counters ChannelCounters, leaked cbfc.Credits) {
	c, leaked := l.end.Channel(n)
	waited := l.waited[n]
	if l.short>>n&1 != 0 {
		waited += now - l.since[n]
	}
	return ChannelCounters{c, unit.Time(waited), l.frees[n]}, leaked
}
