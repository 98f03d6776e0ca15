package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/internal/sleep"
)

// State is the state in which a push left a device.
type State string

// The states a device is left in.
const (
	Unchanged  State = "unchanged"   // nothing was sent
	Applied    State = "applied"     // it has the plan, as read back
	Refused    State = "refused"     // it refused, or nothing reached it: this push changed nothing, as read back
	RolledBack State = "rolled back" // something was applied and undone; it has its previous values, as read back
	Partial    State = "partial"     // it does not have its previous values, as read back; Content says what it has
	Unknown    State = "unknown"     // it can no longer be read, or may still be at work
)

// Content is what a device had when it was read last, compared with the plan and with what it had before the push.
type Content string

// The contents.
const (
	HasPlan    Content = "the plan"
	HasBefore  Content = "the previous values"
	HasNeither Content = "neither the plan nor the previous values"
	NotRead    Content = "unknown" // the last reading failed, or nothing was read after a Set
)

// ErrMismatch says that a device took every change and then had other values.
var ErrMismatch = errors.New("read back differs from what was written")

// ErrUnanswered says that a device did not answer in time, or that the connection was
// lost meanwhile: it may still be at work on a phase.
var ErrUnanswered = errors.New("the device did not answer")

// ErrOthers says that values have changed which the push was about, and that the push did
// not change them: another client did, or the device by itself. They are left.
var ErrOthers = errors.New("changed by another client, or by the device itself")

// ErrCommitWaits says that a commit waits to be confirmed which this push did not send: another push did, or an earlier
// one that was interrupted. What the device holds, it may undo when the time of that commit is over.
var ErrCommitWaits = errors.New("a commit waits to be confirmed, and the device undoes it unless it is confirmed in " +
	"time")

// Device is a device and a plan for it, as a Push needs them. R is a reading of the device and C one change of it:
// package backend has registers in cells, package native has paths with JSON values.
type Device[R, C any] interface {
	// Name is the name of the device in reports.
	Name() string
	// Read reads everything that the plan is about.
	Read(context.Context) (R, error)
	// Diff lists the changes from a reading to the plan, in the order in which they are sent.
	Diff(now R) []C
	// Restore lists what leads from a reading back to an earlier one, in all that the
	// plan is about. The push names what others changed by it, and sends none of it.
	Restore(now, before R) []C
	// Pending divides changes that are to be sent by what the device has now: left are those to be made, from the value in
	// the reading; others are those whose value is neither the previous nor the planned one. Those that are made already
	// are in neither.
	Pending(now R, changes []C) (left, others []C)
	// Undo divides changes that were sent by what the device has now: undo gives the previous values back, in the order in
	// which they are sent, where the device still has what was sent; others are those for which it has another value.
	Undo(now R, sent []C) (undo, others []C)
	// Phases divides changes into what is sent together, in the order in which it
	// is sent. If restore is true, the changes are those of Undo.
	Phases(changes []C, restore bool) []Phase[C]
	// Send sends one phase. An error that wraps ErrRefused says that the device
	// changed nothing; after any other error the engine reads the device.
	Send(context.Context, Phase[C]) error
	// Confirmer returns how changes are confirmed; nil if the device has no commit-confirmed.
	Confirmer() Confirmer
	// Late tells whether the device may still be at work on changes that it did not answer in time.
	Late() bool
	// Wait waits after the n-th reading that shows no effect of a late answer, n
	// from 1 on, and tells whether to read once more.
	Wait(ctx context.Context, readings int) bool
	// Recovery is how long the device may take to be restored after a failure. Restoring does not end with the caller's
	// context: to leave a device half changed is worse than to end late.
	Recovery() time.Duration
	// Noun says what a change is of, in the plural: "registers".
	Noun() string
	// Mismatch says what a device had after it took the changes, as far as it is not the plan: "2 registers, first …".
	Mismatch(differences []C) string
}

// Phase is changes that are sent together.
type Phase[C any] struct {
	// Number is 1 or more. What is restored may have the number of the phase that changed it.
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
	// Sent comes after a phase, with the error of Send. Its own error fails the phase.
	Sent(Phase[C], error) error
	// Confirming comes before a commit is confirmed. After an error it is not confirmed.
	Confirming() error
	// Cancelling comes before a commit is cancelled.
	Cancelling()
}

