package backend

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// State is the state in which a push left a device.
type State string

// The states a device is left in.
const (
	Unchanged  State = "unchanged"   // it has what it had; nothing was sent
	Applied    State = "applied"     // it has the plan, as read back
	Refused    State = "refused"     // it refused, or nothing reached it; it has what it had, as read back
	RolledBack State = "rolled back" // something was applied and undone; it has what it had, as read back
	Partial    State = "partial"     // it has neither the plan nor what it had
	Unknown    State = "unknown"     // it can no longer be read, or may still be at work
)

// ErrMismatch says that a device took every change and then had other values.
var ErrMismatch = errors.New("read back differs from what was written")

// Device is a device and a plan for it, as a Push needs them. R is a reading of
// the device and C one change of it: package backend has registers in cells,
// package native has paths with JSON values.
type Device[R, C any] interface {
	// Name is the name of the device in reports.
	Name() string
	// Read reads everything that the plan is about.
	Read(context.Context) (R, error)
	// Diff lists the changes from a reading to the plan, in the order in which
	// they are sent.
	Diff(now R) []C
	// Restore lists the changes from a reading to an earlier one, as far as the
	// push may have changed something.
	Restore(now, before R) []C
	// Phases divides changes into what is sent together, in the order in which it
	// is sent. If restore is true, the changes are those of Restore.
	Phases(changes []C, restore bool) []Phase[C]
	// Send sends one phase. An error that wraps ErrRefused says that the device
	// changed nothing; after any other error the engine reads the device.
	Send(context.Context, Phase[C]) error
	// Confirmer returns how changes are confirmed; nil if the device has no
	// commit-confirmed.
	Confirmer() Confirmer
	// Late tells whether the device may still be at work on changes that it did
	// not answer in time.
	Late() bool
	// Wait waits after so many readings that show no effect of a late answer, 1 or
	// more, and tells whether to read once more.
	Wait(ctx context.Context, readings int) bool
	// Recovery is how long the device may take to be restored after a failure.
	// Restoring does not end with the caller's context: to leave a device half
	// changed is worse than to end late.
	Recovery() time.Duration
	// Noun says what a change is of, in the plural: "registers".
	Noun() string
	// Mismatch says what a device had after it took the changes, as far as it is not
	// the plan: "2 registers, first …".
	Mismatch(differences []C) string
}

// Phase is changes that are sent together.
type Phase[C any] struct {
	// Number is 1 or more. What is restored may have the number of the phase that
	// changed it.
	Number  int
	Restore bool
	Label   string // for errors: "phase 1 of 2 on leaf1"
	Changes []C
	Commit  string // ID of the commit that the device undoes unless it is confirmed; empty: none
}

// Observer sees what a push does before and after it is done: a journal.
type Observer[R, C any] interface {
	// Begin comes before the first phase. After an error nothing is sent.
	Begin(before R, changes []C) error
	// Sending comes before a phase is sent. After an error the phase is not sent.
	Sending(Phase[C]) error
	// Sent comes after a phase, with the error of Send. Its own error fails the
	// phase.
	Sent(Phase[C], error) error
	// Confirming comes before a commit is confirmed. After an error it is not
	// confirmed.
	Confirming() error
	// Cancelling comes before a commit is cancelled.
	Cancelling()
}

// Push brings a device to a plan: it sends the changes phase by phase, reads
// back, compares, and confirms. After any error it reads the device and restores
// what it finds changed. Its State is what was read, whatever the device
// answered.
type Push[R, C any] struct {
	Device   Device[R, C]
	Observer Observer[R, C] // nil: none
	State    State
	Changes  []C // from what the device had to the plan, in order
	// Differences are what was found after the changes were sent, if it was not the
	// plan: the changes from there to the plan, or to what the device had if it
	// could not be restored.
	Differences []C

	before R
}

// Compare makes a push of a device that has been read. It sends nothing.
func Compare[R, C any](d Device[R, C], before R) *Push[R, C] {
	return &Push[R, C]{Device: d, State: Unchanged, Changes: d.Diff(before), before: before}
}

// Run sends the changes. The State tells how the device was left; the error
// tells why it does not have the plan.
func (p *Push[R, C]) Run(ctx context.Context) error {
	if len(p.Changes) == 0 {
		return nil
	}
	if p.Observer != nil {
		if err := p.Observer.Begin(p.before, p.Changes); err != nil {
			return p.recover(ctx, err)
		}
	}
	if err := p.send(ctx, p.Changes, false); err != nil {
		return p.recover(ctx, err)
	}
	now, err := p.Device.Read(ctx)
	if err != nil {
		return p.recover(ctx, fmt.Errorf("reading back %s: %w", p.Device.Name(), err))
	}
	p.Differences = p.Device.Diff(now)
	if len(p.Differences) > 0 {
		return p.recover(ctx, fmt.Errorf("%w: %s", ErrMismatch, p.Device.Mismatch(p.Differences)))
	}
	if err := p.confirm(ctx); err != nil {
		return p.recover(ctx, err)
	}
	p.State = Applied
	return nil
}

