package gnmi_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// leaves is what a switch answers to a Get of a path with wildcards: the values of leaves by their paths.
func leaves(t *testing.T, l *lab, where string) map[string]string {
	t.Helper()
	p, err := ygot.StringToStructuredPath(where)
	require.NoError(t, err)
	answer, err := l.served.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{p}, Encoding: gpb.Encoding_JSON_IETF})
	require.NoError(t, err)
	out := map[string]string{}
	for _, n := range answer.GetNotification() {
		for _, u := range n.GetUpdate() {
			path, err := ygot.PathToString(u.GetPath())
			require.NoError(t, err)
			var compact strings.Builder
			var v any
			require.NoError(t, json.Unmarshal(u.GetVal().GetJsonIetfVal(), &v))
			require.NoError(t, json.NewEncoder(&compact).Encode(v))
			out[path] = strings.TrimSpace(compact.String())
		}
	}
	return out
}

// one is the only leaf at a path.
func one(t *testing.T, l *lab, where string) string {
	t.Helper()
	all := leaves(t, l, where)
	require.Len(t, all, 1, where)
	for _, v := range all {
		return v
	}
	return ""
}

// A plan with weights and DSCPs arrives where the public tests look for them.
func TestQueuingEndToEnd(t *testing.T) {
	l := newLab(t, chip(20000))
	in := weighed("Ethernet1/1", "Ethernet1/2")
	rest := in.Classes[1].Priorities[0]
	want := planned(t, in)
	report, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	have, err := l.asic.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, carried(want), have)
	for _, container := range []string{"config", "state"} {
		for _, port := range []string{"Ethernet1\\/1", "Ethernet1\\/2"} {
			id := "/qos/interfaces/interface[interface-id=" + strings.ReplaceAll(port, `\`, ``) + "]"
			for version, terms := range map[string]string{"IPV4": "ipv4", "IPV6": "ipv6"} {
				bound := one(t, l, id+"/input/classifiers/classifier[type="+version+"]/"+container+"/name")
				require.Regexp(t, `^"cellwarden-dscp[46]-[0-9a-f]{12}"$`, bound)
				c := "/qos/classifiers/classifier[name=" + strings.Trim(bound, `"`) + "]"
				require.Equal(t, `"`+version+`"`, one(t, l, c+"/"+container+"/type"))
				require.Equal(t, "[24,26]", one(t, l, c+"/terms/term[id=3]/conditions/"+terms+"/"+container+"/dscp-set"))
				group := one(t, l, c+"/terms/term[id=3]/actions/"+container+"/target-group")
				require.Equal(t, `"3"`, one(t, l, "/qos/forwarding-groups/forwarding-group[name="+strings.Trim(group, `"`)+"]/"+
					container+"/output-queue"))
			}
			policy := strings.Trim(one(t, l, id+"/output/scheduler-policy/"+container+"/name"), `"`)
			require.Regexp(t, `^cellwarden-sched-`, policy)
			s := "/qos/scheduler-policies/scheduler-policy[name=" + policy + "]/schedulers/scheduler"
			require.Equal(t, `"STRICT"`, one(t, l, s+"[sequence=0]/"+container+"/priority"))
			require.Equal(t, `"60"`, one(t, l, s+"[sequence=1]/inputs/input[id=3]/"+container+"/weight"))
			require.Equal(t, `"QUEUE"`, one(t, l, s+"[sequence=1]/inputs/input[id=3]/"+container+"/input-type"))
			require.Equal(t, `"3"`, one(t, l, s+"[sequence=1]/inputs/input[id=3]/"+container+"/queue"))
			out := strings.Trim(one(t, l, id+"/output/"+container+"/buffer-allocation-profile"), `"`)
			require.Equal(t, `"832"`, one(t, l, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name="+out+
				"]/queues/queue[name="+string(rune('0'+rest))+"]/"+container+"/dedicated-buffer"))
		}
	}
	require.Len(t, leaves(t, l, "/qos/classifiers/classifier[name=*]/terms/term[id=*]/actions/config/target-group"), 4,
		"wildcards; ports share classifiers")
	require.Len(t, leaves(t, l, "/qos/interfaces/interface[interface-id=*]/input/classifiers/classifier[type=IPV6]/state/name"), 2)

	report, err = backend.Converge(t.Context(), l.client, want, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, report.State)
}

