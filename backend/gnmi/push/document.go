package push

import (
	"encoding/json"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
)

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
