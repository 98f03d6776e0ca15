package interop

import (
	"context"
	"fmt"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	lemming "github.com/openconfig/lemming/gnmi"
	"github.com/openconfig/ygot/ytypes"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	client "github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// startLemming serves OpenConfig's reference switch, and connects to it.
func startLemming(t *testing.T) (*lab, *grpc.ClientConn) {
	t.Helper()
	l, creds := newLab(t)
	server := grpc.NewServer(creds, grpc.StreamInterceptor(lemming.NewSubscribeTargetUpdateInterceptor("lemming")))
	_, err := lemming.New(server, "lemming", nil)
	require.NoError(t, err)
	l.serve(t, server)
	conn, err := grpc.NewClient(l.address, grpc.WithTransportCredentials(credentials.NewTLS(l.client(t))))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return l, conn
}

// wanted is what is pushed: a group with reserved cells and an alpha, a queue that
// marks, and what else a queue and a priority can have.
var wanted = buffer.Layout{}.With([]buffer.Step{
	{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, To: 5},
	{Register: buffer.Register{Kind: buffer.GroupAlpha, Port: "Ethernet1/1", Index: 3}, To: -3},
	{Register: buffer.Register{Kind: buffer.QueueECNMin, Port: "Ethernet1/1", Index: 3}, To: 4},
	{Register: buffer.Register{Kind: buffer.QueueECNMax, Port: "Ethernet1/1", Index: 3}, To: 9},
	{Register: buffer.Register{Kind: buffer.QueueECNPMax, Port: "Ethernet1/1", Index: 3}, To: 500},
	{Register: buffer.Register{Kind: buffer.QueueReserved, Port: "Ethernet1/1", Index: 3}, To: 2},
	{Register: buffer.Register{Kind: buffer.QueueWeight, Port: "Ethernet1/1", Index: 3}, To: 60},
	{Register: buffer.Register{Kind: buffer.QueueWeight, Port: "Ethernet1/1", Index: 6}, To: buffer.Strict},
	{Register: buffer.Register{Kind: buffer.QueueWeight, Port: "Ethernet1/1", Index: 7}, To: buffer.Strict},
	{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1/1", Index: 3}, To: 1<<24 | 1<<26},
	{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1/1", Index: 6}, To: 1 << 48},
})

// TestLemming pushes to a switch without Capabilities and Get, as it is. It has
// to be named a profile; then it is written to, read back by Subscribe ONCE and
// found equal, a second push changes nothing, and a third takes things back.
func TestLemming(t *testing.T) {
	l, conn := startLemming(t)
	dial := func(named string) *client.Client {
		opt := client.Options{Cell: 208, TLS: l.client(t), Target: "lemming"}
		if named != "" {
			var err error
			opt.Profile, err = registry.LoadProfile(named)
			require.NoError(t, err)
		}
		c, err := client.Dial(l.address, opt)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, c.Close()) })
		return c
	}
	report, err := backend.Converge(t.Context(), dial(""), wanted, backend.Options{})
	require.ErrorContains(t, err, "Unimplemented")
	require.ErrorContains(t, err, "needs the name of a profile: want simulated, arista")
	require.Equal(t, backend.Unchanged, report.State)
	holds, err := observe(t.Context(), conn)
	require.NoError(t, err)
	require.Nil(t, holds.GetQos())

	less := wanted[:2]
	for _, push := range []struct {
		want  buffer.Layout
		state backend.State
	}{{wanted, backend.Applied}, {wanted, backend.Unchanged}, {less, backend.Applied}} {
		report, err := backend.Converge(t.Context(), dial("openconfig"), push.want, backend.Options{})
		require.NoError(t, err)
		require.Equal(t, push.state, report.State)
		holds, err := observe(t.Context(), conn)
		require.NoError(t, err)
		require.Equal(t, push.want, registers(t, holds))
	}
}

// registers reads a tree as our client does.
func registers(t *testing.T, tree *oc.Root) buffer.Layout {
	t.Helper()
	out, err := qos.Decode(tree, 208)
	require.NoError(t, err)
	return out
}

// observe reads the configuration of lemming's /qos by Subscribe ONCE.
func observe(ctx context.Context, conn grpc.ClientConnInterface) (*oc.Root, error) {
	stream, err := gnmi.NewGNMIClient(conn).Subscribe(ctx)
	if err != nil {
		return nil, err
	}
	qos := &gnmi.Subscription{Path: &gnmi.Path{Origin: "openconfig", Elem: []*gnmi.PathElem{{Name: "qos"}}}}
	if err := stream.Send(&gnmi.SubscribeRequest{Request: &gnmi.SubscribeRequest_Subscribe{Subscribe: &gnmi.SubscriptionList{
		Mode: gnmi.SubscriptionList_ONCE, Encoding: gnmi.Encoding_PROTO, Prefix: &gnmi.Path{Target: "lemming"},
		Subscription: []*gnmi.Subscription{qos}}}}); err != nil {
		return nil, err
	}
	tree := &oc.Root{}
	for {
		m, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		if m.GetSyncResponse() {
			return tree, nil
		}
		for _, u := range m.GetUpdate().GetUpdate() {
			path := &gnmi.Path{Elem: append(m.GetUpdate().GetPrefix().GetElem(), u.GetPath().GetElem()...)}
			// Leaves that our models do not have are none of ours.
			if err := ytypes.SetNode(oc.SchemaTree()["Root"], tree, path, u.GetVal(), &ytypes.InitMissingElements{},
				&ytypes.IgnoreExtraFields{}); err != nil && status.Code(err) != codes.InvalidArgument {
				return nil, fmt.Errorf("%v: %w", path, err)
			}
		}
	}
}
