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

// lateLab is a switch that answers the first Set with a deadline, and makes it when the client
// has waited so long since; 0: never.
func lateLab(t *testing.T, after time.Duration) (*lab, *gnmi.Client, *[]time.Duration) {
	t.Helper()
	l := newLab(t, chip(20000))
	var landed func()
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		if landed != nil {
			return next(ctx, req)
		}
		landed = func() {
			_, err := next(context.Background(), req)
			require.NoError(t, err)
		}
		return nil, status.Error(codes.DeadlineExceeded, "it takes its time")
	})
	waited, said := time.Duration(0), []time.Duration{}
	wait := func(ctx context.Context, d time.Duration) error {
		waited += d
		if after > 0 && waited >= after && landed != nil {
			landed()
			landed = func() {}
			after = 0
		}
		return ctx.Err()
	}
	client, err := gnmi.New(l.conn, gnmi.Options{Cell: cell, Address: "leaf1", SetTimeout: 3 * time.Minute,
		Retry: gnmi.Retry{Wait: wait}, Waiting: func(d time.Duration) { said = append(said, d) }})
	require.NoError(t, err)
	return l, client, &said
}

// A Set that lands after its deadline, within the time that a Set may take once more, has
// succeeded: real commits take 30 to 180 seconds.
func TestSetLandsAfterItsDeadline(t *testing.T) {
	l, client, said := lateLab(t, 100*time.Second)
	want := carried(planned(t, intent("Ethernet1/1")))
	report, err := backend.Converge(t.Context(), client, want, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	// The switch did not say that it made the Set: it is asked whether the values are those of a commit that waits.
	require.Equal(t, 4, l.sets(), "it is not sent again")
	require.Equal(t, []time.Duration{3 * time.Minute}, *said, "how long it is waited is told once")
}

// The state of a switch that shows no effect by then is unknown: the Set may still land.
func TestSetThatIsNeverAnsweredLeavesTheStateUnknown(t *testing.T) {
	l, client, said := lateLab(t, 0)
	want := carried(planned(t, intent("Ethernet1/1")))
	report, err := backend.Converge(t.Context(), client, want, backend.Options{})
	require.ErrorIs(t, err, backend.ErrUnanswered)
	require.ErrorContains(t, err, "holds the previous values, but may still be working on a Set")
	require.Equal(t, backend.Unknown, report.State)
	require.Equal(t, backend.HasBefore, report.Has)
	require.Equal(t, 1, l.sets(), "it is not sent again")
	require.Len(t, *said, 1)
}

// A Set binds a port to a profile, which replaces all of the port. Another client gives the registers of a Set that was
// not answered their values, and changes another one of the port: the switch has not made the Set, and what it would
// take away may go any time.
func TestValuesOfASetThatAnotherWrote(t *testing.T) {
	for name, test := range map[string]struct {
		beside int64 // more cells of another group
		state  backend.State
	}{"with another value beside them": {1, backend.Unknown}, "and nothing else": {0, backend.Applied}} {
		t.Run(name, func(t *testing.T) {
			l, client, _ := lateLab(t, 0)
			first := carried(planned(t, intent("Ethernet1/1")))
			write := func(want buffer.Layout) {
				_, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
				require.NoError(t, err)
			}
			l.hook = nil
			write(first)
			var reserved []buffer.Setting
			for _, s := range first {
				if s.Kind == buffer.GroupReserved {
					reserved = append(reserved, s)
				}
			}
			require.Greater(t, len(reserved), 1)
			own, other := reserved[0], reserved[1]
			steps := []buffer.Step{{Register: own.Register, From: own.Value, To: own.Value + 1}}
			asked := false
			l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
				next grpc.UnaryHandler) (any, error) {
				if asked {
					return next(ctx, req)
				}
				asked = true
				write(first.With(append(steps, buffer.Step{Register: other.Register, To: other.Value + test.beside})))
				return nil, status.Error(codes.DeadlineExceeded, "it takes its time")
			})
			report, err := backend.Converge(t.Context(), client, first.With(steps), backend.Options{})
			require.Equal(t, test.state, report.State, "%v", err)
			if test.state == backend.Unknown {
				require.ErrorContains(t, err, "may still be working on a Set that it did not answer")
			}
		})
	}
}

// Reads and Sets have deadlines of their own.
func TestTwoDeadlines(t *testing.T) {
	l := newLab(t, chip(20000))
	deadlines := map[string]time.Duration{}
	l.hook = func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		deadlines[info.FullMethod] = time.Until(deadline).Round(time.Minute)
		return next(ctx, req)
	}
	client := l.with(t, gnmi.Options{Timeout: 2 * time.Minute, SetTimeout: time.Hour, Rollback: time.Hour})
	_, err := backend.Converge(t.Context(), client, carried(planned(t, intent("Ethernet1/1"))), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string]time.Duration{gpb.GNMI_Capabilities_FullMethodName: 2 * time.Minute,
		gpb.GNMI_Get_FullMethodName: 2 * time.Minute, gpb.GNMI_Set_FullMethodName: time.Hour}, deadlines)
	_, err = gnmi.New(l.conn, gnmi.Options{Cell: cell, SetTimeout: -1})
	require.ErrorContains(t, err, "set_timeout")
}

// A switch that cannot be reached has not received the Set: it is sent again at once.
func TestSetThatWasNotSent(t *testing.T) {
	l := newLab(t, chip(20000))
	l.on(gpb.GNMI_Set_FullMethodName, func() grpc.UnaryServerInterceptor {
		n := 0
		return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if n++; n < 3 {
				return nil, status.Error(codes.Unavailable,
					`connection error: desc = "transport: Error while dialing: dial tcp: connect: connection refused"`)
			}
			return next(ctx, req)
		}
	}())
	report, err := backend.Converge(t.Context(), l.client, carried(planned(t, intent("Ethernet1/1"))), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	require.Len(t, l.waits, 2, "and it is not waited for what did not arrive")
}
