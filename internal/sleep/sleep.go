// Package sleep waits on the machine's clock, as long as a context allows.
package sleep

import (
	"context"
	"time"
)

// For waits for a duration. The error is that of the context, if it ends before.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
