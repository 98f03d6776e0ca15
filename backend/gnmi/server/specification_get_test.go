package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/effort"
)

func TestSpecificationGet(t *testing.T) {
	effort.SkipFew(t, "it goes through the specification")
	const ecn = "/qos/queue-management-profiles/queue-management-profile[name=w]/wred/uniform/"
	for _, test := range []struct {
		section, must string
		req           *gpb.GetRequest
		code          codes.Code
		want          []string // of each notification, the values; empty: not compared
	}{
		{"2.4.1", "the prefix stands before every path",
			&gpb.GetRequest{Prefix: path(t, queue3), Path: []*gpb.Path{path(t, "name")}},
			codes.OK, []string{`"3"`}},
		{"2.4.2", "a path is its node and all below it", &gpb.GetRequest{Path: []*gpb.Path{path(t, queue3)},
			Type: gpb.GetRequest_CONFIG}, codes.OK, []string{`{"config":{"name":"3"},"name":"3"}`}},
		{"2.6", "use_models is not ignored", &gpb.GetRequest{Path: []*gpb.Path{{}},
			UseModels: []*gpb.ModelData{{Name: "openconfig-interfaces"}}}, codes.Unimplemented, nil},
		{"2.7", "no origin in both, prefix and path", &gpb.GetRequest{Prefix: &gpb.Path{Origin: "openconfig"},
			Path: []*gpb.Path{{Origin: "openconfig"}}}, codes.InvalidArgument, nil},
		{"2.7.1", "no origin is openconfig", &gpb.GetRequest{Path: []*gpb.Path{path(t, queue3+"/name")}}, codes.OK,
			[]string{`"3"`}},
		{"3.3.1", "without an encoding it is JSON", &gpb.GetRequest{Path: []*gpb.Path{path(t, rounded)}}, codes.OK,
			[]string{`1040`}},
		{"3.3.1", "an encoding that is not supported is UNIMPLEMENTED", &gpb.GetRequest{Path: []*gpb.Path{{}},
			Encoding: gpb.Encoding_BYTES}, codes.Unimplemented, nil},
		{"3.3.2", "one notification for each path", &gpb.GetRequest{Path: []*gpb.Path{path(t, queue3+"/name"),
			path(t, dedicated)}},
			codes.OK, []string{`"3"`, `1000`}},
		{"3.3.4", "a default that is in use is returned", &gpb.GetRequest{Path: []*gpb.Path{path(t, ecn+"config/drop"),
			path(t, ecn+"state/drop")}}, codes.OK, []string{`false`, `false`}},
		{"3.3.4", "also as a part of its container", &gpb.GetRequest{Path: []*gpb.Path{path(t, ecn+"config")}}, codes.OK,
			[]string{`{"drop":false,"enable-ecn":true,"max-drop-probability-percent":5,"max-threshold":2000,` +
				`"min-threshold":1000}`}},
		{"3.3.4", "a leaf that does not exist is NOT_FOUND", &gpb.GetRequest{Path: []*gpb.Path{path(t, queueID)}},
			codes.NotFound, nil},
		{"3.3.4", "a container in an entry that does not exist is NOT_FOUND",
			&gpb.GetRequest{Path: []*gpb.Path{path(t, queue4+"/config")}}, codes.NotFound, nil},
		{"3.3.4", "one of several is missing", &gpb.GetRequest{Path: []*gpb.Path{path(t, queue3), path(t, queue4)}},
			codes.NotFound, nil},
		{"3.3.4", "a path that is not implemented is UNIMPLEMENTED", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/system")}},
			codes.Unimplemented, nil},
		{"3.3.4", "also below a leaf", &gpb.GetRequest{Path: []*gpb.Path{path(t, dedicated+"/x")}}, codes.Unimplemented, nil},
		{"3.3.4", "also by its module", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/vendor-qos:qos")}}, codes.Unimplemented,
			nil},
		{"3.3.4", "also by its origin", &gpb.GetRequest{Path: []*gpb.Path{{Origin: "cli"}}}, codes.Unimplemented, nil},
		{"3.3.4", "a path that is not well-formed is INVALID_ARGUMENT",
			&gpb.GetRequest{Path: []*gpb.Path{{Elem: []*gpb.PathElem{{Name: "qos"}, {}}}}}, codes.InvalidArgument, nil},
		{"3.3.4", "also with a key that the list does not have",
			&gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/queues/queue[id=3]")}},
			codes.InvalidArgument, nil},
		{"3.3.4", "also with a key of a container", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos[name=3]")}},
			codes.InvalidArgument, nil},
		{"conventions", "a key that is left out matches all entries", &gpb.GetRequest{Path: []*gpb.Path{
			path(t, "/qos/interfaces/interface/interface-id")}}, codes.OK, []string{`"Ethernet1/1""Ethernet1/2"`}},
		{"conventions", "* for a key", &gpb.GetRequest{Path: []*gpb.Path{
			path(t, "/qos/interfaces/interface[interface-id=*]/interface-id")}}, codes.OK,
			[]string{`"Ethernet1/1""Ethernet1/2"`}},
		{"conventions", "* for a name", &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/*/queue/name")}}, codes.OK,
			[]string{`"3"`}},
	} {
		t.Run(test.section+" "+test.must, func(t *testing.T) {
			answer, err := specified(t).Get(t.Context(), test.req)
			require.Equal(t, test.code, status.Code(err), "%v", err)
			if test.code != codes.OK {
				require.NotEmpty(t, status.Convert(err).Message(), "2.5: the context of an error")
				return
			}
			require.Len(t, answer.GetNotification(), len(test.want), "3.3.2: one for each path")
			for i, n := range answer.GetNotification() {
				var got strings.Builder
				seen := map[string]bool{}
				for _, u := range n.GetUpdate() {
					got.Write(u.GetVal().GetJsonVal())
					require.False(t, seen[text(t, u.GetPath())], "2.1: each path once")
					seen[text(t, u.GetPath())] = true
				}
				require.Equal(t, test.want[i], got.String())
				require.Greater(t, n.GetTimestamp(), int64(1e18), "2.2.1: nanoseconds since 1970")
				require.Empty(t, n.GetPrefix().GetTarget(), "2.2.2.1: no target that was not in the request")
			}
		})
	}
}

// What Get answers can be set, in both forms of JSON, by container, entry and leaf (2.3.1 and
// RFC 7951), and changes nothing.
func TestSpecificationGetIsSettable(t *testing.T) {
	effort.SkipShort(t, "it sets what it gets of each path")
	for _, e := range []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF, gpb.Encoding_PROTO} {
		for _, where := range []string{"/", "/qos", "/qos/queues", "/qos/queues/queue", queue3, "/qos/interfaces/interface",
			dscps, dedicated,
			profileP + "/queues/queue[name=3]/config", "/qos/queue-management-profiles"} {
			t.Run(e.String()+" "+where, func(t *testing.T) {
				s := specified(t)
				before := get(t, s, "/", gpb.GetRequest_ALL)
				answer, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, where)}, Encoding: e,
					Type: gpb.GetRequest_CONFIG})
				require.NoError(t, err)
				var got []*gpb.Update
				for _, u := range answer.GetNotification()[0].GetUpdate() {
					got = append(got, &gpb.Update{Path: u.GetPath(), Val: u.GetVal()})
					text := string(u.GetVal().GetJsonVal()) + string(u.GetVal().GetJsonIetfVal())
					require.True(t, text == "" || json.Valid([]byte(text)))
				}
				require.NotEmpty(t, got)
				_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: got})
				require.NoError(t, err)
				require.Equal(t, before, get(t, s, "/", gpb.GetRequest_ALL))
			})
		}
	}
}
