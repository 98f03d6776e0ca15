package server_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// FuzzSetRequest sends what any client can put on the wire: several operations at once, every kind of value,
// extensions. A Set that is refused leaves what Get says as it was, to the byte.
func FuzzSetRequest(f *testing.F) {
	effort.SkipShort(f, "it sets each request of the corpus")
	add := func(req *gpb.SetRequest) {
		wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(req)
		require.NoError(f, err)
		f.Add(wire)
	}
	add(&gpb.SetRequest{})
	add(confirm("one"))
	add(with(update(f, queueID, ietf(`7`)), begin("one", nil)))
	add(&gpb.SetRequest{Extension: []*gnmi_ext.Extension{{}}})
	add(&gpb.SetRequest{Prefix: path(f, "/qos"), Delete: []*gpb.Path{path(f, "/interfaces")},
		Replace: []*gpb.Update{{Path: path(f, "/queues"), Val: ietf(`{"queue":[{"name":"3","config":{"name":"3"}}]}`)}},
		Update: []*gpb.Update{{Path: path(f, "/queues/queue[name=3]/config/queue-id"),
			Val: &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: 7}}}}})
	for _, v := range []*gpb.TypedValue{
		nil, {}, {Value: &gpb.TypedValue_IntVal{IntVal: -1}}, {Value: &gpb.TypedValue_UintVal{UintVal: 1 << 63}},
		{Value: &gpb.TypedValue_BoolVal{BoolVal: true}},
		{Value: &gpb.TypedValue_StringVal{StringVal: "3"}}, {Value: &gpb.TypedValue_BytesVal{BytesVal: []byte("3")}},
		{Value: &gpb.TypedValue_DoubleVal{DoubleVal: 3}},
		{Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: &gpb.ScalarArray{Element: []*gpb.TypedValue{nil, {}}}}},
		{Value: &gpb.TypedValue_LeaflistVal{}},
		{Value: &gpb.TypedValue_AnyVal{}}, {Value: &gpb.TypedValue_AsciiVal{AsciiVal: "3"}},
		{Value: &gpb.TypedValue_ProtoBytes{ProtoBytes: []byte{1}}},
	} {
		for _, where := range []string{queueID, dedicated, "/qos/queues/queue[name=3]/name", "/qos/queues/queue[name=3]",
			"/"} {
			add(update(f, where, v))
			add(&gpb.SetRequest{Replace: update(f, where, v).GetUpdate()})
		}
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		req := &gpb.SetRequest{}
		if proto.Unmarshal(wire, req) != nil {
			return
		}
		s, asic := planned(t)
		tree, registers := get(t, s, "/", gpb.GetRequest_ALL), asic.String()
		if _, err := s.Set(t.Context(), req); err != nil {
			require.Equal(t, tree, get(t, s, "/", gpb.GetRequest_ALL))
			require.Equal(t, registers, asic.String())
			return
		}
		get(t, s, "/", gpb.GetRequest_ALL)
	})
}

// FuzzGet reads with any path, type and encoding: it is answered or refused.
// What is answered stands below what was asked for, and is ordered.
func FuzzGet(f *testing.F) {
	for _, where := range []string{"/", "/qos", queueID, rounded, "/.../state", "/*", "/qos/*/queue[name=*]/...",
		"/.../*/.../name", "/qos/queues/queue[name=3][id=4]"} {
		for kind := range uint8(4) {
			f.Add(where, kind, kind)
		}
	}
	s, _ := planned(f)
	f.Fuzz(func(t *testing.T, where string, kind, encoding uint8) {
		p, err := ygot.StringToStructuredPath(where)
		if err != nil {
			return
		}
		a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{p}, Type: gpb.GetRequest_DataType(kind),
			Encoding: gpb.Encoding(encoding)})
		if err != nil {
			return
		}
		last := ""
		for _, u := range a.GetNotification()[0].GetUpdate() {
			require.NotNil(t, u.GetVal().GetValue())
			now := text(t, u.GetPath())
			require.LessOrEqual(t, last, now)
			last = now
		}
	})
}
