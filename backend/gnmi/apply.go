package gnmi

import (
	"context"
	"fmt"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// Apply sends the steps in one Set, which the switch makes as a whole or not at all.
// With Options.Rollback the Set is a commit, which the switch undoes unless it is
// confirmed: see Confirm and Cancel. A further Apply confirms the commit before it.
// Where each phase is a Set of its own, Apply reads back what the switch holds, and
// a difference is a backend.ErrMismatch.
//
// If the answer is lost, the switch is read to find out whether the Set was made, and
// the Set is sent again if it was not: see Deliver.
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
	before := c.seen.Layout()
	after := before.With(steps)
	c.expected = &after
	answered := false
	send := func(ctx context.Context) error {
		err := c.setLayout(ctx, after)
		answered = err == nil
		return err
	}
	err := c.deliver(ctx, send, func(ctx context.Context) (Effect, error) {
		now, err := c.Observe(ctx)
		switch {
		case slices.Equal(now, after):
			return Made, err
		case slices.Equal(now, before):
			return NotMade, err
		}
		return MadeInPart, err
	})
	if answered && c.phased() {
		return c.compare(ctx, after)
	}
	return err
}

// compare reads back what the switch holds after a Set.
func (c *Client) compare(ctx context.Context, after buffer.Layout) error {
	now, err := c.Observe(ctx)
	if err != nil {
		return err
	}
	if wrong := buffer.Diff(now, after); len(wrong) > 0 {
		return fmt.Errorf("%w: %d registers, first %v", backend.ErrMismatch, len(wrong), wrong[0])
	}
	return nil
}

// setLayout sends the Set that makes the switch hold a layout, if anything differs.
func (c *Client) setLayout(ctx context.Context, after buffer.Layout) error {
	request, err := c.seen.SetRequest(after, &c.original)
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrRefused, err)
	}
	request.Prefix = c.prefix()
	if len(request.GetDelete())+len(request.GetReplace())+len(request.GetUpdate()) == 0 {
		return nil
	}
	c.seen = nil // from here on the switch may hold something else, whatever it answers
	return c.setAsCommit(ctx, request, c.sendSet, func(ctx context.Context) (bool, error) {
		now, err := c.Observe(ctx)
		return slices.Equal(now, after), err
	})
}

// sendSet sends a Set once: only a read tells whether it may be sent again.
func (c *Client) sendSet(ctx context.Context, request *gpb.SetRequest) error {
	_, err := attempt(ctx, c.session, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, request, c.opt.limits()...)
	})
	return err
}
