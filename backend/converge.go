package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwarden/cellwarden/buffer"
)

// State is in which state Converge left a device.
type State string

// The states a device is left in.
const (
	Unchanged  State = "unchanged"   // it has what it had; nothing was sent
	Applied    State = "applied"     // it has the plan, as read back
	Refused    State = "refused"     // it refused, or could not be told; it has what it had, as read back
	RolledBack State = "rolled back" // something was applied and undone; it has what it had, as read back
	Partial    State = "partial"     // it has neither the plan nor what it had
	Unknown    State = "unknown"     // it can no longer be read
)

// Options change what Converge does. The zero Options are the careful ones.
type Options struct {
	// DryRun stops before anything is sent; the Report has the steps.
	DryRun bool
	// Strict refuses a plan of which the device cannot hold every register,
	// with ErrGaps, before anything is sent.
	Strict bool
	// Prune also resets ports that the device has registers for and the plan
	// does not name. Without it they are left alone.
	Prune bool
}

// Report is what Converge did.
type Report struct {
	Device      string
	State       State
	Steps       []buffer.Step // what was to be changed, in order
	Gaps        []Gap         // what of the plan the device cannot hold
	Differences []buffer.Step // Partial or RolledBack by comparison: from what was read back to what was asked
	LeftAlone   []string      // ports with registers that the plan does not name
}

// Gap is a kind of register of the plan that the device has no words for.
type Gap struct {
	Kind  buffer.Kind
	Count int // registers of the plan that are not sent
	Why   string
}

// ErrGaps says that the device has no words for some of the plan.
var ErrGaps = errors.New("the device cannot hold all of the plan")

// ErrMismatch says that a device took every step and then held something else.
var ErrMismatch = errors.New("read back differs from what was written")

// Converge makes the device hold the layout. The Report is never nil and its
// State always tells how the device was left; the error tells why it is not
// the layout.
func Converge(ctx context.Context, b Backend, want buffer.Layout, opt Options) (*Report, error) {
	c := &convergence{Backend: b, report: &Report{Device: b.Name(), State: Unchanged}, opt: opt}
	caps, err := b.Capabilities(ctx)
	if err != nil {
		return c.report, fmt.Errorf("asking %s what it can hold: %w", b.Name(), err)
	}
	c.caps = caps
	c.want = want.Only(func(r buffer.Register) bool { return caps.Can(r.Kind) })
	c.report.Gaps = gaps(want, caps)
	if c.before, err = c.observe(ctx); err != nil {
		return c.report, fmt.Errorf("reading %s: %w", b.Name(), err)
	}
	c.report.Steps = buffer.Diff(c.before, c.want)
	switch {
	case opt.Strict && len(c.report.Gaps) > 0:
		return c.report, fmt.Errorf("%w: %s has no words for %v registers", ErrGaps, b.Name(), c.report.Gaps[0].Kind)
	case opt.DryRun || len(c.report.Steps) == 0:
		return c.report, nil
	}
	return c.report, c.run(ctx)
}

// convergence is one run of Converge.
type convergence struct {
	Backend
	caps         Capabilities
	opt          Options
	want, before buffer.Layout // of the registers in scope
	report       *Report
}

// observe reads the registers that this run is about: those of the kinds that
// the device can hold, of the slices, and of the ports that the plan names.
func (c *convergence) observe(ctx context.Context) (buffer.Layout, error) {
	all, err := c.Observe(ctx)
	if err != nil {
		return nil, err
	}
	named := map[string]bool{"": true}
	for _, s := range c.want {
		named[s.Port] = true
	}
	c.report.LeftAlone = nil
	return all.Only(func(r buffer.Register) bool {
		if !named[r.Port] && !c.opt.Prune {
			if n := len(c.report.LeftAlone); n == 0 || c.report.LeftAlone[n-1] != r.Port {
				c.report.LeftAlone = append(c.report.LeftAlone, r.Port)
			}
			return false
		}
		return c.caps.Can(r.Kind)
	}), nil
}

