package pushworld

import (
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
)

// brokenDevice is a device whose push breaks a rule.
type brokenDevice[R, C any] struct {
	backend.Device[R, C]
	op     *operation
	before R
}

// Pending is what a phase still has to change. A push that does not look takes all of it.
func (d *brokenDevice[R, C]) Pending(now R, changes []C) (left, others []C) {
	left, others = d.Device.Pending(now, changes)
	if d.op.broken == UndoOwn {
		return append(left, others...), nil
	}
	return left, others
}

// Undo is what leads back. A push that does not know its own changes takes all back that differs.
func (d *brokenDevice[R, C]) Undo(now R, sent []C) (undo, others []C) {
	if d.op.broken == UndoOwn {
		return d.Device.Restore(now, d.before), nil
	}
	return d.Device.Undo(now, sent)
}

// Keeps asks whether a commit waits, unless the push does not ask.
func (d *brokenDevice[R, C]) Keeps(ctx context.Context) error {
	m, ok := d.op.target.machine.(*openConfig)
	if d.op.broken == KeepsIsAsked || d.op.broken == OthersCommits && ok && m.pending == foreignID {
		return nil
	}
	return keeps(ctx, d.Device)
}

// keeps asks a device whether it keeps what it holds.
func keeps(ctx context.Context, device any) error {
	if d, ok := device.(interface{ Keeps(context.Context) error }); ok {
		return d.Keeps(ctx)
	}
	return nil
}

// Keeps asks whether a commit waits.
func (h halfCurves) Keeps(ctx context.Context) error { return keeps(ctx, h.Device) }

// Keeps asks whether a commit waits.
func (p partialPlan) Keeps(ctx context.Context) error { return keeps(ctx, p.Device) }

// Presumed tells what the device does, unless the push does not ask.
func (d *brokenDevice[R, C]) Presumed() bool {
	return d.op.broken != KeepsIsAsked && presumed(d.Device)
}

func presumed(device any) bool {
	d, ok := device.(interface{ Presumed() bool })
	return ok && d.Presumed()
}

// Presumed tells what the device does.
func (h halfCurves) Presumed() bool { return presumed(h.Device) }

// Presumed tells what the device does.
func (p partialPlan) Presumed() bool { return presumed(p.Device) }

// Confirmer may confirm where nothing can be confirmed.
func (d *brokenDevice[R, C]) Confirmer() backend.Confirmer {
	c := d.Device.Confirmer()
	if d.op.broken == NoCommitNoAnswer && c != nil && d.op.job.how.rollback > 0 {
		return stubborn{c, d.op.target.quirks.commits}
	}
	return c
}

// stubborn confirms although the switch said that it does not know the extension.
type stubborn struct {
	backend.Confirmer
	commits commitQuirk
}

func (s stubborn) Confirm(ctx context.Context) (waited bool, err error) {
	if waited, err := s.Confirmer.Confirm(ctx); err != nil || s.commits != commitsUnimplemented {
		return waited, err
	}
	return false, status.Error(codes.Unimplemented, "unsupported extension")
}

// same finds steps of the register of another.
func same(s buffer.Step) func(buffer.Step) bool {
	return func(o buffer.Step) bool { return o.Register == s.Register }
}

// halfCurves is a device whose push takes back what is its own of a marking curve, whatever others have changed of it.
type halfCurves struct {
	backend.Device[buffer.Layout, buffer.Step]
}

// Undo adds the values of this push that were kept.
func (h halfCurves) Undo(now buffer.Layout, sent []buffer.Step) (undo, others []buffer.Step) {
	undo, others = h.Device.Undo(now, sent)
	for _, s := range sent {
		if now.Value(s.Register) == s.To && !slices.ContainsFunc(undo, same(s)) {
			undo = append(undo, s.Inverse())
		}
	}
	return undo, others
}

// Pending adds the changes that were kept.
func (h halfCurves) Pending(now buffer.Layout, changes []buffer.Step) (left, others []buffer.Step) {
	left, others = h.Device.Pending(now, changes)
	for _, s := range changes {
		if now.Value(s.Register) == s.From && !slices.ContainsFunc(left, same(s)) {
			left = append(left, s)
			others = slices.DeleteFunc(others, same(s))
		}
	}
	return left, others
}

// partialPlan is a native device whose push compares no more than what it has to send.
type partialPlan struct {
	backend.Device[native.Trees, native.Change]
	sent []native.Change // what it has to send
}

// Diff leaves out what was as planned when the push began.
func (p partialPlan) Diff(now native.Trees) []native.Change {
	return slices.DeleteFunc(p.Device.Diff(now), func(c native.Change) bool {
		return !slices.ContainsFunc(p.sent, func(s native.Change) bool { return s.Path == c.Path })
	})
}