// What nothing is bound to any more goes, after what points at it, and what is bound comes after what it points at.
func TestQueuingIsTakenAway(t *testing.T) {
	l := newLab(t, chip(20000))
	_, err := backend.Converge(t.Context(), l.client, planned(t, weighed("a", "b")), backend.Options{})
	require.NoError(t, err)
	var sent []*gpb.SetRequest
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		sent = append(sent, req.(*gpb.SetRequest))
		return next(ctx, req)
	})
	plain := intent("a", "b")
	plain.Classes[0].Priorities = []int{3}
	_, err = backend.Converge(t.Context(), l.client, planned(t, plain), backend.Options{})
	require.NoError(t, err)
	require.Len(t, sent, 1)
	var gone []string
	for _, p := range sent[0].GetDelete() {
		text, err := ygot.PathToString(p)
		require.NoError(t, err)
		gone = append(gone, text)
	}
	last := slices.IndexFunc(gone, func(s string) bool { return strings.Contains(s, "/qos/scheduler-policies/") })
	for i, s := range gone {
		require.Equal(t, strings.Contains(s, "/qos/interfaces/"),
			i < slices.IndexFunc(gone, func(s string) bool { return !strings.Contains(s, "/qos/interfaces/") }),
			"bindings first")
	}
	require.Greater(t, last, 0)
	require.Contains(t, gone, "/qos/forwarding-groups/forwarding-group[name=cellwarden-priority-3]")
	require.True(t, strings.HasPrefix(gone[len(gone)-1], "/qos/forwarding-groups/"),
		"groups last: classifiers point at them")
	for _, left := range []string{"classifiers/classifier", "scheduler-policies/scheduler-policy",
		"forwarding-groups/forwarding-group"} {
		a, err := l.served.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{qosPath(t, left)},
			Encoding: gpb.Encoding_JSON_IETF})
		if err == nil {
			require.Empty(t, a.GetNotification()[0].GetUpdate(), left)
		}
	}
}

func qosPath(t *testing.T, text string) *gpb.Path {
	t.Helper()
	p, err := ygot.StringToStructuredPath("/qos/" + text + "[name=*]/config/name")
	require.NoError(t, err)
	return p
}

// others is the configuration of another client: a port with a scheduler policy and
// classifiers of the same content as cellwarden's would have, an MPLS classifier,
// and a classifier that nothing is bound to and that leads to a group of ours.
const others = `{"openconfig-qos:queues":{"queue":[{"name":"3","config":{"name":"3"}},{"name":"6","config":{"name":"6"}}]},
	"openconfig-qos:forwarding-groups":{"forwarding-group":[{"name":"g","config":{"name":"g","output-queue":"3"}},
		{"name":"cellwarden-priority-6","config":{"name":"cellwarden-priority-6","output-queue":"6"}}]},
	"openconfig-qos:classifiers":{"classifier":[
		{"name":"theirs4","config":{"name":"theirs4","type":"IPV4"},"terms":{"term":[{"id":"t","config":{"id":"t"},"conditions":{"ipv4":{"config":{"dscp-set":[24,26]}}},"actions":{"config":{"target-group":"g"}}}]}},
		{"name":"theirs6","config":{"name":"theirs6","type":"IPV6"},"terms":{"term":[{"id":"t","config":{"id":"t"},"conditions":{"ipv6":{"config":{"dscp-set":[24,26]}}},"actions":{"config":{"target-group":"g"}}}]}},
		{"name":"spare","config":{"name":"spare","type":"IPV4"},"terms":{"term":[{"id":"t","config":{"id":"t"},"conditions":{"ipv4":{"config":{"dscp":1}}},"actions":{"config":{"target-group":"cellwarden-priority-6"}}}]}}]},
	"openconfig-qos:scheduler-policies":{"scheduler-policy":[{"name":"theirs","config":{"name":"theirs"},"schedulers":{"scheduler":[
		{"sequence":0,"config":{"sequence":0},"inputs":{"input":[{"id":"x","config":{"id":"x","input-type":"QUEUE","queue":"3","weight":"9"}}]}}]}}]},
	"openconfig-qos:interfaces":{"interface":[{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"},
		"input":{"classifiers":{"classifier":[{"type":"IPV4","config":{"type":"IPV4","name":"theirs4"}},{"type":"IPV6","config":{"type":"IPV6","name":"theirs6"}}]}},
		"output":{"scheduler-policy":{"config":{"name":"theirs"}}}}]}}`

