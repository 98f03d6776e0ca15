package server_test

import (
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// The MUSTs of the gNMI specification that concern a target, by section. The text is rpc/gnmi/gnmi-specification.md of
// openconfig/reference, version 0.10.0 with the changes up to 2026-04-28. Beside it stand gnmi-path-strings.md
// ("strings"), gnmi-path-conventions.md ("conventions"), gnmi-master-arbitration.md ("arbitration") and RFC 7951. MUSTs
// of a commit are in commit_confirmed_test.go, of TLS in package main, of users in access_test.go.

// absent stands for data that a Get does not find.
const absent = "absent"

// after is what a Get of configuration answers after a Set: values by path.
type after map[string]string

func (a after) check(t *testing.T, s *server.Server) {
	t.Helper()
	for where, want := range a {
		answer, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, where)},
			Encoding: gpb.Encoding_JSON_IETF, Type: gpb.GetRequest_CONFIG})
		if want == absent {
			require.Equal(t, codes.NotFound, status.Code(err), "%s: %v", where, answer)
			continue
		}
		require.NoError(t, err, where)
		require.Equal(t, want, string(answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal()), where)
	}
}

const (
	queue3   = "/qos/queues/queue[name=3]"
	queue4   = "/qos/queues/queue[name=4]"
	profileP = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]"
	groups   = "/qos/forwarding-groups"
	dscps    = "/qos/classifiers/classifier[name=c]/terms/term[id=1]/conditions/ipv4/config/dscp-set"
)

func jsonVal(text string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte(text)}}
}

func replace(t testing.TB, where string, v *gpb.TypedValue) *gpb.SetRequest {
	return &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, where), Val: v}}}
}

func remove(t testing.TB, where ...string) *gpb.SetRequest {
	req := &gpb.SetRequest{}
	for _, w := range where {
		req.Delete = append(req.Delete, path(t, w))
	}
	return req
}

// The switch has the plan, and two forwarding groups and a classifier that no port uses.
func specified(t *testing.T) *server.Server {
	s, _ := planned(t)
	_, err := s.Set(t.Context(), update(t, "/qos", ietf(`{"forwarding-groups":{"forwarding-group":[
		{"name":"a","config":{"name":"a","output-queue":"3"}},{"name":"b","config":{"name":"b","output-queue":"3"}}]},
		"classifiers":{"classifier":[{"name":"c","config":{"name":"c","type":"IPV4"},"terms":{"term":[{"id":"1","config":{"id":"1"},
			"conditions":{"ipv4":{"config":{"dscp-set":[24,26]}}}}]}}]}}`)))
	require.NoError(t, err)
	return s
}

