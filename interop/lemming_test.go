package interop

import (
	"context"
	"fmt"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	lemming "github.com/openconfig/lemming/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend"
	client "github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
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

// wanted is what is pushed: a group with reserved cells and an alpha, and a
// queue that marks.
var wanted = buffer.Layout{}.With([]buffer.Step{
	{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, To: 5},
	{Register: buffer.Register{Kind: buffer.GroupAlpha, Port: "Ethernet1/1", Index: 3}, To: -3},
	{Register: buffer.Register{Kind: buffer.QueueECNMin, Port: "Ethernet1/1", Index: 3}, To: 4},
	{Register: buffer.Register{Kind: buffer.QueueECNMax, Port: "Ethernet1/1", Index: 3}, To: 9},
	{Register: buffer.Register{Kind: buffer.QueueECNPMax, Port: "Ethernet1/1", Index: 3}, To: 500},
})

// TestLemmingAsItIs pushes to a switch without Capabilities and Get. A client
// that needs them has to say so and send nothing; one that does without has to
// have pushed everything.
func TestLemmingAsItIs(t *testing.T) {
	l, conn := startLemming(t)
	c, err := client.Dial(l.address, client.Options{Cell: 208, TLS: l.client(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	report, err := backend.Converge(t.Context(), c, wanted, backend.Options{})
	holds, look := observe(t.Context(), conn)
	require.NoError(t, look)
	t.Logf("the push left it %s: %v", report.State, err)
	switch report.State {
	case backend.Applied:
		require.NoError(t, err)
		require.Equal(t, wanted, registers(t, holds))
	default:
		require.Equal(t, backend.Unchanged, report.State)
		require.ErrorContains(t, err, "Unimplemented")
		require.Nil(t, holds.GetQos())
	}
}

// TestLemmingWithAGet adds to it what it lacks, so that our client finds a
// switch with somebody else's models and somebody else's Set: the push is
// accepted, reads back equal, and a second push changes nothing.
func TestLemmingWithAGet(t *testing.T) {
	_, conn := startLemming(t)
	c, err := client.New(helped{conn}, client.Options{Cell: 208, Address: "lemming"})
	require.NoError(t, err)
	for _, state := range []backend.State{backend.Applied, backend.Unchanged} {
		report, err := backend.Converge(t.Context(), c, wanted, backend.Options{})
		require.NoError(t, err)
		require.Equal(t, state, report.State)
	}
	holds, err := observe(t.Context(), conn)
	require.NoError(t, err)
	require.Equal(t, wanted, registers(t, holds))
}

// registers reads a tree as our client does.
func registers(t *testing.T, tree *oc.Root) buffer.Layout {
	t.Helper()
	out, err := client.Decode(tree, 208)
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
		Mode: gnmi.SubscriptionList_ONCE, Encoding: gnmi.Encoding_PROTO, Prefix: &gnmi.Path{Target: "lemming"}, Subscription: []*gnmi.Subscription{qos}}}}); err != nil {
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
			if err := ytypes.SetNode(oc.SchemaTree["Root"], tree, path, u.GetVal(), &ytypes.InitMissingElements{}, &ytypes.IgnoreExtraFields{}); err != nil && status.Code(err) != codes.InvalidArgument {
				return nil, fmt.Errorf("%v: %w", path, err)
			}
		}
	}
}

// helped is a connection to lemming that answers Capabilities and Get itself.
type helped struct{ *grpc.ClientConn }

func (h helped) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	switch method {
	case gnmi.GNMI_Capabilities_FullMethodName:
		proto.Merge(reply.(proto.Message), &gnmi.CapabilityResponse{GNMIVersion: "0.10.0", SupportedModels: oc.ΓModelData,
			SupportedEncodings: []gnmi.Encoding{gnmi.Encoding_JSON_IETF}})
		return nil
	case gnmi.GNMI_Get_FullMethodName:
		tree, err := observe(ctx, h.ClientConn)
		if err != nil {
			return err
		}
		text, err := ygot.Marshal7951(tree.GetOrCreateQos(), &ygot.RFC7951JSONConfig{AppendModuleName: true})
		if err != nil {
			return err
		}
		proto.Merge(reply.(proto.Message), &gnmi.GetResponse{Notification: []*gnmi.Notification{{Update: []*gnmi.Update{{
			Path: &gnmi.Path{Elem: []*gnmi.PathElem{{Name: "qos"}}}, Val: &gnmi.TypedValue{Value: &gnmi.TypedValue_JsonIetfVal{JsonIetfVal: text}}}}}}})
		return nil
	}
	return h.ClientConn.Invoke(ctx, method, args, reply, opts...)
}
