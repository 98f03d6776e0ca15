package server_test

import (
	"encoding/json"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ofQueue is where a queue of a profile has its buffer.
const ofQueue = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]"

func TestGet(t *testing.T) {
	s, _ := planned(t)
	require.Equal(t, `"1000"`, get(t, s, dedicated, gpb.GetRequest_CONFIG))
	require.Equal(t, `"1040"`, get(t, s, rounded, gpb.GetRequest_STATE), "state tells the cells that it takes")
	require.Equal(t, `"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR"`,
		get(t, s, ofQueue+"/state/shared-buffer-limit-type", gpb.GetRequest_ALL))
	require.JSONEq(t, `{"openconfig-qos:config":{"name":"3"},"openconfig-qos:state":{"name":"3"},
		"openconfig-qos:name":"3"}`,
		get(t, s, "/openconfig-qos:qos/queues/queue[name=3]", gpb.GetRequest_ALL))
	require.JSONEq(t, `{"openconfig-qos:config":{"name":"3"},"openconfig-qos:name":"3"}`,
		get(t, s, "/qos/queues/queue[name=3]", gpb.GetRequest_CONFIG))
	require.JSONEq(t, `{"openconfig-qos:state":{"name":"3"},"openconfig-qos:name":"3"}`,
		get(t, s, "/qos/queues/queue[name=3]", gpb.GetRequest_STATE))
	require.Contains(t, get(t, s, "/", gpb.GetRequest_ALL), `"openconfig-qos:qos"`)
	require.Equal(t, `{}`, get(t, s, "/interfaces", gpb.GetRequest_ALL), "a container without data")
}

func TestGetEncodings(t *testing.T) {
	s, _ := planned(t)
	for where, want := range map[string]string{dedicated: `1000`,
		"/qos/queues": `{"queue":[{"config":{"name":"3"},"name":"3"}]}`,
		ofQueue + "/config/shared-buffer-limit-type": `"DYNAMIC_BASED_ON_SCALING_FACTOR"`} {
		a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, where)}, Type: gpb.GetRequest_CONFIG})
		require.NoError(t, err)
		require.JSONEq(t, want, string(a.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonVal()))
	}
	_, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos")}, Encoding: gpb.Encoding_ASCII})
	require.Equal(t, codes.Unimplemented, status.Code(err))
}

func TestGetWildcards(t *testing.T) {
	s, _ := planned(t)
	for _, where := range []string{"/qos/interfaces/interface[interface-id=*]/input/config/buffer-allocation-profile",
		"/qos/interfaces/interface/input/config/buffer-allocation-profile"} {
		a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, where)}, Encoding: gpb.Encoding_JSON_IETF})
		require.NoError(t, err)
		var got []string
		for _, u := range a.GetNotification()[0].GetUpdate() {
			text, err := ygot.PathToString(u.GetPath())
			require.NoError(t, err)
			got = append(got, text+" "+string(u.GetVal().GetJsonIetfVal()))
		}
		require.Equal(t, []string{
			`/qos/interfaces/interface[interface-id=Ethernet1/1]/input/config/buffer-allocation-profile "p"`,
			`/qos/interfaces/interface[interface-id=Ethernet1/2]/input/config/buffer-allocation-profile "p"`}, got)
	}
	a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, "/interfaces/interface[name=*]")},
		Encoding: gpb.Encoding_JSON_IETF})
	require.NoError(t, err)
	require.Empty(t, a.GetNotification()[0].GetUpdate())
}

func TestGetRefuses(t *testing.T) {
	s, _ := planned(t)
	tests := []struct {
		name string
		req  *gpb.GetRequest
		code codes.Code
	}{
		{"unknown node", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/packet-trim")}}, codes.Unimplemented},
		{"below a leaf", &gpb.GetRequest{Path: []*gpb.Path{path(t, dedicated+"/more")}}, codes.Unimplemented},
		{"unknown key", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/queues/queue[id=3]")}}, codes.InvalidArgument},
		{"no such entry", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/queues/queue[name=4]")}}, codes.NotFound},
		{"no such leaf", &gpb.GetRequest{Path: []*gpb.Path{path(t, queueID)}}, codes.NotFound},
		{"no path", &gpb.GetRequest{}, codes.InvalidArgument},
		{"nil element", &gpb.GetRequest{Path: []*gpb.Path{{Elem: []*gpb.PathElem{nil}}}}, codes.InvalidArgument},
		{"origin", &gpb.GetRequest{Path: []*gpb.Path{{Origin: "sonic-db"}}}, codes.Unimplemented},
		{"two origins", &gpb.GetRequest{Prefix: &gpb.Path{Origin: "openconfig"}, Path: []*gpb.Path{{Origin: "openconfig"}}},
			codes.InvalidArgument},
		{"strings", &gpb.GetRequest{Path: []*gpb.Path{{Element: []string{"qos"}}}}, codes.InvalidArgument},
		{"strings beside elem", &gpb.GetRequest{Path: []*gpb.Path{{Element: []string{"qos"},
			Elem: []*gpb.PathElem{{Name: "qos"}}}}}, codes.OK},
		{"type", &gpb.GetRequest{Path: []*gpb.Path{{}}, Type: 4}, codes.InvalidArgument},
		{"models", &gpb.GetRequest{Path: []*gpb.Path{{}}, UseModels: []*gpb.ModelData{{Name: "x"}}}, codes.Unimplemented},
		{"extension", &gpb.GetRequest{Path: []*gpb.Path{{}}, Extension: []*gnmi_ext.Extension{{}}}, codes.Unimplemented},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := s.Get(t.Context(), test.req)
			require.Equal(t, test.code, status.Code(err), "%v", err)
		})
	}
}

// What Get says, Set takes, and it changes nothing.
func TestGetSetRoundTrip(t *testing.T) {
	s, asic := planned(t)
	config, registers := get(t, s, "/", gpb.GetRequest_CONFIG), asic.String()
	_, err := s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/"), Val: ietf(config)}}})
	require.NoError(t, err)
	require.Equal(t, config, get(t, s, "/", gpb.GetRequest_CONFIG))
	require.Equal(t, registers, asic.String())
	require.True(t, json.Valid([]byte(config)))
}
