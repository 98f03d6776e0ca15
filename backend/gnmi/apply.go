package gnmi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// Apply sends the steps in one Set, which the switch makes as a whole or not at all.
// With Options.Rollback the Set is a commit, which the switch undoes unless it is
// confirmed: see Confirm and Cancel. A further Apply confirms the commit before it.
// Where each phase is a Set of its own, Apply reads back what the switch holds, and
// a difference is a backend.ErrMismatch.
//
// If the answer is lost, the switch is read. If it holds what was sent, the Set
// arrived and Apply has succeeded. If it holds what it held before and the
// connection was lost, the Set is sent again. After a deadline it is not sent again:
// the switch may still be making the changes, and no read can rule that out.
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
	c.commits.after, c.expected = after, &after
	for failed := 1; ; failed++ {
		err := c.setLayout(ctx, after)
		if err == nil && c.phased() {
			return c.compare(ctx, after)
		}
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		now, unread := c.Observe(ctx)
		switch {
		case unread != nil:
			return err
		case slices.Equal(now, after):
			c.commits.prove(ctx)
			return nil
		case codeOf(err) != codes.Unavailable || !slices.Equal(now, before) || failed >= c.opt.Retry.attempts():
			return err
		}
		if c.opt.Retry.pause(ctx, failed) != nil {
			return err
		}
	}
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
	fresh := c.commits.attach(request)
	err = c.sendSet(ctx, request)
	if codeOf(err) == codes.Unimplemented && request.Extension != nil && c.commits.support == supportUnknown {
		c.log.Info("the switch has no commit-confirmed", "target", c.name)
		c.commits.support, request.Extension = unsupported, nil
		err = c.sendSet(ctx, request)
	}
	failed := c.failure("Set", err)
	if fresh && errors.Is(failed, backend.ErrRefused) {
		c.commits.pending = "" // a Set that is refused begins no commit
	} else if failed == nil {
		c.commits.prove(ctx)
	}
	return failed
}

// sendSet sends a Set once: only a read tells whether it may be sent again.
func (c *Client) sendSet(ctx context.Context, request *gpb.SetRequest) error {
	_, err := attempt(ctx, c.session, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, request, c.opt.limits()...)
	})
	return err
}
