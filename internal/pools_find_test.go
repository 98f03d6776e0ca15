package internal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/unit"
)

// folder returns the folder of a HwSKU for a topology.
func folder(t *testing.T, hwsku, topology string) *pools.Folder {
	t.Helper()
	at := slices.IndexFunc(pools.Known(), func(f pools.Folder) bool { return f.HwSKU == hwsku && f.For(topology) })
	require.GreaterOrEqual(t, at, 0, "%s %s", hwsku, topology)
	return &pools.Known()[at]
}

// said is a reading in a line.
func said(r *pools.Origin) string {
	var roles []string
	for _, p := range r.Roles {
		roles = append(roles, p.String())
	}
	if len(roles) == 0 {
		roles = []string{"no roles"}
	}
	return fmt.Sprintf("%d ports of %s, %d KiB; %s", r.Ports, r.Workbook, r.Reserved/unit.KiB, strings.Join(roles, " "))
}

// TestPoolsFindSaysWhatAPoolWasMadeFor reads shipped pools backwards. The values are SONiC's (testdata and shipped.csv name
// the source); what the sum says of them is checked against the messages of commits: e3ff08833e (56 ports of 50G and 8
// of 100G; 24 and 8), 978fb9f56c (48 and 16 ports of 200G), bc8ee7a105 (a ratio of 8).
func TestPoolsFindSaysWhatAPoolWasMadeFor(t *testing.T) {
	known := roles(t)
	for _, c := range []struct {
		hwsku, topology string
		all, spoken     bool
		ratio           int
		says            string
	}{
		{"Mellanox-SN4600C-D48C40", "t0", false, true, 2,
			"32 ports of shared headroom, 3648 KiB; 8x100G@40m 24x50G@5m"},
		{"Mellanox-SN4600C-D48C40", "t1", true, true, 2,
			"88 ports of shared headroom, 9584 KiB; 8x100G/4@300m 32x100G/4@40m 48x50G/2@40m"},
		{"Mellanox-SN4600C-C64", "t0", true, false, 2,
			"64 ports of shared headroom, 7040 KiB; 8x100G@40m 56x50G@5m"},
		{"Mellanox-SN4700-V64", "t1", true, true, 2,
			"64 ports of shared headroom, 7040 KiB; 16x200G/4@2km 48x200G/4@300m"},
		{"Mellanox-SN4700-V48C32", "t0", true, true, 8,
			"80 ports of shared headroom, 8736 KiB; 48x200G/4@5m 32x100G/2@300m"},
		{"Mellanox-SN4700-A96C8V8", "t0", true, true, 4,
			"112 ports of shared headroom, 12128 KiB; 8x200G/4@300m 8x100G/4@5m 96x25G/1@5m"},
		{"Mellanox-SN3800-D100C12S2", "t0", true, true, 2,
			"114 ports of shared headroom, before 2022, 10060 KiB; 12x100G/4@40m 100x50G/2@5m 2x10G/4@5m"},
		{"Mellanox-SN4280-O8C40", "t1", true, false, 0, "52 ports of shared headroom, 6148 KiB; no roles"},
		{"Mellanox-SN4280-O8C40", "t0", false, false, 0, "32 ports of shared headroom, 5168 KiB; no roles"},
		{"ACS-MSN3800", "t0", false, false, 1,
			"32 ports of two pools, 6288 KiB; 28x100G/4@5m 4x100G/4@40m"},
		{"ACS-MSN2700", "t1", true, false, 1,
			"32 ports of two pools, 7168 KiB; 16x100G/4@40m 16x100G/4@300m"},
		{"Mellanox-SN5600-C256S1", "t0", false, false, 0,
			"0 ports of lossy only, 300 KiB over the maximum, 31716 KiB; no roles"},
		{"Mellanox-SN5600-C256S1", "t1", true, false, 0, "257 ports of lossy only, 15162 KiB; no roles"},
		{"Mellanox-SN5640-C512S2", "t0", false, false, 0, "0 ports of lossy only, 31716 KiB; no roles"},
		{"Mellanox-SN5640-C512X2", "t0", true, false, 0,
			"514 ports of lossy only, 300 KiB over the maximum, 40308 KiB; no roles"},
		{"Mellanox-SN5610N-C256S2", "t0", false, false, 0, "258 ports of lossy only, 15220 KiB; no roles"},
		{"Mellanox-SN6600_LD-P128C2", "t0", true, false, 0, "130 ports of lossy only, Spectrum-6, 9486 KiB; no roles"},
	} {
		f := folder(t, c.hwsku, c.topology)
		r := pools.Find(question(f, known[key(f)]), f.Size, f.XOFF)
		require.Equal(t, c.says, said(&r), "%s %s", c.hwsku, c.topology)
		require.Equal(t, c.all, r.All, "%s %s", c.hwsku, c.topology)
		require.Equal(t, c.spoken, r.Spoken, "%s %s", c.hwsku, c.topology)
		require.Equal(t, c.ratio, r.Ratio, "%s %s", c.hwsku, c.topology)
	}
}