// Push brings a device to a plan. Before each phase it reads the device again: it sends the phase only if what the
// phase changes is as it was when the push began, and if the phases before it are still in place. Then it reads back,
// compares, and confirms. After any error it reads the device and takes back what it sent, where the device still has
// that. What others changed meanwhile is named and left. The State is what was read, whatever the device answered.
type Push[R, C any] struct {
	Device   Device[R, C]
	Observer Observer[R, C] // nil: none
	State    State
	Has      Content // what the device had when it was read last
	Changes  []C     // from what the device had to the plan, in order
	// Differences are what was found after the changes were sent, if it was not the plan: the changes from there to the
	// plan, or to what the device had if it could not be restored.
	Differences []C
	// Others are what others changed of all that the plan is about, each as the change back to the value before the push.
	Others []C

	// Words are what contents are called in errors, of a push that compares with something else than a plan: see
	// Resume.Words. nil: as they are.
	Words map[Content]string

	// Left are changes that are not made, because others changed the values that they begin from:
	// those of a push that is resumed. They are among the Others.
	Left []C

	before R
	sent   []C  // of the plan, unless the device refused them
	tried  bool // a phase was sent
	made   bool // the device was read, and had a phase that was sent
	flight []C  // the phase that was sent last
	late   bool // the device may still be at work on it
	denied bool // the device refused it
	beside bool // changes were made that this push had not sent: another client is at work
	waited bool // a commit was confirmed so long after its Set that others may have changed the device
}

// Compare makes a push of a device that has been read. It sends nothing.
func Compare[R, C any](d Device[R, C], before R) *Push[R, C] {
	p := &Push[R, C]{Device: d, State: Unchanged, Has: HasBefore, Changes: d.Diff(before), before: before}
	if len(p.Changes) == 0 {
		p.Has = HasPlan
	}
	return p
}

// Run sends the changes. The State tells how the device was left; the error tells why it does not have the plan.
func (p *Push[R, C]) Run(ctx context.Context) error {
	if len(p.Changes) == 0 {
		return p.keep(ctx, p.State)
	}
	if p.Observer != nil {
		if err := p.Observer.Begin(p.before, p.Changes); err != nil {
			return err // nothing was sent
		}
	}
	if err := p.send(ctx, p.Changes, false); err != nil {
		return p.recover(ctx, err)
	}
	now, err := p.read(ctx)
	if err != nil {
		return p.recover(ctx, fmt.Errorf("reading back %s: %w", p.Device.Name(), err))
	}
	if err := p.compare(now); err != nil {
		p.look(now)
		return p.recover(ctx, err)
	}
	p.made = true
	if err := p.confirm(ctx); err != nil {
		return p.recover(ctx, err)
	}
	if err := p.compareOnce(ctx); err != nil {
		return p.recover(ctx, err)
	}
	p.Has = HasPlan
	if !p.tried || p.beside || p.presumed() { // others may have made what was to be sent, perhaps by a commit that waits
		return p.keep(ctx, Applied)
	}
	return p.done(Applied)
}

// read reads the device. After a reading that failed it is not known what the device has, whatever an earlier one
// showed.
func (p *Push[R, C]) read(ctx context.Context) (R, error) {
	now, err := p.Device.Read(ctx)
	if err != nil {
		p.Has = NotRead
	}
	return now, err
}

// keeping is a Device that can be asked whether it keeps what it holds: the error says why not, and wraps
// ErrCommitWaits.
type keeping interface{ Keeps(context.Context) error }

// presuming is a Device that tells whether the last phase counts as made because the device holds it, without an
// answer.
type presuming interface{ Presumed() bool }

func (p *Push[R, C]) presumed() bool {
	d, ok := p.Device.(presuming)
	return ok && d.Presumed()
}

// keep ends a push that has sent nothing. A device that takes a Set shows that no commit waits; one to which nothing
// was sent is asked, and read after that: another client may have begun a commit since it was read, and a Set of an
// earlier push that the device was at work on is made before it answers.
func (p *Push[R, C]) keep(ctx context.Context, s State) error {
	if d, ok := p.Device.(keeping); ok {
		err := sleep.Fresh(func() error {
			if err := d.Keeps(ctx); err != nil {
				return p.end(Unknown, err)
			}
			return nil
		}, func() error { return p.readAgain(ctx) })
		if err != nil {
			return err
		}
	}
	return p.done(s)
}

// readAgain reads the device and compares it with the plan.
func (p *Push[R, C]) readAgain(ctx context.Context) error {
	now, err := p.read(ctx)
	if err != nil {
		return p.recover(ctx, fmt.Errorf("reading %s again: %w", p.Device.Name(), err))
	}
	if err := p.compare(now); err != nil {
		p.look(now)
		return p.recover(ctx, err)
	}
	return nil
}

// done ends a push that has made all of its changes.
func (p *Push[R, C]) done(s State) error {
	if len(p.Left) == 0 {
		p.State = s
		return nil
	}
	p.Has, p.Others = HasNeither, p.Left
	return p.end(Partial, p.leaves(p.Left))
}

// compareOnce reads and compares once more where the confirmation has taken so long that others may
// have changed the device.
func (p *Push[R, C]) compareOnce(ctx context.Context) error {
	if !p.waited {
		return nil
	}
	now, err := p.read(ctx)
	if err != nil {
		return fmt.Errorf("reading %s after the confirmation: %w", p.Device.Name(), err)
	}
	return p.compare(now)
}

