package server_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
)

// A switch that is lenient takes all that a strict one takes and does the same with it. What only it takes can be read
// and sent again, and what is read does not depend on what was there before.
func FuzzLenient(f *testing.F) {
	for _, seed := range []string{plan, swapped, named, `{"queues":{"queue":[null]}}`,
		`{"queues":{"queue":[{"name":"3","config":{"queue-id":4}},{"name":"4"}]}}`,
		`{"colour":[[{}]],"interfaces":{"interface":[{"interface-id":"a","interface-ref":{"config":{"interface":"b"}}},{"interface-id":"b"}]}}`,
		`{"interfaces":{"interface":[{"interface-id":"]","output":{"queues":{"queue":[{"name":"a/b","config":{"queue-management-profile":"x"}}]}}}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, json []byte) {
		strict, one, _ := easy(t, false)
		s, two, _ := easy(t, true)
		req := replaceQoS(t, string(json))
		_, refused := strict.Set(t.Context(), req)
		_, err := s.Set(t.Context(), req)
		if refused == nil {
			require.NoError(t, err)
			require.Equal(t, one.String(), two.String())
			require.Equal(t, get(t, strict, "/", gpb.GetRequest_ALL), get(t, s, "/", gpb.GetRequest_ALL))
		}
		if err != nil {
			require.Empty(t, registers(t, two))
			return
		}
		config, all, held := get(t, s, "/", gpb.GetRequest_CONFIG), get(t, s, "/", gpb.GetRequest_ALL), registers(t, two)
		_, err = s.Set(t.Context(), replaceQoS(t, named))
		require.NoError(t, err)
		_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/"), Val: ietf(config)}}})
		require.NoError(t, err)
		require.Equal(t, config, get(t, s, "/", gpb.GetRequest_CONFIG))
		require.Equal(t, all, get(t, s, "/", gpb.GetRequest_ALL))
		require.Equal(t, held, registers(t, two))
	})
}
