package gnmi_test

import (
	"context"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// unsynced passes on what a stream sends, but for sync_response, and ends after so many messages; negative: never.
type unsynced struct {
	gpb.GNMI_SubscribeServer
	left int
}

func (s *unsynced) Send(m *gpb.SubscribeResponse) error {
	if m.GetSyncResponse() || s.left == 0 {
		return nil
	}
	s.left--
	return s.GNMI_SubscribeServer.Send(m)
}

// cutShort is a switch whose Subscribe ends early so often.
type cutShort struct {
	gpb.GNMIServer
	times int
	noGet bool
}

func (c *cutShort) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	if c.times == 0 {
		return c.GNMIServer.Subscribe(stream)
	}
	c.times--
	return c.GNMIServer.Subscribe(&unsynced{stream, 0})
}

func (c *cutShort) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if c.noGet {
		return nil, status.Error(codes.Unimplemented, "no Get")
	}
	return c.GNMIServer.Get(ctx, req)
}

// A Subscribe ONCE that ends without sync_response is not believed: drift reports no difference,
// and apply undoes nothing.
func TestSubscribeWithoutSyncResponse(t *testing.T) {
	for _, noGet := range []bool{false, true} {
		plain := newLab(t, chip(20000))
		want := carried(planned(t, intent("Ethernet1/1", "Ethernet1/2")))
		short := &cutShort{GNMIServer: plain.served, noGet: noGet}
		l := serve(t, short)
		short.times = 2
		report, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
		require.NoError(t, err)
		require.Equal(t, backend.Applied, report.State)
		short.times = 2
		found, err := (&backend.RegisterDrift{Backend: l.client, Want: want}).Compare(t.Context())
		require.NoError(t, err)
		require.Empty(t, found.Differences)
		if noGet {
			short.times = 99
			_, err = (&backend.RegisterDrift{Backend: l.client, Want: want}).Compare(t.Context())
			require.ErrorContains(t, err, "ended Subscribe ONCE without sync_response")
		}
	}
}

// A Get without a notification says nothing: the switch is asked by Subscribe, and if it has none,
// what it holds is unknown.
func TestGetWithoutNotification(t *testing.T) {
	l := newLab(t, chip(20000))
	want := carried(planned(t, intent("Ethernet1/1")))
	_, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	l.on(gpb.GNMI_Get_FullMethodName, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return &gpb.GetResponse{}, nil
	})
	have, err := l.with(t, gnmi.Options{}).Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, have)

	silent := serve(t, &canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) { return &gpb.GetResponse{}, nil }})
	_, err = silent.client.Observe(t.Context())
	require.ErrorContains(t, err, "leaf1 answered Get without a notification, so its configuration is unknown")
}
