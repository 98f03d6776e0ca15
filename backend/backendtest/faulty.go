package backendtest

import (
	"context"
	"errors"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// ErrFault is the fault of a device that misbehaves on order.
var ErrFault = errors.New("injected fault")

// Faulty is a device that misbehaves on order. Calls are counted from 1; 0 means never.
type Faulty struct {
	backend.Backend

	FailApply    int                               // this Apply fails and changes nothing
	WriteAndFail int                               // this Apply is done, and an error is returned all the same
	DieAt        int                               // this Apply is done, and the device never answers again
	Twist        func(buffer.Layout) buffer.Layout // what Observe makes of the truth after the first Apply

	applies int
	dead    bool
}

// Apply fails as ordered.
func (f *Faulty) Apply(ctx context.Context, steps []buffer.Step) error {
	if f.dead {
		return ErrFault
	}
	f.applies++
	if f.applies == f.FailApply {
		return ErrFault
	}
	err := f.Backend.Apply(ctx, steps)
	if f.applies == f.DieAt {
		f.dead = true
	}
	if f.dead || f.applies == f.WriteAndFail {
		return ErrFault
	}
	return err
}

// Observe fails when the device is dead, and changes what was read with Twist.
func (f *Faulty) Observe(ctx context.Context) (buffer.Layout, error) {
	if f.dead {
		return nil, ErrFault
	}
	l, err := f.Backend.Observe(ctx)
	if f.Twist != nil && f.applies > 0 {
		l = f.Twist(l)
	}
	return l, err
}

// Applies returns how often the device was written to.
func (f *Faulty) Applies() int { return f.applies }
