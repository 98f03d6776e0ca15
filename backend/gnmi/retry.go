package gnmi

import (
	"cmp"
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Retry says how often something that changes nothing is asked again when the
// switch cannot be reached or does not answer in time. The zero Retry asks four
// times in all, within about a second and a half of waiting.
//
// gRPC's own retry policy is not used: there one deadline holds for all tries
// together, so that a switch that does not answer is never asked again.
type Retry struct {
	// Attempts is how often in all. 0: 4. 1: never again.
	Attempts int
	// First is how long to wait before the second try; each further wait is twice
	// as long, up to Longest, more or less a fifth. 0: 200 milliseconds.
	First time.Duration
	// Longest is the longest wait. 0: 5 seconds.
	Longest time.Duration
	// Wait waits, or returns the context's error. nil: a timer of the machine.
	Wait func(context.Context, time.Duration) error
}

// connecting is how gRPC tries to connect: no slower than we ask. By itself it
// would let up to two minutes pass after a switch is back.
func (r Retry) connecting() grpc.ConnectParams {
	first, longest := r.waits()
	const patience = 20 * time.Second // gRPC's own, for a connection that is under way
	return grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: first, Multiplier: 2, Jitter: 0.2, MaxDelay: longest}, MinConnectTimeout: patience}
}

// waits returns the first wait and the longest.
func (r Retry) waits() (first, longest time.Duration) {
	return cmp.Or(r.First, 200*time.Millisecond), cmp.Or(r.Longest, 5*time.Second)
}

// attempts returns how often in all.
func (r Retry) attempts() int {
	if r.Attempts == 0 {
		return 4
	}
	return r.Attempts
}

// pause waits after so many failed tries, 1 or more.
func (r Retry) pause(ctx context.Context, failed int) error {
	first, longest := r.waits()
	d := longest
	if failed < 20 {
		d = min(longest, first<<(failed-1))
	}
	d += time.Duration((rand.Float64()*0.4 - 0.2) * float64(d))
	if r.Wait != nil {
		return r.Wait(ctx, d)
	}
	return sleep(ctx, d)
}

// sleep waits on the machine's clock.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// passing tells whether a failure may pass by itself. gRPC calls a switch whose
// certificate is not believed, or that does not believe ours, unavailable, too;
// that does not pass. gRPC has no
// code for it, so its words are looked at.
func passing(err error) bool {
	switch s := status.Convert(err); s.Code() {
	case codes.Unavailable:
		return !strings.Contains(s.Message(), "authentication handshake failed") && !strings.Contains(s.Message(), "remote error: tls:")
	case codes.DeadlineExceeded:
		return true
	}
	return false
}
