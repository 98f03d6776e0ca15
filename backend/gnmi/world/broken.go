package world

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
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

// Undo is what leads back. A push that does not know its own changes takes all back that
// differs.
func (d *brokenDevice[R, C]) Undo(now R, sent []C) (undo, others []C) {
	if d.op.broken == UndoOwn {
		return d.Device.Restore(now, d.before), nil
	}
	return d.Device.Undo(now, sent)
}

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

func (s stubborn) Confirm(ctx context.Context) error {
	if err := s.Confirmer.Confirm(ctx); err != nil || s.commits != commitsUnimplemented {
		return err
	}
	return status.Error(codes.Unimplemented, "unsupported extension")
}
