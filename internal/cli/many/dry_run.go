package many

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/report"
)

// This file says without a switch what each stage sends: the values that differ between the plan of the stage and that
// of the stage before, as each kind of switch has them.

// sending is what switches with the same two plans and the same operating system are sent for a stage. stage is a
// number of route.Stages.
type sending struct {
	stage    int
	profile  *nos.Profile
	known    bool // the profile is that of the switches, and not one of all
	switches []string
	// values are in the order of the layout, or of the native configuration.
	values grouped.By[[3]string, value]
	gaps   []string // what cannot be sent, or why nothing is, with which values are empty
}

// value is one value that changes. What is its path; where are the ports that get it, if a path names none. reach is
// what the change may stop; stops is that in words, or why the value is not sent.
type value struct {
	what, from, to, stops string
	// from and to are texts in the unit of the register; empty: the plan before, or the one after, does not have the
	// value.
	reach buffer.Disruption
	where []string
	count int // of registers with this value; 0: it is one value of native configuration
}

// sent lists what is sent, in the order of the waves. Switches that have the same two plans are one, also if they are
// in different waves of a stage. A switch of which nothing is known is counted with every profile.
func (r *route) sent(named *nos.Profile, native bool) (out []*sending, notes []string) {
	// The plans are compared by their pointers: package rollout shares one plan among the switches of a kind.
	type key struct {
		stage         int
		profile       string
		known         bool
		before, after *rollout.Staged
	}
	var unknown []string
	var by grouped.By[key, sending]
	for i := range r.Waves {
		// It is 1 or more: stage 0 is what the switches have, and no wave leads there.
		at := r.Waves[i].Stage
		for _, name := range r.Waves[i].Names() {
			profiles, known := r.profiles(name, named)
			if !known {
				unknown = grouped.Add(unknown, name)
			}
			for _, p := range profiles {
				k := key{at, p.Name, known, r.At(name, at-1), r.At(name, at)}
				s := by.Of(k)
				if s.profile == nil {
					*s = newSending(p, &k.before.Plan, &k.after.Plan, native)
					s.stage, s.known = at, known
				}
				s.switches = append(s.switches, name)
			}
		}
	}
	for _, s := range by.All() {
		out = append(out, s)
	}
	if len(unknown) > 0 {
		notes = append(notes, fmt.Sprintf("the operating system of %s is not said (key profile, or --profile): every one "+
			"that a push knows is counted, and no value is listed", fold(unknown)))
	}
	return out, notes
}

// profiles are the kinds of switch that a switch may be: the one that is named, or all. An unknown name falls back to
// the profile of the command line: apply itself refuses it when it gets to the switch.
func (r *route) profiles(name string, named *nos.Profile) (all []*nos.Profile, known bool) {
	if own, err := registry.LoadProfile(r.to.at[name].Profile); err == nil {
		named = own
	}
	if named != nil {
		return []*nos.Profile{named}, true
	}
	return registry.Profiles(), false
}

// newSending compares what a kind of switch receives of two plans. No switch is asked: a push describes both plans, and
// what differs between them is what is sent.
func newSending(p *nos.Profile, before, after *nos.Plan, native bool) sending {
	// A kind of switch without a dialect has OpenConfig alone, and --native of the command line is about the others.
	opt := push.Options{Native: native && p.Dialect != ""}
	// What the old plan could not be sent does not matter any more. Describe returns a result with an error too, so that
	// both can be looked at.
	was, _ := push.Describe(p, *before, opt)
	now, err := push.Describe(p, *after, opt)
	s, bad := sending{profile: p}, ""
	switch {
	// A SONiC switch is native without --native, so the result decides and not the flag.
	case now.Rendering != nil && was.Rendering != nil:
		if bad = cmp.Or(now.Rendering.Refused, now.Rendering.NotSent); bad == "" {
			s.native(was, now)
		}
	case now.Compatibility != nil && was.Compatibility != nil:
		s.registers(was, now)
	case err != nil:
		bad = strings.Join(strings.Fields(err.Error()), " ")
	}
	s.gaps = grouped.Add(s.gaps, notSent(now)...)
	if bad != "" {
		s.gaps = grouped.Add(s.gaps, bad)
	}
	return s
}

