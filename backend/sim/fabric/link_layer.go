package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// LinkLayer is what a link does beside carrying frames: credit-based flow control (CBFC), link-layer retry (LLR), and
// errors. The state machines are those of package credit.
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
	Errors   int64    // one bit in so many is wrong, in each direction; 0: none
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

// MostErrors is the largest number of bits of which one is wrong.
const MostErrors = int64(1e18)

// validate returns everything that is wrong with the link layer of a link.
func (v *checker) linkLayer(l *Link) error {
	c := l.Layer
	if c == nil {
		return nil
	}
	var bad fielderr.List
	bad.Check(!v.n.Wire.OneRing && !v.n.Wire.InOrder && !v.n.Wire.Bare, "", "a link layer",
		"Ethernet, without the rules of other simulators")
	need(&bad, "apply", c.Apply, 0, longest)
	bad.Check(c.Errors == 0 || within(c.Errors, 100, MostErrors), "errors", c.Errors, "0, or one bit in 100 to %d",
		MostErrors)
	for _, way := range []struct {
		name string
		c    *Credits
		to   End
		from End
	}{{"to_a", c.ToA, l.A, l.B}, {"to_b", c.ToB, l.B, l.A}} {
		if way.c == nil {
			continue
		}
		bad.Under(way.name, way.c.validate())
		for _, e := range [2]End{way.to, way.from} {
			if v.end(e) == nil {
				bad.Under(way.name, v.creditsBeside(way.c, e))
			}
		}
	}
	if r := c.LLR; r != nil {
		bad.Under("llr", r.validate())
	}
	return bad.Err()
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

// creditsBeside complains about what an end must not have beside credits: pauses of the same priority, or an admission
// rule in place of an MMU.
func (v *checker) creditsBeside(c *Credits, e End) error {
	var bad fielderr.List
	if !e.Switch {
		h := &v.n.Hosts[e.Node]
		bad.Check(h.PFC&c.Channels == 0 && h.Link == pfc.LinkIgnored, e.String(), "pauses for a priority with credits",
			"one of them")
		return bad.Err()
	}
	w := &v.n.Switches[e.Node]
	p := &w.Ports[e.Port]
	bad.Check(p.PFC&c.Channels == 0 && p.Link == pfc.LinkIgnored && !w.LinkPause, e.String(),
		"pauses for a priority with credits", "one of them")
	bad.Check(w.Rule == nil, e.String(), "an admission rule", "an MMU")
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
	if c.Updates == (cbfc.Updates{}) {
		return cbfc.DefaultUpdates()
	}
	return c.Updates
}
