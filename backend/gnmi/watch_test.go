package gnmi_test

import (
	"cmp"
	"context"
	"errors"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
)

// reporter is a switch that reports what it is told to.
type reporter struct {
	gpb.UnimplementedGNMIServer
	reports []*gpb.SubscribeResponse
	end     error
	asked   *gpb.SubscriptionList
	who     metadata.MD
}

func (r *reporter) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	req, err := stream.Recv()
	if err != nil {
		return err
	}
	r.who, _ = metadata.FromIncomingContext(stream.Context())
	r.asked = req.GetSubscribe()
	for _, report := range r.reports {
		if err := stream.Send(report); err != nil {
			return err
		}
	}
	return r.end
}

func TestWatch(t *testing.T) {
	update := &gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: &gpb.Notification{}}}
	sync := &gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}}
	enough := errors.New("enough")
	for name, test := range map[string]struct {
		reports []*gpb.SubscribeResponse
		end     error
		most    int // calls before changed has enough
		calls   int
		want    string
	}{
		"what there is, then changes": {[]*gpb.SubscribeResponse{update, update, sync, update, update}, nil, 3, 3, "enough"},
		"the switch ends it": {[]*gpb.SubscribeResponse{update, sync}, nil, 9, 1,
			"gNMI target leaf1 ended the stream"},
		"the switch breaks it off": {[]*gpb.SubscribeResponse{sync, update}, status.Error(codes.Aborted, "secret overflow"),
			9, 2, "gNMI target leaf1: Subscribe failed (Aborted): *** overflow"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reporter{reports: test.reports, end: test.end}
			l, calls := serve(t, r), 0
			ctx, stop := context.WithCancel(t.Context())
			var broken error
			err := l.client.WatchOn(ctx, func(context.Context) error {
				if calls++; calls == test.most {
					return enough
				}
				return nil
			}, func(why error) {
				broken = why
				stop()
			})
			err = cmp.Or(broken, err)
			require.EqualError(t, err, test.want)
			require.Equal(t, test.calls, calls)
			require.Equal(t, gpb.SubscriptionList_STREAM, r.asked.GetMode())
			require.Equal(t, "openconfig", r.asked.GetPrefix().GetOrigin())
			require.Equal(t, []string{"operator"}, r.who["username"])
		})
	}
}

// On the simulated switch: the watch reports a leaf that another client writes. It
// dials again after a broken connection, and reports what was written meanwhile.
func TestWatchOnARealTarget(t *testing.T) {
	l := newLab(t, chip(20000))
	want := planned(t, intent("Ethernet1/1"))
	_, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	other := l.with(t, gnmi.Options{})
	reserved := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	write := func(value int64) {
		now, err := other.Observe(t.Context())
		require.NoError(t, err)
		require.NoError(t, other.Apply(t.Context(), []buffer.Step{{Register: reserved, From: now.Value(reserved),
			To: value}}))
	}
	was := want.Value(reserved)
	var seen []int64
	var lost []error
	enough := errors.New("enough")
	err = l.client.WatchOn(t.Context(), func(ctx context.Context) error {
		now, err := l.client.Observe(ctx)
		if err != nil {
			return err
		}
		if value := now.Value(reserved); len(seen) == 0 || seen[len(seen)-1] != value {
			seen = append(seen, value)
			switch len(seen) {
			case 1:
				write(was + 1) // it is told, though nobody asks
			case 2:
				l.cut()
			case 3:
				return enough
			}
		}
		return nil
	}, func(why error) {
		if lost = append(lost, why); len(lost) == 1 {
			write(was + 2)
		}
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, []int64{was, was + 1, was + 2}, seen)
	require.NotEmpty(t, lost)
	require.ErrorContains(t, lost[0], "Subscribe failed (Unavailable)")
}

// turned is a switch that ends each subscription with the next of its answers.
type turned struct {
	gpb.UnimplementedGNMIServer
	ends []error
	sync bool
}

func (s *turned) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	if s.sync {
		if err := stream.Send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}}); err != nil {
			return err
		}
	}
	end := s.ends[0]
	s.ends = s.ends[1:]
	return end
}

// Waiting grows while the switch does not come back and begins anew when it
// has; what does not pass by waiting ends the watching.
func TestWatchOnWaits(t *testing.T) {
	gone, denied := status.Error(codes.Unavailable, "restarting"), status.Error(codes.PermissionDenied, "not you")
	for name, test := range map[string]struct {
		ends  []error
		sync  bool
		waits []int // in milliseconds, more or less a fifth
		want  string
	}{
		"longer each time":       {[]error{gone, gone, gone, denied}, false, []int{200, 400, 800}, "PermissionDenied"},
		"anew when it was there": {[]error{gone, nil, gone, denied}, true, []int{200, 200, 200}, "PermissionDenied"},
		"too slow for the switch": {[]error{status.Error(codes.ResourceExhausted, "slow subscriber"), denied}, false,
			[]int{200}, "not you"},
		"a message that is too long": {[]error{status.Error(codes.ResourceExhausted,
			"grpc: received message larger than max")}, false, nil, "larger than max"},
		"no subscriptions at all": {[]error{status.Error(codes.Unimplemented, "no ON_CHANGE")}, false, nil,
			"no ON_CHANGE"},
		"a certificate that is wrong": {[]error{status.Error(codes.Unavailable, "remote error: tls: bad certificate")}, false,
			nil, "bad certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			l, told := serve(t, &turned{ends: test.ends, sync: test.sync}), 0
			err := l.client.WatchOn(t.Context(), func(context.Context) error { return nil }, func(error) { told++ })
			require.ErrorContains(t, err, test.want)
			require.Equal(t, len(test.waits), told)
			require.Len(t, l.waits, told)
			for i, d := range l.waits {
				require.InDelta(t, test.waits[i], d.Milliseconds(), float64(test.waits[i])/5+1)
			}
		})
	}
}
