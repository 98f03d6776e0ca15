package topology_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/topology"
)

// object is the part of a JSON Schema that lists keys.
type object struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Items      json.RawMessage            `json:"items"`
	Enum       []string                   `json:"enum"`
}

// at returns the part of the schema at keys; "*" is the item of a list.
func at(t *testing.T, path ...string) (o object) {
	t.Helper()
	raw := json.RawMessage(topology.Schema())
	for i := 0; ; i++ {
		o = object{}
		require.NoError(t, json.Unmarshal(raw, &o))
		switch {
		case i == len(path):
			return o
		case path[i] == "*":
			raw = o.Items
		default:
			raw = o.Properties[path[i]]
		}
	}
}

// The schema has exactly the keys that the reader accepts, at every level.
func TestSchemaHasTheReadersKeys(t *testing.T) {
	text := func(class, port, more string) string {
		return "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\nclasses: [{name: a, priorities: [3]" + class +
			"}]\nports: [{name: Ethernet1, speed: 100G, cable: 5m" + port + "}]\n" + more
	}
	accepted := regexp.MustCompile(`zzz: unknown key: want (.*)`)
	for _, c := range []struct {
		text string
		path []string
	}{
		{text("", "", "zzz: 1\n"), nil},
		{strings.Replace(text("", "", ""), "tomahawk", "{name: jericho4, zzz: 1}", 1), []string{"chip"}},
		{text(", zzz: 1", "", ""), []string{"classes", "*"}},
		{text(", ecn: {zzz: 1}", "", ""), []string{"classes", "*", "ecn"}},
		{text("", ", zzz: 1", ""), []string{"ports", "*"}},
		{text("", ", measured_delay: {zzz: 1}", ""), []string{"ports", "*", "measured_delay"}},
		{text("", "", "pool: {zzz: 1}\n"), []string{"pool"}},
		{text("", "", "dscp: {zzz: 1}\n"), []string{"dscp"}},
		{text("", "", "trimming: {zzz: 1}\n"), []string{"trimming"}},
		{text("", "", "egress_pools: [{zzz: 1}]\n"), []string{"egress_pools", "*"}},
		{text("", "", "peers: [{zzz: 1}]\n"), []string{"peers", "*"}},
		{text("", "", "ets: {zzz: 1}\n"), []string{"ets"}},
		{text("", "", "ets: {traffic_classes: [{zzz: 1}]}\n"), []string{"ets", "traffic_classes", "*"}},
		{text("", "", "ets: {priority_groups: [{zzz: 1}]}\n"), []string{"ets", "priority_groups", "*"}},
		{strings.Replace(text("", "", ""), "ieee802.1qbb", "table, rows: [{zzz: 1}]", 1),
			[]string{"headroom", "rows", "*"}},
	} {
		_, err := topology.Parse("x.yaml", []byte(c.text), os.ReadFile)
		require.Error(t, err)
		found := accepted.FindStringSubmatch(err.Error())
		require.NotNil(t, found, "%v", err)
		var keys []string
		for key := range at(t, c.path...).Properties {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		want := strings.Split(found[1], ", ")
		slices.Sort(want)
		require.Equal(t, want, keys, "%v", c.path)
	}
	require.Equal(t, method.Methods(), at(t, "headroom", "method").Enum)
	params := at(t, "headroom").Properties
	for _, m := range method.Methods() {
		for _, key := range method.MethodOptions(m) {
			require.Contains(t, params, key, m)
		}
	}
}
