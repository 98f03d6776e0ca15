package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// layerKeys are the keys of a link about credits, retry and errors.
var layerKeys = []string{"credits", "llr", "ber", "apply"}

// layerSpec is what the file says about credits, retry and errors of a link. apply is the time that an end needs to
// act on a credit update or an answer of the retry.
type layerSpec struct {
	credits [fabric.Priorities]cbfc.Credits // of each priority, in each direction; 0: none
	llr     *fabric.LLR                     // a value of 0 is sized; nil: no retry
	errors  int64                           // one bit in this number; 0: none
	apply   delay
}

// any tells whether the link has a link layer.
func (s *layerSpec) any() bool {
	return s.credits != [fabric.Priorities]cbfc.Credits{} || s.llr != nil || s.errors > 0
}

// layer reads the credits, the retry and the errors of a link. Keys that the file does not have are taken from another
// link. prefix is "trunk_" for links between the switches of a generator, and "" for all others.
func (r *reader) layer(f map[string]*document.Value, prefix string, other layerSpec) layerSpec {
	// A key replaces what the other link has as a whole: credits of one class do not mix with those of another link.
	s := other
	if x := f[prefix+"credits"]; x != nil {
		s.credits = [fabric.Priorities]cbfc.Credits{}
		r.eachClass(x, func(x *document.Value, c *Class) {
			// A class that may lose frames never waits for credits, so its credits would say nothing.
			if !c.Lossless {
				x.Refuse("none: a class with credits has lossless: true")
			}
			// The limit is that of the cyclic counters: 20 bits (SAI doc/CBFC).
			s.credits[c.Priority] = cbfc.Credits(x.Integer(1, int64(cbfc.MaxLimit)))
		})
	}
	take(&s.llr, f[prefix+"llr"], readLLR)
	set(&s.errors, f[prefix+"ber"], parseBER)
	set(&s.apply, f[prefix+"apply"], parseDelay)
	return s
}

// readLLR reads link-layer retry: "sized", or some of its values.
func readLLR(v *document.Value) *fabric.LLR {
	// "sized" leaves every value open, and sizedLLR fills them when the delay of the link is known.
	if !v.IsMapping() {
		switch v.Text() {
		case "sized":
			return &fabric.LLR{Count: retries}
		case "none":
		default:
			v.Refuse("none, sized, or frames, bytes, spacing, timer and count")
		}
		return nil
	}
	f := v.Fields("frames", "bytes", "spacing", "timer", "count")
	// Bytes, spacing and timer of 0 are sized when the link is known, as frames of 0 are.
	l := &fabric.LLR{Bytes: document.Quantity(f["bytes"], unit.ParseBytes),
		Spacing: document.Quantity(f["spacing"], unit.ParseBytes), Timer: document.Quantity(f["timer"], unit.ParseTime),
		Count: retries}
	// A replay buffer of frames, 1 to 2^24, and of bytes; what is reached first stops the sender.
	take(&l.Frames, f["frames"], integer[int64](1, 1<<24))
	take(&l.Count, f["count"], integer[int](0, 255))
	return l
}

// retries is the number of replays before frames are given up, where the file has none: this project's choice.
const retries = 3

// parseBER reads a bit error rate as the number of bits for each wrong one: "1e-9", "5e-12", or "0". It is rounded
// to whole bits.
func parseBER(text string) (int64, error) {
	// The range is that in which the simulator can place an error in a 64-bit count of bits.
	refused := fmt.Errorf("%q: want 0, or a bit error rate from 1e-18 to 1e-2 such as 1e-9 or 5e-12", text)
	if text == "0" {
		return 0, nil
	}
	// One digit and a power of ten is how error rates are stated, and every such rate has a number of bits.
	digit, power, ok := strings.Cut(text, "e-")
	n, err := strconv.ParseInt(digit, 10, 64)
	m, also := strconv.ParseInt(power, 10, 64)
	if !ok || err != nil || also != nil || n < 1 || n > 9 || m < 1 || m > 18 {
		return 0, refused
	}
	// 10^18 is less than 2^63.
	bits := int64(1)
	for range m {
		bits *= 10
	}
	// More than one error in a hundred bits would leave no frame whole.
	if bits = (bits + n/2) / n; bits < 100 {
		return 0, refused
	}
	return bits, nil
}

// linkLayers gives the links their link layers. The size of a credit is known only after the switches are read: it is
// the cell of the switch, or the smaller one of both, and the overhead the larger one (SAI doc/CBFC, initialization,
// steps 3 and 5). A link with nothing of it has no layer, and its frames arrive as they were sent.
func (r *reader) linkLayers() {
	for i := range r.s.Network.Links {
		l, s := &r.s.Network.Links[i], r.layers[i]
		at := r.origins[fmt.Sprintf("links[%d]", i)]
		// The two directions differ where the switches at the ends have different plans.
		toA, toB, err := r.credits(l, &s)
		if err != nil {
			r.Fail(at.line, at.path, err.Error())
			continue
		}
		if !s.any() && toA == nil {
			continue
		}
		c := &fabric.LinkLayer{Errors: s.errors, Apply: s.apply.Or(0), ToA: toA, ToB: toB}
		// An end needs time to act on what it received. The file can give it; else it is the response time that the
		// standard allows at this rate, as for pause frames.
		if !s.apply.IsGiven() && (s.llr != nil || toA != nil) {
			t, err := responseAt(l.Rate)
			if err != nil {
				r.Fail(at.line, at.path, fmt.Sprintf("%v; give apply: a time", err))
			}
			c.Apply = t
		}
		if s.llr != nil {
			c.LLR = sizedLLR(*s.llr, l, c.Apply)
		}
		l.Layer = c
	}
}

