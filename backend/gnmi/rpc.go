package gnmi

import (
	"cmp"
	"context"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

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

// SetCommit is Set that asks the switch to undo the Set unless it is confirmed,
// where Commits says so: see Confirm and Cancel. A commit that is sent again keeps its
// ID. holds tells whether the switch has what the Set makes, for a confirmation whose
// answer is lost.
func (c *Client) SetCommit(ctx context.Context, request *gpb.SetRequest, longest time.Duration, holds func(context.Context) (bool, error)) error {
	return c.commit(ctx, request, c.setWithin(longest), holds)
}

// CommitArrived tells the client that the Set of the commit that waits has arrived,
// though its answer was lost.
func (c *Client) CommitArrived(ctx context.Context) { c.commits.prove(ctx) }

// Profile is what is known of the switch; nil: nothing yet.
func (c *Client) Profile() *profile.Profile { return c.profile }

// WaitToRetry waits after so many failed tries, 1 or more, and tells whether to try
// once more, as Options.Retry says.
func (c *Client) WaitToRetry(ctx context.Context, failed int) bool {
	return failed < c.opt.Retry.attempts() && c.opt.Retry.pause(ctx, failed) == nil
}
