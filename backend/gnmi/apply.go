package gnmi

import (
	"context"
	"fmt"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// Apply makes the steps in one Set, which a switch takes as a whole or not at
// all. With Options.Rollback the switch is to undo it unless it is confirmed:
// see Confirm and Cancel; a further Apply confirms the one before. Where phases are sent apart, Apply reads back what the Set left, and a
// difference is a backend.ErrMismatch.
//
// If the answer is lost, the switch is read. If it holds what was sent, the Set
// arrived and Apply has succeeded. If it holds what it held before and the
// connection was lost, the Set is sent again. After a deadline it is not: the
// switch may still be at work on it, and no read can show that it is not.
func (c *Client) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.seen == nil {
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	if err := c.Confirm(ctx); err != nil {
		return err
	}
	if c.seen == nil { // the confirmation had to look
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	before := c.seen.Layout()
	after := before.With(steps)
	c.expected = &after
	answered := false
	err := c.deliver(ctx, func(ctx context.Context) error {
		err := c.setLayout(ctx, after)
		answered = err == nil
		return err
	}, func(ctx context.Context) (Effect, error) {
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

// compare reads back what a Set left.
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

// setLayout sends what makes a layout of what was seen.
func (c *Client) setLayout(ctx context.Context, after buffer.Layout) error {
	request, err := c.seen.SetRequest(after, &c.original)
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrRefused, err)
	}
	request.Prefix = c.prefix()
	if len(request.GetDelete())+len(request.GetReplace())+len(request.GetUpdate()) == 0 {
		return nil
	}
	c.seen = nil // whatever comes back, what was read no longer holds
	return c.commit(ctx, request, c.sendSet, func(ctx context.Context) (bool, error) {
		now, err := c.Observe(ctx)
		return slices.Equal(now, after), err
	})
}

// commit sends a Set, as a commit where Commits says so.
func (c *Client) commit(ctx context.Context, request *gpb.SetRequest, send func(context.Context, *gpb.SetRequest) error, holds func(context.Context) (bool, error)) error {
	if !c.Commits() {
		return c.failure("Set", send(ctx, request))
	}
	return c.commits.set(ctx, request, send, holds)
}

// sendSet sends a Set, once.
func (c *Client) sendSet(ctx context.Context, request *gpb.SetRequest) error {
	_, err := attempt(ctx, c.session, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, request, c.opt.limits()...)
	})
	return err
}