// credits returns the credits that both ends of a link give: those of the key, or those of plans.
func (r *reader) credits(l *fabric.Link, s *layerSpec) (toA, toB *fabric.Credits, err error) {
	if s.credits == [fabric.Priorities]cbfc.Credits{} {
		return r.creditsByPlan(l)
	}
	c, err := r.creditsByKey(l, s)
	return c, c, err
}

// creditsByKey returns the credits that each end of a link gives by the key. Each class has a channel of its own with
// only reserved credits: nothing is shared between channels.
func (r *reader) creditsByKey(l *fabric.Link, s *layerSpec) (*fabric.Credits, error) {
	// A planned switch has the cells of its plan. Credits beside them would promise cells that nobody reserved.
	for _, e := range [2]fabric.End{l.A, l.B} {
		if r.hasPlan(e) {
			return nil, fmt.Errorf("credits at switch %s, whose memory is of a plan: want lossless: cbfc in the plan",
				r.s.Network.Switches[e.Node].Name)
		}
	}
	// A credit is a cell of the smaller kind, so that a frame never needs more cells than credits.
	memory := r.smallest(l)
	if memory.Cell == 0 {
		return nil, errors.New("credits between two hosts: want a link of a switch, whose cell is the size of a credit")
	}
	// Native counts a frame as the switch does, in whole cells with its overhead.
	c := &fabric.Credits{Account: cbfc.Native(memory), Pool: cbfc.Pool{Profiles: make([]cbfc.Profile, fabric.Priorities)}}
	for n, credits := range s.credits {
		if credits > 0 {
			c.Channels |= pfc.Of(n)
			c.Pool.Profiles[n].Reserved = credits
			// The pool is what is reserved, so that nothing is left to share.
			c.Pool.Size += credits
		}
	}
	return c, nil
}

// credited returns the most credits that a switch's port gives for a priority; 0: none.
func (r *reader) credited(at fabric.End, priority int) cells.Count {
	i, linked := r.links[at]
	if !linked || r.s.Network.Links[i].Layer == nil {
		return 0
	}
	l := &r.s.Network.Links[i]
	to := l.Layer.ToB
	// ToA is what A gives: it is for frames to A.
	if l.A == at {
		to = l.Layer.ToA
	}
	// The virtual channel of a priority has its number: the simulator has channels 0 to 7.
	if to == nil || !to.Channels.Has(priority) {
		return 0
	}
	return cells.Count(to.Pool.Most(priority))
}

// sizedLLR fills what a retry leaves open: room for a round trip of the shortest and of the longest frames, SAI's
// spacing, and a timer of two round trips, which is this project's choice. Delays are one way. Times become bit times
// of the link's rate, the unit of package cbfc's loop.
func sizedLLR(l fabric.LLR, link *fabric.Link, apply unit.Time) *fabric.LLR {
	const spacing unit.Bytes = 2048 // SAI doc/LLR, CTLOS_TARGET_SPACING
	l.Spacing = cmp.Or(l.Spacing, spacing)
	longest := thresholds.FrameBits(fabric.LongestFrame)
	// All terms are bit times of the link: the way, the ordered set that answers, the spacing of answers, the time to
	// act, and the frame that the answer waits for in the other direction.
	loop := cbfc.Loop{Way: link.Rate.BitsIn(link.Delay + link.Interface), Answer: 8 * int64(cbfc.OrderedSetBytes),
		Spacing: 8 * int64(l.Spacing), Apply: link.Rate.BitsIn(apply), Reverse: longest}
	l.Frames = cmp.Or(l.Frames, loop.Frames(thresholds.FrameBits(thresholds.MinFrame)))
	// As many of the longest frames as a round trip has room for.
	l.Bytes = cmp.Or(l.Bytes, unit.Bytes(loop.Frames(longest))*fabric.LongestFrame)
	l.Timer = cmp.Or(l.Timer, 2*link.Rate.TimeFor(loop.Round(longest)+loop.Wait(longest)))
	return &l
}

// ofChannels returns the sum of a counter over the virtual channels of all ports.
func ofChannels(count func(*fabric.ChannelCounters) int64) func(*Result) int64 {
	return func(r *Result) (n int64) {
		for i := range r.Ports {
			if layer := r.Ports[i].Layer; layer != nil {
				for k := range layer.Channels {
					n += count(&layer.Channels[k])
				}
			}
		}
		return n
	}
}
