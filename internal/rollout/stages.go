package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// This file finds the way from one fabric to another: the stages between, the waves of each, and what link says of
// every cable while one of its ends is a stage further than the other.

// Changed is a switch with its plan before and after. Switches of a kind share their plans.
type Changed struct {
	*fabric.Switch
	Before, After *nos.Plan
}

// Wire is a cable whose ports are known. NewWay takes those between two switches.
type Wire struct {
	fabric.Cable
	Port [2]int // the index of the port in the intent of its switch, the same before and after; 0 of a host
}

// Ends are the two ends of the cable.
func (x *Wire) Ends() [2]fabric.Port { return [2]fabric.Port{x.A, x.B} }

// Staged is what the switches of a kind, those with the same plans before and after, have at a stage.
type Staged struct {
	nos.Plan
	same bool // as at the stage before
	// without are the priorities of each port that have no PFC although the intent says so.
	without map[string]pfc.Priorities
}

// lacking is a stage without the PFC that another one does not have.
func (s *Staged) lacking(other *Staged) *Staged {
	out, keeps := &Staged{Plan: s.Plan, without: map[string]pfc.Priorities{}}, pausing(other.Layout)
	out.Layout = buffer.NewLayout(slices.DeleteFunc(slices.Clone(s.Layout), func(x buffer.Setting) bool {
		off := x.Kind == buffer.GroupLossless && x.Value == 1 && !keeps[x.Port].Has(x.Index)
		if off {
			out.without[x.Port] |= pfc.Of(x.Index)
		}
		return off
	}))
	return out
}

// Mixed is a finding of a cable of which one end is at a stage and the other at the one before.
type Mixed struct {
	Wire  *Wire
	Stage int
	finding.Finding
}

// Way is how a change is made: stages, the waves that lead to each, and what must not be done meanwhile.
type Way struct {
	Stages []string // their names; the first is what the switches have before
	Waves  []Wave
	// Mixed are the errors that link finds on cables between two waves, and that cannot be avoided.
	Mixed []Mixed
	// Added are priorities that hosts may use after the last wave alone, Removed those that they must not use from before
	// the first.
	Added, Removed pfc.Priorities
	// LongerFrames says that hosts may send lossless frames of the new length after the last wave alone, ShorterFrames
	// that they must not send those of the old length from before the first.
	LongerFrames, ShorterFrames bool
	// Longer and Shorter count the cables whose length the plans change. Shorter ones are exchanged before the first wave,
	// longer ones after the last.
	Longer, Shorter int
	// Refused says why the change must not be made; empty: it may.
	Refused string

	Switches []Changed
	Wires    []Wire
	kinds    grouped.By[[2]*nos.Plan, []*Staged] // the stages of each kind
	of       map[string]*[]*Staged               // by the name of the switch
}

// NewWay finds the way. Codes of link that are accepted do not refuse it. The error says which port is not the same
// before and after.
func NewWay(switches []Changed, wires []Wire, limits Limits, accepted []string) (*Way, error) {
	w := &Way{Switches: switches, Wires: wires, of: map[string]*[]*Staged{}}
	for i := range switches {
		s := &switches[i]
		w.of[s.Name] = w.kinds.Of([2]*nos.Plan{s.Before, s.After})
	}
	w.stages()
	if err := w.samePorts(); err != nil {
		return nil, err
	}
	if w.Refused = w.wrong(); w.Refused != "" {
		return w, nil
	}
	if w.plan(limits); len(w.Mixed) > 0 && w.pauses() {
		w.stages()
		w.plan(limits)
	}
	w.explain(accepted)
	return w, nil
}

// At is what a switch has at a stage. Switches of a kind share it.
func (w *Way) At(name string, stage int) *Staged { return (*w.of[name])[stage] }

// stages makes the stages. Between the old and the new plan, what gets PFC has its headroom at both ends first, and
// what loses it keeps its headroom until no end sends pauses any more.
func (w *Way) stages() {
	w.Stages = []string{"before"}
	last := "the new plan"
	if w.Removed != 0 {
		w.Stages = append(w.Stages, "PFC off")
	}
	if w.Added != 0 {
		w.Stages, last = append(w.Stages, "headroom"), "PFC on"
	}
	w.Stages = append(w.Stages, last)
	for plans, stages := range w.kinds.All() {
		before, after := &Staged{Plan: *plans[0]}, &Staged{Plan: *plans[1]}
		all := []*Staged{before}
		if w.Removed != 0 {
			all = append(all, before.lacking(after))
		}
		if w.Added != 0 {
			all = append(all, after.lacking(before))
		}
		all = append(all, after)
		for i := range all[1:] {
			all[i+1].same = reflect.DeepEqual(all[i].Plan, all[i+1].Plan)
		}
		*stages = all
	}
}

