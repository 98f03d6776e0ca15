package gnmi

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
)

// session sends RPCs to one switch: each with a deadline, and those that change nothing again if they fail.
type session struct {
	conn    *connection
	stub    gpb.GNMIClient // on conn
	opt     Options
	name    string // of the switch, in reports and errors
	secured bool   // Dial made the connection, with TLS
	log     *slog.Logger
	sets    int // Sets that were sent
}

// prefix marks the paths of a request as OpenConfig's.
func (s *session) prefix() *gpb.Path {
	p := &gpb.Path{Target: s.opt.Target}
	if !s.opt.NoOrigin {
		p.Origin = "openconfig"
	}
	return p
}

// retried sends a request that changes nothing, and sends it again as Options.Retry
// says when the failure may pass. Each attempt has the whole timeout.
func retried[T any](ctx context.Context, s *session, send func(context.Context) (T, error)) (T, error) {
	for failed := 1; ; failed++ {
		answer, err := attempt(ctx, s, send)
		if err == nil || !passing(err) || ctx.Err() != nil || asked.Once(ctx) || !s.opt.Retry.again(ctx, failed) {
			return answer, err
		}
	}
}

// attempt sends a request once, with its deadline.
func attempt[T any](ctx context.Context, s *session, send func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.shortest())
	defer cancel()
	return send(ctx)
}

// failure makes an RPCError of what gRPC returned; nil stays nil.
func (s *session) failure(rpc string, err error) error {
	if err == nil {
		return nil
	}
	st := status.Convert(err)
	return &RPCError{Target: s.name, RPC: rpc, Code: st.Code(), Message: st.Message() + s.hint(st),
		Secured: s.secured, cause: err}
}

// hint adds to an error what a broken connection may mean. With TLS 1.3 a switch refuses a certificate after the client
// has begun to send, and the client may then get a broken pipe instead of the reason.
func (s *session) hint(st *status.Status) string {
	if s.secured && st.Code() == codes.Unavailable && says(st, "broken pipe", "connection reset") {
		return " (a switch that wants a client certificate, or does not accept ours, breaks off like this)"
	}
	return ""
}

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
