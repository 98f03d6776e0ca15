package gnmi_test

import (
	"context"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// canned is a switch that gives the same answers to everybody.
type canned struct {
	gpb.UnimplementedGNMIServer
	capabilities *gpb.CapabilityResponse
	get          func(*gpb.GetRequest) (*gpb.GetResponse, error)
}

func (c *canned) Capabilities(context.Context, *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	return c.capabilities, nil
}

func (c *canned) Get(_ context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	return c.get(req)
}

// answer is a Get answer with one value of /qos.
func answer(elems []*gpb.PathElem, json string) *gpb.GetResponse {
	return &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{{Path: &gpb.Path{Elem: elems},
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}}}}}}}
}

func TestWrongCapabilities(t *testing.T) {
	c := &canned{capabilities: &gpb.CapabilityResponse{SupportedEncodings: []gpb.Encoding{gpb.Encoding_ASCII,
		gpb.Encoding_PROTO}, SupportedModels: oc.ΓModelData}}
	l := serve(t, c)
	_, err := l.client.Capabilities(t.Context())
	require.EqualError(t, err, "gNMI target leaf1 supports neither JSON_IETF nor JSON: it supports [ASCII PROTO]")

	c.capabilities.SupportedEncodings = []gpb.Encoding{gpb.Encoding_JSON_IETF}
	c.capabilities.SupportedModels = []*gpb.ModelData{{Name: "vendor-qos"}, {Name: "openconfig-platform"},
		{Name: "openconfig-interfaces"}}
	_, err = l.client.Capabilities(t.Context())
	require.EqualError(t, err, "gNMI target leaf1 has no model openconfig-qos: it has openconfig-interfaces, "+
		"openconfig-platform, vendor-qos")

	c.capabilities.SupportedModels = nil
	_, err = l.client.Capabilities(t.Context())
	require.ErrorContains(t, err, "it has no models")
}

const bound3 = `"interfaces":{"interface":[{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"},
	"input":{"config":{"buffer-allocation-profile":"p"}}}]}`

func shares(queue, config string) string {
	return `{` + bound3 + `,"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p","config":{"name":"p"},
		"queues":{"queue":[{"name":"` + queue + `","config":` + config + `}]}}]}}`
}

func curves(config string) string {
	return `{"interfaces":{"interface":[{"interface-id":"Ethernet1/1","output":{"queues":{"queue":[{"name":"3",
		"config":{"name":"3","queue-management-profile":"w"}}]}}}]},
		"queue-management-profiles":{"queue-management-profile":[{"name":"w","wred":{"uniform":{"config":` + config + `}}}]}}`
}

// TestObserve reads what switches answer.
func TestObserve(t *testing.T) {
	qos := []*gpb.PathElem{{Name: "qos"}}
	at := func(k buffer.Kind, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: k, Port: "Ethernet1/1", Index: 3}, Value: v}
	}
	reserved := []buffer.Setting{at(buffer.GroupReserved, 5)}
	tests := []struct {
		name  string
		elems []*gpb.PathElem
		json  string
		want  []buffer.Setting
		err   string
	}{
		{"empty", qos, `{}`, nil, ""},
		{"reserved rounds up", qos, shares("3", `{"dedicated-buffer":"833"}`), reserved, ""},
		{"alpha", qos, shares("3", `{"use-shared-buffer":true,"shared-buffer-limit-type":"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR","dynamic-limit-scaling-factor":0}`),
			[]buffer.Setting{at(buffer.GroupAlpha, 0)}, ""},
		{"no shared cells", qos, shares("3", `{"use-shared-buffer":false,"shared-buffer-limit-type":"STATIC","static-shared-buffer-limit":5}`), nil, ""},
		{"a queue of another name", qos, shares("BE1", `{"use-shared-buffer":true,"shared-buffer-limit-type":"STATIC"}`), nil,
			""},
		{"leaves that cellwarden does not write", qos, `{"classifiers":{"classifier":[{"name":"x"}]},` +
			shares("3", `{"dedicated-buffer":"833","trim-enable":true}`)[1:], reserved, ""},
		{"root", nil, `{"openconfig-qos:qos":` + shares("3", `{"dedicated-buffer":"833"}`) + `}`, reserved, ""},
		{"name repeated", []*gpb.PathElem{{Name: "openconfig-qos:qos"}},
			`{"openconfig-qos:qos":` + shares("3", `{"dedicated-buffer":"833"}`) + `}`, reserved, ""},
		{"not asked for", []*gpb.PathElem{{Name: "interfaces"}}, `[]`, nil, ""},
		{"ecn rounds down", qos, curves(`{"enable-ecn":true,"min-threshold":"1039","max-threshold":"2080","max-drop-probability-percent":5}`),
			[]buffer.Setting{at(buffer.QueueECNMin, 4), at(buffer.QueueECNMax, 10), at(buffer.QueueECNPMax, 500)}, ""},
		{"a static limit rounds down", qos, shares("3", `{"use-shared-buffer":true,"shared-buffer-limit-type":"STATIC","static-shared-buffer-limit":1039}`),
			[]buffer.Setting{at(buffer.GroupStatic, 4)}, ""},
		{"it drops and does not mark", qos, curves(`{"min-threshold":"1039"}`), nil, ""},

		{"no static limit", qos, shares("3", `{"use-shared-buffer":true,"shared-buffer-limit-type":"STATIC"}`), nil,
			"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config/static-shared-buffer-limit: none: want bytes"},
		{"limit of no type", qos, shares("3", `{"use-shared-buffer":true}`), nil, "shared-buffer-limit-type: none"},
		{"no exponent", qos, shares("3", `{"use-shared-buffer":true,"shared-buffer-limit-type":"DYNAMIC_BASED_ON_SCALING_FACTOR"}`), nil, "dynamic-limit-scaling-factor: none"},
		{"too large", qos, shares("3", `{"dedicated-buffer":"18446744073709551615"}`), nil,
			"dedicated-buffer: 18446744073709551615: want 0 to"},
		{"percents of a queue", qos, curves(`{"enable-ecn":true,"min-threshold-percent":10,"max-threshold-percent":50}`), nil,
			"/max-threshold: none: want bytes"},
		{"above certainty", qos, curves(`{"enable-ecn":true,"min-threshold":"0","max-threshold":"0","max-drop-probability-percent":101}`), nil, "101"},
		{"no such profile", qos, `{` + bound3 + `}`, nil,
			`/qos/interfaces/interface[interface-id=Ethernet1/1]/input/config/buffer-allocation-profile: "p": want the name of a profile`},
		{"interface without a name", qos, `{"interfaces":{"interface":[{"interface-id":""}]}}`, nil,
			"interface-id that is not empty"},
		{"no JSON", qos, `{"interfaces"`, nil, "/qos: unexpected end of JSON input"},
		{"nothing", qos, ``, nil, "/qos: no JSON"},
		{"wrong type", qos, `{"interfaces":7}`, nil, "/qos/interfaces: 7: want an object"},
		{"number that should be a string", qos, shares("3", `{"dedicated-buffer":833}`), nil,
			"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config/dedicated-buffer: " +
				"833: want a whole number of 64 bits without a sign, in quotes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := serve(t, &canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
				return answer(test.elems, test.json),
					nil
			}})
			have, err := l.client.Observe(t.Context())
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				require.ErrorContains(t, err, "gNMI target leaf1")
				return
			}
			require.NoError(t, err)
			require.Equal(t, buffer.NewLayout(test.want), have)
		})
	}
}