// subtrees is the configuration that is not cellwarden's, as text.
func subtrees(t *testing.T, l *lab) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, where := range []string{"classifiers/classifier[name=theirs4]", "classifiers/classifier[name=theirs6]",
		"classifiers/classifier[name=spare]",
		"scheduler-policies/scheduler-policy[name=theirs]", "forwarding-groups/forwarding-group[name=g]",
		"forwarding-groups/forwarding-group[name=cellwarden-priority-6]"} {
		out[where] = one(t, l, "/qos/"+where)
	}
	return out
}

// A plan that says nothing of weights and DSCPs leaves them as they are, read or
// not. One that does binds its own, and undoing restores the bindings by name.
func TestOthersQueuingIsLeftAlone(t *testing.T) {
	l := newLab(t, chip(20000))
	replace(t, l, others)
	before := subtrees(t, l)
	bindings := func() []string {
		id := "/qos/interfaces/interface[interface-id=Ethernet1/1]"
		return []string{one(t, l, id+"/input/classifiers/classifier[type=IPV4]/config/name"),
			one(t, l, id+"/input/classifiers/classifier[type=IPV6]/config/name"),
			one(t, l, id+"/output/scheduler-policy/config/name")}
	}
	theirs := []string{`"theirs4"`, `"theirs6"`, `"theirs"`}
	empty, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, empty, "as the switch has it: no register")

	plain := planned(t, intent("Ethernet1/1"))
	report, err := backend.Converge(t.Context(), l.client, plain, backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	require.Equal(t, theirs, bindings())

	want := carried(planned(t, weighed("Ethernet1/1")))
	now, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.NoError(t, l.client.Apply(t.Context(), buffer.Diff(now, want)))
	for _, name := range bindings() {
		require.Contains(t, name, "cellwarden-")
	}
	after, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, after)
	require.Equal(t, before, subtrees(t, l))

	require.NoError(t, l.client.Apply(t.Context(), buffer.Diff(after, now)))
	require.Equal(t, theirs, bindings())
	require.Equal(t, before, subtrees(t, l), "nor is the group deleted that another's classifier leads to")
	require.Len(t, leaves(t, l, "/qos/forwarding-groups/forwarding-group[name=*]/config/name"), 2, "those that were there")
}

// Who changes what is cellwarden's, or takes one of two bindings away, is found out, and put right.
func TestChangedQueuingIsPutRight(t *testing.T) {
	for name, change := range map[string]func(policy, four string) *gpb.SetRequest{
		"a binding": func(string, string) *gpb.SetRequest {
			return &gpb.SetRequest{Delete: []*gpb.Path{parsed(t,
				"/qos/interfaces/interface[interface-id=Ethernet1/1]/input/classifiers/classifier[type=IPV6]")}}
		},
		"a term": func(_, four string) *gpb.SetRequest {
			return set(t, "/qos/classifiers/classifier[name="+four+"]/terms/term[id=3]/conditions/ipv4/config/dscp-set",
				`[24,26,28]`)
		},
		"a weight": func(policy, _ string) *gpb.SetRequest {
			return set(t, "/qos/scheduler-policies/scheduler-policy[name="+policy+
				"]/schedulers/scheduler[sequence=1]/inputs/input[id=3]/config/weight", `"61"`)
		},
		"a group": func(string, string) *gpb.SetRequest {
			return set(t, "/qos/forwarding-groups/forwarding-group[name=cellwarden-priority-3]/config/output-queue", `"0"`)
		},
		"an input": func(policy, _ string) *gpb.SetRequest {
			return &gpb.SetRequest{Delete: []*gpb.Path{parsed(t,
				"/qos/scheduler-policies/scheduler-policy[name="+policy+"]/schedulers/scheduler[sequence=0]")}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, chip(20000))
			in := weighed("Ethernet1/1")
			in.Classes[1].Priorities, in.DSCP = []int{0}, pg.DSCPMap{3: pg.Points(24, 26)}
			want := planned(t, in)
			_, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
			require.NoError(t, err)
			id := "/qos/interfaces/interface[interface-id=Ethernet1/1]"
			policy := strings.Trim(one(t, l, id+"/output/scheduler-policy/config/name"), `"`)
			four := strings.Trim(one(t, l, id+"/input/classifiers/classifier[type=IPV4]/config/name"), `"`)
			_, err = l.served.Set(t.Context(), change(policy, four))
			require.NoError(t, err)
			have, err := l.client.Observe(t.Context())
			require.NoError(t, err)
			require.NotEqual(t, carried(want), have)
			report, err := backend.Converge(t.Context(), l.client, want, backend.Options{})
			require.NoError(t, err)
			require.Equal(t, backend.Applied, report.State)
			have, err = l.asic.Observe(t.Context())
			require.NoError(t, err)
			require.Equal(t, carried(want), have)
		})
	}
}

