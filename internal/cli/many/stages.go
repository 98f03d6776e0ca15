package many

import (
	"cmp"
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
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// This file finds the way from one fabric to another: the stages between, the waves of each, and what link says of every
// cable while one of its ends is a stage further than the other.

// stage is what all switches have after the waves that lead to it.
type stage struct {
	name  string
	plans map[string]*staged // by the name of the switch
}

// staged is what a switch has at a stage: its plan, and the priorities of each port that have no PFC although the intent
// says so.
type staged struct {
	nos.Plan
	without map[string]pfc.Priorities
	of      *nos.Plan // the plan of its kind at this stage
}

// route is the way from one fabric to another.
type route struct {
	from, to *asked
	wires    []wire
	both     [][2]*fabric.Switch
	hosts    int // cables to hosts, which are not compared
	unnamed  int // cables whose ports have no names
	stages   []stage
	waves    []rollout.Wave
	mixed    []mixed  // cables that link calls an error while their ends differ, and that cannot be avoided
	added    []string // priorities that hosts may use after the last wave alone
	removed  []string // and those that they must not use from before the first
	reason   string   // why it must not be done; empty: it may
	compared map[[2]*nos.Plan]bool
}

// mixed is a finding of a cable between two waves.
type mixed struct {
	wire  *wire
	stage int
	f     finding.Finding
}

// routeTo plans a route. Codes of link that the user accepts are named and do not refuse it.
func routeTo(from, to *asked, limits rollout.Limits, accepted []string) (*route, error) {
	r := &route{from: from, to: to, compared: map[[2]*nos.Plan]bool{}}
	both, gone, added := pairs(from, to)
	if len(gone)+len(added) > 0 {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s has %s that %s lacks, and lacks %s: want the same switches in "+
			"both", from.Name(), cmp.Or(fold(gone), "no switch"), to.Name(), cmp.Or(fold(added), "none")))
	}
	r.both = both
	oldIntents, newIntents := from.intents(), to.intents()
	before, after := stage{"before", map[string]*staged{}}, stage{"the new plan", map[string]*staged{}}
	for _, p := range both {
		for i, n := range []*intents{oldIntents, newIntents} {
			plan, err := n.plan(p[i])
			if err != nil {
				return nil, err
			}
			[]stage{before, after}[i].plans[p[i].Name] = &staged{Plan: *plan, of: plan}
		}
	}
	var err error
	if r.wires, r.hosts, r.unnamed, err = to.wires(newIntents); err != nil {
		return nil, err
	}
	if err := r.samePorts(&before); err != nil {
		return nil, err
	}
	r.stages = []stage{before, after}
	if text := r.wrong(); text != "" {
		r.reason = text
		return r, nil
	}
	if r.plan(limits); len(r.mixed) > 0 && r.pauses() {
		r.between()
		r.plan(limits)
	}
	r.explain(accepted)
	return r, nil
}

// plan plans a switch whose plan has to fit.
func (n *intents) plan(s *fabric.Switch) (*nos.Plan, error) {
	if p := n.plans[s.Kind]; p != nil {
		return p, nil
	}
	f, err := n.of(s)
	if err != nil {
		return nil, err
	}
	plan, err := buffer.New(f.Intent)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", n.member(s).Name, err))
	}
	if err := plan.Err(); err != nil {
		return nil, cli.ExitWith(cli.ExitNoFit, fmt.Errorf("%s: nothing was sent: %w", n.member(s).Name, err))
	}
	n.plans[s.Kind] = &nos.Plan{Intent: f.Intent, Layout: plan.Layout()}
	return n.plans[s.Kind], nil
}

// samePorts refuses a cable whose port the switch did not have before.
func (r *route) samePorts(before *stage) error {
	for i := range r.wires {
		w := &r.wires[i]
		for k, s := range w.ends {
			in := &before.plans[s.Name].Intent
			port := []fabric.Port{w.A, w.B}[k]
			if w.port[k] < len(in.Ports) && in.Ports[w.port[k]].Name == port.Port {
				continue
			}
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s:%d: %v is not the same port in %s: want the same ports in the "+
				"same order", r.to.Name(), w.Line, port, r.from.Name()))
		}
	}
	return nil
}

