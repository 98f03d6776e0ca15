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
	if err := c.see(ctx); err != nil {
		return err
	}
	if _, err := c.Confirm(ctx); err != nil {
		return err
	}
	if err := c.see(ctx); err != nil { // confirming had to read the switch, and failed to
		return err
	}
	read := func(ctx context.Context) (effect, error) {
		now, err := c.Observe(ctx)
		return c.effectOf(steps, now), err
	}
	send := func(ctx context.Context) error { return c.setLayout(ctx, steps, read) }
	return c.deliver(ctx, c.opt.longestSet(), send, read)
}

// see reads the switch if what it holds is not known.
func (c *Client) see(ctx context.Context) error {
	if c.seen != nil {
		return nil
	}
	_, err := c.Observe(ctx)
	return err
}

// effectOf compares what a switch holds with the steps of a Set. A Set binds a port to a profile, which also replaces
// what is beside the steps on that port.
func (c *Client) effectOf(steps []buffer.Step, now buffer.Layout) effect {
	e := effect{holds: true, untouched: true}
	for _, s := range steps {
		v := now.Value(s.Register)
		e.holds, e.untouched = e.holds && v == s.To, e.untouched && v == s.From
	}
	e.whole = e.holds && now.SameOnPorts(c.leaves, steps)
	return e
}

// Settled tells whether a switch that holds these registers would change nothing if it made the Set of the last Apply
// now: they are all that the Set leaves on its ports.
func (c *Client) Settled(now buffer.Layout) bool { return c.effectOf(c.steps, now).whole }

// setLayout sends the Set that makes the steps, if anything differs. What else the switch holds
// is as it was last read, also where the Set is sent again: others may have changed it since.
func (c *Client) setLayout(ctx context.Context, steps []buffer.Step, read readEffect) error {
	if err := c.see(ctx); err != nil { // it is sent again
		return err
	}
	after := c.seen.Layout().With(steps)
	c.expected, c.leaves, c.steps = &after, after, steps
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