func TestSpecificationSet(t *testing.T) {
	effort.SkipShort(t, "it goes through the specification")
	groupA, groupB := groups+"/forwarding-group[name=a]", groups+"/forwarding-group[name=b]"
	for _, test := range []struct {
		section, must string
		req           *gpb.SetRequest
		code          codes.Code
		after         after
	}{
		{"2.2.2.1", "a target in a path, not in the prefix, is an error",
			&gpb.SetRequest{Delete: []*gpb.Path{{Target: "x"}}}, codes.InvalidArgument, nil},
		{"2.3.1", "JSON values are valid JSON: nothing after the value", update(t, queueID, ietf(`3 }`)),
			codes.InvalidArgument,
			after{queueID: absent}},
		{"2.3.1", "nothing after an object", update(t, queue3+"/config", ietf(`{"queue-id":3}}`)), codes.InvalidArgument,
			after{queueID: absent}},
		{"2.3.1", "nothing after an object of plain JSON", update(t, queue3+"/config", jsonVal(`{"queue-id":3}]`)),
			codes.InvalidArgument, after{queueID: absent}},
		{"2.4.1", "the prefix stands before every path", &gpb.SetRequest{Prefix: path(t, queue3),
			Update: []*gpb.Update{{Path: path(t, "config/queue-id"), Val: ietf(`3`)}}}, codes.OK, after{queueID: `3`}},
		{"2.7", "no origin in both, prefix and path", &gpb.SetRequest{Prefix: &gpb.Path{Origin: "openconfig"},
			Delete: []*gpb.Path{{Origin: "openconfig"}}}, codes.InvalidArgument, nil},
		{"2.7.3", "a change of another origin does not touch this one", &gpb.SetRequest{
			Delete: []*gpb.Path{{Origin: "cli"}}}, codes.NotFound, after{queue3 + "/config/name": `"3"`}},
		{"3.4", "an empty set of paths is no error", &gpb.SetRequest{}, codes.OK, nil},
		{"3.4", "the same path twice: both are applied, in order", &gpb.SetRequest{Update: []*gpb.Update{
			{Path: path(t, queueID), Val: ietf(`1`)}, {Path: path(t, queueID), Val: ietf(`3`)}}}, codes.OK, after{queueID: `3`}},
		{"3.4.3", "one operation fails: none is applied", &gpb.SetRequest{Update: []*gpb.Update{
			{Path: path(t, queueID), Val: ietf(`3`)}, {Path: path(t, queueID), Val: ietf(`300`)}}}, codes.InvalidArgument,
			after{queueID: absent}},
		{"3.4.4", "an update of a leaf creates its entry, with its key", update(t, queue4+"/config/queue-id", ietf(`4`)),
			codes.OK, after{queue4 + "/config/name": `"4"`, queue4 + "/name": `"4"`, queue4 + "/config/queue-id": `4`}},
		{"3.4.4", "an update of a scalar does so too", update(t, queue4+"/config/queue-id", natural(4)), codes.OK,
			after{queue4 + "/config/name": `"4"`}},
		{"3.4.4", "an update of a container does so too", update(t, queue4+"/config", ietf(`{"queue-id":4}`)), codes.OK,
			after{queue4 + "/config/name": `"4"`}},
		{"3.4.4", "an update of an entry has its key from the path", update(t, queue4, ietf(`{"config":{"queue-id":4}}`)),
			codes.OK, after{queue4 + "/config/name": `"4"`}},
		{"3.4.4", "a replace of a leaf creates its entries at every depth",
			replace(t, "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=n]/queues/queue[name=3]/config/dedicated-buffer",
				ietf(`"208"`)), codes.OK,
			after{"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=n]/config/name": `"n"`,
				"/qos/buffer-allocation-profiles/buffer-allocation-profile[name=n]/queues/queue[name=3]/config/name": `"3"`}},
		{"3.4.4", "a replace of a list removes the entries that it does not have", replace(t, groups+"/forwarding-group",
			ietf(`[{"name":"b","config":{"name":"b","output-queue":"3"}}]`)), codes.OK,
			after{groupA + "/config/name": absent, groupB + "/config/name": `"b"`}},
		{"3.4.4", "a replace of a list with an empty one", replace(t, groups+"/forwarding-group", ietf(`[]`)), codes.OK,
			after{groupA + "/config/name": absent, groupB + "/config/name": absent}},
		{"3.4.4", "an update of a list adds entries", update(t, groups+"/forwarding-group",
			ietf(`[{"name":"d","config":{"name":"d","output-queue":"3"}}]`)), codes.OK,
			after{groupA + "/config/name": `"a"`, groups + "/forwarding-group[name=d]/config/name": `"d"`}},
		{"3.4.4", "and in plain JSON", update(t, groups+"/forwarding-group",
			jsonVal(`[{"name":"d","config":{"name":"d","output-queue":"3"}}]`)), codes.OK,
			after{groups + "/forwarding-group[name=d]/config/name": `"d"`}},
		{"3.4.4", "an update of a leaf-list adds values", update(t, dscps, ietf(`[26,34]`)), codes.OK,
			after{dscps: `[24,26,34]`}},
		{"3.4.4", "a replace of a leaf-list removes the others", replace(t, dscps, ietf(`[26,34]`)), codes.OK,
			after{dscps: `[26,34]`}},
		{"3.4.4", "a replace removes what it does not name", replace(t, queue3, ietf(`{"config":{"name":"3"}}`)), codes.OK,
			after{queueID: absent}},
		{"3.4.4", "a replace of an entry with {} is refused", replace(t, queue3, ietf(`{}`)), codes.InvalidArgument,
			after{queue3 + "/name": `"3"`}},
		{"3.4.4", "a replace of a leaf with null is refused", replace(t, queueID, ietf(`null`)), codes.InvalidArgument, nil},
		{"3.4.4", "null inside of a value is refused", replace(t, queue3, ietf(`{"config":{"name":"3","queue-id":null}}`)),
			codes.InvalidArgument, nil},
		{"3.4.4", "an update leaves what it does not name",
			update(t, "/qos", ietf(`{"queues":{"queue":[{"name":"4","config":{"name":"4"}}]}}`)),
			codes.OK, after{queue3 + "/config/name": `"3"`, queue4 + "/config/name": `"4"`}},
		{"3.4.5", "an update without a key in the middle of its path is refused",
			update(t, "/qos/queues/queue/config/queue-id",
				ietf(`3`)), codes.InvalidArgument, nil},
		{"3.4.5", "a replace with a wildcard is refused", replace(t, "/qos/queues/queue[name=*]/config/queue-id", ietf(`3`)),
			codes.InvalidArgument, nil},
		{"3.4.5", "an update of a key to another value is refused", update(t, queue3+"/name", ietf(`"4"`)),
			codes.InvalidArgument, nil},
		{"3.4.5", "and of the key in config", update(t, queue3+"/config/name", ietf(`"4"`)), codes.InvalidArgument, nil},
		{"3.4.5", "a value whose key is not the one of the path is refused", replace(t, queue4,
			ietf(`{"name":"5","config":{"name":"5"}}`)), codes.InvalidArgument, nil},
		{"3.4.6", "a delete of a container deletes all below it", remove(t, groups), codes.OK,
			after{groupA + "/config/name": absent, groupB + "/config/output-queue": absent}},
		{"3.4.6", "a delete with a wildcard for a key", remove(t, groups+"/forwarding-group[name=*]"), codes.OK,
			after{groupA + "/config/name": absent, groupB + "/config/name": absent}},
		{"3.4.6", "a delete with a key left out", remove(t, groups+"/forwarding-group"), codes.OK,
			after{groupA + "/config/name": absent}},
		{"3.4.6", "a delete of leaves in all entries", remove(t, groups+"/forwarding-group/config/output-queue"), codes.OK,
			after{groupA + "/config/name": `"a"`, groupA + "/config/output-queue": absent,
				groupB + "/config/output-queue": absent}},
		{"3.4.6", "a delete with a wildcard for a name", remove(t, "/qos/*/forwarding-group[name=a]"), codes.OK,
			after{groupA + "/config/name": absent, groupB + "/config/name": `"b"`}},
		{"3.4.6", "a delete with ... for names", remove(t, "/qos/.../dscp-set"), codes.OK, after{dscps: absent}},
		{"3.4.6", "a delete of everything", remove(t, "/"), codes.OK, after{queue3 + "/config/name": absent}},
		{"3.4.6", "a delete of what does not exist is accepted", remove(t, queue4, "/interfaces",
			"/qos/interfaces/interface[interface-id=x]/output/queues/queue[name=*]"), codes.OK, nil},
		{"3.4.6", "a delete of a key is refused: no entry is without", remove(t, queue3+"/name"), codes.InvalidArgument, nil},
		{"3.4.7", "an invalid path of an update is NOT_FOUND", update(t, "/qos/packet-trim", ietf(`{}`)), codes.NotFound,
			nil},
		{"3.4.7", "a path that cannot be parsed is INVALID_ARGUMENT",
			&gpb.SetRequest{Delete: []*gpb.Path{{Elem: []*gpb.PathElem{{Name: ""}}}}}, codes.InvalidArgument, nil},
		{"3.4.7", "a key that the list does not have is INVALID_ARGUMENT", remove(t, "/qos/queues/queue[id=3]"),
			codes.InvalidArgument, nil},
		{"3.4.7", "an invalid value is INVALID_ARGUMENT", update(t, queueID, ietf(`"three"`)), codes.InvalidArgument, nil},
		{"3.4.7", "an encoding that is not supported is UNIMPLEMENTED", update(t, queueID,
			&gpb.TypedValue{Value: &gpb.TypedValue_AsciiVal{AsciiVal: "3"}}), codes.Unimplemented, nil},

		{"RFC 7951 4", "the module of a name", update(t, "/openconfig-qos:qos/queues",
			ietf(`{"openconfig-qos:queue":[{"openconfig-qos:name":"4","config":{"name":"4"}}]}`)), codes.OK,
			after{queue4 + "/config/name": `"4"`}},
		{"RFC 7951 4", "another module is another name", update(t, "/qos/queues",
			ietf(`{"openconfig-interfaces:queue":[{"name":"4","config":{"name":"4"}}]}`)), codes.InvalidArgument, nil},
		{"RFC 7951 4", "and in a path", update(t, "/openconfig-interfaces:qos/queues", ietf(`{}`)), codes.NotFound, nil},
		{"RFC 7951 4", "one name with and without its module is twice the same",
			update(t, queue3+"/config", ietf(`{"queue-id":3,"openconfig-qos:queue-id":4}`)), codes.InvalidArgument, nil},
		{"RFC 7493 2.3", "a name twice in one object", update(t, queue3+"/config", ietf(`{"queue-id":3,"queue-id":4}`)),
			codes.InvalidArgument, nil},
		{"RFC 7950 7.8.2", "a key twice in one list", update(t, groups+"/forwarding-group",
			ietf(`[{"name":"d","config":{"name":"d"}},{"name":"d","config":{"name":"d","output-queue":"3"}}]`)),
			codes.InvalidArgument, nil},
		{"RFC 7951 6.1", "an integer of 64 bits is a string", update(t, dedicated, ietf(`1000`)), codes.InvalidArgument, nil},
		{"RFC 7951 6.1", "also inside of a value", update(t, profileP,
			ietf(`{"queues":{"queue":[{"name":"3","config":{"dedicated-buffer":1000}}]}}`)),
			codes.InvalidArgument, nil},
		{"RFC 7951 6.1", "an integer of 8 bits is a number", update(t, queue3+"/config", ietf(`{"queue-id":"3"}`)),
			codes.InvalidArgument, nil},
		{"RFC 7951 6.1", "and a whole one", update(t, queue3+"/config", ietf(`{"queue-id":3.5}`)), codes.InvalidArgument,
			nil},
		{"RFC 7951 6.8", "an identity with its module", update(t,
			profileP+"/queues/queue[name=3]/config/shared-buffer-limit-type",
			ietf(`"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR"`)), codes.OK, nil},
		{"RFC 7951 6.8", "an identity of another module",
			update(t, profileP+"/queues/queue[name=3]/config/shared-buffer-limit-type",
				ietf(`"vendor:DYNAMIC_BASED_ON_SCALING_FACTOR"`)), codes.InvalidArgument, nil},
	} {
		t.Run(test.section+" "+test.must, func(t *testing.T) {
			s := specified(t)
			before := get(t, s, "/", gpb.GetRequest_ALL)
			answer, err := s.Set(t.Context(), test.req)
			require.Equal(t, test.code, status.Code(err), "%v", err)
			test.after.check(t, s)
			if test.code != codes.OK {
				require.Equal(t, before, get(t, s, "/", gpb.GetRequest_ALL), "3.4.3: nothing has changed")
				require.NotEmpty(t, status.Convert(err).Message(), "2.5: the context of an error")
				return
			}
			require.True(t, proto.Equal(test.req.GetPrefix(), answer.GetPrefix()), "3.4.2: the prefix is repeated")
			requireResults(t, test.req, answer)
		})
	}
}

