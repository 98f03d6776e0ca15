package server_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// queuing classifies, schedules and reserves on one port, in words of a client that is not cellwarden.
const queuing = `{"openconfig-qos:queues":{"queue":[{"name":"3","config":{"name":"3"}},{"name":"6","config":{"name":"6"}},{"name":"7","config":{"name":"7"}}]},
	"openconfig-qos:forwarding-groups":{"forwarding-group":[{"name":"fast","config":{"name":"fast","output-queue":"3"}},{"name":"control","config":{"name":"control","output-queue":"7"}}]},
	"openconfig-qos:classifiers":{"classifier":[
		{"name":"four","config":{"name":"four","type":"IPV4"},"terms":{"term":[
			{"id":"0","config":{"id":"0"},"conditions":{"ipv4":{"config":{"dscp-set":[26,24]}}},"actions":{"config":{"target-group":"fast"}}},
			{"id":"1","config":{"id":"1"},"conditions":{"ipv4":{"config":{"dscp":48}}},"actions":{"config":{"target-group":"control"}}}]}},
		{"name":"six","config":{"name":"six","type":"IPV6"},"terms":{"term":[
			{"id":"0","config":{"id":"0"},"conditions":{"ipv6":{"config":{"dscp-set":[24,26]}}},"actions":{"config":{"target-group":"fast"}}}]}}]},
	"openconfig-qos:buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"out","config":{"name":"out"},
		"queues":{"queue":[{"name":"7","config":{"name":"7","dedicated-buffer":"1000","use-shared-buffer":true}}]}}]},
	"openconfig-qos:scheduler-policies":{"scheduler-policy":[{"name":"s","config":{"name":"s"},"schedulers":{"scheduler":[
		{"sequence":0,"config":{"sequence":0,"priority":"STRICT"},"inputs":{"input":[
			{"id":"six","config":{"id":"six","input-type":"QUEUE","queue":"6","weight":"100"}},{"id":"seven","config":{"id":"seven","input-type":"QUEUE","queue":"7","weight":"200"}}]}},
		{"sequence":1,"config":{"sequence":1},"inputs":{"input":[{"id":"three","config":{"id":"three","input-type":"QUEUE","queue":"3","weight":"64"}}]}}]}}]},
	"openconfig-qos:interfaces":{"interface":[{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"},
		"input":{"classifiers":{"classifier":[{"type":"IPV4","config":{"type":"IPV4","name":"four"}},{"type":"IPV6","config":{"type":"IPV6","name":"six"}}]}},
		"output":{"config":{"buffer-allocation-profile":"out"},"scheduler-policy":{"config":{"name":"s"}}}}]}}`

const (
	schedulers = "/qos/scheduler-policies/scheduler-policy[name=s]/schedulers/scheduler"
	termsFour  = "/qos/classifiers/classifier[name=four]/terms/term"
	onePort    = "/qos/interfaces/interface[interface-id=Ethernet1/1]"
)

func queued(t *testing.T) (*server.Server, *sim.ASIC) {
	t.Helper()
	s, asic := newSwitch(t, 20000)
	_, err := s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(queuing)}}})
	require.NoError(t, err)
	return s, asic
}