// samePorts refuses a cable whose port the switch did not have before, and counts those whose length changes.
func (w *Way) samePorts() error {
	for i := range w.Wires {
		x := &w.Wires[i]
		var lengths [2]unit.Length
		for k, end := range x.Ends() {
			old, new := w.At(end.Node, 0).Intent.Ports, w.At(end.Node, 1).Intent.Ports
			if at := x.Port[k]; at >= len(old) || old[at].Name != new[at].Name {
				return fmt.Errorf("%v is not the same port before: want the same ports in the same order", end)
			}
			lengths = [2]unit.Length{max(lengths[0], old[x.Port[k]].Cable), max(lengths[1], new[x.Port[k]].Cable)}
		}
		switch {
		case lengths[1] > lengths[0]:
			w.Longer++
		case lengths[1] < lengths[0]:
			w.Shorter++
		}
	}
	return nil
}

// compare compares a cable with its first end at one stage and its second at another.
func (w *Way) compare(x *Wire, a, b int) []finding.Finding {
	var ends [2]linkcheck.End
	for k, end := range x.Ends() {
		p := w.At(end.Node, [2]int{a, b}[k])
		e := linkcheck.FromIntent(end.String(), &p.Intent, x.Port[k])
		if off := p.without[p.Intent.Ports[x.Port[k]].Name]; off != 0 {
			e.PFC = unit.Given(e.PFC.Or(0) &^ off)
			for q := range e.Frames {
				if off.Has(q) {
					e.Frames[q] = 0
				}
			}
			e.LosslessFrame = unit.Optional[unit.Bytes]{}
			if most := slices.Max(e.Frames[:]); most > 0 {
				e.LosslessFrame = unit.Given(most)
			}
		}
		ends[k] = e
	}
	res := linkcheck.Compare(&ends[0], &ends[1])
	return slices.DeleteFunc(res.Findings, func(f finding.Finding) bool { return f.Severity != finding.Error })
}

// wrong names what link says of the new plan itself; empty: no error.
func (w *Way) wrong() string {
	var bad []string
	for i := range w.Wires {
		if found := w.compare(&w.Wires[i], 1, 1); len(found) > 0 {
			bad = append(bad, found[0].Message)
		}
	}
	switch len(bad) {
	case 0:
		return ""
	case 1:
		return "1 cable of the new plan itself is an error by link: " + bad[0]
	}
	return fmt.Sprintf("%d cables of the new plan itself are errors by link: %s", len(bad), bad[0])
}

// Changes tells whether a switch is another at a stage than at the one before.
func (w *Way) Changes(name string, stage int) bool { return !w.At(name, stage).same }

// Unchanged are the switches that no wave of a stage has.
func (w *Way) Unchanged(stage int) (out []string) {
	for i := range w.Switches {
		if name := w.Switches[i].Name; !w.Changes(name, stage) {
			out = append(out, name)
		}
	}
	return out
}

// plan sorts the switches of every stage into waves, and finds the cables whose ends cannot go together.
func (w *Way) plan(limits Limits) {
	w.Waves, w.Mixed = nil, nil
	for at := 1; at < len(w.Stages); at++ {
		var all []*fabric.Switch
		for i := range w.Switches {
			if s := w.Switches[i].Switch; w.Changes(s.Name, at) {
				all = append(all, s)
			}
		}
		var bad grouped.By[[2]string, []Mixed]
		for i := range w.Wires {
			x := &w.Wires[i]
			for _, f := range w.half(x, at) {
				of := bad.Of([2]string{x.A.Node, x.B.Node})
				*of = append(*of, Mixed{x, at, f})
			}
		}
		waves, cut := Waves(all, bad.Keys, limits)
		for _, names := range waves {
			out := Wave{Stage: at, State: Waiting}
			for _, name := range names {
				out.Switches = append(out.Switches, Member{Name: name, State: Waiting})
			}
			w.Waves = append(w.Waves, out)
		}
		for _, tie := range cut {
			w.Mixed = append(w.Mixed, *bad.Of(tie)...)
		}
	}
}

// half finds the errors of a cable with one end at a stage and the other at the one before, both ways. An end that does
// not change is the same at both.
func (w *Way) half(x *Wire, at int) (out []finding.Finding) {
	if w.Changes(x.A.Node, at) {
		out = append(out, w.compare(x, at, at-1)...)
	}
	if w.Changes(x.B.Node, at) {
		out = append(out, w.compare(x, at-1, at)...)
	}
	if len(out) == 0 {
		return nil
	}
	// What is wrong with the cable before is not of the change.
	was := w.compare(x, at-1, at-1)
	return slices.DeleteFunc(out, func(f finding.Finding) bool {
		return slices.ContainsFunc(was, func(o finding.Finding) bool { return o.Code == f.Code })
	})
}