// compare compares a cable with its first end at one stage and its second at another.
func (r *route) compare(w *wire, a, b int) []finding.Finding {
	var ends [2]linkcheck.End
	for k, at := range []int{a, b} {
		p := r.stages[at].plans[w.ends[k].Name]
		name := []fabric.Port{w.A, w.B}[k].String()
		e := linkcheck.FromIntent(name, &p.Intent, w.port[k])
		if off := p.without[p.Intent.Ports[w.port[k]].Name]; off != 0 {
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
func (r *route) wrong() string {
	last, n, first := len(r.stages)-1, 0, ""
	for i := range r.wires {
		if bad := r.compare(&r.wires[i], last, last); len(bad) > 0 {
			if n++; n == 1 {
				first = bad[0].Message
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s of the new plan itself %s by link: %s (cellwarden link %s)", cli.Plural(n, "cable", "cables"),
		map[bool]string{true: "is an error", false: "are errors"}[n == 1], first, r.to.Name())
}

// changes tells whether a switch is another at a stage than at the one before.
func (r *route) changes(name string, stage int) bool {
	a, b := r.stages[stage-1].plans[name], r.stages[stage].plans[name]
	// Switches of a kind share their plans, so that few pairs are compared.
	key := [2]*nos.Plan{a.of, b.of}
	differ, known := r.compared[key]
	if !known {
		differ = !reflect.DeepEqual(a.Plan, b.Plan)
		r.compared[key] = differ
	}
	return differ
}

// plan sorts the switches of every stage into waves, and finds the cables whose ends cannot go together.
func (r *route) plan(limits rollout.Limits) {
	r.waves, r.mixed = nil, nil
	for at := 1; at < len(r.stages); at++ {
		var all []rollout.Switch
		for _, p := range r.both {
			if s := p[1]; r.changes(s.Name, at) {
				all = append(all, rollout.Switch{Name: s.Name, Role: s.Role, Plane: s.Plane, Peers: s.Peers})
			}
		}
		var ties [][2]string
		bad := map[[2]string][]mixed{}
		for i := range r.wires {
			w := &r.wires[i]
			tie := [2]string{w.ends[0].Name, w.ends[1].Name}
			found := r.half(w, at)
			if len(found) == 0 {
				continue
			}
			if bad[tie] == nil {
				ties = append(ties, tie)
			}
			for _, f := range found {
				bad[tie] = append(bad[tie], mixed{w, at, f})
			}
		}
		waves, cut := rollout.Waves(all, ties, limits)
		for _, names := range waves {
			w := rollout.Wave{Stage: at, State: rollout.Waiting}
			for _, name := range names {
				w.Switches = append(w.Switches, rollout.Member{Name: name, State: rollout.Waiting})
			}
			r.waves = append(r.waves, w)
		}
		for _, tie := range cut {
			r.mixed = append(r.mixed, bad[tie]...)
		}
	}
}

// half finds the errors of a cable with one end at a stage and the other at the one before, both ways. An end that does
// not change is the same at both.
func (r *route) half(w *wire, at int) (out []finding.Finding) {
	if r.changes(w.ends[0].Name, at) {
		out = append(out, r.compare(w, at, at-1)...)
	}
	if r.changes(w.ends[1].Name, at) {
		out = append(out, r.compare(w, at-1, at)...)
	}
	if len(out) == 0 {
		return nil
	}
	// What is wrong with the cable before is not of the change.
	was := r.compare(w, at-1, at-1)
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
func (r *route) pauses() bool {
	var on, off pfc.Priorities
	for _, p := range r.both {
		a, b := pausing(r.stages[0].plans[p[1].Name].Layout), pausing(r.stages[1].plans[p[1].Name].Layout)
		for port := range r.stages[0].ports(p[1].Name) {
			on |= b[port] &^ a[port]
			off |= a[port] &^ b[port]
		}
	}
	r.added, r.removed = listed(on), listed(off)
	return on|off != 0
}

// listed are the priorities of a set.
func listed(set pfc.Priorities) (out []string) {
	for p := range pfc.PerLink {
		if set.Has(p) {
			out = append(out, fmt.Sprint(p))
		}
	}
	return out
}

// ports are the names of the ports of a switch.
func (s *stage) ports(name string) map[string]bool {
	out := map[string]bool{}
	for i := range s.plans[name].Intent.Ports {
		out[s.plans[name].Intent.Ports[i].Name] = true
	}
	return out
}

// between puts stages between the old and the new plan. What gets PFC has its headroom at both ends first, and what loses
// it keeps its headroom until no end sends pauses any more.
func (r *route) between() {
	before, after := r.stages[0], r.stages[1]
	r.stages = []stage{before}
	if len(r.removed) > 0 {
		r.stages = append(r.stages, r.without("PFC off", &before, &after))
	}
	if len(r.added) > 0 {
		r.stages = append(r.stages, r.without("headroom", &after, &before))
		after.name = "PFC on"
	}
	r.stages = append(r.stages, after)
}

// without is a stage without the PFC that another stage does not have.
func (r *route) without(name string, of, other *stage) stage {
	out := stage{name, map[string]*staged{}}
	made := map[[2]*nos.Plan]*staged{}
	for _, p := range r.both {
		key := [2]*nos.Plan{of.plans[p[1].Name].of, other.plans[p[1].Name].of}
		if made[key] != nil {
			out.plans[p[1].Name] = made[key]
			continue
		}
		s := *of.plans[p[1].Name]
		keeps := pausing(other.plans[p[1].Name].Layout)
		s.without = map[string]pfc.Priorities{}
		var settings []buffer.Setting
		for _, x := range s.Layout {
			if x.Kind == buffer.GroupLossless && x.Value == 1 && !keeps[x.Port].Has(x.Index) {
				s.without[x.Port] |= pfc.Of(x.Index)
				continue
			}
			settings = append(settings, x)
		}
		if len(s.without) == 0 {
			s.without = nil
		}
		s.Layout = buffer.NewLayout(settings)
		s.of = &nos.Plan{Intent: s.Intent, Layout: s.Layout}
		made[key], out.plans[p[1].Name] = &s, &s
	}
	return out
}

// explain decides whether the cables that are left in an error for some time are explained: by PFC of priorities that
// hosts do not use meanwhile, or by the user, who accepts a code.
func (r *route) explain(accepted []string) {
	codes := map[finding.Code]int{}
	first := map[finding.Code]string{}
	for _, m := range r.mixed {
		pfcAlone := strings.HasPrefix(string(m.f.Code), "pfc-") && len(r.added)+len(r.removed) > 0
		if pfcAlone || slices.Contains(accepted, string(m.f.Code)) {
			continue
		}
		if codes[m.f.Code]++; codes[m.f.Code] == 1 {
			first[m.f.Code] = m.f.Message
		}
	}
	var out []string
	for _, m := range r.mixed {
		if n := codes[m.f.Code]; n > 0 {
			out = append(out, fmt.Sprintf("%s while one end is new: %s, first %s (--accept %s)", cli.Plural(n, "error",
				"errors"), m.f.Code, first[m.f.Code], m.f.Code))
			codes[m.f.Code] = 0
		}
	}
	r.reason = strings.Join(out, "; ")
}

// sum is a sum over everything that the waves do: a state file is of one route.
func (r *route) sum() string {
	h := sha256.New()
	for _, w := range r.waves {
		fmt.Fprint(h, w.Stage)
		for _, m := range w.Switches {
			fmt.Fprintf(h, " %s %v %v", m.Name, r.stages[w.Stage].plans[m.Name].Layout,
				r.stages[w.Stage-1].plans[m.Name].Layout)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// left are the cables that link calls an error now: each with the stages that its ends may have.
func (r *route) left(at map[string][]int) (out []mixed) {
	for i := range r.wires {
		w := &r.wires[i]
		seen := map[string]bool{}
		for _, a := range at[w.ends[0].Name] {
			for _, b := range at[w.ends[1].Name] {
				for _, f := range r.compare(w, a, b) {
					if !seen[string(f.Code)] {
						seen[string(f.Code)] = true
						out = append(out, mixed{w, max(a, b), f})
					}
				}
			}
		}
	}
	return out
}
