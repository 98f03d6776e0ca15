package native

import (
	"encoding/json"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Answers come as one value, wrapped, or leaf by leaf.
func TestAbsorb(t *testing.T) {
	qos := []nos.Elem{{Name: "qos"}}
	at := []nos.Elem{{Name: "qos"}, {Name: "interfaces"}, {Name: "interface", Key: "interface-id", Value: "e1"},
		{Name: "pfc"}, {Name: "pfc-enable"}}
	for _, text := range []string{
		`notification { update { path { elem { name: "qos" } } val { json_ietf_val: '{"m:interfaces":{"interface":[{"interface-id":"e0"},{"interface-id":"e1","pfc":{"pfc-enable":true}}]}}' } } }`,
		`notification { update { path { elem { name: "qos" } } val { json_ietf_val: '{"m:qos":{"interfaces":{"interface":[{"interface-id":"e1","pfc":{"pfc-enable":true}}]}}}' } } }`,
		`notification { update { path { } val { json_ietf_val: '{"m:qos":{"interfaces":{"interface":[{"interface-id":"e1","pfc":{"pfc-enable":true}}]}}}' } } }`,
		`notification { prefix { elem { name: "m:qos" } } update { path { elem { name: "interfaces" } elem { name: "interface" key { key: "interface-id" value: "e1" } } elem { name: "pfc" } elem { name: "pfc-enable" } } val { bool_val: true } }
			update { path { elem { name: "interfaces" } elem { name: "interface" key { key: "interface-id" value: "e2" } } elem { name: "pfc" } elem { name: "pfc-enable" } } val { bool_val: false } }
			update { path { elem { name: "system" } } val { json_ietf_val: '1' } } }`,
	} {
		answer := &gpb.GetResponse{}
		require.NoError(t, prototext.Unmarshal([]byte(text), answer))
		b, err := absorb(qos, false, answer)
		require.NoError(t, err)
		require.Equal(t, true, Trees{b}.at(at), text)
	}
	for _, text := range []string{
		`notification { update { path { elem { name: "qos" } } val { json_ietf_val: '{' } } }`,
		`notification { update { path { elem { name: "qos" } } val { json_ietf_val: '{} {}' } } }`,
		`notification { update { path { elem { name: "qos" } } val { bytes_val: 'x' } } }`,
	} {
		answer := &gpb.GetResponse{}
		require.NoError(t, prototext.Unmarshal([]byte(text), answer))
		_, err := absorb(qos, false, answer)
		require.ErrorContains(t, err, "/qos: ")
	}
}

// FuzzAbsorb reads answers of switches: nothing panics, what is read is JSON
// that reads the same, and a table of CONFIG_DB is one or is refused.
func FuzzAbsorb(f *testing.F) {
	f.Add([]byte(`{"Ethernet0|3-4":{"profile":"pg_lossless_100000_40m_profile"}}`), "BUFFER_PG", "", "")
	f.Add([]byte(`{"a":[{"b":1},{"b":[]}]}`), "qos", "interface", "e1")
	f.Add([]byte(`{"qos":{"qos":{}}}`), "", "qos", "")
	f.Add([]byte(`[null,{"":{}},"x:y"]`), "qos", "x:y", "|")
	f.Add([]byte(`{"x:":1,":y":2,"x:y:z":3}`), "m:qos", "", "")
	f.Fuzz(func(t *testing.T, data []byte, name, list, key string) {
		path := &gpb.Path{Elem: []*gpb.PathElem{{Name: name}}}
		if list != "" {
			path.Elem = append(path.Elem, &gpb.PathElem{Name: list, Key: map[string]string{"k": key}})
		}
		answer := &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{
			{Path: path, Val: jsonValue(data)}, {Path: &gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}}}, Val: jsonValue(data)},
			{Path: path, Val: jsonValue(data)}}}}}
		for _, where := range [][]nos.Elem{{{Name: "qos"}}, sonic.Path("BUFFER_PG"),
			{{Name: "qos"}, {Name: "list", Key: "k", Value: key}}} {
			b, err := absorb(where, where[0].Name != "qos", answer)
			if err != nil {
				continue
			}
			text := jsonText(b.tree)
			require.True(t, text == "" || json.Valid([]byte(text)))
			_ = Trees{b}.at(append(where, nos.Elem{Name: list, Key: "k", Value: key}, nos.Elem{Name: name}))
			require.True(t, jsontree.Contains(b.tree, b.tree))
			if b.tree != nil {
				_, _ = sonic.ReadTable([]byte(text))
			}
		}
	})
}
