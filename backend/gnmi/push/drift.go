package push

import (
	"context"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
)

// Comparison is a switch compared with a plan.
type Comparison struct {
	backend.DriftResult
	Device  string
	Probe   *gnmi.ProbeResult
	Version string   // of the switch's system, as far as the native configuration depends on it
	Unsaid  []string // parts of the chip and the ports that the switch does not say: not compared
	// Rendering is the native configuration; nil: the registers were compared over OpenConfig.
	Rendering *nos.Rendering

	// Checkpoint says that a checkpoint of a SONiC switch is not what it holds, and is what other clients read; empty:
	// none.
	Checkpoint string

	pending []nos.Undone // what earlier pushes may do to the switch: see session.pending
}

// Compare compares a switch with a plan, rounded as the switch rounds it, and changes nothing. Of the Options it uses
// Connection, Native and SONiC. If watch is not nil, Compare compares again after every change that the switch reports,
// until there is a difference or the context ends: see backend.WatchDrift.
func Compare(ctx context.Context, to Target, plan nos.Plan, opt Options,
	watch func(device string, event backend.DriftEvent, why error)) (*Comparison, error) {
	s, err := open(to, expected(&plan.Intent), opt.Connection, true, nil)
	if err != nil {
		return nil, err
	}
	defer s.end()
	if err := s.meet(ctx, "nothing was compared"); err != nil {
		return nil, err
	}
	out := &Comparison{Device: s.Name(), Probe: s.result.Probe, Unsaid: s.result.Unsaid}
	if err := out.compare(ctx, s, plan, &opt, watch); err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // a watch ends with its context
		return out, nil
	}
	var read bool
	if out.pending, read = s.pending(ctx, &opt); read && len(out.pending) == 0 {
		// A Set of an earlier push may have been made since the switch was compared.
		if err := out.compare(ctx, s, plan, &opt, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compare compares the registers or the native configuration.
func (c *Comparison) compare(ctx context.Context, s *session, plan nos.Plan, opt *Options,
	watch func(string, backend.DriftEvent, error)) (err error) {
	if opt.wantsNative(s.result.Profile) {
		err = c.values(ctx, s, plan, opt, watch)
	} else {
		err = c.registers(ctx, s, plan, watch)
	}
	if err != nil {
		return notDone("nothing was compared", err)
	}
	return nil
}

// values compares the native configuration.
func (c *Comparison) values(ctx context.Context, s *session, plan nos.Plan, opt *Options,
	watch func(string, backend.DriftEvent, error)) error {
	language, err := opt.language(s.result.Profile, plan)
	if err != nil {
		return err
	}
	device := &native.Comparison{Client: s.Client, Language: language, Layout: plan.Layout}
	if err := c.find(ctx, device, watch); err != nil {
		return err
	}
	c.Version, c.Rendering = language.Version(), device.Push.Report.Rendering
	c.Checkpoint = device.Push.Report.Checkpoint
	return nil
}

// registers compares the registers that OpenConfig can express on the switch.
func (c *Comparison) registers(ctx context.Context, s *session, plan nos.Plan,
	watch func(string, backend.DriftEvent, error)) error {
	compat, err := qos.CheckCompatibility(plan.Layout, cellOf(plan), s.result.Profile)
	if err != nil {
		return err
	}
	return c.find(ctx, &backend.RegisterDrift{Backend: s.Client, Want: compat.Layout,
		NotCompared: compat.Count(qos.Inexpressible), Path: compat.BindingPath}, watch)
}

// find compares once, or until there is a difference.
func (c *Comparison) find(ctx context.Context, device backend.Watchable,
	watch func(string, backend.DriftEvent, error)) error {
	var found *backend.DriftResult
	var err error
	if watch != nil {
		found, err = backend.WatchDrift(ctx, device, func(e backend.DriftEvent, why error) { watch(c.Device, e, why) })
	} else {
		found, err = device.Compare(ctx)
	}
	if err == nil {
		c.DriftResult = *found
	}
	return err
}

// Undone are values that a program on the switch changes after a push, or may change, and what the switch may undo
// because a commit waits to be confirmed.
func (c *Comparison) Undone() []nos.Undone {
	if c.Rendering == nil {
		return c.pending
	}
	return slices.Concat(c.Rendering.Undone, c.pending)
}

// Document is the Comparison as a document.
func (c *Comparison) Document() report.DriftDocument {
	d := report.DriftDocument{Schema: "cellwarden.drift/v1", Device: c.Device, Target: c.Probe.String(),
		Compared: c.Compared, NotCompared: c.NotCompared, Unsaid: append([]string{}, c.Unsaid...)}
	unnamed.List(&d.Differences, 0)
	for _, from := range c.Differences {
		x := unnamed.Add(&d.Differences)
		x.Register, x.Path, x.Holds, x.Planned, x.Waits = from.Register, from.Path, from.Has, from.Planned, from.Waits
	}
	for _, u := range c.Undone() {
		x := unnamed.Add(&d.Undone)
		x.What, x.Why = u.What, u.Why
	}
	return d
}