// send sends changes phase by phase, up to the first error.
func (p *Push[R, C]) send(ctx context.Context, changes []C, restore bool) error {
	for _, phase := range p.Device.Phases(changes, restore) {
		if err := p.sendPhase(ctx, phase); err != nil {
			return fmt.Errorf("%s: %w", phase.Label, err)
		}
	}
	return nil
}

func (p *Push[R, C]) sendPhase(ctx context.Context, phase Phase[C]) error {
	if p.Observer == nil {
		return p.Device.Send(ctx, phase)
	}
	if c, ok := p.Device.Confirmer().(interface{ NextCommit() string }); ok {
		phase.Commit = c.NextCommit()
	}
	if err := p.Observer.Sending(phase); err != nil {
		return err
	}
	err := p.Device.Send(ctx, phase)
	if unwritten := p.Observer.Sent(phase, err); unwritten != nil {
		return errors.Join(err, unwritten)
	}
	return err
}

// confirm makes the device keep what was sent and read back.
func (p *Push[R, C]) confirm(ctx context.Context) error {
	device := p.Device.Confirmer()
	if device == nil {
		return nil
	}
	var err error
	if p.Observer != nil {
		err = p.Observer.Confirming()
	}
	if err == nil {
		err = device.Confirm(ctx)
	}
	if err != nil {
		return fmt.Errorf("confirming the commit on %s: %w", p.Device.Name(), err)
	}
	return nil
}

// cancel has the device undo what was not confirmed.
func (p *Push[R, C]) cancel(ctx context.Context) (undone bool, err error) {
	device := p.Device.Confirmer()
	if device == nil {
		return false, nil
	}
	if p.Observer != nil {
		p.Observer.Cancelling()
	}
	return device.Cancel(ctx)
}

// settled reads a device after a failure. A device that did not answer in time
// gets more time to show that it was still at work.
func (p *Push[R, C]) settled(ctx context.Context) (R, error) {
	for readings := 1; ; readings++ {
		now, err := p.Device.Read(ctx)
		if err != nil || !p.Device.Late() || len(p.Device.Restore(now, p.before)) > 0 || !p.Device.Wait(ctx, readings) {
			return now, err
		}
	}
}

// recover reads the device after a failure, whatever the failure was, and
// restores what it finds changed: first what the device can undo by itself, and
// then the rest. It alone decides the State after a failure.
func (p *Push[R, C]) recover(ctx context.Context, cause error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), p.Device.Recovery())
	defer stop()
	name := p.Device.Name()
	undone, err := p.cancel(ctx)
	if err != nil {
		cause = errors.Join(cause, fmt.Errorf("cancelling the commit on %s: %w", name, err))
	}
	now, err := p.settled(ctx)
	if err != nil {
		return p.end(Unknown, cause, fmt.Errorf("the state of %s is unknown, because it cannot be read: %w", name, err))
	}
	var failed error
	changed := p.Device.Restore(now, p.before)
	if len(changed) > 0 {
		undone = true
		failed = p.send(ctx, changed, true)
		if now, err = p.Device.Read(ctx); err != nil {
			return p.end(Unknown, cause, failed, fmt.Errorf("the state of %s is unknown after undoing: %w", name, err))
		}
		if left := p.Device.Restore(now, p.before); len(left) > 0 {
			p.Differences = left
			return p.end(Partial, cause, failed,
				fmt.Errorf("%s still has %d %s without their previous values", name, len(left), p.Device.Noun()))
		}
	}
	switch {
	case p.Device.Late():
		return p.end(Unknown, cause,
			fmt.Errorf("%s holds its previous values, but may still be working on a Set that it did not answer", name))
	case len(changed) > 0:
		if err := p.confirm(ctx); err != nil {
			return p.end(Unknown, cause, failed, fmt.Errorf("%s holds its previous values, but they are not confirmed: %w", name,
				err))
		}
	}
	if undone {
		return p.end(RolledBack, cause)
	}
	return p.end(Refused, cause)
}

// end sets the State after a failure.
func (p *Push[R, C]) end(s State, why ...error) error {
	p.State = s
	if len(why) == 1 {
		return why[0]
	}
	return errors.Join(why...)
}
