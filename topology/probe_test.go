package topology_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
)

const goodProbe = `chip: {cell: 208B, packet_overhead: 0B, slices: 4}
pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false, reserved_elsewhere_cells: 0}
group: {reserved: 1248B, alpha: 1, headroom: 268736B, xon_offset: 2288B}
fill: {packet: 64B, groups: 4, order: together}
`

func ExampleParseProbe() {
	p, err := topology.ParseProbe("probe.yaml", []byte(goodProbe), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := p.Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+v\n", answer.Groups[0])
	// Output: {XOFF:2621 Drop:3913 XONBelow:12 Headroom:1292 Cause:headroom full}
}

func TestParseProbe(t *testing.T) {
	p, err := topology.ParseProbe("probe.yaml", []byte(goodProbe), nil)
	require.NoError(t, err)
	require.Equal(t, mmu.Probe{Cell: 208, Slices: 4, Pool: 10875072, SharedHeadroom: 4194112, Reserved: 1248,
		Limit:    thresholds.Dynamic(0),
		Headroom: 268736, XONOffset: 2288, Packet: 64, Groups: 4, Rule: mmu.SiliconRule(), Latched: true}, p.Probe)
	for text, want := range map[string]thresholds.Alpha{
		"alpha: 1/8": -3, "alpha: 0.125": -3, "dynamic_th: -3": -3, "alpha: 2.0": 1,
	} {
		p, err := topology.ParseProbe("probe.yaml", []byte(replace("alpha: 1", text)(goodProbe)), nil)
		require.NoError(t, err, text)
		require.Equal(t, thresholds.Dynamic(want), p.Limit, text)
	}
}

// A lossy group in front of an egress queue.
const lossyProbe = `chip: {cell: 208B, slices: 4}
pool: {size: 33582016B, shared_headroom: 8965632B}
group: {lossless: false, static_th: 44302336B}
egress: {size: 26866112B, reserved: 1664B, dynamic_th: -1, reserved_elsewhere_cells: 3}
fill: {packet: 64B}
`

func TestParseProbeEgress(t *testing.T) {
	p, err := topology.ParseProbe("probe.yaml", []byte(lossyProbe), nil)
	require.NoError(t, err)
	require.True(t, p.Lossy)
	require.Equal(t, thresholds.Static(53248), p.Limit, "a slice's part")
	egress := mmu.ProbeEgress{Pool: 26866112, ReservedElsewhere: 3, Reserved: 1664, Limit: thresholds.Dynamic(-1)}
	require.Equal(t, egress, p.Egress)

	unlimited := replace("lossless: false, static_th: 44302336B", "lossless: true, static_th: 0B")(lossyProbe)
	p, err = topology.ParseProbe("probe.yaml", []byte(unlimited), nil)
	require.NoError(t, err)
	require.False(t, p.Lossy)
	require.Equal(t, thresholds.Unlimited(), p.Limit)

	inBytes := replace("packet: 64B", "packet: 64B, packet_bytes_charged: 112B")(lossyProbe)
	p, err = topology.ParseProbe("probe.yaml", []byte(inBytes), nil)
	require.NoError(t, err)
	require.Equal(t, thresholds.Static(44302336/4), p.Limit, "bytes where these are charged")
}

func TestParseProbeEgressComplains(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"no size": {"size: 26866112B, ", "", "probe.yaml:4: egress.size: missing"},
		"size 0": {"size: 26866112B", "size: 0B", `probe.yaml:4: egress.size: "0B": want 1B or more; leave egress ` +
			`out`},
		"less":     {"size: 26866112B", "size: -1B", "probe.yaml:4: egress.size:"},
		"no limit": {", dynamic_th: -1", "", "probe.yaml:4: egress.alpha: missing"},
		"two limits": {"lossless: false,", "alpha: 1,", `probe.yaml:3: group.static_th: "44302336B": want one of ` +
			`alpha, dynamic_th and static_th`},
		"static":   {"static_th: 44302336B", "static_th: -8B", "probe.yaml:3: group.static_th:"},
		"exponent": {"dynamic_th: -1", "dynamic_th: 99", "probe.yaml:4: egress.dynamic_th"},
		"lossless": {"lossless: false", "lossless: 0", `probe.yaml:3: group.lossless: "0": want true or false`},
		"headroom": {"lossless: false", "lossless: false, headroom: 208B", "probe.yaml:3: group.headroom: 208 (want " +
			"0 to 0)"},
		"xon offset": {"lossless: false", "lossless: false, xon_offset: 208B", "probe.yaml:3: group.xon_offset: 208 " +
			"(want 0 to 0)"},
		"elsewhere": {"reserved_elsewhere_cells: 3", "reserved_elsewhere_cells: 33333", "probe.yaml:4: egress.size: " +
			"26866112B leaves -1042 shared cells"},
		"key": {"reserved: 1664B", "reservd: 1664B", "probe.yaml:4: egress.reservd: unknown key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := topology.ParseProbe("probe.yaml", []byte(replace(c.old, c.with)(lossyProbe)), nil)
			require.ErrorIs(t, err, buffer.ErrInvalid)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestParseProbeComplains(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"no cell":  {"cell: 208B, ", "", "probe.yaml:1: chip.cell: missing"},
		"cell 0":   {"cell: 208B", "cell: 0B", "probe.yaml:1: chip.cell: 0 (want 1 to 1048576)"},
		"no unit":  {"size: 10875072B", "size: 10875072", "probe.yaml:2: pool.size"},
		"alpha":    {"alpha: 1", "alpha: 3", `probe.yaml:3: group.alpha: "3" is not an alpha`},
		"no alpha": {"alpha: 1, ", "", "probe.yaml:3: group.alpha: missing"},
		"both":     {"alpha: 1", "alpha: 1, dynamic_th: 0", "alpha or dynamic_th, not both"},
		"order":    {"together", "all", `probe.yaml:4: fill.order: "all": want together, in-turn`},
		"groups":   {"groups: 4", "groups: 0", `probe.yaml:4: fill.groups: "0": want a whole number from 1`},
		"charged": {"packet: 64B", "packet: 64B, packet_bytes_charged: 0B", `fill.packet_bytes_charged: "0B": ` +
			`want 1B or more`},
		"key": {"slices", "slicse", "probe.yaml:1: chip.slicse: unknown key"},
		"empty pool": {"reserved_elsewhere_cells: 0", "reserved_elsewhere_cells: 99999", "probe.yaml:2: pool.size: " +
			"10875072B leaves -86928 shared cells"},
		"packet of 0B": {"packet: 64B", "packet: 0B", "fill.packet: 0 (want 1 to 65536)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := topology.ParseProbe("probe.yaml", []byte(replace(c.old, c.with)(goodProbe)), nil)
			require.ErrorIs(t, err, buffer.ErrInvalid)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := topology.ParseProbe("probe.yaml", []byte("chip: {cell: 1}\npool: {}\ngroup: {alpha: 5}\n"), nil)
	for _, want := range []string{"chip.cell", "pool.size: missing", "group.alpha", "fill: missing"} {
		require.ErrorContains(t, err, want, "all at once")
	}
}

// Whatever is accepted can be asked.
func FuzzParseProbe(f *testing.F) {
	f.Add("chip: tomahawk2\npool: {size: 9999B}\ngroup: {alpha: 1}\nfill: {packet: 64B, leak_out: chip}\n")
	f.Add("topology: leaf.yaml\nfill: {packet: 64B}\ngroup: {port: e1}\n")
	f.Add(goodProbe)
	f.Add(replace("together", "in-turn")(goodProbe))
	f.Add(lossyProbe)
	f.Add("chip: {cell: 208B}\npool: {size: 99999B}\ngroup: {alpha: 8, headroom: 999B}\negress: {size: 9999B, " +
		"static_th: 0B}\nfill: {packet: 64B, groups: 3}\n")
	f.Add(replace("lossless: false", "lossless: true")(lossyProbe))
	f.Add(replace("packet: 64B", "packet: 64B, packet_bytes_charged: 112B")(goodProbe))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := topology.ParseProbe("probe.yaml", []byte(text), func(string) ([]byte, error) {
			return nil, errors.New("no files here")
		})
		if err != nil {
			require.ErrorIs(t, err, buffer.ErrInvalid)
			return
		}
		if p.Pool+p.Headroom+p.Reserved+p.SharedHeadroom > 1<<22 || p.Groups > 16 {
			return // accepted, but long
		}
		a, err := p.Run()
		require.NoError(t, err)
		for _, g := range a.Groups {
			require.Positive(t, g.Drop)
			require.GreaterOrEqual(t, g.Drop, g.XOFF)
			require.NotEqual(t, mmu.CauseNone, g.Cause)
			if !p.Lossy && p.Egress.Pool == 0 {
				require.Positive(t, g.XOFF)
			}
		}
	})
}

// A chip of the catalogue brings its cell, its slices and how it compares; a topology brings the pools as well.
func TestParseProbeOfAChip(t *testing.T) {
	const trace = `chip: tomahawk2
pool: {size: 33329088B, shared_headroom: 7827456B}
group: {reserved: 1248B, alpha: 1, headroom: 101088B, xon_offset: 2496B}
fill: {packet: 64B, groups: 21, order: in-turn}
`
	p, err := topology.ParseProbe("probe.yaml", []byte(trace), nil)
	require.NoError(t, err)
	require.Equal(t, "tomahawk2", p.Chip.Name)
	require.Equal(t, mmu.Rule{PauseAtLimit: true}, p.Rule)
	require.True(t, p.Latched)
	require.Contains(t, p.RuleSource, "measured: sonic-mgmt docs/testplan/mmu_threshold_probe")
	a, err := p.Run()
	require.NoError(t, err)
	for i, want := range map[int][2]int64{0: {20036, 20523}, 1: {10021, 10508}, 19: {6, 181}, 20: {6, 7}} {
		require.Equal(t, want, [2]int64{a.Groups[i].XOFF, a.Groups[i].Drop}, "group %d of the 7260CX3's trace", i+1)
	}

	p, err = topology.ParseProbe("probe.yaml", []byte(replace("tomahawk2", "spectrum-3")(trace)), nil)
	require.NoError(t, err)
	require.Contains(t, p.RuleSource, "assumed")
	require.Equal(t, mmu.SiliconRule(), p.Rule)

	p, err = topology.ParseProbe("probe.yaml", []byte(replace("in-turn}", "in-turn, leak_out: 7}")(trace)), nil)
	require.NoError(t, err)
	require.EqualValues(t, 7, p.LeakOut)
	p, err = topology.ParseProbe("probe.yaml", []byte(replace("in-turn}", "in-turn, leak_out: chip}")(
		replace("tomahawk2", "tomahawk")(trace))), nil)
	require.NoError(t, err)
	require.EqualValues(t, 36, p.LeakOut)

	for name, c := range map[string]struct{ old, with, want string }{
		"no such chip": {"tomahawk2", "tomahwk",
			"probe.yaml:1: chip: \"tomahwk\": want a chip of the catalogue (nearest: tomahawk; all: "},
		"no cell":     {"tomahawk2", "falcon", "a chip whose cells are sourced"},
		"no leak-out": {"in-turn}", "in-turn, leak_out: chip}", "that of the chip is not sourced"},
		"leak-out":    {"in-turn}", "in-turn, leak_out: -1}", "fill.leak_out"},
	} {
		_, err := topology.ParseProbe("probe.yaml", []byte(replace(c.old, c.with)(trace)), nil)
		require.ErrorContains(t, err, c.want, name)
	}
}

// The pools and the group of a plan.
func TestParseProbeOfATopology(t *testing.T) {
	files := map[string]string{"lab/leaf.yaml": `chip: tomahawk2
headroom: {method: ieee802.1qbb}
pool: {shared_headroom: 8MiB}
classes: [{name: roce, priorities: [3], lossless: true, alpha: 1}, {name: rest, priorities: [0]}]
ports: [{range: Ethernet1-8, speed: 100G, cable: 100m}]
`}
	open := func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, errors.New("no such file")
		}
		return []byte(text), nil
	}
	const text = "topology: leaf.yaml\nfill: {packet: 64B, groups: 2, order: in-turn}\n"
	p, err := topology.ParseProbe("lab/probe.yaml", []byte(text), open)
	require.NoError(t, err)
	require.Equal(t, "Ethernet1 roce, slice 0", p.Group)
	in, err := topology.Parse("lab/leaf.yaml", []byte(files["lab/leaf.yaml"]), open)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	a, err := p.Run()
	require.NoError(t, err)
	require.Equal(t, plan.Slices[0].Shared, a.Shared)
	require.Equal(t, plan.Slices[0].Headroom, a.HeadroomPool)
	lossless := slices.IndexFunc(plan.Groups, func(g buffer.Group) bool { return g.Lossless })
	require.EqualValues(t, plan.Groups[lossless].Headroom, a.Groups[0].Headroom)

	p, err = topology.ParseProbe("lab/probe.yaml", []byte(text+"group: {port: Ethernet2, class: roce}\n"), open)
	require.NoError(t, err)
	require.Equal(t, "Ethernet2 roce, slice 2", p.Group)
	for more, want := range map[string]string{
		"group: {port: Ethernet9}\n": "a port and a lossless class of the plan, such as Ethernet1 roce",
		"group: {class: rest}\n":     "a port and a lossless class of the plan",
		"pool: {size: 1MiB}\n":       "unknown key",
		"group: {reserved: 1248B}\n": "unknown key",
	} {
		_, err := topology.ParseProbe("lab/probe.yaml", []byte(text+more), open)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
	_, err = topology.ParseProbe("lab/probe.yaml", []byte(replace("groups: 2", "groups: 5")(text)), open)
	require.ErrorContains(t, err, "at most 4")
	_, err = topology.ParseProbe("lab/probe.yaml", []byte(replace("leaf", "none")(text)), open)
	require.ErrorContains(t, err, "the path of a topology that can be read")

	files["lab/leaf.yaml"] = replace("cable: 100m", "cable: 100km")(replace("pool: {shared_headroom: 8MiB}", "pool: {}")(
		files["lab/leaf.yaml"]))
	_, err = topology.ParseProbe("lab/probe.yaml", []byte(text), open)
	var refusal *buffer.Refusal
	require.ErrorAs(t, err, &refusal)
}

// On a chip whose port owns headroom, a group that fills alone takes what two groups of its port have, and then the
// other one drops without headroom.
func TestProbeOfAPortThatOwnsHeadroom(t *testing.T) {
	open := func(string) ([]byte, error) {
		return []byte(`chip: spectrum-1
headroom: {method: ieee802.1qbb}
classes: [{name: roce, priorities: [3], lossless: true, alpha: 1},
  {name: fcoe, priorities: [4], lossless: true, alpha: 1}, {name: rest, priorities: [0]}]
ports: [{range: Ethernet1-8, speed: 100G, cable: 40m}]
`), nil
	}
	p, err := topology.ParseProbe("probe.yaml", []byte("topology: leaf.yaml\nfill: {packet: 64B}\n"), open)
	require.NoError(t, err)
	require.Equal(t, "Ethernet1 roce, slice 0, with the headroom of its port", p.Group)
	in, err := topology.Parse("leaf.yaml", func() []byte { text, _ := open(""); return text }(), open)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.Contains(t, plan.Notes[0], "headroom belongs to the port")
	i := slices.IndexFunc(plan.Groups, func(g buffer.Group) bool { return g.Lossless })
	a, err := p.Run()
	require.NoError(t, err)
	require.EqualValues(t, 2*plan.Groups[i].Headroom, a.Groups[0].Headroom)

	s, err := testbed.New(&p.Probe)
	require.NoError(t, err)
	require.NoError(t, s.Hold(100))
	held := func(port, pg int) int64 {
		g := testbed.Group{Port: port, PG: pg}
		require.NoError(t, s.Send(g, 100, 1<<18, 0))
		c, err := s.Counters(g)
		require.NoError(t, err)
		return c.Held
	}
	require.Equal(t, a.Groups[0].Drop-1, held(1, 3))
	left := int64(a.Shared) - held(1, 3) + int64(a.Groups[0].Headroom)
	other := held(1, 4)
	require.LessOrEqual(t, other, left/2+1, "no headroom is left")
	require.Greater(t, held(2, 3), left/4+int64(a.Groups[0].Headroom)-9, "another port has its own")
}
