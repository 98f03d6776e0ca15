package topology_test

import (
	"fmt"
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
)

const goodProbe = `chip: {cell: 208B, packet_overhead: 0B, slices: 4}
pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false, reserved_elsewhere_cells: 0}
group: {reserved: 1248B, alpha: 1, headroom: 268736B, xon_offset: 2288B}
fill: {packet: 64B, groups: 4, order: together}
`

func ExampleParseProbe() {
	p, err := topology.ParseProbe("probe.yaml", []byte(goodProbe))
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
	p, err := topology.ParseProbe("probe.yaml", []byte(goodProbe))
	require.NoError(t, err)
	require.Equal(t, mmu.Probe{Cell: 208, Slices: 4, Pool: 10875072, SharedHeadroom: 4194112, Reserved: 1248, Limit: thresholds.Dynamic(0),
		Headroom: 268736, XONOffset: 2288, Packet: 64, Groups: 4, Rule: mmu.SiliconRule(), Latched: true}, p)
	for text, want := range map[string]thresholds.Alpha{"alpha: 1/8": -3, "alpha: 0.125": -3, "dynamic_th: -3": -3, "alpha: 2.0": 1} {
		p, err := topology.ParseProbe("probe.yaml", []byte(replace("alpha: 1", text)(goodProbe)))
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
	p, err := topology.ParseProbe("probe.yaml", []byte(lossyProbe))
	require.NoError(t, err)
	require.True(t, p.Lossy)
	require.Equal(t, thresholds.Static(53248), p.Limit, "a slice's part")
	require.Equal(t, mmu.ProbeEgress{Pool: 26866112, ReservedElsewhere: 3, Reserved: 1664, Limit: thresholds.Dynamic(-1)}, p.Egress)

	p, err = topology.ParseProbe("probe.yaml", []byte(replace("lossless: false, static_th: 44302336B", "lossless: true, static_th: 0B")(lossyProbe)))
	require.NoError(t, err)
	require.False(t, p.Lossy)
	require.Equal(t, thresholds.Unlimited(), p.Limit)

	p, err = topology.ParseProbe("probe.yaml", []byte(replace("packet: 64B", "packet: 64B, packet_bytes_charged: 112B")(lossyProbe)))
	require.NoError(t, err)
	require.Equal(t, thresholds.Static(44302336/4), p.Limit, "bytes where these are charged")
}

func TestParseProbeEgressComplains(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"no size":    {"size: 26866112B, ", "", "probe.yaml:4: egress.size: missing"},
		"size 0":     {"size: 26866112B", "size: 0B", `probe.yaml:4: egress.size: "0B": accepted: 1B or more; leave egress out`},
		"less":       {"size: 26866112B", "size: -1B", "probe.yaml:4: egress.size:"},
		"no limit":   {", dynamic_th: -1", "", "probe.yaml:4: egress.alpha: missing"},
		"two limits": {"lossless: false,", "alpha: 1,", `probe.yaml:3: group.static_th: "44302336B": accepted: one of alpha, dynamic_th and static_th`},
		"static":     {"static_th: 44302336B", "static_th: -8B", "probe.yaml:3: group.static_th:"},
		"exponent":   {"dynamic_th: -1", "dynamic_th: 99", "probe.yaml:4: egress.dynamic_th"},
		"lossless":   {"lossless: false", "lossless: 0", `probe.yaml:3: group.lossless: "0": accepted: true or false`},
		"headroom":   {"lossless: false", "lossless: false, headroom: 208B", "probe.yaml:3: group.headroom: 208 (accepted: 0 to 0)"},
		"xon offset": {"lossless: false", "lossless: false, xon_offset: 208B", "probe.yaml:3: group.xon_offset: 208 (accepted: 0 to 0)"},
		"elsewhere":  {"reserved_elsewhere_cells: 3", "reserved_elsewhere_cells: 33333", "probe.yaml:4: egress.size: 26866112B leaves -1042 shared cells"},
		"key":        {"reserved: 1664B", "reservd: 1664B", "probe.yaml:4: egress.reservd: unknown key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := topology.ParseProbe("probe.yaml", []byte(replace(c.old, c.with)(lossyProbe)))
			require.ErrorIs(t, err, buffer.ErrInvalid)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestParseProbeComplains(t *testing.T) {
	for name, c := range map[string]struct{ old, with, want string }{
		"no cell":      {"cell: 208B, ", "", "probe.yaml:1: chip.cell: missing"},
		"cell 0":       {"cell: 208B", "cell: 0B", "probe.yaml:1: chip.cell: 0 (accepted: 1 to 1048576)"},
		"no unit":      {"size: 10875072B", "size: 10875072", "probe.yaml:2: pool.size"},
		"alpha":        {"alpha: 1", "alpha: 3", `probe.yaml:3: group.alpha: "3" is not an alpha`},
		"no alpha":     {"alpha: 1, ", "", "probe.yaml:3: group.alpha: missing"},
		"both":         {"alpha: 1", "alpha: 1, dynamic_th: 0", "alpha or dynamic_th, not both"},
		"order":        {"together", "all", `probe.yaml:4: fill.order: "all": accepted: together, in-turn`},
		"groups":       {"groups: 4", "groups: 0", `probe.yaml:4: fill.groups: "0": accepted: a whole number from 1`},
		"charged":      {"packet: 64B", "packet: 64B, packet_bytes_charged: 0B", `fill.packet_bytes_charged: "0B": accepted: 1B or more`},
		"key":          {"slices", "slicse", "probe.yaml:1: chip.slicse: unknown key"},
		"empty pool":   {"reserved_elsewhere_cells: 0", "reserved_elsewhere_cells: 99999", "probe.yaml:2: pool.size: 10875072B leaves -86928 shared cells"},
		"packet of 0B": {"packet: 64B", "packet: 0B", "fill.packet: 0 (accepted: 1 to 65536)"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := topology.ParseProbe("probe.yaml", []byte(replace(c.old, c.with)(goodProbe)))
			require.ErrorIs(t, err, buffer.ErrInvalid)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := topology.ParseProbe("probe.yaml", []byte("chip: {cell: 1}\npool: {}\ngroup: {alpha: 5}\n"))
	for _, want := range []string{"chip.cell", "pool.size: missing", "group.alpha", "fill: missing"} {
		require.ErrorContains(t, err, want, "all at once")
	}
}

// Whatever is accepted can be asked.
func FuzzParseProbe(f *testing.F) {
	f.Add(goodProbe)
	f.Add(replace("together", "in-turn")(goodProbe))
	f.Add(lossyProbe)
	f.Add("chip: {cell: 208B}\npool: {size: 99999B}\ngroup: {alpha: 8, headroom: 999B}\negress: {size: 9999B, static_th: 0B}\nfill: {packet: 64B, groups: 3}\n")
	f.Add(replace("lossless: false", "lossless: true")(lossyProbe))
	f.Add(replace("packet: 64B", "packet: 64B, packet_bytes_charged: 112B")(goodProbe))
	f.Fuzz(func(t *testing.T, text string) {
		p, err := topology.ParseProbe("probe.yaml", []byte(text))
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
