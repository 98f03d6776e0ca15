package topology_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

const withRows = `chip: tomahawk
headroom:
  method: table
  rows:
    - {speed: 100G, cable: 5m, size: 1248B, xon: 2288B, xoff: 53248B, dynamic_th: -3, xon_offset: 2288B}
    - {speed: 100G, cable: 40m, size: 1248B, xon: 2288B, xoff: 66560B, dynamic_th: -3}
classes: [{name: rdma, priorities: [3], lossless: true}]
ports: [{range: "Ethernet0-8/4", speed: 100G, cable: 40m}]
`

// A headroom table may stand in the topology itself.
func TestRowsOfTheTopology(t *testing.T) {
	in, err := topology.Parse("x.yaml", []byte(withRows), os.ReadFile)
	require.NoError(t, err)
	require.Equal(t, &table.Table{Name: "x.yaml", Rows: []table.Row{
		{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, Size: 1248, XON: 2288, XOFF: 53248, Alpha: -3,
			XONOffset: unit.Given(unit.Bytes(2288)), Line: 5},
		{Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre, Size: 1248, XON: 2288, XOFF: 66560, Alpha: -3, Line: 6},
	}}, in.Sizing)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, plan.Fits)
	for name, c := range map[string]struct{ old, now, says string }{
		"two rows":  {"cable: 5m", "cable: 40m", "one row for a speed and a length; line 5 has this one"},
		"both":      {"method: table\n", "method: table\n  table: t.ini\n", "table or rows, not both"},
		"a number":  {"xoff: 53248B", "xoff: 53248", "53248"},
		"missing":   {"xoff: 53248B, ", "", "headroom.rows[0].xoff"},
		"beyond":    {"xoff: 53248B", "xoff: 2048GiB", "0B to"},
		"threshold": {"dynamic_th: -3}", "dynamic_th: 300}", "headroom.rows[1].dynamic_th"},
		"no rows": {withRows[strings.Index(withRows, "  rows:"):strings.Index(withRows, "classes")], "  rows: []\n",
			"row"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, withRows, c.old)
			_, err := topology.Parse("x.yaml", []byte(strings.Replace(withRows, c.old, c.now, 1)), os.ReadFile)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// Comments stand above what they are about, are wrapped, and end with their lines.
func TestWriteCommented(t *testing.T) {
	in, err := topology.Parse("x.yaml", []byte(withRows), os.ReadFile)
	require.NoError(t, err)
	w, err := topology.WriteCommented(in, topology.Comments{
		Head: []string{"read from config_db.json\nchip: evil", strings.Repeat("word ", 30)},
		Path: map[string][]string{"chip": {"DEVICE_METADATA"}, "headroom.rows[1]": {"t.ini:7"},
			"classes[0]": {"three"}},
		Ports: func(ports []buffer.Port) []string {
			return []string{ports[0].Name + " and more"}
		},
	})
	require.NoError(t, err)
	require.Empty(t, w.Files)
	require.Equal(t, `# read from config_db.json?chip: evil
# word word word word word word word word word word word word word word word word word word word word word word word
#   word word word word word word word
# DEVICE_METADATA
chip: tomahawk
headroom:
  method: table
  rows:
    - {speed: 100G, cable: 5m, size: 1248B, xon: 2288B, xoff: 53248B, dynamic_th: -3, xon_offset: 2288B}
    # t.ini:7
    - {speed: 100G, cable: 40m, size: 1248B, xon: 2288B, xoff: 66560B, dynamic_th: -3}
classes:
  # three
  - {name: "rdma", priorities: [3], lossless: true}
ports:
  # Ethernet0 and more
  - {range: "Ethernet0-8/4", speed: 100G, cable: 40m}
`, string(w.Topology))
}