// What a client says of queues is in the registers, and in state as they hold it.
func TestQueuing(t *testing.T) {
	s, asic := queued(t)
	have, err := asic.Observe(t.Context())
	require.NoError(t, err)
	set := func(k buffer.Kind, index int, v int64) buffer.Setting {
		return buffer.Setting{Register: buffer.Register{Kind: k, Port: "Ethernet1/1", Index: index}, Value: v}
	}
	require.Equal(t, buffer.NewLayout([]buffer.Setting{set(buffer.PriorityDSCP, 3, int64(pg.Points(24, 26))),
		set(buffer.PriorityDSCP, 7, int64(pg.Points(48))),
		set(buffer.QueueReserved, 7, 5), set(buffer.QueueWeight, 3, 64), set(buffer.QueueWeight, 6, buffer.Strict),
		set(buffer.QueueWeight, 7, buffer.Strict)}), have)
	for where, want := range map[string]string{
		termsFour + "[id=0]/conditions/ipv4/state/dscp-set":                                                               `[26,24]`,
		termsFour + "[id=1]/conditions/ipv4/state/dscp":                                                                   `48`,
		termsFour + "[id=1]/actions/state/target-group":                                                                   `"control"`,
		schedulers + "[sequence=1]/inputs/input[id=three]/state/weight":                                                   `"64"`,
		schedulers + "[sequence=0]/inputs/input[id=seven]/state/weight":                                                   `"200"`,
		schedulers + "[sequence=0]/state/priority":                                                                        `"STRICT"`,
		"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=out]/queues/queue[name=7]/state/dedicated-buffer": `"1040"`,
		onePort + "/input/classifiers/classifier[type=IPV6]/state/name":                                                   `"six"`,
		onePort + "/output/scheduler-policy/state/name":                                                                   `"s"`,
	} {
		require.JSONEq(t, want, get(t, s, where, gpb.GetRequest_STATE), where)
	}

	require.NoError(t, asic.Apply(t.Context(), []buffer.Step{
		{Register: set(buffer.PriorityDSCP, 3, 0).Register, From: int64(pg.Points(24, 26)), To: int64(pg.Points(26))},
		{Register: set(buffer.QueueWeight, 3, 0).Register, From: 64, To: 12},
		{Register: set(buffer.QueueReserved, 7, 0).Register, From: 5, To: 2}}))
	require.JSONEq(t, `[26]`, get(t, s, termsFour+"[id=0]/conditions/ipv4/state/dscp-set", gpb.GetRequest_STATE),
		"as the device has it")
	require.JSONEq(t, `"12"`, get(t, s, schedulers+"[sequence=1]/inputs/input[id=three]/state/weight",
		gpb.GetRequest_STATE))
	require.JSONEq(t, `"416"`, get(t, s, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=out]/queues/queue[name=7]/state/dedicated-buffer", gpb.GetRequest_STATE))
	require.JSONEq(t, `"64"`, get(t, s, schedulers+"[sequence=1]/inputs/input[id=three]/config/weight",
		gpb.GetRequest_CONFIG), "as it was asked")
}

// What the device has no register for is refused, with its path, and nothing
// changes. What nothing is bound to may say it.
func TestQueuingRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		path, json string
		code       codes.Code
		want       string
	}{
		"rates": {schedulers + "[sequence=1]/two-rate-three-color/config/cir", `"1000"`, codes.InvalidArgument,
			schedulers + "[sequence=1]/two-rate-three-color/config: two rates: want none"},
		"weight": {schedulers + "[sequence=1]/inputs/input[id=three]/config/weight", `"128"`, codes.InvalidArgument,
			schedulers + "[sequence=1]/inputs/input[id=three]/config/weight: 128: want 1 to 100"},
		"rank": {schedulers + "[sequence=0]/inputs/input[id=seven]/config/weight", `"50"`, codes.InvalidArgument,
			"of two strict queues the higher goes first"},
		"no such queue": {schedulers + "[sequence=1]/inputs/input[id=three]/config/queue", `"nobody"`,
			codes.InvalidArgument, "nobody"},
		"hop limit": {termsFour + "[id=0]/conditions/ipv4/config/hop-limit", `1`, codes.InvalidArgument,
			termsFour + "[id=0]/conditions/ipv4/config/hop-limit: 1: want none"},
		"remark": {termsFour + "[id=0]/actions/remark/config/set-dscp", `1`, codes.InvalidArgument,
			termsFour + "[id=0]/actions/remark/config: a remark"},
		"DSCP of another": {termsFour + "[id=1]/conditions/ipv4/config/dscp", `24`, codes.InvalidArgument,
			termsFour + "[id=1]: 24: want DSCPs of no other term"},
		"DSCP above 63": {termsFour + "[id=1]/conditions/ipv4/config/dscp", `64`, codes.InvalidArgument, "64"},
		"versions differ": {"/qos/classifiers/classifier[name=six]/terms/term[id=0]/actions/config/target-group",
			`"control"`, codes.InvalidArgument, onePort + "/input/classifiers/classifier[type=IPV6]/config/name: DSCP 24 of " +
				"IPv6 in priority 7"},
		"fabric": {"/qos/forwarding-groups/forwarding-group[name=fast]/config/fabric-priority", `1`,
			codes.Unimplemented, "/qos/forwarding-groups/forwarding-group[name=fast]/config/fabric-priority: 1: want " +
				"none: this switch has no fabric"},
		"multicast": {"/qos/forwarding-groups/forwarding-group[name=fast]/config/multicast-output-queue", `"7"`,
			codes.InvalidArgument, "for unicast and multicast alike"},
		"MPLS": {onePort + "/input/classifiers/classifier[type=MPLS]", `{"config":{"type":"MPLS","name":"four"}}`,
			codes.Unimplemented, onePort + "/input/classifiers/classifier[type=MPLS]: MPLS: want IPV4 or IPV6"},
		"policer": {onePort + "/input/scheduler-policy/config/name", `"s"`, codes.Unimplemented,
			onePort + "/input/scheduler-policy/config/name: s: want none: this switch schedules on the way out"},
		"egress sharing": {"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=out]/queues/queue[name=7]/config/use-shared-buffer", `false`, codes.Unimplemented, "config/use-shared-buffer: false: want true"},
		"egress limit":   {"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=out]/queues/queue[name=7]/config/static-shared-buffer-limit", `268435456`, codes.Unimplemented, "config/static-shared-buffer-limit: 268435456: want none"},
		"egress alpha":   {"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=out]/queues/queue[name=7]/config/dynamic-limit-scaling-factor", `1`, codes.Unimplemented, "config/dynamic-limit-scaling-factor: 1: want none"},
		"no classifier": {onePort + "/input/classifiers/classifier[type=IPV4]/config/name", `"nobody"`,
			codes.InvalidArgument, "nobody"},
		"no such priority": {onePort + "/input/classifiers/classifier[type=IPV5]/config/name", `"four"`,
			codes.InvalidArgument, "IPV5"},
	} {
		t.Run(name, func(t *testing.T) {
			s, asic := queued(t)
			tree, registers := get(t, s, "/", gpb.GetRequest_ALL), asic.String()
			_, err := s.Set(t.Context(), update(t, test.path, ietf(test.json)))
			require.Equal(t, test.code, status.Code(err), "%v", err)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, tree, get(t, s, "/", gpb.GetRequest_ALL))
			require.Equal(t, registers, asic.String())
		})
	}
	s, _ := queued(t)
	const minimum = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=out]/queues/queue[name=7]/config/dedicated-buffer"
	_, err := s.Set(t.Context(), update(t, minimum, ietf(`"20800000"`)))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	require.ErrorContains(t, err, "asked for by "+minimum+", "+onePort+"/output/config/buffer-allocation-profile")
	_, err = s.Set(t.Context(), update(t, "/qos/scheduler-policies/scheduler-policy[name=spare]",
		ietf(`{"config":{"name":"spare"},"schedulers":{"scheduler":[
		{"sequence":0,"config":{"sequence":0,"type":"ONE_RATE_TWO_COLOR"},"one-rate-two-color":{"config":{"cir":"5"}}}]}}`)))
	require.NoError(t, err)
}

// Lists whose keys are numbers and enumerations are reached by wildcards, and deleted by their keys.
func TestQueuingByWildcards(t *testing.T) {
	s, asic := queued(t)
	a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t,
		schedulers+"[sequence=*]/inputs/input[id=*]/config/weight")}, Encoding: gpb.Encoding_JSON_IETF})
	require.NoError(t, err)
	require.Len(t, a.GetNotification()[0].GetUpdate(), 3)
	a, err = s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t,
		onePort+"/input/classifiers/classifier[type=*]/config/name")}, Encoding: gpb.Encoding_JSON_IETF})
	require.NoError(t, err)
	require.Len(t, a.GetNotification()[0].GetUpdate(), 2)
	_, err = s.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{path(t,
		onePort+"/input/classifiers/classifier[type=IPV4]"), path(t, schedulers+"[sequence=0]")}})
	require.NoError(t, err)
	have, err := asic.Observe(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, pg.Points(24, 26), have.Value(buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1/1",
		Index: 3}), "IPv6 still says it")
	require.Zero(t, have.Value(buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1/1", Index: 7}))
	require.Zero(t, have.Value(buffer.Register{Kind: buffer.QueueWeight, Port: "Ethernet1/1", Index: 7}))
}
