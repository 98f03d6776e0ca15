package gnmi

import (
	"cmp"
	"context"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Requests that the caller builds: package native sends paths and values of vendors' models with them.

// Get sends a GetRequest with the client's deadline, limits and credentials, and
// sends it again as Options.Retry says. Its error is an *RPCError.
func (s *session) Get(ctx context.Context, request *gpb.GetRequest) (*gpb.GetResponse, error) {
	answer, err := retried(ctx, s, func(ctx context.Context) (*gpb.GetResponse, error) {
		return s.stub.Get(ctx, request)
	})
	return answer, s.failure("Get", err)
}

// Set sends a SetRequest once. longest is its deadline; 0: Options.SetTimeout. Its error is an *RPCError. Unless that
// is a backend.ErrRefused, the Set may have been made: the caller has to read the switch. If it is a
// backend.ErrUnanswered, the switch may still be at work on it.
func (c *Client) Set(ctx context.Context, request *gpb.SetRequest, longest time.Duration) error {
	return c.failure("Set", c.setWithin(longest)(ctx, request))
}

// setWithin returns what sends a Set once, with this deadline; 0: Options.SetTimeout.
func (c *Client) setWithin(longest time.Duration) sendingSet {
	return func(ctx context.Context, request *gpb.SetRequest) error {
		c.seen = nil // from here on the switch may hold something else, whatever it answers
		_, err := c.setOnce(ctx, request, cmp.Or(longest, c.opt.longestSet()))
		return err
	}
}

// setOnce sends a Set once, with its deadline.
func (s *session) setOnce(ctx context.Context, request *gpb.SetRequest, longest time.Duration) (*gpb.SetResponse,
	error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	s.sets++
	return s.stub.Set(ctx, request)
}

// Sets is how many Sets the client has sent, with those that ask whether a commit waits and change nothing.
func (c *Client) Sets() int { return c.sets }
