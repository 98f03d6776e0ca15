package gnmi

import (
	"context"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
)

// Effect is what a Set has changed on a switch.
type Effect int

// The effects.
const (
	NotMade    Effect = iota // the switch has what it had before
	MadeInPart               // it has neither what it had before nor what the Set makes
	Made                     // it has what the Set makes
)

// Deliver sends a SetRequest until it is known whether the Set was made, or cannot be
// known. With Commits the Set is a commit, which the switch undoes unless it is
// confirmed: see Confirm and Cancel. longest is the deadline of one attempt; 0:
// Options.Timeout. read reads the switch and returns what the Set has changed.
//
// If the answer is lost, the switch is read. If the Set was made, Deliver has
// succeeded. If nothing of it was made and the connection was lost, the Set is sent
// again. After a deadline it is not sent again: the switch may still be making the
// changes, and no read can rule that out. The error is an *RPCError. Unless that is a
// backend.ErrRefused, the caller has to read the switch.
func (c *Client) Deliver(ctx context.Context, request *gpb.SetRequest, longest time.Duration, read readEffect) error {
	holds := func(ctx context.Context) (bool, error) {
		effect, err := read(ctx)
		return effect == Made, err
	}
	send := func(ctx context.Context) error {
		return c.setAsCommit(ctx, request, c.setWithin(longest), holds)
	}
	return c.deliver(ctx, send, read)
}

// readEffect reads the switch and returns what a Set has changed.
type readEffect = func(context.Context) (Effect, error)

// setAsCommit sends a Set, as a commit if Commits.
func (c *Client) setAsCommit(ctx context.Context, request *gpb.SetRequest, send sendingSet, holds holding) error {
	if !c.Commits() {
		return c.failure("Set", send(ctx, request))
	}
	return c.commits.set(ctx, request, send, holds)
}

// deliver is Deliver of a Set that send makes and sends.
func (c *Client) deliver(ctx context.Context, send func(context.Context) error, read readEffect) error {
	for failed := 1; ; failed++ {
		err := send(ctx)
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		effect, unread := read(ctx)
		switch {
		case unread != nil:
			return err
		case effect == Made:
			c.commits.prove(ctx)
			return nil
		case codeOf(err) != codes.Unavailable || effect != NotMade || !c.WaitToRetry(ctx, failed):
			return err
		}
	}
}
