// Package sleep waits on the machine's clock, as long as a context allows, and tells by it what is no longer new.
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

// soon is how long after a question what is read counts as read at the same time.
const soon = 2 * time.Second

// Fresh asks something of a device and reads it after that. If the reading took so long that the answer may no longer
// be true, it does both again, twice at most. The error is the first.
func Fresh(ask, read func() error) error {
	for again := 2; ; again-- {
		if err := ask(); err != nil {
			return err
		}
		asked := time.Now()
		if err := read(); err != nil || again == 0 || time.Since(asked) <= soon {
			return err
		}
	}
}
