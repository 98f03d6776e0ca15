package gnmi

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/sleep"
)

// Retry says how often a request that changes nothing is sent when the switch cannot be reached or does not answer in
// time. The zero Retry sends it four times in all, with about a second and a half of waiting.
//
// gRPC's own retry policy is not used, because its one deadline is for all attempts
// together: a switch that does not answer would get one attempt only.
type Retry struct {
	// Attempts is the number of attempts, the first one included. 0: 4.
	Attempts int
	// First is the wait before the second attempt. Each further wait is twice as long,
	// up to Longest, plus or minus a random fifth. 0: 200 milliseconds.
	First time.Duration
	// Longest is the longest wait. 0: 5 seconds.
	Longest time.Duration
	// Wait waits for a duration, or returns the context's error. nil: a timer.
	Wait func(context.Context, time.Duration) error
}

// connecting makes gRPC connect again as often as requests are retried. gRPC's own
// waits are up to two minutes, even if the switch is back earlier.
func (r Retry) connecting() grpc.ConnectParams {
	first, longest := r.waits()
	const patience = 20 * time.Second // gRPC's default
	waits := backoff.Config{BaseDelay: first, Multiplier: 2, Jitter: 0.2, MaxDelay: longest}
	return grpc.ConnectParams{Backoff: waits, MinConnectTimeout: patience}
}

// waits returns the first wait and the longest.
func (r Retry) waits() (first, longest time.Duration) {
	return cmp.Or(r.First, 200*time.Millisecond), cmp.Or(r.Longest, 5*time.Second)
}

// pause waits after the failed attempt with this number, from 1 on.
func (r Retry) pause(ctx context.Context, failed int) error {
	first, longest := r.waits()
	d := longest
	if failed < 20 { // beyond, the shift could overflow
		d = min(longest, first<<(failed-1))
	}
	d += time.Duration((rand.Float64()*0.4 - 0.2) * float64(d))
	return r.wait(ctx, d)
}

// again waits after the failed attempt with this number, and tells whether there is another one.
func (r Retry) again(ctx context.Context, failed int) bool {
	return failed < cmp.Or(r.Attempts, 4) && r.pause(ctx, failed) == nil
}

// wait waits for a duration.
func (r Retry) wait(ctx context.Context, d time.Duration) error {
	if r.Wait != nil {
		return r.Wait(ctx, d)
	}
	return sleep.For(ctx, d)
}

// passing tells whether a failure may pass by itself. gRPC answers UNAVAILABLE also when one side does not accept the
// certificate of the other, which does not pass. gRPC has no code for that case, so the text of its error is compared.
func passing(err error) bool {
	if errors.Is(err, errNotComplete) {
		return true
	}
	switch s := status.Convert(err); s.Code() {
	case codes.Unavailable:
		return !says(s, "authentication handshake failed", "remote error: tls:")
	case codes.DeadlineExceeded:
		return true
	}
	return false
}

// notSent tells whether a request failed because no connection could be made: the switch has not received it. gRPC has
// no code for that case, so the text of its error is compared (grpc-go, internal/transport/http2_client.go).
func notSent(err error) bool {
	s := status.Convert(err)
	return s.Code() == codes.Unavailable && says(s, "transport: Error while dialing", "authentication handshake failed",
		"error reading server preface")
}

// says tells whether the message of a status has one of some texts.
func says(s *status.Status, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(s.Message(), text) })
}

// unanswered tells whether a request may have reached the switch and was not answered: it ran
// out of time, the connection was lost, or something between client and switch ended it. The
// texts are those of grpc-go and of its mapping of HTTP/2.
func unanswered(err error) bool {
	s := status.Convert(err)
	switch s.Code() {
	case codes.DeadlineExceeded, codes.Canceled:
		return true
	case codes.Unavailable:
		return !notSent(err)
	}
	return ofBus(s) || says(s, "stream terminated by RST_STREAM", "unexpected HTTP status code",
		"server closed the stream without sending trailers")
}

// sonic-gnmi hands a Set to a host service over D-Bus, waits at most 600 s for the patch and 60 s for the checkpoint
// before it and the saving after it, and answers with the code Unknown and one of these texts (sonic-gnmi 5ec1c20b,
// sonic_service_client/dbus_client.go; the others are those of D-Bus and of its Go client). The service goes on.
var (
	busTexts = once.Pattern(`^Timeout \d+$|without replying|did not receive a reply|NoReply|` +
		`^dbus: connection closed`)
	busSave = "Timeout 60"
)

// ofBus tells whether the host service of a SONiC switch may still be at work on a patch.
func ofBus(s *status.Status) bool {
	return s.Code() == codes.Unknown && s.Message() != busSave && busTexts().MatchString(s.Message())
}

// unsaved tells whether a SONiC switch that has all of a Set may not have saved it, because of its answer.
func unsaved(err error) bool {
	if e, ok := errors.AsType[*RPCError](err); ok {
		err = e.cause // whose text is the switch's alone
	}
	s := status.Convert(err)
	return ofBus(s) || s.Code() == codes.Unknown && s.Message() == busSave
}
