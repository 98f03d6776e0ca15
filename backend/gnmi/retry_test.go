package gnmi_test

import (
	"context"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
)

// failing answers the first n calls with a code, before or after the switch has done its work.
func failing(n int, code codes.Code, done bool) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if n--; n < 0 {
			return next(ctx, req)
		}
		if done {
			if _, err := next(ctx, req); err != nil {
				return nil, err
			}
		}
		return nil, status.Error(code, "words of the switch")
	}
}

func TestReadsAreTriedAgain(t *testing.T) {
	for _, test := range []struct {
		code     codes.Code
		failures int
		waits    int
		fails    bool
	}{
		{codes.Unavailable, 2, 2, false}, {codes.DeadlineExceeded, 3, 3, false}, {codes.Unavailable, 4, 3, true},
		{codes.InvalidArgument, 1, 0, true}, {codes.Unauthenticated, 1, 0, true}, {codes.Internal, 1, 0, true},
	} {
		for _, method := range []string{gpb.GNMI_Get_FullMethodName, gpb.GNMI_Capabilities_FullMethodName} {
			l := newLab(t, chip(20000))
			l.on(method, failing(test.failures, test.code, false))
			_, err := l.client.Capabilities(t.Context())
			if err == nil {
				_, err = l.client.Observe(t.Context())
			}
			require.Equal(t, test.fails, err != nil, "%v", test)
			require.Len(t, l.waits, test.waits, "%v", test)
			for i, d := range l.waits {
				require.InDelta(t, 200<<i, d.Milliseconds(), float64(int(40)<<i)+1,
					"a fifth more or less than twice the one before")
			}
		}
	}
}

func TestNothingIsTriedAgainWhenTheCallerGoes(t *testing.T) {
	l := newLab(t, chip(20000))
	ctx, cancel := context.WithCancel(t.Context())
	l.on(gpb.GNMI_Get_FullMethodName, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		cancel()
		return nil, status.Error(codes.Unavailable, "going down")
	})
	_, err := l.client.Observe(ctx)
	require.Error(t, err)
	require.Empty(t, l.waits)
}

// A Set is sent again only after a read has shown that it did not arrive.
func TestSetIsSentAgainOnlyIfItDidNotArrive(t *testing.T) {
	for name, test := range map[string]struct {
		code     codes.Code
		failures int
		done     bool
		sets     int
		fails    bool
	}{
		"the answer is lost":                   {codes.Unavailable, 1, true, 1, false},
		"the answer is late":                   {codes.DeadlineExceeded, 1, true, 1, false},
		"the request is lost":                  {codes.Unavailable, 1, false, 2, false},
		"the request is lost again and again":  {codes.Unavailable, 99, false, 2, true},
		"nobody knows whether it is under way": {codes.DeadlineExceeded, 1, false, 1, true},
		"another failure":                      {codes.Internal, 1, false, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			l, want := newLab(t, chip(20000)), planned(t, intent("Ethernet1/1"))
			l.on(gpb.GNMI_Set_FullMethodName, failing(test.failures, test.code, test.done))
			err := l.client.Apply(t.Context(), buffer.Diff(nil, carried(want)))
			require.Equal(t, test.sets, l.sets())
			if test.fails {
				require.Regexp(t, "did not answer the Set \\(|Set failed \\(Internal", err.Error())
				return
			}
			require.NoError(t, err)
			have, err := l.asic.Observe(t.Context())
			require.NoError(t, err)
			require.Equal(t, carried(want), have)
		})
	}
}

// A Set that is sent again has of other ports what they have by then, not what they had when it was sent first.
func TestSetThatIsSentAgainLeavesOthersAlone(t *testing.T) {
	l := newLab(t, chip(20000))
	mine, theirs := carried(planned(t, intent("Ethernet1/1"))), carried(planned(t, intent("Ethernet1/2")))
	other, lost := l.with(t, gnmi.Options{}), false
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		if lost {
			return next(ctx, req)
		}
		lost = true
		_, err := backend.Converge(ctx, other, nil, backend.Options{Prune: true})
		require.NoError(t, err)
		return nil, status.Error(codes.Unavailable, "going down")
	})
	lost = true
	require.NoError(t, other.Apply(t.Context(), buffer.Diff(nil, theirs)))
	lost = false
	_, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.NoError(t, l.client.Apply(t.Context(), buffer.Diff(nil, mine)))
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, mine, have, "what the other took away meanwhile stays away")
}

// A switch that made half of the Set and broke off is not sent the Set again:
// Converge sees what there is and undoes it.
func TestHalfASetIsNotSentAgain(t *testing.T) {
	l := newLab(t, chip(20000))
	first := true
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		if !first {
			return next(ctx, req)
		}
		first = false
		half := req.(*gpb.SetRequest)
		half.Update = half.Update[:len(half.Update)-1]
		if _, err := next(ctx, half); err != nil {
			return nil, err
		}
		return nil, status.Error(codes.Unavailable, "restarting")
	})
	report, err := backend.Converge(t.Context(), l.client, planned(t, intent("Ethernet1/1", "Ethernet1/2")),
		backend.Options{})
	require.ErrorContains(t, err, "restarting")
	require.Equal(t, backend.RolledBack, report.State)
	require.Equal(t, 2, l.sets(), "the half, and its undoing")
}

// Each try has the whole timeout: a switch that does not answer once may answer the next time.
func TestEachTryHasItsOwnDeadline(t *testing.T) {
	l := newLab(t, chip(20000))
	tries := 0
	l.on(gpb.GNMI_Get_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		deadline, ok := ctx.Deadline()
		if tries++; !ok || time.Until(deadline) > 10*time.Second {
			return nil, status.Error(codes.Internal, "no deadline of ten seconds")
		}
		if tries == 1 {
			return nil, status.Error(codes.DeadlineExceeded, "slow")
		}
		return next(ctx, req)
	})
	_, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, tries)
}
