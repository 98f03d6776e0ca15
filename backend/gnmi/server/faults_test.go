package server_test

import (
	"context"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// broken is a device that takes nothing while it has an error.
type broken struct {
	*sim.ASIC
	err error
}

func (b *broken) Apply(ctx context.Context, steps []buffer.Step) error {
	if b.err != nil {
		return b.err
	}
	return b.ASIC.Apply(ctx, steps)
}
