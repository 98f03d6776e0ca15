package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/internal/sleep"
)

// Target is the device of a push that is resumed.
type Target interface {
	// Look reads the device and finds what is left to be done to finish the push, or to undo it. It sends nothing.
	Look(ctx context.Context, p *Push, opt Options) error
	// Run does what is left, and writes it to the journal.
	Run(context.Context, *Writer) error
	// State tells how the device was left.
	State() backend.State
	// CancelCommit has the device undo a commit, and tells whether it did.
	CancelCommit(ctx context.Context, id string) (bool, error)
}

// Options say how a push is resumed.
type Options struct {
	// Undo restores what the device had before the push. Else the push is finished.
	Undo bool
	// Overwrite also changes values that are neither those from before the push nor the planned ones.
	// Else they are left: others have changed them.
	Overwrite bool
	// DryRun finds what is left to be done, and stops. The journal is not continued.
	DryRun bool
	// Allow may refuse what was found, before it is sent; nil: all is allowed.
	Allow func() error
	// Continued is called when the journal can be continued, before the device is asked; nil: it is not.
	Continued func()
	// Later returns the journal of a later push that replaces this one, see Replaces, or nothing; nil: the journals in
	// the directory of the file are searched.
	Later func(*Push) string
	// Open opens the journal to be continued; nil: the file with its name.
	Open func(name string) (continuation, error)
}

// continuation is a journal that is continued: an alias, so that other packages can have one.
type continuation = interface {
	File
	// Lock takes it for this process; ErrUnderWay if another process has it.
	Lock() error
	// Size is its length in bytes.
	Size() (int64, error)
	// Truncate cuts it to a length.
	Truncate(size int64) error
}

// continuedFile is a continuation on the disk of this machine.
type continuedFile struct{ *os.File }

func openToContinue(name string) (continuation, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	return continuedFile{f}, err
}

func (f continuedFile) Lock() error { return lockFile(f.File, false) }

