package qos

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
)

// A switch may answer anything: it is read or refused. What ygot can read is
// read, as ygot does. What was read can be said again, and means the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `[]`, `{"interfaces":null}`, `{"queues":{"queue":[null]}}`,
		`{"openconfig-qos:qos":{}}`,
		`{"interfaces":{"interface":[{"interface-id":"e","input":{"config":{"buffer-allocation-profile":"p"}},
			"output":{"queues":{"queue":[{"name":"7","config":{"queue-management-profile":"w"}}]}}}]},
			"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p","queues":{"queue":[{"name":"0","config":{"dedicated-buffer":"1000",
				"use-shared-buffer":true,"shared-buffer-limit-type":"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR","dynamic-limit-scaling-factor":-3}}]}}]},
			"queue-management-profiles":{"queue-management-profile":[{"name":"w","wred":{"uniform":{"config":{"enable-ecn":true,
				"min-threshold":"1000","max-threshold":"2000","max-drop-probability-percent":5}}}}]}}`,
		`{"interfaces":{"interface":[{"interface-id":"e","input":{"classifiers":{"classifier":[{"type":"IPV4","config":{"type":"IPV4","name":"c"}}]}},
			"output":{"config":{"buffer-allocation-profile":"o"},"scheduler-policy":{"config":{"name":"s"}}}}]},
			"queues":{"queue":[{"name":"NC","config":{"name":"NC","queue-id":7}},{"name":"3"}]},
			"buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"o","queues":{"queue":[{"name":"NC","config":{"dedicated-buffer":"1"}}]}}]},
			"forwarding-groups":{"forwarding-group":[{"name":"g","config":{"output-queue":"NC"}}]},
			"classifiers":{"classifier":[{"name":"c","config":{"type":"IPV4"},"terms":{"term":[{"id":"t","conditions":{"ipv4":{"config":{"dscp-set":[0,63]}}},"actions":{"config":{"target-group":"g"}}}]}}]},
			"scheduler-policies":{"scheduler-policy":[{"name":"s","schedulers":{"scheduler":[{"sequence":0,"config":{"priority":"STRICT"},"inputs":{"input":[
				{"id":"a","config":{"id":"a","input-type":"QUEUE","queue":"NC"}}]}},{"sequence":1,"inputs":{"input":[{"id":"b","config":{"id":"b","input-type":"QUEUE","queue":"3","weight":"100"}}]}}]}}]}}`} {
		f.Add("/qos", []byte(seed), false)
		f.Add("/", []byte(seed), true)
	}
	f.Add("/qos/queues/queue[name=3]/config/queue-id", []byte(`3`), false)
	f.Add("/qos/queues/queue", []byte(`[]`), false)
	f.Add("/qos/queues/queue[name=0]", []byte(`{"name":"\u0033","state":{"name":[{},"\\\""]}}`), false)
	f.Add("/qos/interfaces/interface[interface-id=e]/input/config/buffer-allocation-profile", []byte(`"p"`), false)
	f.Add("/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=0]/config/dedicated-buffer",
		[]byte(`1e3`), true)
	f.Add("/openconfig-qos:qos", []byte(` {"qos" : {"queues":{"queue":[ {"name":"3"} , {"name":"3"} ]}} } `), true)
	f.Add("/qos/queues/queue[name=3][name=4]/", []byte(`7`), true)
	f.Fuzz(func(t *testing.T, where string, json []byte, plainJSON bool) {
		path, err := ygot.StringToStructuredPath(where)
		if err != nil {
			return
		}
		v := &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: json}}
		if plainJSON {
			v = &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: json}}
		}
		notes := []*gpb.Notification{{Update: []*gpb.Update{{Path: path, Val: v}}}}
		root, err := ParseNotifications(notes)
		if slow, refused := parseWhole(notes); refused == nil && !repeats(json) {
			require.NoError(t, err)
			same(t, slow, root, plainOpenConfig(208))
		}
		if err != nil {
			return
		}
		have, err := Decode(root, 208)
		if err != nil {
			return
		}
		again, err := Encode(have, 208)
		require.NoError(t, err)
		back, err := Decode(again, 208)
		require.NoError(t, err)
		require.Equal(t, have, back)
	})
}