func parsed(t *testing.T, text string) *gpb.Path {
	t.Helper()
	p, err := ygot.StringToStructuredPath(text)
	require.NoError(t, err)
	return p
}

func set(t *testing.T, where, json string) *gpb.SetRequest {
	return &gpb.SetRequest{Update: []*gpb.Update{{Path: parsed(t, where),
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(json)}}}}}
}

// Each phase is a Set of its own and whole by itself: packets are led away before
// a class stops being lossless, and to it after it is.
func TestQueuingInPhases(t *testing.T) {
	l := newLab(t, chip(20000))
	client := l.with(t, gnmi.Options{Phased: true})
	_, err := backend.Converge(t.Context(), client, planned(t, weighed("a", "b")), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, 3, l.sets(), "move, grow, resume")
	moved := weighed("a", "b")
	moved.DSCP[3], moved.DSCP[moved.Classes[1].Priorities[0]] = pg.Points(26, 28), pg.Points(0)
	report, err := backend.Converge(t.Context(), client, planned(t, moved), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	require.Equal(t, 3+2, l.sets(), "quiesce, resume")
}

// The switch has queues of other names, with queue-ids: they are called by them.
func TestQueuesOfOtherNames(t *testing.T) {
	answers := `{"queues":{"queue":[{"name":"NC","config":{"name":"NC","queue-id":3}},{"name":"4","config":{"name":"4","queue-id":9}}]},
		"interfaces":{"interface":[{"interface-id":"e1","output":{"queues":{"queue":[{"name":"NC","config":{"name":"NC","queue-management-profile":"w"}},
			{"name":"3","config":{"name":"3","queue-management-profile":"cellwarden-ecn-kept"}}]}}}]},
		"queue-management-profiles":{"queue-management-profile":[{"name":"cellwarden-ecn-kept"},{"name":"w","wred":{"uniform":{"config":{"enable-ecn":true,"min-threshold":"1040","max-threshold":"2080"}}}}]}}`
	var sent *gpb.SetRequest
	c := &recorder{canned: canned{get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
		return answer([]*gpb.PathElem{{Name: "qos"}}, answers), nil
	}}, set: &sent}
	l := serve(t, c)
	have, err := l.client.Observe(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 5, have.Value(buffer.Register{Kind: buffer.QueueECNMin, Port: "e1", Index: 3}))
	require.NoError(t, l.client.Apply(t.Context(), []buffer.Step{
		{Register: buffer.Register{Kind: buffer.QueueECNMin, Port: "e1", Index: 3}, From: 5, To: 0},
		{Register: buffer.Register{Kind: buffer.QueueECNMax, Port: "e1", Index: 3}, From: 10, To: 0},
		{Register: buffer.Register{Kind: buffer.QueueWeight, Port: "e1", Index: 3}, To: 7},
		{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "e1", Index: 3}, To: 2}}))
	text := sent.String()
	require.Len(t, sent.GetDelete(), 1, "the binding; the profile is another's")
	require.Regexp(t, `\\"queue\\": ?\\"NC\\"`, text)
	require.Regexp(t, `\\"output-queue\\": ?\\"NC\\"`, text)
	require.NotContains(t, text, "cellwarden-ecn-kept", "queue 3 is none of ours: its number is NC's")
	for _, u := range sent.GetUpdate() {
		path, err := ygot.PathToString(u.GetPath())
		require.NoError(t, err)
		require.NotContains(t, path, "/qos/queues/", "the queue is there")
	}
}
