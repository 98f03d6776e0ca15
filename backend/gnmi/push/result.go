package push

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
)

// Result is what a push did, and how it left the device.
type Result struct {
	Device string // its name
	State  backend.State
	Has    backend.Content // what the device had when it was read last

	Probe      *gnmi.ProbeResult // what the switch says of itself; nil: no switch answered
	Profile    *nos.Profile      // the kind of switch; nil: not known, or the device is not reached over gNMI
	Version    string            // of the switch's system, as far as the native configuration depends on it
	Unsaid     []string          // parts of the chip and the ports that the switch does not say: not compared
	Unrecorded []string          // the same, because the journal of an earlier version does not have them

	Changes     []Change // from what the device had to the plan, in order
	Differences []Change // what was read back, if it was not the plan
	Others      []Change // changes that others made meanwhile, back to the previous values
	LeftAlone   []string // ports with registers that are not in the plan

	Gaps          []backend.Gap      // registers of the plan that cannot be sent, by kind
	Compatibility *qos.Compatibility // the outcome of each register over OpenConfig; nil: native, or resumed
	Rendering     *nos.Rendering     // the native configuration; nil: registers
	Shares        []nos.Shares       // the shares of the bandwidth on the switch; empty: the plan has no groups
	Lossless      bool               // the push sets everything that the lossless groups need
	Verdict       string             // whether the switch is lossless by this push, and what is missing; empty: resumed
	// Found says of each native value of a resumed push which value the switch had: before, planned, something else.
	Found []struct{ Path, Holds string }

	Sets    int    // that were sent, with those that ask whether a commit waits and change nothing
	Commit  string // whether the switch undoes an unconfirmed push; empty: no change was sent
	Journal string // file of the journal; empty: nothing was sent, or the journal is off
	Earlier string // journal of an earlier push of which a Set may still replace what this one has made; empty: none
	Unended error  // why the end of the push is not in its journal; nil: it is
	Resumed bool   // the rest of a push that was interrupted
	Undo    bool   // a resumed push restores the values from before it

	plan nos.Plan
}

// Change is one change of a switch: of a register, or of a value of its native configuration.
type Change struct {
	Step     buffer.Step       // the change of a register
	Path     string            // of a native value; empty: the change is of a register
	From, To string            // the native value as JSON, or ""
	Reach    buffer.Disruption // the traffic that the change may stop
}

// String prints the register and its values, or the path and its values.
func (c Change) String() string { return c.text("%s: %s to %s") }

// move prints the change as the subject of a sentence.
func (c Change) move() string { return c.text("%s from %s to %s") }

// difference prints the value that a device has and the one that it should have.
func (c Change) difference() string { return c.text("%s: %s, not %s") }

// text prints the register and its values, or in a format the path and both values, "-" for none.
func (c Change) text(format string) string {
	if c.Path == "" {
		return c.Step.String()
	}
	return fmt.Sprintf(format, c.Path, cmp.Or(c.From, "-"), cmp.Or(c.To, "-"))
}

// Holds says what the device had when it was read last, in the words of the push: of a plan, of the rest of a push, or
// of its undoing.
func (r *Result) Holds(has backend.Content) string {
	if !r.Resumed {
		return string(has)
	}
	return cmp.Or(backend.Resume{Undo: r.Undo}.Words()[has], string(has))
}