// compare compares a reading with the plan.
func (p *Push[R, C]) compare(now R) error {
	if p.Differences = p.Device.Diff(now); len(p.Differences) == 0 {
		return nil
	}
	if !p.tried { // others have made all that was to be sent, and something else
		return fmt.Errorf("%w since it was read: %s", ErrOthers, p.Device.Mismatch(p.Differences))
	}
	return fmt.Errorf("%w: %s", ErrMismatch, p.Device.Mismatch(p.Differences))
}

// send sends changes phase by phase, up to the first error.
func (p *Push[R, C]) send(ctx context.Context, changes []C, restore bool) error {
	for _, phase := range p.Device.Phases(changes, restore) {
		if err := p.renew(ctx, &phase); err != nil {
			return fmt.Errorf("%s was not sent: %w", phase.Label, err)
		}
		if len(phase.Changes) == 0 {
			continue
		}
		if err := p.sendPhase(ctx, phase); err != nil {
			return fmt.Errorf("%s: %w", phase.Label, err)
		}
	}
	return nil
}

// renew prepares a phase. The commit of the phase before it is confirmed first, which may take the device long: others
// may change it meanwhile, and what they have changed is not to be sent by what was read before.
func (p *Push[R, C]) renew(ctx context.Context, phase *Phase[C]) error {
	if err := p.prepare(ctx, phase); err != nil || len(phase.Changes) == 0 || !p.tried {
		return err
	}
	c, ok := p.Device.Confirmer().(interface {
		Confirmer
		NextCommit() string
	})
	if !ok || c.NextCommit() == "" {
		return nil
	}
	if _, err := c.Confirm(ctx); err != nil {
		return err
	}
	return p.prepare(ctx, phase)
}

// prepare reads the device before a phase, and leaves out of the phase what is made already. A phase of the plan is not
// sent if others have changed what it changes, or if an earlier phase is no longer in place. A phase that restores
// leaves what others have changed.
func (p *Push[R, C]) prepare(ctx context.Context, phase *Phase[C]) error {
	now, err := p.read(ctx)
	if err != nil {
		return fmt.Errorf("reading %s: %w", p.Device.Name(), err)
	}
	p.Has = p.has(now, p.Device.Restore(now, p.before))
	left, others := p.Device.Pending(now, phase.Changes)
	made := len(phase.Changes) - len(left) - len(others)
	phase.Changes = left
	if phase.Restore {
		return nil
	}
	p.beside = p.beside || made > 0
	if undone, changed := p.Device.Pending(now, p.sent); len(undone)+len(changed) > 0 {
		p.Differences = append(undone, changed...)
		return fmt.Errorf("%w: %s", ErrMismatch, p.Device.Mismatch(p.Differences))
	}
	p.made = len(p.sent) > 0
	if len(others) > 0 {
		p.look(now)
		return fmt.Errorf("%w since they were read: %s", ErrOthers, p.Device.Mismatch(others))
	}
	return nil
}

// look compares a reading with the plan and with what the device had, and returns what leads back.
func (p *Push[R, C]) look(now R) []C {
	back := p.Device.Restore(now, p.before)
	ours, _ := p.Device.Undo(now, p.sent)
	p.Has = p.has(now, back)
	if p.Others = p.Left; len(ours) == 0 {
		p.Others = append(slices.Clone(p.Left), back...)
	}
	return back
}

// has compares a reading with the plan and with what the device had. back is what leads back to that.
func (p *Push[R, C]) has(now R, back []C) Content {
	switch {
	case len(back) == 0:
		return HasBefore
	case len(p.Device.Diff(now)) == 0:
		return HasPlan
	default:
		return HasNeither
	}
}

func (p *Push[R, C]) sendPhase(ctx context.Context, phase Phase[C]) error {
	if p.Observer == nil {
		return p.transmit(ctx, phase)
	}
	if c, ok := p.Device.Confirmer().(interface{ NextCommit() string }); ok {
		phase.Commit = c.NextCommit()
	}
	if err := p.Observer.Sending(phase); err != nil {
		return err
	}
	err := p.transmit(ctx, phase)
	if unwritten := p.Observer.Sent(phase, err); unwritten != nil {
		return errors.Join(err, unwritten)
	}
	return err
}

// transmit sends a phase and keeps what may have been changed by it: all of it, unless the device refused it.
func (p *Push[R, C]) transmit(ctx context.Context, phase Phase[C]) error {
	err := p.Device.Send(ctx, phase)
	p.tried, p.flight, p.late = true, phase.Changes, err != nil && p.Device.Late()
	p.denied = !phase.Restore && !p.late && errors.Is(err, ErrRefused)
	if !phase.Restore && (p.late || !errors.Is(err, ErrRefused)) {
		p.sent = append(p.sent, phase.Changes...)
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
		p.waited, err = device.Confirm(ctx)
	}
	if err != nil {
		return fmt.Errorf("confirming the commit on %s: %w", p.Device.Name(), err)
	}
	return nil
}
