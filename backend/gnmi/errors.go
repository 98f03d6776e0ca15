package gnmi

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// RPCError is a failed RPC: the switch answered an error, or could not be reached. A Set that the switch refused is a
// backend.ErrRefused; one for which it had no cells is a buffer.ErrNoFit as well.
type RPCError struct {
	Target  string // the client's name
	RPC     string // Capabilities, Get, Set or Subscribe
	Code    codes.Code
	Message string // as the switch sent it
	Secured bool   // Dial made the connection, with TLS
	cause   error
}

// refusals are the codes after which a Set has changed nothing. After any other
// code it may have been made, because the answer can be lost.
var refusals = []codes.Code{codes.ResourceExhausted, codes.InvalidArgument, codes.NotFound, codes.Unimplemented,
	codes.FailedPrecondition, codes.PermissionDenied, codes.Unauthenticated}

// refused tells whether the switch refused a Set. gRPC itself answers ResourceExhausted to messages that are too long,
// in either direction, and begins the text with its name: that error does not come from the switch.
func (e *RPCError) refused() bool {
	return e.RPC == "Set" && slices.Contains(refusals, e.Code) && !strings.HasPrefix(e.Message, "grpc: ")
}

// Error prints the switch, what failed, and the message. Whether a Set was made is not a matter of its error, but for
// one that the switch refused: it is known when the switch has been read.
func (e *RPCError) Error() string {
	switch {
	case e.refused():
		return fmt.Sprintf("%s refused the Set and changed nothing (%v)%s", e.Target, e.Code, e.said())
	case e.RPC == "Set" && unanswered(e.cause):
		return fmt.Sprintf("%s did not answer the Set (%v)%s", e.Target, e.Code, e.said())
	default:
		return fmt.Sprintf("%s: %s failed (%v)%s", e.Target, e.RPC, e.Code, e.said())
	}
}

// said returns the message with its lines indented and its control characters escaped: a line of a switch must not look
// like a line of this program. sonic-gnmi can send an empty one.
func (e *RPCError) said() string {
	if strings.TrimSpace(e.Message) == "" {
		return " without a reason"
	}
	return ": " + strings.ReplaceAll(fielderr.Printable(e.Message), "\n", "\n  ")
}

// Is makes a refused Set a backend.ErrRefused, a buffer.ErrNoFit where resources ran out, and one whose answer did not
// come a backend.ErrUnanswered. A Subscribe that the switch does not implement is a backend.ErrNotReported.
func (e *RPCError) Is(target error) bool {
	if target == backend.ErrNotReported {
		return e.RPC == "Subscribe" && (e.Code == codes.Unimplemented || e.Code == codes.InvalidArgument)
	}
	if target == backend.ErrUnanswered {
		return e.RPC == "Set" && unanswered(e.cause)
	}
	return e.refused() && (target == backend.ErrRefused || target == buffer.ErrNoFit && e.Code == codes.ResourceExhausted)
}

// Unwrap returns gRPC's error.
func (e *RPCError) Unwrap() error { return e.cause }

// unimplemented tells whether a switch does not implement an RPC, or this form of it.
func unimplemented(err error) bool {
	refused, ok := err.(*RPCError)
	return ok && refused.Code == codes.Unimplemented
}

// codeOf is the code of a gRPC error, or OK.
func codeOf(err error) codes.Code { return status.Convert(err).Code() }
