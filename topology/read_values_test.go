package topology_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// The bill of cells of one Tomahawk 5 slice that FBOSS works out by hand.
func TestFBOSSTomahawk5SharesTheCellsOfItsGuide(t *testing.T) {
	const file = "../examples/tomahawk5-fboss.yaml"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	in, err := topology.Parse(file, data, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, plan.Fits)
	first := buffer.SliceBill{Index: 0, Total: 341080, Chip: 15857, Reserved: 3648 + 1216 + 2451, Headroom: 36720,
		Shared: 281188}
	require.Equal(t, first, plan.Slices[0])
	queues := buffer.BillRow{Item: "queue reserved network", Count: 2 * 129, Each: 19, Cells: 2 * 2451}
	require.Contains(t, plan.Bill, queues)
	require.Contains(t, plan.Bill, buffer.BillRow{Item: "reserved rdma", Count: 129, Each: 57, Cells: 129 * 57})
	minimum := buffer.Register{Kind: buffer.QueueReserved, Port: "eth1/129", Index: 7}
	require.EqualValues(t, 19, plan.Layout().Value(minimum))
}

func TestSharedHeadroomByRatio(t *testing.T) {
	in, err := topology.Parse("t.yaml", []byte(`
chip: tomahawk
headroom: {method: ieee802.1qbb}
pool: {shared_headroom_ratio: 4}
classes: [{name: rdma, priorities: [3], lossless: true, queue_reserved: 1KiB}]
ports: [{name: e1, speed: 100G, cable: 5m}]`), nil)
	require.NoError(t, err)
	require.Equal(t, 4, in.Pool.SharedHeadroomRatio)
	require.Equal(t, 1024*unit.Byte, in.Classes[0].QueueReserved)
	_, err = topology.Parse("t.yaml", []byte("pool: {shared_headroom_ratio: 1001}"), nil)
	require.ErrorContains(t, err, "pool.shared_headroom_ratio")
}

// A class may have a weight or be strict; DSCPs are listed by priority.
func TestParseReadsWeightsAndCodePoints(t *testing.T) {
	const text = `chip: tomahawk
headroom: {method: ieee802.1qbb}
classes:
  - {name: rdma, priorities: [3], lossless: true, weight: 60}
  - {name: rest, priorities: [0], weight: 40}
  - {name: control, priorities: [6], strict: true}
dscp: {3: [26], 6: [46, 48-49], 0: [0]}
ports: [{name: e1, speed: 100G, cable: 5m}]
`
	in, err := topology.Parse("t.yaml", []byte(text), nil)
	require.NoError(t, err)
	require.Equal(t, pg.DSCPMap{0: pg.Points(0), 3: pg.Points(26), 6: pg.Points(46, 48, 49)}, in.DSCP)
	require.Equal(t, 60, in.Classes[0].Weight)
	require.True(t, in.Classes[2].Strict)
	for edit, want := range map[[2]string]string{
		{"0: [0]", "0: [64]"}:         `t.yaml:7: dscp.0[0]: "64" is no set of DSCPs (want 0 to 63`,
		{"0: [0]", "0: [48]"}:         "t.yaml:7: dscp.6: 48: want DSCPs of no other priority",
		{"0: [0]", "1: [0]"}:          "t.yaml:7: dscp.1: 0: want a priority of a class",
		{"0: [0]", "8: [0]"}:          "t.yaml:7: dscp.8: unknown key",
		{"weight: 40", "weight: 0"}:   `t.yaml:5: classes[1].weight: "0": want a whole number from 1 to 100`,
		{", weight: 40", ""}:          "t.yaml:5: classes[1].weight: none: want a weight or strict for every class",
		{"strict: true", "strict: 1"}: "t.yaml:6: classes[2].strict",
	} {
		_, err := topology.Parse("t.yaml", []byte(strings.Replace(text, edit[0], edit[1], 1)), nil)
		require.ErrorContains(t, err, want)
	}
}

// A port may say which classes it carries, its own minimum and its state; a class may have a static limit.
func TestParseReadsWhatPortsCarry(t *testing.T) {
	text := `chip: spectrum-1
headroom: {method: ieee802.1qbb}
classes:
  - {name: rdma, priorities: [3], lossless: true}
  - {name: bulk, priorities: [0], static_limit: 1MiB}
ports:
  - {name: e1, speed: 100G, cable: 3m, classes: [bulk], reserved: 960B, state: admin-down}
`
	in, err := topology.Parse("leaf.yaml", []byte(text), noFiles)
	require.NoError(t, err)
	require.Equal(t, unit.MiB, in.Classes[1].StaticLimit)
	p := in.Ports[0]
	require.Equal(t, []any{buffer.Classes(1), unit.Bytes(960), buffer.PortAdminDown},
		[]any{p.Classes, p.Reserved, p.State})
	text = strings.NewReplacer("[bulk]", "[voice]", "admin-down", "asleep", "1MiB", "1TiB").Replace(text)
	_, err = topology.Parse("leaf.yaml", []byte(text), noFiles)
	require.ErrorContains(t, err, `leaf.yaml:7: ports[0].classes[0]: "voice": want one of the classes rdma, bulk`)
	require.ErrorContains(t, err, `leaf.yaml:7: ports[0].state: "asleep" is no state of a port`)
}

// What the file says is what is planned: a zero is zero, and where there is no such thing it is refused.
func TestAnExplicitZeroIsZero(t *testing.T) {
	const text = `chip: tomahawk
headroom: {method: table, table: lossless.ini}
pool: {size: 10MB, shared_headroom: 4MB}
classes: [{name: rdma, priorities: [3], lossless: true, alpha: 1/8, KEY}]
ports: [{name: e1, speed: 100G, cable: 300m}]
`
	open := func(string) ([]byte, error) { return []byte("100000 300m 1248 2288 268736 -3 2288\n"), nil }
	plan := func(key string) (*buffer.Plan, error) {
		edit := strings.NewReplacer("KEY", key, "10MB", "10000000B", "4MB", "4000000B")
		in, err := topology.Parse("leaf.yaml", []byte(edit.Replace(text)), open)
		if err != nil {
			return nil, err
		}
		return buffer.New(in)
	}
	for key, want := range map[string][2]int64{ // PG-min and XON offset of the group in cells
		"":                                 {6, 16}, // the table's; the chip holds multiples of 8
		"reserved: 0B":                     {0, 16},
		"xon_offset: 0B":                   {6, 0},
		"reserved: 208B, xon_offset: 208B": {1, 8},
	} {
		p, err := plan(key)
		require.NoError(t, err, key)
		require.Equal(t, want, [2]int64{int64(p.Groups[0].Reserved), int64(p.Groups[0].XONOffset)}, key)
	}
	for key, want := range map[string]string{
		"mtu: 0B":          `leaf.yaml:4: classes[0].mtu: "0B": want 1B or more; leave it out for the port's MTU`,
		"static_limit: 0B": `leaf.yaml:4: classes[0].static_limit: "0B": want 1B or more; leave it out for an alpha`,
	} {
		_, err := plan(key)
		require.ErrorContains(t, err, want)
	}
	_, err := topology.Parse("leaf.yaml", []byte(replace("size: 10875072B", "size: 0B")(good)), noFiles)
	require.ErrorContains(t, err, `leaf.yaml:3: pool.size: "0B": want 1B or more; leave it out for the chip's `+
		`whole memory`)

	in, err := topology.Parse("leaf.yaml", []byte(replace("cable: 0.5m", "delay: 0ns")(good)), noFiles)
	require.NoError(t, err)
	require.Equal(t, unit.Given(unit.Time(0)), in.Ports[3].Delay)
}