// A complaint about a profile is made once, however many ports are bound.
func TestComplaintsAreNotRepeated(t *testing.T) {
	json := `{"interfaces":{"interface":[{"interface-id":"a","input":{"config":{"buffer-allocation-profile":"p"}}},
		{"interface-id":"b","input":{"config":{"buffer-allocation-profile":"p"}}}]},"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p",
		"queues":{"queue":[{"name":"1","config":{"use-shared-buffer":true}}]}}]}}`
	l := serve(t, &canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
		return answer([]*gpb.PathElem{{Name: "qos"}}, json), nil
	}})
	_, err := l.client.Observe(t.Context())
	var invalid *buffer.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Len(t, invalid.Complaints, 1)
}

func TestNotFoundIsEmpty(t *testing.T) {
	l := serve(t, &canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
		return nil, status.Error(codes.NotFound, "no qos here")
	}})
	have, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, have)
}

func TestTargetThatKnowsOneType(t *testing.T) {
	l := serve(t, &canned{get: func(req *gpb.GetRequest) (*gpb.GetResponse, error) {
		if req.GetType() != gpb.GetRequest_ALL {
			return nil, status.Error(codes.Unimplemented, "unsupported request type: CONFIG")
		}
		return answer([]*gpb.PathElem{{Name: "qos"}}, shares("3", `{"dedicated-buffer":"833"}`)), nil
	}})
	have, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Len(t, have, 1)
}

// Leaves may come one by one.
func TestObserveLeaves(t *testing.T) {
	update := func(elems []*gpb.PathElem, v *gpb.TypedValue) *gpb.Update {
		return &gpb.Update{Path: &gpb.Path{Elem: elems}, Val: v}
	}
	word := func(s string) *gpb.TypedValue {
		return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: s}}
	}
	key := func(k, v string) map[string]string { return map[string]string{k: v} }
	l := serve(t, &canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
		return &gpb.GetResponse{Notification: []*gpb.Notification{{Prefix: &gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}}},
			Update: []*gpb.Update{
				update([]*gpb.PathElem{{Name: "interfaces"}, {Name: "interface", Key: key("interface-id", "Ethernet1/1")},
					{Name: "input"}, {Name: "config"}, {Name: "buffer-allocation-profile"}}, word("p")),
				update([]*gpb.PathElem{{Name: "buffer-allocation-profiles"},
					{Name: "buffer-allocation-profile", Key: key("name", "p")}, {Name: "queues"},
					{Name: "queue", Key: key("name", "3")}, {Name: "config"}, {Name: "dedicated-buffer"}},
					&gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: 833}}),
				update([]*gpb.PathElem{{Name: "schedulers"}, {Name: "unknown"}}, word("x")),
			}}}}, nil
	}})
	have, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Ethernet1/1 group 3 reserved 5 cells", have[0].String())
}
