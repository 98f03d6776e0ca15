package server_test

import (
	"io"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stub is a client of a switch that has the plan.
func stub(t *testing.T) gpb.GNMIClient {
	s, _ := planned(t)
	return connect(t, s)
}

// subscribe returns the leaves that arrive before the stream ends, and why it ended. A sync_response is "synced".
func subscribe(t *testing.T, c gpb.GNMIClient, req *gpb.SubscribeRequest) (out []string, err error) {
	t.Helper()
	stream, err := c.Subscribe(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(req))
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if m.GetSyncResponse() {
			out = append(out, "synced")
		}
		for _, u := range m.GetUpdate().GetUpdate() {
			text, err := ygot.PathToString(u.GetPath())
			require.NoError(t, err)
			out = append(out, text+" "+string(u.GetVal().GetJsonIetfVal())+string(u.GetVal().GetJsonVal()))
		}
	}
}

func once(list *gpb.SubscriptionList, paths ...*gpb.Path) *gpb.SubscribeRequest {
	list.Mode = gpb.SubscriptionList_ONCE
	for _, p := range paths {
		list.Subscription = append(list.Subscription, &gpb.Subscription{Path: p})
	}
	return &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: list}}
}

func TestSubscribeOnce(t *testing.T) {
	c := stub(t)
	got, err := subscribe(t, c, once(&gpb.SubscriptionList{Encoding: gpb.Encoding_JSON_IETF,
		Prefix: &gpb.Path{Origin: "openconfig"}},
		path(t, "/qos/queues"), path(t, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=*]/queues/queue/state/dedicated-buffer"), path(t, "/interfaces")))
	require.NoError(t, err)
	require.Equal(t, []string{`/qos/queues/queue[name=3]/config/name "3"`, `/qos/queues/queue[name=3]/name "3"`,
		`/qos/queues/queue[name=3]/state/name "3"`,
		rounded + ` "1040"`, "synced"}, got)

	got, err = subscribe(t, c, once(&gpb.SubscriptionList{}, path(t, rounded)))
	require.NoError(t, err)
	require.Equal(t, []string{rounded + ` 1040`, "synced"}, got)

	got, err = subscribe(t, c, once(&gpb.SubscriptionList{UpdatesOnly: true}, path(t, "/")))
	require.NoError(t, err)
	require.Equal(t, []string{"synced"}, got)
}

func TestSubscribeRefuses(t *testing.T) {
	c := stub(t)
	for _, test := range []struct {
		req  *gpb.SubscribeRequest
		code codes.Code
	}{
		{&gpb.SubscribeRequest{}, codes.InvalidArgument},
		{once(&gpb.SubscriptionList{}), codes.InvalidArgument},
		{once(&gpb.SubscriptionList{}, make([]*gpb.Path, 1025)...), codes.InvalidArgument},
		{&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Poll{}}, codes.InvalidArgument},
		{&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: &gpb.SubscriptionList{Mode: 7}}},
			codes.InvalidArgument},
		{once(&gpb.SubscriptionList{Encoding: gpb.Encoding_ASCII}, path(t, "/")), codes.Unimplemented},
		{once(&gpb.SubscriptionList{UseModels: []*gpb.ModelData{{Name: "openconfig-qos"}}}, path(t, "/")),
			codes.Unimplemented},
		{&gpb.SubscribeRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Depth{}}}}, codes.Unimplemented},
		{once(&gpb.SubscriptionList{}, path(t, "/qos/packet-trim")), codes.Unimplemented},
	} {
		_, err := subscribe(t, c, test.req)
		require.Equal(t, test.code, status.Code(err), "%v", err)
	}
}
