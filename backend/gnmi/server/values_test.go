package server_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func whole(n int64) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: n}}
}

func natural(n uint64) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: n}}
}

func word(s string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: s}}
}

// TestScalars sends leaves as clients of the command line do, who know digits and words but not the model's types.
func TestScalars(t *testing.T) {
	const share = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/config/"
	const wred = "/qos/queue-management-profiles/queue-management-profile[name=w]/wred/uniform/config/"
	for _, test := range []struct {
		leaf string
		v    *gpb.TypedValue
		want string // "": refused
	}{
		{share + "dedicated-buffer", whole(2080), `"2080"`},
		{share + "dedicated-buffer", natural(2080), `"2080"`},
		{share + "dedicated-buffer", whole(-1), ""},
		{share + "dedicated-buffer", ietf(`2080`), ""},
		{share + "dynamic-limit-scaling-factor", whole(-2), `-2`},
		{share + "dynamic-limit-scaling-factor", natural(2), `2`},
		{share + "dynamic-limit-scaling-factor", natural(1 << 31), ""},
		{share + "dynamic-limit-scaling-factor", natural(1 << 63), ""},
		{share + "shared-buffer-limit-type", word("DYNAMIC_BASED_ON_SCALING_FACTOR"),
			`"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR"`},
		{share + "shared-buffer-limit-type", word("openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR"),
			`"openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR"`},
		{share + "shared-buffer-limit-type", word("SOMETIMES"), ""},
		{share + "use-shared-buffer", &gpb.TypedValue{Value: &gpb.TypedValue_BoolVal{BoolVal: true}}, `true`},
		{share + "use-shared-buffer", word("true"), ""},
		{wred + "max-drop-probability-percent", whole(7), `7`},
		{wred + "max-drop-probability-percent", whole(101), ""},
		{wred + "max-drop-probability-percent", whole(257), ""},
		{queueID, whole(255), `255`},
		{queueID, whole(256), ""},
	} {
		t.Run(test.leaf[len(test.leaf)-12:]+" "+test.v.String(), func(t *testing.T) {
			s, _ := planned(t)
			_, err := s.Set(t.Context(), update(t, test.leaf, test.v))
			if test.want == "" {
				require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, get(t, s, test.leaf, gpb.GetRequest_CONFIG))
		})
	}
}
