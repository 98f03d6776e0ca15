package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Options change what Converge does. The zero Options are the careful ones.
type Options struct {
	// DryRun stops before anything is sent; the Report has the steps.
	DryRun bool
	// Strict refuses a plan if the device cannot hold every register of it, with ErrGaps, before anything is sent.
	Strict bool
	// Prune also resets ports that the device has registers for and the plan
	// does not name. Without it they are left alone.
	Prune bool
	// Observer sees what is sent, before it is sent and after; nil: none. What the device had is all of its registers.
	Observer Observer[buffer.Layout, buffer.Step]
}

// Report is what Converge did.
type Report struct {
	Device      string
	State       State
	Steps       []buffer.Step // what was to be changed, in order
	Gaps        []Gap         // what of the plan the device cannot hold
	Has         Content       // what the device had when it was read last
	Differences []buffer.Step // Partial or RolledBack by comparison: from what was read back to what was asked
	Others      []buffer.Step // what others changed meanwhile: back to the values before the push
	LeftAlone   []string      // ports with registers that the plan does not name
}

// Gap is a kind of register of the plan that the device cannot express.
type Gap struct {
	Kind  buffer.Kind
	Count int // registers of the plan that are not sent
	Why   string
}

// ErrGaps says that the device cannot hold some registers of the plan.
var ErrGaps = errors.New("the device cannot hold all of the plan")

// Convergence is a device that was asked what it can hold, read, and compared with a layout.
type Convergence struct {
	Report *Report // never nil
	*Push[buffer.Layout, buffer.Step]
}

// Look asks a device what it can hold, reads it and compares it with a layout. It sends nothing. With Strict it returns
// ErrGaps for a device that cannot hold all of the layout. The Report is there after an error, too.
func Look(ctx context.Context, b Backend, want buffer.Layout, opt Options) (*Convergence, error) {
	d, err := NewRegisters(ctx, b, want, opt)
	c := &Convergence{Report: d.report}
	if err != nil {
		return c, err
	}
	before, err := d.Read(ctx)
	if err != nil {
		return c, fmt.Errorf("reading %s: %w", b.Name(), err)
	}
	d.before = before
	c.Push = Compare(d, before)
	c.Observer, c.Report.Steps, c.Report.Has = opt.Observer, c.Changes, c.Has
	if opt.Strict && len(c.Report.Gaps) > 0 {
		return c, fmt.Errorf("%w: %s cannot express %v registers", ErrGaps, b.Name(), c.Report.Gaps[0].Kind)
	}
	return c, nil
}

// Run sends the steps, reads back and compares. The Report's State always tells
// how the device was left; the error tells why it is not the layout.
func (c *Convergence) Run(ctx context.Context) error {
	err := c.Push.Run(ctx)
	c.Report.State, c.Report.Has = c.State, c.Has
	c.Report.Differences, c.Report.Others = c.Differences, c.Others
	return err
}

// Converge makes the device hold the layout. The Report is never nil and its State always tells how the device was
// left; the error tells why it is not the layout.
func Converge(ctx context.Context, b Backend, want buffer.Layout, opt Options) (*Report, error) {
	c, err := Look(ctx, b, want, opt)
	if err != nil || opt.DryRun {
		return c.Report, err
	}
	return c.Report, c.Run(ctx)
}

// Registers is a Backend and a layout as a Device: a reading is all of the registers, a change is a step.
type Registers struct {
	Backend
	caps   Capabilities
	opt    Options
	want   buffer.Layout // without the registers that the device cannot hold
	before buffer.Layout // what the device had when the push began; nil: not known
	kept   bool          // values of this push are left, with a curve that others have changed
	report *Report
}

// NewRegisters asks the device what it can hold. Of the Options it needs Prune alone.
func NewRegisters(ctx context.Context, b Backend, want buffer.Layout, opt Options) (*Registers, error) {
	d := &Registers{Backend: b, report: &Report{Device: b.Name(), State: Unchanged, Has: NotRead}, opt: opt}
	caps, err := b.Capabilities(ctx)
	if err != nil {
		return d, fmt.Errorf("reading the capabilities of %s: %w", b.Name(), err)
	}
	d.caps, d.report.Gaps = caps, gaps(want, caps)
	d.want = want.Only(func(r buffer.Register) bool { return caps.Can(r.Kind) })
	return d, nil
}

// Read reads all registers.
func (d *Registers) Read(ctx context.Context) (buffer.Layout, error) { return d.Observe(ctx) }

// scope returns the registers that the push is about: those of the kinds that
// the device can hold, of the slices, and of the ports that the plan names.
func (d *Registers) scope(all buffer.Layout) buffer.Layout {
	named := map[string]bool{"": true}
	for _, s := range d.want {
		named[s.Port] = true
	}
	d.report.LeftAlone = nil
	return all.Only(func(r buffer.Register) bool {
		if !named[r.Port] && !d.opt.Prune {
			if n := len(d.report.LeftAlone); n == 0 || d.report.LeftAlone[n-1] != r.Port {
				d.report.LeftAlone = append(d.report.LeftAlone, r.Port)
			}
			return false
		}
		return d.caps.Can(r.Kind)
	})
}

