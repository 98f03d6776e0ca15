package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/unit"
)

// Next is the measurement that would tell the most.
type Next struct {
	Parameter Parameter // the one that it narrows: unknown, or the widest
	Probe     string    // what to do
	// Width is how wide the interval of the parameter is at most after the probe, over the possible switches that were
	// compared; NoBound if that was not computed, because nothing is known of the parameter yet.
	Width int64
}

// design is a probe that could be made.
type design struct {
	text string
	fill Fill
	what []Quantity // what is read, of every group
}

// designs are the probes that are compared, those with the least work first.
func designs(packet unit.Bytes) (out []design) {
	add := func(f Fill, text string, what ...Quantity) { out = append(out, design{text, f, what}) }
	one := Fill{Packet: packet, Groups: 1, InTurn: true}
	add(one, fmt.Sprintf("fill one group with %v packets to XOFF, and read its shared watermark", packet), XOFF,
		SharedMark)
	for _, n := range []int{2, 3, 4, 8, 16, 24} {
		add(Fill{Packet: packet, Groups: n, InTurn: true},
			fmt.Sprintf("fill %d groups in turn with %v packets to XOFF", n, packet), XOFF)
	}
	for _, n := range []int{2, 4, 8} {
		add(Fill{Packet: packet, Groups: n}, fmt.Sprintf("fill %d groups together with %v packets to XOFF", n, packet), XOFF)
	}
	add(one, fmt.Sprintf("fill one group with %v packets to XOFF, and drain it to XON", packet), XONBelow)
	for _, n := range []int{1, 2, 4, 8, 16, 24} {
		add(Fill{Packet: packet, Groups: n, InTurn: true, ToDrop: true},
			fmt.Sprintf("fill %d groups with %v packets, each to its first drop before the next one", n, packet), XOFF, Drop)
	}
	return out
}

// firstProbes are the probes for parameters without any bound.
var firstProbes = map[string]string{
	Cell:          "store a few hundred packets of one length in an empty group, and read its shared watermark in bytes",
	Overhead:      "store equal packets of the cell's size less 64, 32 and 0 bytes, and read the shared watermark of each",
	Shared:        "fill groups in turn to XOFF, until a group pauses with its reserved cells alone",
	ReservedCells: "fill groups in turn to XOFF, until a group pauses with its reserved cells alone",
	DynamicTh:     "fill three groups in turn to XOFF",
	LimitRule:     "fill one group with packets of several cells to XOFF, or state the configured pool",
	XOFFRule:      "fill one group to XOFF and read its shared watermark: with full, that packet is in it",
	XONRule:       "fill two groups in turn to XOFF, and drain the first to XON",
	XONOffset:     "fill one group to XOFF, and drain it to XON",
	HeadroomCells: "fill one group to its first drop",
	HeadroomPool:  "fill groups, each to its first drop before the next one, until a group finds no headroom",
	LeakOut:       "fill three groups in turn to XOFF: packets leak out of the first alone",
	delaysName:    "send at full rate into a blocked port with less and less headroom, until packets drop",
	Propagation:   "repeat what gave the delay with a cable of another length",
}

// Next returns the measurement that would tell the most: of a parameter that is not known, how to begin; else the
// probe after which the widest interval is the narrowest in the worst case. false: nothing is in doubt, or no probe
// narrows what is.
func (r *Result) Next() (Next, bool) {
	doubtful := slices.DeleteFunc(slices.Clone(r.Parameters), func(p Parameter) bool { return p.doubt() == 0 })
	slices.SortStableFunc(doubtful, func(a, b Parameter) int { return cmp.Compare(b.doubt(), a.doubt()) })
	for _, p := range doubtful {
		if n, ok := r.best(p); ok {
			return n, true
		}
		if text, ok := firstProbes[p.Name]; ok && !p.Known && r.concerns(p.Name) {
			return Next{p, text, NoBound}, true
		}
	}
	return Next{}, false
}

// concerns tells whether a parameter belongs to what is measured: of links nothing is asked that has only fills, and
// the reverse.
func (r *Result) concerns(name string) bool {
	ofLinks := name == delaysName || name == Propagation || name == Response || name == Interfaces
	m := r.problem.m
	return ofLinks == (len(m.Links) > 0 && len(m.Fills)+len(m.Points)+len(m.Stored)+len(m.Uses) == 0) ||
		!ofLinks && len(m.Links) == 0
}

// mostCompared is how many of the possible switches are compared by a probe.
const mostCompared = 256

// best returns the probe that narrows a parameter the most, if one at least halves it.
func (r *Result) best(p Parameter) (Next, bool) {
	all := r.candidates
	if len(all) > mostCompared {
		step := len(all) / mostCompared
		var some []candidate
		for i := 0; i < len(all); i += step {
			some = append(some, all[i])
		}
		all = some
	}
	var whole Range
	for i := range all {
		is, ok := all[i].parameter(p)
		if !ok {
			return Next{}, false
		}
		if i == 0 {
			whole = is
		}
		whole = whole.join(is)
	}
	if len(all) < 2 || whole.IsPoint() || whole.Hi == NoBound {
		return Next{}, false
	}
	packet := unit.Bytes(64)
	if len(r.problem.m.Fills) > 0 {
		packet = r.problem.m.Fills[0].Packet
	}
	tried := designs(packet)
	if !r.problem.oneCell() { // how many cells a longer packet takes is known
		tried = append(tried, designs(packet+4*unit.Bytes(all[0].cell))...)
	}
	found, out := false, Next{Parameter: p, Width: whole.Width()/2 + 1}
	for _, d := range tried {
		if width, ok := d.leaves(all, p); ok && width < out.Width {
			out.Probe, out.Width, found = d.text, width, true
		}
	}
	return out, found
}

// ofPoint are the parameters of a candidate that its point has, and choices those that are a rule of it.
var (
	ofPoint = map[string]rules.Number{Shared: rules.Shared, ReservedCells: rules.Reserved, LeakOut: rules.Leak}
	choices = map[string]rules.Choice{LimitRule: rules.Limit, XOFFRule: rules.XOFF, XONRule: rules.XON}
)

// parameter returns the parameter of a candidate.
func (c *candidate) parameter(p Parameter) (is Range, ok bool) {
	if n, ok := ofPoint[p.Name]; ok {
		return Exactly(c.Numbers[n]), true
	}
	if x, ok := choices[p.Name]; ok {
		return Exactly(int64(c.Rule[x])), true
	}
	switch p.Name {
	case DynamicTh:
		return Exactly(int64(c.Alpha)), true
	case Cell:
		return Exactly(c.cell), true
	case HeadroomPool:
		return c.spare, true
	case HeadroomCells:
		is, ok = c.headroom[p.Of]
	case XONOffset:
		is, ok = c.offset[p.Of]
	}
	return is, ok
}

// leaves returns how wide the interval of a parameter is at most, after the probe. false: some candidate does not say
// its result.
func (d *design) leaves(all []candidate, p Parameter) (int64, bool) {
	left := map[string]Range{}
	for i := range all {
		var key strings.Builder
		for g := range d.fill.Groups {
			for _, what := range d.what {
				is, ok := all[i].predict(&d.fill, g, what)
				if !ok || !is.IsPoint() {
					return 0, false
				}
				key.WriteString(fmt.Sprint(is.Lo, " "))
			}
		}
		is, _ := all[i].parameter(p)
		if old, there := left[key.String()]; there {
			is = is.join(old)
		}
		left[key.String()] = is
	}
	var width int64
	for _, key := range slices.Sorted(maps.Keys(left)) {
		width = max(width, left[key].Width())
	}
	return width, true
}
