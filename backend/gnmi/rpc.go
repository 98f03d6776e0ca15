package gnmi

import (
	"cmp"
	"context"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
)

// Get sends a Get that the caller has made, with the client's deadline, limits
// and credentials, and again as Options.Retry says. Its error is an *RPCError.
func (c *Client) Get(ctx context.Context, request *gpb.GetRequest) (*gpb.GetResponse, error) {
	answer, err := retried(ctx, c.session, func(ctx context.Context) (*gpb.GetResponse, error) {
		return c.stub.Get(ctx, request, c.opt.limits()...)
	})
	return answer, c.failure("Get", err)
}

// Set sends a Set that the caller has made, once. It may take so long; 0: as
// long as any request. Its error is an *RPCError, after which the caller has to
// look, unless it is a backend.ErrRefused.
func (c *Client) Set(ctx context.Context, request *gpb.SetRequest, longest time.Duration) error {
	return c.failure("Set", c.setWithin(longest)(ctx, request))
}

// setWithin sends a Set, once. It may take so long.
func (c *Client) setWithin(longest time.Duration) func(context.Context, *gpb.SetRequest) error {
	return func(ctx context.Context, request *gpb.SetRequest) error {
		c.seen = nil // what was read no longer holds
		ctx, cancel := context.WithTimeout(c.opt.identified(ctx), cmp.Or(longest, c.opt.Timeout, defaultTimeout))
		defer cancel()
		_, err := c.stub.Set(ctx, request, c.opt.limits()...)
		return c.opt.Password.hideError(err)
	}
}

// Effect is what a Set has changed on a switch.
type Effect int

// The effects.
const (
	NotMade    Effect = iota // the switch has what it had
	MadeInPart               // it has neither
	Made                     // it has what the Set makes
)

// Deliver sends a Set that the caller has made. With Commits the switch undoes it
// unless it is confirmed: see Confirm and Cancel. One attempt may take so long; 0: as
// long as any request. look reads the switch and says what the Set has changed.
//
// If the answer is lost, Deliver looks. If the Set was made, Deliver has succeeded. If
// nothing of it was made and the connection was lost, the Set is sent again. After a
// deadline it is not: the switch may still be at work on it, and no read can show that
// it is not. Its error is an *RPCError, after which the caller has to look, unless it
// is a backend.ErrRefused.
func (c *Client) Deliver(ctx context.Context, request *gpb.SetRequest, longest time.Duration, look func(context.Context) (Effect, error)) error {
	holds := func(ctx context.Context) (bool, error) {
		effect, err := look(ctx)
		return effect == Made, err
	}
	return c.deliver(ctx, func(ctx context.Context) error { return c.commit(ctx, request, c.setWithin(longest), holds) }, look)
}

// deliver sends until it is known what became of it, or cannot be known.
func (c *Client) deliver(ctx context.Context, send func(context.Context) error, look func(context.Context) (Effect, error)) error {
	for failed := 1; ; failed++ {
		err := send(ctx)
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		effect, unread := look(ctx)
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

// Profile is what is known of the switch; nil: nothing yet.
func (c *Client) Profile() *profile.Profile { return c.profile }

// WaitToRetry waits after so many failed tries, 1 or more, and tells whether to try
// once more, as Options.Retry says.
func (c *Client) WaitToRetry(ctx context.Context, failed int) bool {
	return failed < c.opt.Retry.attempts() && c.opt.Retry.pause(ctx, failed) == nil
}
