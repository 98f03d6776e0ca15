package server_test

import (
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
)

// where lists the paths of the answers to a Get.
func where(t *testing.T, s *server.Server, req *gpb.GetRequest) (out []string) {
	t.Helper()
	a, err := s.Get(t.Context(), req)
	require.NoError(t, err)
	for _, u := range a.GetNotification()[0].GetUpdate() {
		out = append(out, text(t, u.GetPath()))
	}
	return out
}

func TestWildcards(t *testing.T) {
	s, _ := planned(t)
	const profile = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/"
	for query, want := range map[string][]string{
		"/qos/*/queue": {"/qos/queues/queue[name=3]"},
		"/qos/*/queue[name=3]/*": {"/qos/queues/queue[name=3]/config", "/qos/queues/queue[name=3]/name",
			"/qos/queues/queue[name=3]/state"},
		"/.../dedicated-buffer": {profile + "config/dedicated-buffer",
			profile + "state/dedicated-buffer"},
		"/qos/.../queue[name=*]/config/queue-id": nil,
		"/.../.../wred/...":                      {"/qos/queue-management-profiles/queue-management-profile[name=w]/wred"},
		"/openconfig-qos:qos/.../uniform/*/drop": {wred + "config/drop", wred + "state/drop"},
		"/qos/queues/.../openconfig-qos:queue/*": {"/qos/queues/queue[name=3]/config", "/qos/queues/queue[name=3]/name",
			"/qos/queues/queue[name=3]/state"},
		"/qos/interfaces/*[interface-id=Ethernet1/2]": {"/qos/interfaces/interface[interface-id=Ethernet1/2]"},
	} {
		require.Equal(t, want, where(t, s, &gpb.GetRequest{Path: []*gpb.Path{path(t, query)}}), query)
	}
	_, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, "/.../colour")}})
	require.Equal(t, codes.Unimplemented, status.Code(err))
	many := &gpb.Path{}
	for range 64 {
		many.Elem = append(many.Elem, &gpb.PathElem{Name: "..."})
	}
	require.Equal(t, []string{"/"}, where(t, s, &gpb.GetRequest{Path: []*gpb.Path{many}}),
		"any number of names costs no more than one")
}

func TestSubscribeWildcards(t *testing.T) {
	got, err := subscribe(t, stub(t), once(&gpb.SubscriptionList{Encoding: gpb.Encoding_JSON_IETF},
		path(t, "/.../state/dedicated-buffer"), path(t, "/qos/*/queue/name")))
	require.NoError(t, err)
	require.Equal(t, []string{rounded + ` "1040"`, `/qos/queues/queue[name=3]/name "3"`, "synced"}, got)
}

// In PROTO every leaf is an update with a scalar.
func TestProto(t *testing.T) {
	s, _ := planned(t)
	const profile = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config"
	a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, profile)}, Encoding: gpb.Encoding_PROTO,
		Type: gpb.GetRequest_CONFIG})
	require.NoError(t, err)
	got := map[string]string{}
	for _, u := range a.GetNotification()[0].GetUpdate() {
		got[strings.TrimPrefix(text(t, u.GetPath()), profile)] = strings.Join(strings.Fields(u.GetVal().String()), " ")
	}
	require.Equal(t, map[string]string{"/name": `string_val:"3"`, "/dedicated-buffer": `uint_val:1000`,
		"/use-shared-buffer":            `bool_val:true`,
		"/dynamic-limit-scaling-factor": `int_val:-3`, "/shared-buffer-limit-type": `string_val:"DYNAMIC_BASED_ON_SCALING_FACTOR"`}, got)
	for _, u := range a.GetNotification()[0].GetUpdate() {
		_, err := s.Set(t.Context(), &gpb.SetRequest{Update: []*gpb.Update{u}})
		require.NoError(t, err, "what is read can be written: %v", u)
	}
	require.Empty(t, where(t, s, &gpb.GetRequest{Path: []*gpb.Path{path(t, "/interfaces")}, Encoding: gpb.Encoding_PROTO}))
}

// OPERATIONAL is state that no configuration asks for.
func TestOperational(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{}, dropped), dropped+` "1"`)
	w.counts.show(server.Counts{
		Queues: []server.QueueCount{{Port: "Ethernet7", Queue: 2, Input: true, Dropped: 3, Watermark: 5},
			{Port: "Ethernet7", Queue: 8}, {Queue: 1}},
		Ports: []server.PortCount{{Port: "Ethernet7", PauseIn: 1, PauseOut: 2}, {PauseIn: 9}},
	}, nil)
	require.JSONEq(t, `{
		"openconfig-interfaces:interfaces":{"interface":[{"name":"Ethernet7","openconfig-if-ethernet:ethernet":{"state":{"counters":{
			"in-mac-pause-frames":"1","out-mac-pause-frames":"2"}}}}]},
		"openconfig-qos:qos":{"interfaces":{"interface":[{"interface-id":"Ethernet7","input":{"queues":{"queue":[{"name":"2","state":{
			"dropped-octets":"0","dropped-pkts":"3","ecn-marked-octets":"0","ecn-marked-pkts":"0","max-queue-len":"1040","transmit-octets":"0","transmit-pkts":"0"}}]}}}]}}}`,
		get(t, w.Server, "/", gpb.GetRequest_OPERATIONAL))
	require.NotContains(t, get(t, w.Server, "/", gpb.GetRequest_CONFIG), "Ethernet7")
	require.True(t, slices.Contains(where(t, w.Server,
		&gpb.GetRequest{Path: []*gpb.Path{path(t, "/.../state/dropped-pkts")}, Type: gpb.GetRequest_STATE}),
		"/qos/interfaces/interface[interface-id=Ethernet7]/input/queues/queue[name=2]/state/dropped-pkts"))
}