func (f continuedFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Resume finishes or undoes a push that was interrupted: it continues the journal, has the device undo the commit that
// waits, looks what is left to be done, and does that. State tells afterwards how the device was left. A push that is
// still under way is not resumed: see ErrUnderWay. Before anything is sent the error may be a *ContinueError, a
// backend.ErrCommitWaits, or that of Options.Allow.
func (p *Push) Resume(ctx context.Context, t Target, opt Options) error {
	if opt.DryRun {
		return t.Look(ctx, p, opt)
	}
	if opt.Later == nil {
		opt.Later = (*Push).later
	}
	if name := opt.Later(p); name != "" && !opt.Overwrite {
		return &ContinueError{fmt.Errorf("nothing was sent: %w: %s", ErrLater, name)}
	}
	if opt.Open == nil {
		opt.Open = openToContinue
	}
	w, err := p.resume(opt)
	if err != nil {
		return err
	}
	if opt.Continued != nil {
		opt.Continued()
	}
	undone, looked, err := p.cancelAndLook(ctx, t, opt)
	if err != nil {
		// It may have cancelled the commit, or may still, unless it refused.
		if p.State = backend.Unknown; errors.Is(err, backend.ErrRefused) && !undone {
			p.State = backend.Unchanged
			err = p.endsEarly(err)
		}
		return w.End(p.State, err)
	}
	if err = looked; err == nil && !undone && !opt.Undo {
		err = p.unnamed(ctx, t)
	}
	if err == nil && opt.Allow != nil {
		err = opt.Allow()
	}
	if err == nil {
		err = t.Run(ctx, w)
	}
	switch p.State = t.State(); {
	case err != nil && (undone || mayHaveCancelled(t)):
		err = p.cancelledFirst(t, looked, err, undone)
	case looked != nil:
		err = p.endsEarly(err)
	case p.State == backend.Unchanged && err == nil && (undone || mayHaveCancelled(t)):
		p.State = backend.Applied // the cancellation has left nothing to be done
	}
	return w.End(p.State, err)
}

// mayHaveCancelled tells whether a device may have undone a commit although CancelCommit says no.
func mayHaveCancelled(t Target) bool {
	d, ok := t.(interface{ MayHaveCancelled() bool })
	return ok && d.MayHaveCancelled()
}

// endsEarly makes the state of a resumption that has sent nothing unknown, if it ends while the device may still make a
// Set that it did not answer, and says so with the error.
func (p *Push) endsEarly(err error) error {
	why := p.unsettled(time.Now())
	if why == nil {
		return err
	}
	p.State = backend.Unknown
	return fmt.Errorf("%w; %w", err, why)
}

// Keep ends a push whose last commit waits, and whose values are all that the device is to have: it continues the
// journal, and confirm has the device keep the commit. State tells afterwards how the device was left: applied, or
// unknown after an error. Of the Options it uses Open. Before confirm is called the error is a *ContinueError.
func (p *Push) Keep(opt Options, confirm func() error) error {
	if opt.Open == nil {
		opt.Open = openToContinue
	}
	w, err := p.resume(opt)
	if err != nil {
		return err
	}
	p.State = backend.Applied
	if err = w.write(Record{Kind: kindConfirm}); err == nil {
		err = confirm()
	}
	if err != nil {
		p.State = backend.Unknown
	}
	return w.End(p.State, err)
}

// cancelAndLook has the device undo the commit that waits, and finds the changes that are left. The device may make a
// phase that it did not answer while it is read, after the cancellation: then its commit waits, and is cancelled as
// well.
func (p *Push) cancelAndLook(ctx context.Context, t Target, opt Options) (undone bool, looked, err error) {
	if undone, err = p.cancel(ctx, t); err != nil {
		return undone, nil, err
	}
	looked = t.Look(ctx, p, opt)
	if looked != nil || len(p.unanswered) == 0 {
		return undone, looked, nil
	}
	again, err := p.cancel(ctx, t)
	if err == nil && again {
		undone, p.unanswered, p.Sending, p.Pending = true, nil, nil, nil // it is no longer at work
		looked = t.Look(ctx, p, opt)
	}
	return undone, looked, err
}

// errUnnamed says that a commit waits on a device, and that the journal does not name the commit. A disk that has lost
// lines of the journal causes this, and so does another client.
var errUnnamed = fmt.Errorf("%w: it is not in the journal, or the configuration of the switch is locked: want resume "+
	"when no commit waits", backend.ErrCommitWaits)

// unnamed refuses to finish a push whose values a commit may undo that the journal does not name: the journal has no
// phase that was sent, or the device says that another commit waits, or does not answer when it is asked.
func (p *Push) unnamed(ctx context.Context, t Target) error {
	device, ok := t.(interface {
		Made() bool
		CommitWaits(context.Context) error
	})
	if p.Within == 0 || p.began && len(p.Commits) == 0 || !ok || !device.Made() {
		return nil
	}
	switch err := device.CommitWaits(ctx); {
	case err == nil:
		return nil
	case errors.Is(err, backend.ErrCommitWaits):
		return errUnnamed
	default:
		return fmt.Errorf("no value was sent: %w: want resume again", err)
	}
}

// cancelledFirst is the error of a resumption that had the device cancel a commit and then failed. Unchanged, refused
// and rolled back compare with the values after the cancellation, and not with those from before the resumption, so
// that the State is partial.
func (p *Push) cancelledFirst(t Target, looked, err error, undone bool) error {
	switch p.State {
	case backend.Unchanged, backend.Refused, backend.RolledBack:
		if p.State = backend.Partial; looked != nil {
			p.State = backend.Unknown
		}
		if t, ok := t.(interface{ Unmade(backend.State) }); ok && looked == nil {
			t.Unmade(p.State)
		}
	}
	if !undone {
		return fmt.Errorf("%w; a commit of this push may have been cancelled before", err)
	}
	return fmt.Errorf("%w; a commit of this push was cancelled before", err)
}

// ContinueError says that a push is not resumed and nothing was sent, because its journal cannot be continued.
type ContinueError struct{ Err error }

// Error says why.
func (e *ContinueError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ContinueError) Unwrap() error { return e.Err }

// errContinued says that a journal was continued after it was read.
var errContinued = errors.New("another process continued this push in the meantime: compare the switch with drift, " +
	"or resume again")

// ErrLater says that a later push to the same device has begun since.
var ErrLater = errors.New("a later push to this switch has a journal of its own, and its values would be replaced: " +
	"want resume that one, or overwrite")

// resume opens the journal to be continued, unless the push is under way.
func (p *Push) resume(opt Options) (*Writer, error) {
	to, err := opt.Open(p.File)
	if err != nil {
		return nil, &ContinueError{fmt.Errorf("nothing was sent, because the journal cannot be continued: %w", err)}
	}
	w := &Writer{file: to, schema: p.Start.Schema, sum: p.sum}
	if err = to.Lock(); err == nil {
		err = p.same(to)
	}
	if err == nil {
		err = w.write(Record{Kind: kindResumed, Who: whoAmI(), Undo: opt.Undo})
	}
	if err != nil {
		return nil, errors.Join(&ContinueError{fmt.Errorf("nothing was sent: %s: %w", p.File, err)}, to.Close())
	}
	return w, nil
}

// same refuses a journal that was continued since it was read, and takes off what
// was cut off, which must not run into what follows.
func (p *Push) same(to continuation) error {
	size, err := to.Size()
	switch {
	case err != nil:
		return err
	case size != p.size:
		return errContinued
	case p.Torn:
		return to.Truncate(p.whole)
	}
	return nil
}

// cancel has the device undo the commit that was left waiting, if one was: while it waits, every other Set is refused.
// It is the last, or the one before if the push was killed when that was to be confirmed.
func (p *Push) cancel(ctx context.Context, t Target) (undone bool, err error) {
	for _, id := range p.Commits[:min(2, len(p.Commits))] {
		if undone, err := t.CancelCommit(ctx, id); undone || err != nil {
			return undone, err
		}
	}
	return false, nil
}

// Registers is a Backend whose push of registers is resumed: what the push was to change, and nothing else.
type Registers struct {
	Backend backend.Backend
	Report  *backend.Report // never nil after Look
	// Longest is how long one Set may take. If the push was interrupted while a Set was not answered, the device is given
	// that long to show that it was at work on it. 0: it is not waited for.
	Longest time.Duration
	// Pause waits between two readings of a device that may be at work; nil: it sleeps.
	Pause func(context.Context, time.Duration) error

	push *backend.Convergence
	made bool // the device has a planned value of a push that is finished
}

// Look finds the steps that are left. A dry run does not wait for a device that may be at work.
func (r *Registers) Look(ctx context.Context, p *Push, opt Options) (err error) {
	r.Report = &backend.Report{Device: r.Backend.Name(), State: backend.Unchanged, Has: backend.NotRead}
	if !opt.DryRun {
		if err := r.awaitPhase(ctx, p); err != nil {
			return err
		}
	}
	r.push, err = backend.LookAgain(ctx, r.Backend, p.Steps, backend.Resume{Undo: opt.Undo, Overwrite: opt.Overwrite,
		Before: p.Before})
	r.Report = r.push.Report
	r.made = !opt.Undo && len(r.Report.Steps)+len(r.Report.Others) < len(p.Steps)
	return err
}

// awaitPhase reads the device until it has made the phase that it did not answer, or until the time is
// over in which it may be at work on it.
func (r *Registers) awaitPhase(ctx context.Context, p *Push) error {
	pause := r.Pause
	if pause == nil {
		pause = sleep.For
	}
	left := p.AtWork(time.Now(), r.Longest)
	if left <= 0 {
		return nil
	}
	all := p.Unanswered()
	last := all[len(all)-1] // a device makes one after the other
	for wait := 100 * time.Millisecond; left > 0; wait = min(2*wait, 5*time.Second) {
		now, err := r.Backend.Observe(ctx)
		if err != nil || last.Made(now) {
			return err
		}
		if err := pause(ctx, min(left, wait)); err != nil {
			return err
		}
		left -= wait
	}
	return nil
}

// Made tells whether the device has a planned value of a push that is finished.
func (r *Registers) Made() bool { return r.made }

// CommitWaits asks the device whether a commit waits to be confirmed: a backend.ErrCommitWaits. None does if the device
// has no commits.
func (r *Registers) CommitWaits(ctx context.Context) error {
	if device, ok := r.Backend.(interface{ CommitWaits(context.Context) error }); ok {
		return device.CommitWaits(ctx)
	}
	return nil
}

// Unmade reports a state in which none of the steps that are left is made: they are the differences.
func (r *Registers) Unmade(s backend.State) { r.Report.State, r.Report.Differences = s, r.Report.Steps }

// Run sends them.
func (r *Registers) Run(ctx context.Context, w *Writer) error {
	r.push.Observer = w.Registers()
	return r.push.Run(ctx)
}

// State is the Report's.
func (r *Registers) State() backend.State {
	if r.Report == nil {
		return backend.Unchanged
	}
	return r.Report.State
}

// CancelCommit has the device undo a commit, where it has commits.
func (r *Registers) CancelCommit(ctx context.Context, id string) (bool, error) {
	if device, ok := r.Backend.(interface {
		CancelCommit(context.Context, string) (bool, error)
	}); ok {
		return device.CancelCommit(ctx, id)
	}
	return false, nil
}

// MayHaveCancelled tells whether the Backend may have undone a commit although CancelCommit says no.
func (r *Registers) MayHaveCancelled() bool {
	d, ok := r.Backend.(interface{ MayHaveCancelled() bool })
	return ok && d.MayHaveCancelled()
}