// Document is the Result as a document. err is the error of the push.
func (r *Result) Document(err error) report.ApplyDocument {
	d := report.ApplyDocument{Schema: "cellwarden.apply/v1", Device: r.Device, State: string(r.State),
		Unsaid: append([]string{}, r.Unsaid...), Unrecorded: r.Unrecorded, Commit: r.Commit, Journal: r.Journal,
		Lossless: r.Lossless, Changes: grouped.Each(r.Changes, Change.String), Needs: []string{}, Holds: r.Holds(r.Has),
		Undo: r.Undo, Differences: grouped.Each(r.Differences, Change.difference),
		Others:    grouped.Each(r.Others, Change.difference),
		LeftAlone: append([]string{}, r.LeftAlone...), Shares: schedules(r.Shares)}
	if r.Probe != nil {
		d.Target = r.Probe.String()
	}
	if err != nil {
		d.Error = err.Error()
	}
	unnamed.List(&d.Omissions, 0)
	unnamed.List(&d.Numbers, 0)
	r.addOmissions(&d)
	switch {
	case r.Rendering != nil:
		d.Profile = r.Profile.Name
		r.addNative(&d)
	case r.Compatibility != nil:
		d.Profile = r.Profile.Name
		addNumbers(&d, r.Compatibility)
	}
	return d
}

// addOmissions adds what the device cannot express.
func (r *Result) addOmissions(d *report.ApplyDocument) {
	if r.Rendering != nil {
		for _, o := range r.Rendering.Omitted {
			x := unnamed.Add(&d.Omissions)
			x.Register, x.Count, x.Why = o.Name(), o.Count, o.Why
		}
		return
	}
	for _, g := range r.Gaps {
		x := unnamed.Add(&d.Omissions)
		x.Register, x.Count, x.Why = g.Kind.String(), g.Count, g.Why
	}
	if egress, _ := r.plan.Intent.NotWritten(); egress != "" {
		x := unnamed.Add(&d.Omissions)
		x.Register, x.Why = egress, buffer.EgressNotWritten
	}
}

// addNumbers adds the outcome of every register, and what they need beside them.
func addNumbers(d *report.ApplyDocument, c *qos.Compatibility) {
	for _, n := range c.Registers {
		x := unnamed.Add(&d.Numbers)
		x.Register, x.Asked, x.Fate = n.Register.String(), n.Kind.Text(n.Setting.Value), string(n.Outcome)
		x.Critical, x.Path, x.Unit, x.Why, x.Where = n.Critical, n.Path, n.Unit, n.Why, n.Where
		if n.Outcome != qos.Inexpressible {
			x.Value, x.Exact, x.Binding = n.Value, n.Wanted, c.BindingPath(n.Register)
		}
	}
	for _, q := range c.Prerequisites() {
		d.Needs = append(d.Needs, q.Text)
	}
}

// addNative adds the changes of native configuration.
func (r *Result) addNative(d *report.ApplyDocument) {
	n := unnamed.New(&d.Native)
	n.Dialect, n.Version, n.Notes = r.Rendering.Dialect, r.Version, append([]string{}, r.Rendering.Notes...)
	for _, f := range r.Found {
		x := unnamed.Add(&n.Found)
		x.Path, x.Holds = f.Path, f.Holds
	}
	unnamed.List(&n.Changes, 0)
	for _, c := range r.Changes {
		x := unnamed.Add(&n.Changes)
		x.Path, x.From, x.To, x.MayStop = c.Path, json.RawMessage(c.From), json.RawMessage(c.To), c.Reach.String()
	}
	unnamed.List(&n.Differences, 0)
	for _, c := range r.Differences {
		x := unnamed.Add(&n.Differences)
		x.Path, x.From, x.To, x.MayStop = c.Path, json.RawMessage(c.From), json.RawMessage(c.To), c.Reach.String()
	}
	unnamed.List(&n.Waiting, 0)
	for _, w := range r.Rendering.Waiting {
		x := unnamed.Add(&n.Waiting)
		x.Path, x.From, x.To, x.Why, x.Critical = w.Path, json.RawMessage(w.From), json.RawMessage(w.To), w.Why, w.Critical
	}
	for _, u := range r.Rendering.Undone {
		x := unnamed.Add(&n.Undone)
		x.What, x.Why = u.What, u.Why
	}
}

// schedules are shares as a document.
func schedules(list []nos.Shares) []report.Schedule {
	return grouped.Each(list, func(s nos.Shares) report.Schedule { return report.OnTarget(s.PortSchedule, s.Flat) })
}
