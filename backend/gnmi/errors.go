package gnmi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
)

// ErrInexpressible says that OpenConfig has no words for a value.
var ErrInexpressible = errors.New("openconfig cannot express it")

// RPCError is what a switch, or the way to it, answered in place of a result.
// A Set that the switch refused is a backend.ErrRefused; one for which it had
// no cells is a buffer.ErrNoFit as well.
type RPCError struct {
	Target  string // the client's name
	RPC     string // Capabilities, Get or Set
	Code    codes.Code
	Message string // the switch's own words
	Secured bool   // Dial made the connection, with TLS
	cause   error
}

// failure makes an RPCError of what gRPC returned; nil stays nil.
func (c *Client) failure(rpc string, err error) error {
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	return &RPCError{Target: c.name, RPC: rpc, Code: s.Code(), Message: s.Message() + c.hint(s), Secured: c.secured, cause: err}
}

// hint says what a connection that breaks off may mean. With TLS 1.3 a switch
// refuses a certificate after the client has begun to speak, and the client may
// then see a broken pipe in place of the reason.
func (c *Client) hint(s *status.Status) string {
	if c.secured && s.Code() == codes.Unavailable && (strings.Contains(s.Message(), "broken pipe") || strings.Contains(s.Message(), "connection reset")) {
		return " (a switch that wants a client certificate, or does not accept ours, breaks off like this)"
	}
	return ""
}

// refusals are the codes with which a switch says that it changed nothing.
// After any other a Set may have been made: the answer can be lost.
var refusals = []codes.Code{codes.ResourceExhausted, codes.InvalidArgument, codes.NotFound, codes.Unimplemented,
	codes.FailedPrecondition, codes.PermissionDenied, codes.Unauthenticated}

// refused tells whether a switch refused a Set. gRPC itself uses
// ResourceExhausted for messages that are too long, in either direction, and
// begins the text with its name: that is no word of the switch.
func (e *RPCError) refused() bool {
	return e.RPC == "Set" && slices.Contains(refusals, e.Code) && !strings.HasPrefix(e.Message, "grpc: ")
}

// Error says who answered what.
func (e *RPCError) Error() string {
	switch {
	case e.refused():
		return fmt.Sprintf("%s refused the Set and changed nothing (%v): %s", e.Target, e.Code, e.Message)
	case e.RPC == "Set":
		return fmt.Sprintf("%s: whether the Set was made is unknown (%v): %s", e.Target, e.Code, e.Message)
	default:
		return fmt.Sprintf("%s: %s failed (%v): %s", e.Target, e.RPC, e.Code, e.Message)
	}
}

// Is makes a refused Set a backend.ErrRefused, and a buffer.ErrNoFit where
// resources ran out; and a Subscribe that the switch has not a
// backend.ErrNotReported.
func (e *RPCError) Is(target error) bool {
	if target == backend.ErrNotReported {
		return e.RPC == "Subscribe" && (e.Code == codes.Unimplemented || e.Code == codes.InvalidArgument)
	}
	return e.refused() && (target == backend.ErrRefused || target == buffer.ErrNoFit && e.Code == codes.ResourceExhausted)
}

// Unwrap returns gRPC's error.
func (e *RPCError) Unwrap() error { return e.cause }