// TestFindReadsLaterPools reads pools that are younger than all that the sums were found in: pull request 29478 of
// sonic-buildimage (2026-09-11) says that the two ports of service of Spectrum-6 are no longer subtracted.
func TestFindReadsLaterPools(t *testing.T) {
	known := roles(t)
	for hwsku, later := range map[string]struct {
		size  unit.Bytes
		ports int
	}{"Mellanox-SN6600_LD-P128C2": {216924160, 128}, "Mellanox-SN6600_LD-P64O128C2": {212271104, 192}} {
		f := folder(t, hwsku, "t0")
		r := pools.Find(question(f, known[key(f)]), later.size, 0)
		require.True(t, r.All, hwsku)
		require.Equal(t, later.ports, r.Ports, hwsku)
		require.Equal(t, "lossy only, Spectrum-6", r.Workbook)
	}
}

// TestPoolsOfOtherChips are the copies that SONiC ships: Trident 2's pool on Trident 3, Tomahawk and Tomahawk 3,
// Tomahawk 2's on the QFX5200, Tomahawk's on a Trident 3, and Tomahawk 5's on a Tomahawk 6.
func TestPoolsOfOtherChips(t *testing.T) {
	var copies []string
	for i := range pools.Known() {
		f := &pools.Known()[i]
		if other, _ := pools.Home(f.Chip, f.Size, f.XOFF); other != "" {
			copies = append(copies, f.HwSKU+" "+other)
		}
	}
	slices.Sort(copies)
	require.Equal(t, []string{"Arista-7050SX3-48C8 tomahawk", "DS2000 trident2", "DS3000 trident2",
		"Juniper-QFX5200-32C-S tomahawk2", "Nokia-IXR7220-H6-64 tomahawk5", "Quanta-IX7-32X trident2",
		"Silverstone_v2 trident2", "Silverstone_v2_128X100G trident2"}, slices.Compact(copies))
}

// TestPoolsBaseOfABoard is Arista's remainder on Tomahawk 5. The pool of O128 for lt2 and ft2 kept the base that b31fc22160
// corrected for t0 and t1 of the same folder.
func TestPoolsBaseOfABoard(t *testing.T) {
	for _, c := range []struct {
		hwsku, topology   string
		base, other, many int
	}{
		{"Arista-7060X6-64PE-B-O128", "lt2", 34402, 32708, 3},
		{"Arista-7060X6-64PE-B-P32V128", "t0", 34402, 32708, 3},
		{"Arista-7060X6-64PE-B-O128", "t0", 32708, 32708, 0}, // two have each
		{"Arista-7060X6-64PE-O128S2", "t0", 26342, 26342, 1},
	} {
		f := folder(t, c.hwsku, c.topology)
		base, known := pools.Base(f.Chip, f.Ports, f.Size)
		require.True(t, known)
		require.Equal(t, c.base, base, "%s %s", c.hwsku, c.topology)
		other, many := pools.BaseOf(pools.Known(), f.Platform, f.HwSKU, f.Size)
		require.Equal(t, []int{c.other, c.many}, []int{other, many}, "%s %s", c.hwsku, c.topology)
	}
	f := folder(t, "Arista-7060X6-64PE-B-P32O64", "t1")
	_, known := pools.Base(f.Chip, f.Ports, f.Size)
	require.False(t, known, "a fifth of the memory is in something else")
}

func TestPoolsParsePorts(t *testing.T) {
	for text, want := range map[string]string{"48x50G/2@5m 8x100G": "48x50G/2@5m 8x100G", "4x400G/8d": "4x400G/8d",
		"1x0G": "1x0", "": ""} {
		all, err := pools.ParsePorts(text)
		require.NoError(t, err)
		var got []string
		for _, p := range all {
			got = append(got, p.String())
		}
		require.Equal(t, want, strings.Join(got, " "))
	}
	for _, text := range []string{"x50G", "0x50G", "9999x50G", "8x", "8x50G/0", "8x50G/17", "8x50G@", "8x50G@-5m", "8",
		"8x50G/4x", strings.Repeat("8", 1000)} {
		_, err := pools.ParsePorts(text)
		require.Error(t, err, text)
		require.Less(t, len(err.Error()), 200)
	}
}
