package qos

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
)

// A leaf with an update of its own comes in whatever type the switch likes, and
// what cannot be read is refused with its path.
func TestReaderTakesLeavesAsTheyCome(t *testing.T) {
	const share = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config"
	text := func(s string) *gpb.TypedValue {
		return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: s}}
	}
	whole := func(n int64) *gpb.TypedValue { return &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: n}} }
	natural := func(n uint64) *gpb.TypedValue { return &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: n}} }
	ietf := func(s string) *gpb.TypedValue {
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(s)}}
	}
	for _, test := range []struct {
		path  string
		value *gpb.TypedValue
		wrong string
	}{
		{share + "/dedicated-buffer", natural(7), ""},
		{share + "/dedicated-buffer", whole(7), ""},
		{share + "/dedicated-buffer", ietf(`"7"`), ""},
		{share + "/dedicated-buffer", ietf(` 7`), ""},
		{share + "/dedicated-buffer", text("7"), ""},
		{share + "/dedicated-buffer", ietf(`7.0`), ""},
		{share + "/dedicated-buffer", ietf(`null`), ""},
		{share + "/dedicated-buffer", whole(-7), share +
			"/dedicated-buffer: -7: want a whole number of 64 bits without a sign, in quotes"},
		{share + "/dedicated-buffer", ietf(`7.5`), share + "/dedicated-buffer: 7.5: want "},
		{share + "/dedicated-buffer", ietf(`"`), share + "/dedicated-buffer: unexpected end of JSON input"},
		{share + "/dedicated-buffer", &gpb.TypedValue{Value: &gpb.TypedValue_BytesVal{}},
			share + "/dedicated-buffer: a value as *gnmi.TypedValue_BytesVal: want "},
		{share + "/static-shared-buffer-limit", natural(1 << 32),
			share + "/static-shared-buffer-limit: 4294967296: want a whole number of 32 bits without a sign"},
		{share + "/dynamic-limit-scaling-factor", natural(3), ""},
		{share + "/dynamic-limit-scaling-factor", whole(1 << 31),
			share + "/dynamic-limit-scaling-factor: 2147483648: want a whole number of 32 bits"},
		{share + "/use-shared-buffer", text("true"), share + `/use-shared-buffer: "true": want true or false`},
		{share + "/shared-buffer-limit-type", text("openconfig-qos:STATIC"), ""},
		{share + "/shared-buffer-limit-type", text("STATIC"), ""},
		{share + "/shared-buffer-limit-type", text("ELASTIC"),
			share + `/shared-buffer-limit-type: "ELASTIC": want DYNAMIC_BASED_ON_SCALING_FACTOR, STATIC`},
		{share + "/dedicated-buffer/deep", natural(7), share + "/dedicated-buffer: a leaf: want nothing below it"},
		{share, natural(7), share + ": no JSON, though JSON_IETF was asked for"},
		{share, ietf(`[]`), share + ": []: want an object"},
		{share + "/vendor-leaf", natural(7), ""},
		{"/interfaces/interface[name=e]/config/mtu", natural(7), ""},
		{"/qos/queues/queue/config/name", text("3"), "/qos/queues/queue: keys map[]: want name"},
		{"/qos/queues/queue", ietf(`[{"config":{}}]`), `/qos/queues/queue: {"config":{}}: want an object with a name`},
		{"/qos/queues/queue", ietf(`[null]`), `/qos/queues/queue: null: want an object with a name`},
	} {
		path, err := ygot.StringToStructuredPath(test.path)
		require.NoError(t, err)
		_, err = ParseNotifications([]*gpb.Notification{{Update: []*gpb.Update{{Path: path, Val: test.value}}}})
		if test.wrong == "" {
			require.NoError(t, err, "%s %v", test.path, test.value)
		} else {
			require.ErrorContains(t, err, test.wrong)
		}
	}
}

func TestCompileRefusesWhatTheModelsLack(t *testing.T) {
	require.Panics(t, func() { compile([]container{{"/qos/queues/queue[name=*]/config", []string{"nonsense"}}}) })
	require.Panics(t, func() { compile([]container{{"/qos/nonsense", nil}}) })
	require.Panics(t, func() { compile([]container{{"/qos/queues/queue[name=*][id=*]/config", nil}}) })
}