// Diff lists the steps to the layout.
func (d *Registers) Diff(now buffer.Layout) []buffer.Step { return buffer.Diff(d.scope(now), d.want) }

// Pending divides steps by what the device has now. A marking curve that others have changed is theirs.
func (d *Registers) Pending(now buffer.Layout, steps []buffer.Step) (left, others []buffer.Step) {
	for _, s := range steps {
		switch v := now.Value(s.Register); v {
		case s.To:
		case s.From:
			left = append(left, s)
		default:
			others = append(others, buffer.Step{Register: s.Register, From: v, To: s.To})
		}
	}
	left, kept := keepCurves(foreignCurves(now, d.before, d.want, steps, others), left)
	d.kept = d.kept || len(kept) > 0
	return left, append(others, kept...)
}

// Undo divides steps that were sent by what the device has now. Of a marking curve that others have changed nothing is
// taken back.
func (d *Registers) Undo(now buffer.Layout, sent []buffer.Step) (undo, others []buffer.Step) {
	back, others := d.Pending(now, grouped.Each(sent, buffer.Step.Inverse))
	return buffer.Diff(now, now.With(back)), others
}

// Apart leaves out the steps of groups and queues in which others have changed a register: their
// registers have to fit each other, such as two thresholds of marking.
func (d *Registers) Apart(undo, others []buffer.Step) []buffer.Step {
	var out []buffer.Step
	for _, s := range undo {
		if !slices.ContainsFunc(others, func(o buffer.Step) bool { return o.Port == s.Port && o.Index == s.Index }) {
			out = append(out, s)
		}
	}
	return out
}

// Restore lists the steps to an earlier reading.
func (d *Registers) Restore(now, before buffer.Layout) []buffer.Step {
	before = d.scope(before)
	return buffer.Diff(d.scope(now), before)
}

// Phases are decreases and then increases, unless the device has transactions.
func (d *Registers) Phases(steps []buffer.Step, restore bool) []Phase[buffer.Step] {
	all := buffer.Phases(steps)
	if d.caps.Transactional && len(steps) > 0 {
		all = [][]buffer.Step{steps}
	}
	out := make([]Phase[buffer.Step], len(all))
	for i, steps := range all {
		out[i] = Phase[buffer.Step]{Number: i + 1, Restore: restore,
			Label: fmt.Sprintf("phase %d of %d on %s", i+1, len(all), d.Name()), Changes: steps}
	}
	return out
}

// Send sends one phase.
func (d *Registers) Send(ctx context.Context, phase Phase[buffer.Step]) error {
	return d.Apply(ctx, phase.Changes)
}

// Confirmer is the Backend, if it is one.
func (d *Registers) Confirmer() Confirmer {
	device, _ := d.Backend.(Confirmer)
	return device
}

// patient is a Backend that may still be at work on an Apply that it did not answer.
type patient interface {
	// Late tells whether the last Apply was not answered.
	Late() bool
	// WaitForAnswer waits before the device is read once more, and tells whether to read it:
	// the time in which it may be at work is not over.
	WaitForAnswer(context.Context) bool
	// Recovery is how long the device may take to be restored after a failure.
	Recovery() time.Duration
}

// Keeps asks a Backend whether it keeps what it holds; one that cannot be asked does.
func (d *Registers) Keeps(ctx context.Context) error {
	if device, ok := d.Backend.(keeping); ok {
		return device.Keeps(ctx)
	}
	return nil
}

// Presumed tells whether a Backend takes its last Apply for made without an answer; one that cannot tell does not.
func (d *Registers) Presumed() bool {
	device, ok := d.Backend.(presuming)
	return ok && device.Presumed()
}

// Settled tells whether the last Apply would change nothing of what a Backend has now; one that cannot tell is taken to
// have made it.
func (d *Registers) Settled(now buffer.Layout) bool {
	device, ok := d.Backend.(settling[buffer.Layout])
	return !ok || device.Settled(now)
}

// Late tells whether the Backend may still be at work; it is not unless it is a Patient.
func (d *Registers) Late() bool {
	device, ok := d.Backend.(patient)
	return ok && device.Late()
}

// Wait waits as a Patient does.
func (d *Registers) Wait(ctx context.Context, _ int) bool {
	device, ok := d.Backend.(patient)
	return ok && device.WaitForAnswer(ctx)
}

// Recovery is a Patient's, or else a minute: a step takes one request.
func (d *Registers) Recovery() time.Duration {
	if device, ok := d.Backend.(patient); ok {
		return device.Recovery()
	}
	return time.Minute
}

// Noun is registers.
func (d *Registers) Noun() string { return "registers" }

// Mismatch counts the steps and names the first.
func (d *Registers) Mismatch(steps []buffer.Step) string {
	return fmt.Sprintf("%d registers, first %v", len(steps), steps[0])
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