// requireResults checks that there is a result for each operation, in the order in which they
// are made, with the path of the request (3.4 and 3.4.2).
func requireResults(t *testing.T, req *gpb.SetRequest, answer *gpb.SetResponse) {
	t.Helper()
	var want []*gpb.UpdateResult
	for _, p := range req.GetDelete() {
		want = append(want, &gpb.UpdateResult{Path: p, Op: gpb.UpdateResult_DELETE})
	}
	for _, u := range req.GetReplace() {
		want = append(want, &gpb.UpdateResult{Path: u.GetPath(), Op: gpb.UpdateResult_REPLACE})
	}
	for _, u := range req.GetUpdate() {
		want = append(want, &gpb.UpdateResult{Path: u.GetPath(), Op: gpb.UpdateResult_UPDATE})
	}
	require.Len(t, answer.GetResponse(), len(want))
	for i := range want {
		require.True(t, proto.Equal(want[i], answer.GetResponse()[i]), "%v", answer.GetResponse()[i])
	}
	require.Greater(t, answer.GetTimestamp(), int64(0))
}

// 2.2.2.1: the target of a request is in the prefix of every answer.
func TestSpecificationTarget(t *testing.T) {
	s := specified(t)
	prefix := &gpb.Path{Target: "leaf1"}
	got, err := s.Get(t.Context(), &gpb.GetRequest{Prefix: prefix, Path: []*gpb.Path{path(t, queue3)}})
	require.NoError(t, err)
	require.Equal(t, "leaf1", got.GetNotification()[0].GetPrefix().GetTarget())
	set, err := s.Set(t.Context(), &gpb.SetRequest{Prefix: prefix})
	require.NoError(t, err)
	require.Equal(t, "leaf1", set.GetPrefix().GetTarget())
	stream, err := connect(t, s).Subscribe(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(once(&gpb.SubscriptionList{Prefix: prefix}, path(t, queue3))))
	m, err := stream.Recv()
	require.NoError(t, err)
	require.Equal(t, "leaf1", m.GetUpdate().GetPrefix().GetTarget())
}