// pausing are the priorities of each port that a layout gives PFC.
func pausing(l buffer.Layout) map[string]pfc.Priorities {
	out := map[string]pfc.Priorities{}
	for _, s := range l {
		if s.Kind == buffer.GroupLossless && s.Value == 1 {
			out[s.Port] |= pfc.Of(s.Index)
		}
	}
	return out
}

// pauses tells whether the change turns PFC of a priority on or off, and notes the priorities.
func (w *Way) pauses() bool {
	for plans := range w.kinds.All() {
		a, b := pausing(plans[0].Layout), pausing(plans[1].Layout)
		for _, p := range plans[0].Intent.Ports {
			w.Added |= b[p.Name] &^ a[p.Name]
			w.Removed |= a[p.Name] &^ b[p.Name]
		}
	}
	return w.Added|w.Removed != 0
}

// Cables are those with findings that have something in common.
type Cables struct {
	All   map[*Wire]bool
	First string // the message of the first
}

// CablesBy sorts findings by what they have in common. A cable counts once, however many findings it has.
func CablesBy[K comparable](all []Mixed, key func(*Mixed) K) (out grouped.By[K, Cables]) {
	for i := range all {
		m := &all[i]
		x := out.Of(key(m))
		if x.All == nil {
			*x = Cables{map[*Wire]bool{}, m.Message}
		}
		x.All[m.Wire] = true
	}
	return out
}

// explain decides whether the cables that are left in an error for some time are explained: by PFC of priorities, or by
// frames, that hosts do not use meanwhile; by a length that no cable has meanwhile, because each end has headroom for
// the length of its own plan; or by the user, who accepts a code.
func (w *Way) explain(accepted []string) {
	left := slices.DeleteFunc(slices.Clone(w.Mixed), func(m Mixed) bool {
		if slices.Contains(accepted, string(m.Code)) {
			return true
		}
		if m.Code == "lossless-mtu" {
			w.frames(m.Wire)
		}
		return m.Code == "lossless-mtu" || m.Code == "cable" ||
			strings.HasPrefix(string(m.Code), "pfc-") && w.Added|w.Removed != 0
	})
	codes := CablesBy(left, func(m *Mixed) finding.Code { return m.Code })
	var out []string
	for code, x := range codes.All() {
		out = append(out, fmt.Sprintf("the ends of %d cables differ in %s while one is new: %s (--accept %s)", len(x.All), code,
			x.First, code))
	}
	w.Refused = strings.Join(out, "; ")
}

// frames notes whether lossless frames on a cable get longer or shorter.
func (w *Way) frames(x *Wire) {
	for k, end := range x.Ends() {
		old := linkcheck.FromIntent("", &w.At(end.Node, 0).Intent, x.Port[k])
		new := linkcheck.FromIntent("", &w.At(end.Node, len(w.Stages)-1).Intent, x.Port[k])
		for q := range old.Frames {
			w.LongerFrames = w.LongerFrames || old.Frames[q] > 0 && new.Frames[q] > old.Frames[q]
			w.ShorterFrames = w.ShorterFrames || new.Frames[q] > 0 && new.Frames[q] < old.Frames[q]
		}
	}
}

// Sum is a sum over everything that the waves do: a state is of one way.
func (w *Way) Sum() string {
	h := sha256.New()
	for _, x := range w.Waves {
		fmt.Fprint(h, x.Stage)
		for _, m := range x.Switches {
			fmt.Fprintf(h, " %s %v %v", m.Name, w.At(m.Name, x.Stage).Layout, w.At(m.Name, x.Stage-1).Layout)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Left are the cables that link calls an error, with their ends where a run is: a switch of which it is not known what
// it has counts with the stage of its wave and with the one before.
func (w *Way) Left(s *Progress) (out []Mixed) {
	at := map[string][]int{} // the stages that each switch may be at
	for i := range w.Switches {
		at[w.Switches[i].Name] = []int{0}
	}
	for i := range s.Waves {
		stage := s.Waves[i].Stage
		for _, m := range s.Waves[i].Switches {
			switch m.State {
			case Sent, Checked:
				at[m.Name] = []int{stage}
			case Sending, Unknown:
				at[m.Name] = []int{stage - 1, stage}
			}
		}
	}
	for i := range w.Wires {
		x := &w.Wires[i]
		seen := map[finding.Code]bool{}
		for _, a := range at[x.A.Node] {
			for _, b := range at[x.B.Node] {
				for _, f := range w.compare(x, a, b) {
					if !seen[f.Code] {
						seen[f.Code] = true
						out = append(out, Mixed{x, max(a, b), f})
					}
				}
			}
		}
	}
	return out
}
