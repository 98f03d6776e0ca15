package gnmi

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// Apply sends the steps in one Set, which the switch makes as a whole or not at all.
// With Options.Rollback the Set is a commit, which the switch undoes unless it is
// confirmed: see Confirm and Cancel. A further Apply confirms the commit before it.
//
// If the answer does not come, the switch is read until it shows that it made the Set, or
// until the time is over: see Deliver.
func (c *Client) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.seen == nil {
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	if err := c.Confirm(ctx); err != nil {
		return err
	}
	if c.seen == nil { // confirming had to read the switch, and failed to
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	read := func(ctx context.Context) (Effect, error) {
		now, err := c.Observe(ctx)
		return effectOf(steps, now), err
	}
	send := func(ctx context.Context) error { return c.setLayout(ctx, steps, read) }
	return c.deliver(ctx, c.opt.longestSet(), send, read)
}

// effectOf tells which of the steps a switch has made. What else it holds does not count:
// others may have changed it.
func effectOf(steps []buffer.Step, now buffer.Layout) Effect {
	made, untouched := true, true
	for _, s := range steps {
		v := now.Value(s.Register)
		made, untouched = made && v == s.To, untouched && v == s.From
	}
	switch {
	case made:
		return Made
	case untouched:
		return NotMade
	}
	return MadeInPart
}

// setLayout sends the Set that makes the steps, if anything differs. What else the switch holds
// is as it was last read, also where the Set is sent again: others may have changed it since.
func (c *Client) setLayout(ctx context.Context, steps []buffer.Step, read readEffect) error {
	if c.seen == nil { // it is sent again
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	after := c.seen.Layout().With(steps)
	c.expected = &after
	request, err := c.seen.SetRequest(after, &c.original)
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrRefused, err)
	}
	request.Prefix = c.prefix()
	if len(request.GetDelete())+len(request.GetReplace())+len(request.GetUpdate()) == 0 {
		return nil
	}
	return c.setAsCommit(ctx, request, c.setWithin(0), read)
}
