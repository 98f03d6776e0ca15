package server

import (
	"math/rand/v2"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/util"
	"github.com/stretchr/testify/require"
)

// What a query covers is what ygot says that it does.
func TestCovers(t *testing.T) {
	queries := []*gpb.Path{{}}
	for _, text := range []string{"qos", "qos interfaces", "qos interfaces interface", "qos interfaces interface=*",
		"qos interfaces interface=3 output",
		"qos interfaces interface=a]b output queues queue config",
		"qos interfaces interface=* output queues queue=3 config queue-management-profile",
		"qos queues queue=* name", "qos buffer-allocation-profiles buffer-allocation-profile=* queues queue=0",
		"qos packet-trim",
		"interfaces interface subinterfaces subinterface=1", "interfaces interface config name"} {
		p := &gpb.Path{}
		top, _, _ := strings.Cut(text, " ")
		for elem := range strings.FieldsSeq(text) {
			name, key, keyed := strings.Cut(elem, "=")
			e := &gpb.PathElem{Name: name}
			if keyed {
				e.Key = map[string]string{"name": key}
			}
			if of, other := map[string]string{"qos interface": "interface-id",
				"interfaces subinterface": "index"}[top+" "+name]; keyed && other {
				e.Key = map[string]string{of: key}
			}
			p.Elem = append(p.Elem, e)
		}
		queries = append(queries, p)
	}
	found := 0
	for seed := range uint64(30) {
		tree := anyTree(rand.New(rand.NewPCG(seed, 2)), 10)
		all := leavesOf(tree, &gpb.Path{})
		for _, q := range queries {
			for _, l := range all {
				is := covers([]*gpb.Path{{Elem: []*gpb.PathElem{{Name: "other"}}}, q}, l.path)
				require.Equal(t, util.PathMatchesQuery(l.path, q), is, "%v of %s", q, l.text)
				if is {
					found++
				}
			}
		}
	}
	require.Greater(t, found, 500)
}
