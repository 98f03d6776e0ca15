package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
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

// layer reads the credits, the retry and the errors of a link. Keys that the file does not have are taken from another
// link. prefix is "trunk_" for links between the switches of a generator, and "" for all others.
func (r *reader) layer(f map[string]*document.Value, prefix string, other layerSpec) layerSpec {
	// A key replaces what the other link has as a whole: credits of one class do not mix with those of another link.
	s := other
	if x := f[prefix+"credits"]; x != nil {
		s.credits = [fabric.Priorities]cbfc.Credits{}
		r.eachClass(x, func(x *document.Value, class int) {
			c := &r.s.Classes[class]
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
		if toA == nil && s.llr == nil && s.errors == 0 {
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

// The credits (CBFC) of links by the plans of their switches.

// plannedAt returns the credits that the plan of a switch gives at a port; nil: no plan, or no credits. The error says
// which channels a link of a scenario cannot carry. A plan has profiles for its channels, and the network has one for
// each priority: others stay empty.
func (r *reader) plannedAt(e fabric.End) (*fabric.Credits, error) {
	if !e.Switch || r.specs[e.Node].plan == nil {
		return nil, nil
	}
	// Ports of a scenario have the names of neighbours. The plan knows them by the names of interfaces.
	p := &r.specs[e.Node]
	name := p.names[e.Port]
	planned, err := p.plan.in.Credits(slices.Index(p.plan.ports, name))
	if err != nil || len(planned.Channels) == 0 {
		return nil, err
	}
	where := fmt.Sprintf("switch %s, port %s of its plan", r.s.Network.Switches[e.Node].Name, name)
	if err := carried(&planned); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	out := &fabric.Credits{Account: planned.Account,
		Pool: cbfc.Pool{Size: planned.Pool.Size, Profiles: make([]cbfc.Profile, fabric.Priorities)}}
	for i, vc := range planned.Channels {
		out.Channels |= pfc.Of(vc.Number)
		out.Pool.Profiles[vc.Number] = planned.Pool.Profiles[i]
		// A class that may lose frames does not wait for credits, so the plan and the scenario would not mean the same.
		if c := r.s.classAt(vc.Number); c != nil && !c.Lossless {
			return nil, fmt.Errorf("%s: class %s of the plan has credits for priority %d, and class %s of the scenario is "+
				"not lossless: want lossless: true", where, planned.Classes[i], vc.Number, c.Name)
		}
	}
	return out, nil
}

// carried refuses channels that a link of a scenario cannot carry: there a virtual channel is one of 8 priorities, and
// has its number. Other numbers would give a channel other turns in CF_Updates, so they are refused too. All channels
// that do not fit are named at once.
func carried(planned *buffer.Credits) error {
	var bad []string
	for i, vc := range planned.Channels {
		if vc.Number >= fabric.Priorities || vc.Traffic != cbfc.Traffic(vc.Number) {
			bad = append(bad, fmt.Sprintf("virtual channel %d of class %s has traffic classes %v", vc.Number,
				planned.Classes[i], vc.Traffic))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s: accepted in a scenario: virtual channels 0 to %d, each with the traffic class of its number "+
		"alone", strings.Join(bad, "; "), fabric.Priorities-1)
}

// creditsByPlan returns the credits that both ends of a link give by plans; nil: no plan has any. A neighbour without a
// plan is taken to give as many. Two plans can give different numbers, and not different channels: a sender that has no
// credits for a class would have pauses for it. toA is what end A gives its neighbour, for frames to A, and toB what
// B gives.
func (r *reader) creditsByPlan(l *fabric.Link) (toA, toB *fabric.Credits, err error) {
	ends := [2]fabric.End{l.A, l.B}
	var given [2]*fabric.Credits
	for i, e := range ends {
		if given[i], err = r.plannedAt(e); err != nil {
			return nil, nil, err
		}
	}
	if given == [2]*fabric.Credits{} {
		return nil, nil, nil
	}
	// Both ends count by one account: the smaller cell and the larger overhead.
	account := cbfc.Native(r.smallest(l))
	for i, e := range ends {
		// A plan without credits beside a plan with some is a difference too, and no neighbour about which nothing is known.
		switch o := 1 - i; {
		case given[i] == nil && r.hasPlan(e), given[i] != nil && given[o] != nil && given[i].Channels != given[o].Channels:
			a, b := r.s.Network.Switches[l.A.Node].Name, r.s.Network.Switches[l.B.Node].Name
			return nil, nil, fmt.Errorf("the plans of the switches %s and %s have credits for other classes on their link: "+
				"want the same virtual channels at both ends", a, b)
		case given[i] == nil:
			given[i] = given[o]
		}
	}
	for i, e := range ends {
		given[i].Account = account
		if r.hasPlan(e) {
			r.assume(e, ends[1-i], account)
		}
	}
	return given[0], given[1], nil
}

// hasPlan tells whether an end of a link is a switch with a plan.
func (r *reader) hasPlan(e fabric.End) bool { return e.Switch && r.specs[e.Node].plan != nil }

// assume notes by which account a switch with a plan and a neighbour count, and whether that is assumed. A switch has
// an entry for each account that its links count by, which differ with the neighbours' cells.
func (r *reader) assume(e, neighbour fabric.End, account cbfc.Account) {
	name := r.s.Network.Switches[e.Node].Name
	k := slices.IndexFunc(r.s.PlannedCredits, func(p report.SimCredits) bool {
		return p.Switch == name && p.Credit == account.Credit && p.Overhead == account.Overhead
	})
	if k < 0 {
		k = len(r.s.PlannedCredits)
		r.s.PlannedCredits = append(r.s.PlannedCredits, report.SimCredits{Switch: name, Credit: account.Credit,
			Overhead: account.Overhead, Assumed: []string{}})
	}
	if !r.hasPlan(neighbour) {
		p := &r.s.PlannedCredits[k]
		p.Assumed = append(p.Assumed, r.s.Network.Switches[e.Node].Ports[e.Port].Name)
	}
}

// smallest returns the smaller cell of the switches of a link, and the larger overhead; without a cell on a link
// between hosts.
func (r *reader) smallest(l *fabric.Link) (m thresholds.Memory) {
	for _, e := range [2]fabric.End{l.A, l.B} {
		if !e.Switch {
			continue
		}
		p := &r.specs[e.Node]
		own := thresholds.Memory{Cell: p.cell, Overhead: p.overhead}
		if p.plan != nil {
			own = p.plan.in.Chip.Memory()
		}
		if m.Cell == 0 || own.Cell < m.Cell {
			m.Cell = own.Cell
		}
		m.Overhead = max(m.Overhead, own.Overhead)
	}
	return m
}