// run applies the steps, reads back and compares.
func (c *convergence) run(ctx context.Context) error {
	if err := c.apply(ctx, c.report.Steps); err != nil {
		return c.recover(ctx, err)
	}
	now, err := c.observe(ctx)
	if err != nil {
		return c.recover(ctx, fmt.Errorf("reading back %s: %w", c.Name(), err))
	}
	if c.report.Differences = buffer.Diff(now, c.want); len(c.report.Differences) == 0 {
		if err := c.confirm(ctx); err != nil {
			return c.recover(ctx, err)
		}
		c.report.State = Applied
		return nil
	}
	return c.recover(ctx, fmt.Errorf("%w: %d registers, first %v", ErrMismatch, len(c.report.Differences), c.report.Differences[0]))
}

// apply sends the steps, phase by phase unless the device has transactions.
func (c *convergence) apply(ctx context.Context, steps []buffer.Step) error {
	phases := buffer.Phases(steps)
	if c.caps.Transactional && len(steps) > 0 {
		phases = [][]buffer.Step{steps}
	}
	for i, phase := range phases {
		if err := c.Apply(ctx, phase); err != nil {
			return fmt.Errorf("phase %d of %d on %s: %w", i+1, len(phases), c.Name(), err)
		}
	}
	return nil
}

// confirm lets what was applied and read back be lasting.
func (c *convergence) confirm(ctx context.Context) error {
	if device, ok := c.Backend.(Confirmer); ok {
		if err := device.Confirm(ctx); err != nil {
			return fmt.Errorf("confirming on %s: %w", c.Name(), err)
		}
	}
	return nil
}

// cancel has the device undo what was not confirmed.
func (c *convergence) cancel(ctx context.Context) (undone bool, err error) {
	if device, ok := c.Backend.(Confirmer); ok {
		return device.Cancel(ctx)
	}
	return false, nil
}

// longestRecovery is how long a device is tried to be led back, even if the
// caller no longer waits: to leave it half done is worse than to end late.
const longestRecovery = time.Minute

// recover looks at the device after a failure, whatever the failure said, and
// undoes what it finds: what the device can undo by itself, and then the rest.
func (c *convergence) recover(ctx context.Context, cause error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), longestRecovery)
	defer stop()
	undone, err := c.cancel(ctx)
	if err != nil {
		cause = errors.Join(cause, fmt.Errorf("cancelling on %s: %w", c.Name(), err))
	}
	now, err := c.observe(ctx)
	if err != nil {
		c.report.State = Unknown
		return errors.Join(cause, fmt.Errorf("the state of %s is unknown, it cannot be read: %w", c.Name(), err))
	}
	undo := buffer.Diff(now, c.before)
	if len(undo) == 0 {
		if c.report.State = Refused; undone {
			c.report.State = RolledBack
		}
		return cause
	}
	err = c.apply(ctx, undo)
	if now, look := c.observe(ctx); look != nil {
		c.report.State = Unknown
		return errors.Join(cause, err, fmt.Errorf("the state of %s is unknown after undoing: %w", c.Name(), look))
	} else if left := buffer.Diff(now, c.before); len(left) == 0 {
		if lasting := c.confirm(ctx); lasting != nil {
			c.report.State = Unknown
			return errors.Join(cause, err, fmt.Errorf("%s holds what it held before, but may not for long: %w", c.Name(), lasting))
		}
		c.report.State = RolledBack
		return cause
	} else {
		c.report.State, c.report.Differences = Partial, left
		return errors.Join(cause, err, fmt.Errorf("%s is left with %d registers that are not what they were", c.Name(), len(left)))
	}
}

// gaps counts what of a layout the device cannot hold, by kind.
func gaps(want buffer.Layout, caps Capabilities) []Gap {
	var out []Gap
	for _, k := range buffer.Kinds() {
		if caps.Can(k) {
			continue
		}
		n := len(want.Only(func(r buffer.Register) bool { return r.Kind == k }))
		if n > 0 {
			out = append(out, Gap{k, n, caps.Missing[k]})
		}
	}
	return out
}