func TestSpecificationSubscribe(t *testing.T) {
	sampled := func(mode gpb.SubscriptionMode, interval time.Duration) *gpb.SubscribeRequest {
		return &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: lasting(t,
			&gpb.Subscription{Mode: mode, SampleInterval: uint64(interval)}, queue3)}}
	}
	for _, test := range []struct {
		section, must string
		req           *gpb.SubscribeRequest
		code          codes.Code
		want          []string
	}{
		{"3.5.1.1", "the first message has a list", &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Poll{}},
			codes.InvalidArgument, nil},
		{"3.5.1.2", "updates_only: only sync_response", once(&gpb.SubscriptionList{UpdatesOnly: true}, path(t, queue3)),
			codes.OK,
			[]string{"synced"}},
		{"3.5.1.5.1", "ONCE: all leaves, sync_response, the end", once(&gpb.SubscriptionList{}, path(t, queue3+"/name")),
			codes.OK,
			[]string{queue3 + `/name "3"`, "synced"}},
		{"3.5.1.5.2", "a sample interval that is too short is INVALID_ARGUMENT",
			sampled(gpb.SubscriptionMode_SAMPLE, time.Nanosecond),
			codes.InvalidArgument, nil},
		{"3.5.1.5.2", "TARGET_DEFINED takes no sample interval", sampled(gpb.SubscriptionMode_TARGET_DEFINED, time.Minute),
			codes.InvalidArgument, nil},
		{"3.5.2.4", "a path that does not exist is no error", once(&gpb.SubscriptionList{}, path(t, queue4)), codes.OK,
			[]string{"synced"}},
		{"3.5.2.4", "a default that is in use is sent", once(&gpb.SubscriptionList{}, path(t, wred+"config/drop")), codes.OK,
			[]string{wred + "config/drop false", "synced"}},
		{"3.5.2.4", "a path that is not implemented is UNIMPLEMENTED", once(&gpb.SubscriptionList{}, path(t, "/system")),
			codes.Unimplemented, nil},
		{"3.5.2.4", "a path that is not well-formed is INVALID_ARGUMENT",
			once(&gpb.SubscriptionList{}, &gpb.Path{Elem: []*gpb.PathElem{{}}}), codes.InvalidArgument, nil},
	} {
		t.Run(test.section+" "+test.must, func(t *testing.T) {
			got, err := subscribe(t, connect(t, specified(t)), test.req)
			require.Equal(t, test.code, status.Code(err), "%v", err)
			require.Equal(t, test.want, got)
		})
	}
}

