package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// This file ends a push that could not be finished: it waits for the device, undoes what the push
// wrote, and states what the device holds.

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

// settling is a Device that knows what its last Send leaves beside the changes. That others have given these their
// values does not show that the device has made them: Settled tells whether that Send would change nothing of what the
// device has now.
type settling[R any] interface{ Settled(now R) bool }

// settled tells whether a device has made all of the phase that was sent last.
func (p *Push[R, C]) settled(now R) bool {
	left, others := p.Device.Pending(now, p.flight)
	d, ok := p.Device.(settling[R])
	return len(left)+len(others) == 0 && (!ok || d.Settled(now))
}

// readAfterFailure reads a device after a failure. A device that did not answer in time gets more time to show that it
// was still at work. Once it has made all of the phase, it is no longer at work.
func (p *Push[R, C]) readAfterFailure(ctx context.Context) (R, error) {
	for readings := 1; ; readings++ {
		now, err := p.Device.Read(ctx)
		if err == nil && p.late {
			p.late = !p.settled(now)
		}
		if !p.late || !p.Device.Wait(ctx, readings) {
			p.late = p.late && p.Device.Late() // it may be over without an effect
			return now, err
		}
	}
}

// recover reads the device after a failure, whatever the failure was, and takes back what it sent: first what the
// device can undo by itself, and then the rest. It alone decides the State after a failure.
func (p *Push[R, C]) recover(ctx context.Context, cause error) error {
	if !p.tried {
		return cause // nothing was sent
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), p.Device.Recovery())
	defer stop()
	name := p.Device.Name()
	p.Has = NotRead
	now, err := p.readAfterFailure(ctx)
	undone := p.made
	if p.Device.Confirmer() != nil {
		var changed []C
		if err == nil {
			changed, _ = p.Device.Undo(now, p.sent)
		}
		cancelled, failed := p.cancel(ctx)
		if failed != nil {
			cause = errors.Join(cause, fmt.Errorf("cancelling the commit on %s: %w", name, failed))
		}
		undone = undone || cancelled || len(changed) > 0
		p.late = p.late && p.Device.Late() // no more if it has undone the Set that it did not answer
		// The values of a Set that was not answered may be another client's: a cancellation that was not answered either
		// may have come before it.
		p.late = p.late || failed != nil && p.presumed()
		now, err = p.Device.Read(ctx)
	}
	if err != nil {
		return p.end(Unknown, cause, fmt.Errorf("the state of %s is unknown, because it cannot be read: %w", name, err))
	}
	stillLate := p.late
	var unsent, unconfirmed error
	if undo, others := p.Device.Undo(now, p.sent); len(undo) > 0 {
		undone = true
		if p.beside || len(others) > 0 || errors.Is(cause, ErrOthers) {
			cause = errors.Join(cause, p.alike(undo))
		}
		unsent = p.takeBack(ctx, undo, others)
		if p.late {
			now, err = p.readAfterFailure(ctx)
		} else {
			now, err = p.Device.Read(ctx)
		}
		// The device may have undone the undoing, and others may have changed it while it was watched.
		if err == nil {
			if unconfirmed = p.confirm(ctx); unconfirmed != nil || p.waited {
				now, err = p.Device.Read(ctx)
			}
		}
		if err != nil {
			p.Has = NotRead // whatever was read before
			return p.end(Unknown, cause, unsent, unconfirmed,
				fmt.Errorf("the state of %s is unknown after undoing: %w", name, err))
		}
	}
	p.late = p.late || stillLate
	return p.judge(now, undone, cause, unsent, unconfirmed)
}

// alike names what is taken back while another client is at work: a value that both have written is not told apart, and
// is not taken back without a word.
func (p *Push[R, C]) alike(undo []C) error {
	return fmt.Errorf("what this push wrote to %s is taken back, and another client that wrote the same values does not "+
		"have them any more: compare them with that client's plan: %s", p.Device.Name(), p.Device.Mismatch(undo))
}

// apart is a Device that knows which changes do not depend on values that others changed.
type apart[C any] interface {
	Apart(undo, others []C) []C
}

// takeBack sends what gives the previous values back. If the device refuses it, because it does not
// go together with what others changed, what does not depend on that is sent alone.
func (p *Push[R, C]) takeBack(ctx context.Context, undo, others []C) error {
	err := p.send(ctx, undo, true)
	device, ok := p.Device.(apart[C])
	if !ok || !errors.Is(err, ErrRefused) || len(others) == 0 {
		return err
	}
	if rest := device.Apart(undo, others); len(rest) > 0 && len(rest) < len(undo) {
		err = errors.Join(err, p.send(ctx, rest, true))
	}
	return err
}

// judge decides the State after a failure, from the last reading.
func (p *Push[R, C]) judge(now R, undone bool, cause, unsent, unconfirmed error) error {
	name, noun := p.Device.Name(), p.Device.Noun()
	ours, _ := p.Device.Undo(now, p.sent)
	refused := 0 // changes of a phase that were refused, and are there now
	if p.denied {
		left, others := p.Device.Pending(now, p.flight)
		refused = len(p.flight) - len(left) - len(others)
	}
	back := p.look(now)
	if len(back) > 0 {
		p.Differences = back
	}
	switch {
	case p.late:
		return p.end(Unknown, cause, unsent,
			fmt.Errorf("%s holds %s, but may still be working on a Set that it did not answer", name, p.hasText()))
	case unconfirmed != nil:
		return p.end(Unknown, cause, unsent, fmt.Errorf("%s holds %s, but they are not confirmed: %w", name, p.hasText(),
			unconfirmed))
	case len(ours) > 0:
		return p.end(Partial, cause, unsent,
			fmt.Errorf("%s still has %d %s without their previous values", name, len(back), noun))
	case len(back) > 0 && len(p.sent) > 0:
		return p.end(Partial, cause, p.leaves(back))
	case refused > 0:
		return p.end(Partial, cause, fmt.Errorf("%s holds what it refused, because a proxy sent the Set twice, or because "+
			"another client wrote the same: %d of %d %s", name, refused, len(p.flight), noun))
	case undone:
		return p.end(RolledBack, cause)
	case len(p.Left) > 0: // what was refused may not go together with what others changed
		return p.end(Partial, cause, p.leaves(p.Left))
	default:
		return p.end(Refused, cause)
	}
}

// noting is a Device that can say why it leaves what it could change.
type noting interface{ Note() string }

// leaves says what others have changed and what is left because of it.
func (p *Push[R, C]) leaves(left []C) error {
	note := ""
	if d, ok := p.Device.(noting); ok {
		note = d.Note()
	}
	return fmt.Errorf("%w, and left on %s: %s%s", ErrOthers, p.Device.Name(), p.Device.Mismatch(left), note)
}

// end sets the State after a failure.
func (p *Push[R, C]) end(s State, why ...error) error {
	p.State = s
	if len(why) == 1 {
		return why[0]
	}
	return errors.Join(why...)
}

// hasText says what the device had when it was read last.
func (p *Push[R, C]) hasText() string { return cmp.Or(p.Words[p.Has], string(p.Has)) }
