package server_test

import (
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// A client may send anything: it is made as a whole or not at all, and what was made can be read and sent again.
func FuzzSet(f *testing.F) {
	effort.SkipShort(f, "it sets each value of the corpus")
	for _, seed := range []string{plan, swapped, `{}`, `null`, `[]`, `{"queues":{"queue":[null]}}`,
		`{"queues":{"queue":[{"name":"3"}]}}`, `{"queues":{"queue":[{"name":"4"},7,{}]},"colour":1}`} {
		f.Add("/qos", []byte(seed), uint8(0))
		f.Add("/qos", []byte(seed), uint8(1))
		f.Add("/", []byte(seed), uint8(2))
	}
	f.Add("/qos", []byte(queuing), uint8(0))
	f.Add(termsFour+"[id=0]/conditions/ipv4/config/dscp-set", []byte(`[63,63]`), uint8(0))
	f.Add(schedulers+"[sequence=4294967295]", []byte(`{"inputs":{"input":[{"id":"x"}]}}`), uint8(1))
	f.Add(onePort+"/input/classifiers/classifier[type=IPV4]", []byte(``), uint8(4))
	f.Add(dedicated, []byte(`"208000"`), uint8(0))
	f.Add(queueID, []byte(`3`), uint8(3))
	f.Add("/qos/queues/queue[name=3]/name", []byte(``), uint8(4))
	f.Add("/qos/interfaces", []byte(``), uint8(4))
	for op := range uint8(6) {
		f.Add("//os", []byte(`{}`), op)
	}
	f.Fuzz(func(t *testing.T, where string, json []byte, op uint8) {
		p, err := ygot.StringToStructuredPath(where)
		if err != nil {
			return
		}
		v := ietf(string(json))
		if op&1 > 0 {
			v = &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: json}}
		}
		req := &gpb.SetRequest{}
		switch u := (&gpb.Update{Path: p, Val: v}); op >> 1 % 3 {
		case 0:
			req.Update = []*gpb.Update{u}
		case 1:
			req.Replace = []*gpb.Update{u}
		default:
			req.Delete = []*gpb.Path{p}
		}
		s, asic := planned(t)
		tree, registers := get(t, s, "/", gpb.GetRequest_ALL), asic.String()
		if _, err := s.Set(t.Context(), req); err != nil {
			require.Equal(t, tree, get(t, s, "/", gpb.GetRequest_ALL))
			require.Equal(t, registers, asic.String())
			nameless := func(e *gpb.PathElem) bool { return e.GetName() == "" } // there is no field to name
			if len(p.GetElem()) <= 64 && !slices.ContainsFunc(p.GetElem(), nameless) {
				require.NotEmpty(t, fields(t, err), "%v", err)
			}
			return
		}
		config, registers := get(t, s, "/", gpb.GetRequest_CONFIG), asic.String()
		get(t, s, "/", gpb.GetRequest_ALL)
		_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/"), Val: ietf(config)}}})
		require.NoError(t, err)
		require.Equal(t, config, get(t, s, "/", gpb.GetRequest_CONFIG))
		require.Equal(t, registers, asic.String())
	})
}
