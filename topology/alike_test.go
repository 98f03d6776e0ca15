package topology_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/topology"
)

// listed is a switch with an entry on a line for each name. With turned, every other entry has its keys in another
// order, so that no entry is read as the one before.
func listed(turned bool, names []string, rest ...string) string {
	var b strings.Builder
	b.WriteString(`{"chip": "tomahawk4", "headroom": {"method": "ieee802.1qbb"}, "classes": ` +
		`[{"name": "rdma", "priorities": [3], "lossless": true}], "ports": [`)
	for i, name := range names {
		fields := append([]string{fmt.Sprintf(`"name": %q`, name)}, rest...)
		if turned && i%2 == 1 {
			fields[0], fields[1] = fields[1], fields[0]
		}
		fmt.Fprintf(&b, "\n{%s},", strings.Join(fields, ", "))
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

// Entries that differ in their names alone are read once. Their ports, lines and complaints are those of entries that
// are read one by one, in JSON and in YAML.
func TestAlikeEntriesAreReadAsEachOther(t *testing.T) {
	names := []string{"e1", "e2", "e10", "e3", "x"}
	for _, c := range [][]string{
		{`"speed": "400G"`, `"cable": "7m"`},
		{`"speed": "400G"`, `"cable": "7m"`, `"pipe": 1`, `"classes": ["rdma"]`, `"pfc_without_headroom": [4]`},
		{`"speed": "400G"`, `"measured_delay": {"round_trip": "1us", "uncertainty": "1ns", "source": "s", "date": "2026"}`},
		{`"speed": "400"`, `"cable": "7m"`}, {`"speed": "400G"`}, {`"speed": "400G"`, `"cable": "7m"`, `"color": "red"`},
		{`"speed": "400G"`, `"cable": "7m"`, `"pipe": 99`}, {`"speed": "900G"`, `"cable": "7m"`},
		{`"speed": "400G"`, `"cable": "7m"`, `"range": "e7-8"`},
	} {
		for _, more := range []string{"e4", "e1", "e1-4", "", "-", "null"} {
			all := append(names, more, more)
			for _, comment := range []string{"", "\n# YAML\n"} {
				once, errOnce := topology.Read("f", []byte(listed(false, all, c...)+comment), os.ReadFile)
				each, errEach := topology.Read("f", []byte(listed(true, all, c...)+comment), os.ReadFile)
				require.Equal(t, fmt.Sprint(errEach), fmt.Sprint(errOnce), "%v %q", c, more)
				require.Equal(t, each.Intent, once.Intent)
				require.Equal(t, each.Entries, once.Entries)
				for _, path := range []string{"ports[1].speed", "ports[2].name", "ports[3].color", "ports[6]"} {
					file, line, stated := each.Place(path)
					gotFile, gotLine, gotStated := once.Place(path)
					require.Equal(t, []any{file, line, stated}, []any{gotFile, gotLine, gotStated}, path)
				}
			}
		}
	}
}