// 3.5.2.3: a leaf that has its default again is an update with the default, and not a deletion.
func TestSpecificationTransitionToDefault(t *testing.T) {
	marks := wred + "config/enable-ecn"
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, marks),
		marks+" true")
	w.do(remove(t, "/qos/interfaces", marks))
	w.hears(marks + " false")
	w.do(remove(t, "/qos/queue-management-profiles"))
	w.hears("-" + marks)
}

// gnmi-master-arbitration.md, section 3.2.
func TestSpecificationArbitration(t *testing.T) {
	s := specified(t)
	set := func(role string, high, low uint64) error {
		a := &gnmi_ext.MasterArbitration{ElectionId: &gnmi_ext.Uint128{High: high, Low: low}}
		if role != "" {
			a.Role = &gnmi_ext.Role{Id: role}
		}
		_, err := s.Set(t.Context(), &gpb.SetRequest{Extension: []*gnmi_ext.Extension{
			{Ext: &gnmi_ext.Extension_MasterArbitration{MasterArbitration: a}}}})
		return err
	}
	require.NoError(t, set("", 0, 5))
	require.NoError(t, set("", 0, 5), "the same id is the master")
	require.NoError(t, set("", 0, 7), "a new master")
	err := set("", 0, 5)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.ErrorContains(t, err, "0:7")
	require.NoError(t, set("qos", 0, 1), "another role")
	require.NoError(t, set("", 1, 0), "the high half decides")
	require.Error(t, set("", 0, 9))
	_, err = s.Set(t.Context(), &gpb.SetRequest{})
	require.NoError(t, err, "a Set without the extension is accepted")
}

// gnmi-path-strings.md: ] and \ of a key are escaped in the texts of errors, and keys are read as they are.
func TestSpecificationPathStrings(t *testing.T) {
	s := specified(t)
	p := &gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}, {Name: "queues"},
		{Name: "queue", Key: map[string]string{"name": `a]b\c`}}}}
	_, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{p}})
	require.Equal(t, codes.NotFound, status.Code(err))
	require.ErrorContains(t, err, `/qos/queues/queue[name=a\]b\\c]`)
	_, err = s.Set(t.Context(), &gpb.SetRequest{Update: []*gpb.Update{{Path: p,
		Val: ietf(`{"config":{"name":"a]b\\c"}}`)}}})
	require.NoError(t, err)
	_, err = s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{p}})
	require.NoError(t, err)
}