// registers are the leaves of OpenConfig whose values change: ports with the same value of the same leaf are one.
func (s *sending) registers(was, now *push.Result) {
	paths := map[buffer.Register]string{}
	for i := range now.Compatibility.Registers {
		x := &now.Compatibility.Registers[i]
		paths[x.Register] = x.Path
	}
	for _, step := range buffer.Diff(was.Compatibility.Layout, now.Compatibility.Layout) {
		// A register of the old plan alone has no path in the new one, and is named by its kind.
		what, from, to := cmp.Or(paths[step.Register], step.Kind.String()), step.Kind.Text(step.From), step.Kind.Text(step.To)
		v, reach := s.values.Of([3]string{what, from, to}), s.profile.Disruption(step.Kind)
		// Two queues of a port are two values in one place.
		*v = value{what: what, from: from, to: to, reach: reach, stops: reach.String(), count: v.count + 1,
			where: grouped.Add(v.where, cmp.Or(step.Port, "the chip"))}
	}
}

// native are the values of the configuration that change, and those that wait for a reload of it.
func (s *sending) native(was, now *push.Result) {
	// SONiC.Current is not given, so every value of a plan counts as a change: Changes and Waiting together are the whole
	// plan, which is what a switch has, reloaded or not.
	all := func(r *push.Result) (out []value) {
		for _, c := range r.Changes {
			out = append(out, value{what: c.Path, to: c.To, reach: c.Reach, stops: c.Reach.String()})
		}
		for _, w := range r.Rendering.Waiting {
			out = append(out, value{what: w.Path, to: w.To, stops: "not sent: it needs a reload"})
		}
		return out
	}
	had := map[string]string{}
	for _, v := range all(was) {
		had[v.what] = v.to
	}
	// A path that the old plan alone has is not listed.
	for _, v := range all(now) {
		if v.from = had[v.what]; v.from != v.to {
			*s.values.Of([3]string{v.what, v.from, v.to}) = v
		}
	}
}

// tables say of each stage and kind of switch how many values change, and what they may stop; and list every value for
// switches whose operating system is known, on the screen and in the document. The list has no bound, because programs
// read the document; the screen shortens its tables by itself.
func (r *route) tables(all []*sending, d *report.FabricWavesDocument) []cli.Section {
	stops := cli.Table("stops", "What the changes of each stage may stop", "to", "profile", "switches", "values",
		"may stop", "cannot be sent")
	commands := cli.Table("commands", "What is sent", "to", "switches", "what", "where", "now", "after", "may stop")
	type row struct {
		switches, values int
		most             buffer.Disruption
		gaps             []string
	}
	// Rows are by the name of the profile: every loading of a profile makes a new value, so a pointer would not be the
	// same for two switches of one kind.
	type key struct{ to, profile string }
	var rows grouped.By[key, row]
	for _, s := range all {
		k := key{r.Stages[s.stage], s.profile.Name}
		x, sent := rows.Of(k), 0
		x.switches += len(s.switches)
		for _, v := range s.values.All() {
			// A value that waits for a reload is not sent, and is not counted. The text of a value that waits says so in place
			// of its reach, which tells the two apart.
			if v.stops == v.reach.String() {
				sent += max(1, v.count)
				x.most = max(x.most, v.reach)
			}
			// A value has another path on each kind of switch, so none is listed where the kind is not known.
			if s.known {
				commands.Row(k.to, fold(s.switches), v.what, cli.Dash(fold(v.where)), cli.Dash(v.from), cli.Dash(v.to), v.stops)
				c := unnamed.Add(&d.Commands)
				c.To, c.Switches, c.Profile, c.What, c.Where = k.to, s.switches, k.profile, v.what, v.where
				c.From, c.After, c.MayStop = v.from, v.to, v.stops
			}
		}
		// Switches of one kind can have several plans: the largest number is that of the row.
		x.values = max(x.values, sent)
		x.gaps = grouped.Add(x.gaps, s.gaps...)
	}
	for k, x := range rows.All() {
		text := x.most.String()
		if x.values == 0 {
			text = "nothing: no value that is sent changes"
		}
		stops.Row(k.to, k.profile, cli.Count(x.switches), cli.Count(x.values), text, cli.Dash(strings.Join(x.gaps, ", ")))
	}
	return []cli.Section{stops, commands}
}
