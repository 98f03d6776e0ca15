package internal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/measured"
	"github.com/cellwarden/cellwarden/unit"
)

// The same measurements in each form.
const (
	asYAML = `
fills:
  - packet: 64B
    groups: 3
    order: in-turn
    profile: roce
    headroom: 101088B
    within: 2
    xoff: [20036, unknown, 5013..5015]
    drop: [5000+]
    read: [{group: 2, shared_watermark: 2080B}]
`
	asLines = `{"fill": {"packet": "64B", "groups": 3, "order": "in-turn", "profile": "roce", "headroom": "101088B", "within": 2, "xoff": [20036, "unknown", "5013..5015"], "drop": ["5000+"], "read": [{"group": 2, "shared_watermark": "2080B"}]}}
`
	asCSV = `fill,packet,groups,order,profile,headroom,within,group,xoff,drop,shared_watermark
a,64B,3,in-turn,roce,101088B,2,1,20036,5000+,
a,64B,3,in-turn,roce,101088B,2,2,unknown,,2080B
a,64B,3,in-turn,roce,101088B,2,3,5013..5015,,
`
)

func TestMeasuredFormsAreEqual(t *testing.T) {
	want := calibrate.Fill{Packet: 64, Groups: 3, InTurn: true, Profile: "roce",
		Headroom: unit.Given(unit.Bytes(101088))}
	readings := []calibrate.FillReading{{Group: 0, What: calibrate.XOFF, Is: calibrate.Range{Lo: 20034, Hi: 20038}},
		{Group: 2, What: calibrate.XOFF, Is: calibrate.Range{Lo: 5011, Hi: 5017}},
		{Group: 0, What: calibrate.Drop, Is: calibrate.AtLeast(4998)},
		{Group: 1, What: calibrate.SharedMark, Is: calibrate.Exactly(2080), Bytes: true}}
	for text, from := range map[string]string{asYAML: "f:3", asLines: "f:1", asCSV: "f:2"} {
		f, err := measured.Read("f", []byte(text), 0)
		require.NoError(t, err)
		require.Len(t, f.Fills, 1)
		require.ElementsMatch(t, readings, f.Fills[0].Readings)
		got := f.Fills[0]
		require.Equal(t, from, got.From)
		got.Readings, got.From = nil, ""
		require.Equal(t, want, got)
	}
}

func TestMeasuredOtherForms(t *testing.T) {
	f, err := measured.Read("links.csv", []byte("speed,cable,headroom,drops,frames\n100G,300m,268736B,0,18432B\n"+
		"100G,300m,100000B,3,\n"), 0)
	require.NoError(t, err)
	require.Equal(t, calibrate.PausedLink{From: "links.csv:3", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre,
		Headroom: 100000,
		Drops:    3}, f.Links[1])
	f, err = measured.Read("lines", []byte(`{"known": {"alpha": "1/8", "leak_out_packets": "unknown", "limit_rule": "after"}}

{"stored": {"packet": "64B", "packets": 10, "watermark": 10}}
{"point": {"packet": "64B", "group": "a", "held": 5, "used": 6, "refused": true}}
{"link": {"speed": "10G", "cable": "5m", "headroom": "1000B", "drops": 0, "headroom_watermark": "500B"}}
`), 0)
	require.NoError(t, err)
	require.Equal(t, "lines:3", f.Stored[0].From)
	require.Len(t, f.Points, 1)
	require.Len(t, f.Links, 1)
	require.Equal(t, []calibrate.Assumption{
		{Parameter: calibrate.LeakOut, Is: calibrate.AtLeast(0), Source: "lines:1"},
		{Parameter: calibrate.LimitRule, Is: calibrate.Exactly(1), Source: "lines:1"},
		{Parameter: calibrate.DynamicTh, Is: calibrate.Exactly(-3), Source: "lines:1"}}, f.Known)

	f, err = measured.Read("dump", []byte(`Ingress headroom per PG:
     Port    PG0    PG3
---------  -----  -----
Ethernet0      0   9216
`), 0)
	require.NoError(t, err)
	require.Equal(t, []calibrate.Use{{From: "dump", Group: "Ethernet0 0", Headroom: unit.Given(unit.Bytes(0))},
		{From: "dump", Group: "Ethernet0 3", Headroom: unit.Given(unit.Bytes(9216))}}, f.Uses)
}

// Complaints have the file, the line and what is accepted.
func TestMeasuredComplaints(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "f: nothing",
		"weather: 3":              "f:1: document: 1 key, none of them accepted",
		"fills: [{packet: 64}]":   `f:1: fills[0].packet: "64"`,
		"fills:\n- {packet: 64B}": "f:2: fills[0]",
		"fills:\n- {packet: 64B, groups: 2, xoff: 5}":                                   "f:2: fills[0].order: missing",
		"fills:\n- {packet: 64B, xoff: [1, 2]}":                                         "f:2: fills[0].xoff",
		"fills:\n- {packet: 64B, xoff: soon}":                                           `f:2: fills[0].xoff: "soon"`,
		"fills:\n- {packet: 64B, xoff: 9..3}":                                           `f:2: fills[0].xoff: "9..3"`,
		"fills:\n- {packet: 64B, xoff: -3}":                                             "f:2: fills[0].xoff",
		"known: {limit_rule: sometimes}":                                                "f:1: known.limit_rule",
		"{\"fill\": {}}\n{\"fill\": {\"packet\": 1}}":                                   "f:2: ",
		"fill,packet,group,xoff\na,64B,1,5\na,65B,1,5\n":                                "f:3: fill",
		"fill,packet,group,weather\na,64B,1,5\n":                                        `f:1: column "weather"`,
		"fill,packet,group,xoff\na,64B,2,5\n":                                           "f:2: group",
		"fill,packet,group,xoff\na,64B,1,-5\n":                                          "f:2: xoff",
		"speed,cable\n100G,5m\n":                                                        `f:1: no column "headroom"`,
		"speed,cable,headroom,drops\n100G,5m,,0\n":                                      `f:2: headroom: ""`,
		"port,group,headroom_watermark_cells\nEthernet0,3,5\n":                          "size of a cell is not known",
		"port,group,dropped_packets\nEthernet0,3,5\n":                                   "no watermark",
		"fills: [{packet: 64B, groups: 2, order: each-to-drop, xoff: 5, xon_below: 3}]": "xon_below",
	} {
		_, err := measured.Read("f", []byte(text), 0)
		require.ErrorContains(t, err, want, "%q", text)
	}
	_, err := measured.Read("f", []byte(strings.Repeat("x", measured.MaxBytes+1)), 0)
	require.ErrorContains(t, err, "want at most")
}

// A file that is read can be calibrated: the reader accepts nothing that Calibrate refuses.
func FuzzMeasuredRead(f *testing.F) {
	for _, text := range []string{asYAML, asLines, asCSV, "speed,cable,headroom,drops\n100G,5m,1000B,0\n",
		"known: {cell: 208B, alpha: 1}\nstored: [{packet: 64B, packets: 3, watermark: 624B}]\n",
		"port,group,headroom_watermark_bytes\nEthernet0,3,500\n",
		"points: [{packet: 64B, held: 1, used: 1, refused: true}]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := measured.Read("fuzz", data, 208)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NoError(t, file.Validate())
	})
}
