package asic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Tomahawk's 16 MiB are four memories, and no port can use all of them.
func Example() {
	chip, err := asic.Load("tomahawk")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(chip.TotalCells(), "cells of", chip.Cell, "bytes in", len(chip.Slices), "slices")
	fmt.Println("a port of pipe 0 is charged in slices", chip.SlicesOf(0))
	// Output:
	// 80660 cells of 208 bytes in 4 slices
	// a port of pipe 0 is charged in slices [0 1]
}

func TestEveryChipIsValidAndSourced(t *testing.T) {
	seen := map[string]bool{}
	for i, name := range asic.Names() {
		chip, err := asic.Load(strings.ToUpper(name))
		require.NoError(t, err)
		require.Equal(t, name, chip.Name)
		require.Equal(t, asic.All()[i], chip, "All has the order of Names")
		require.False(t, seen[name], "%s is there twice", name)
		seen[name] = true

		require.NotEmpty(t, chip.Title, name)
		require.Empty(t, chip.Unsourced(), "%s: numbers without a source", name)
		if !plannable(chip) {
			continue
		}
		require.NoError(t, chip.Validate(), name)
		require.NotEmpty(t, chip.Sources.Cell, name)
		require.NotEmpty(t, chip.Sources.Slices, name)
		require.Equal(t, chip.Overhead != 0, chip.Sources.Overhead != "",
			"%s: an overhead has a source, and 0 bytes stand for none", name)
		if chip.Sources.Overhead == "" {
			require.Contains(t, strings.Join(chip.Notes, "\n"), "packet overhead not sourced", name)
		}
		takesOrSaysWhyNot(t, chip)
	}
	require.NotEmpty(t, seen)
}

// plannable tells the chips whose cells are known from the others.
func plannable(c buffer.Chip) bool { return len(c.Slices) > 0 }

// A source is there only where there is a number, so that none is lost when a chip is made from another.
func TestSourcesHaveNumbers(t *testing.T) {
	for _, c := range asic.All() {
		s := c.Sources
		require.Equal(t, c.Cell != 0, s.Cell != "", c.Name)
		require.Equal(t, c.Groups != 0, s.Groups != "", c.Name)
		require.Equal(t, c.Ports != 0, s.Ports != "", c.Name)
		require.Equal(t, c.IngressPools != 0, s.IngressPools != "", c.Name)
		require.Equal(t, c.EgressPools != 0, s.EgressPools != "", c.Name)
		require.Equal(t, c.HeadroomPools != 0, s.HeadroomPools != "", c.Name)
		require.Equal(t, c.MemoryKind != "", s.Memory != "", c.Name)
		require.Equal(t, c.MaxPool != 0, s.MaxPool != "", c.Name)
		require.Equal(t, c.MaxHeadroomPool != 0, s.MaxHeadroomPool != "", c.Name)
		require.Equal(t, c.Reclaims != "", s.Reclaims != "", c.Name)
		require.Equal(t, c.MaxPortHeadroom != 0, s.MaxPortHeadroom != "", c.Name)
		require.Equal(t, len(c.HeadroomDefaults) > 0, s.HeadroomDefaults != "", c.Name)
		require.Equal(t, c.Rounding != buffer.Rounding{}, s.Rounding != "", c.Name)
		require.Equal(t, c.LimitRule != "", s.Rules != "", c.Name)
		require.Equal(t, c.LeakOut != 0, s.LeakOut != "", c.Name)
		require.Equal(t, c.MaxQueue != 0, s.MaxQueue != "", c.Name)
		require.Equal(t, c.Offload != 0, s.Offload != "", c.Name)
	}
}

// A chip whose cells nobody published is refused with the advice to give them, and says so in its notes.
func TestKnownButNotPlannable(t *testing.T) {
	var names []string
	for _, c := range asic.All() {
		if plannable(c) {
			continue
		}
		names = append(names, c.Name)
		require.NotNil(t, c.Slices, "%s: a chip file has a list, if an empty one", c.Name)
		require.ErrorContains(t, c.Validate(), "memory is not sourced: give it in a chip file", c.Name)
		require.Contains(t, c.Notes[0], "cannot be planned with", c.Name)
		require.Zero(t, c.TotalCells(), c.Name)

		c.Cell, c.Groups, c.Slices = 256, 8, []buffer.Slice{{Cells: 1000}}
		require.NoError(t, c.Validate(), "%s, completed", c.Name)
	}
	require.Equal(t, []string{
		"qumran2d", "jericho4", "q4d", "qumran4d", "silicon-one-g100",
		"nfe", "cloudscale-ls1800fx", "cloudscale-gx", "teralynx7", "teralynx10", "falcon", "tofino1", "tofino2",
	}, names)
}

// The vendor's defaults, a row of each table.
func TestHeadroomDefaults(t *testing.T) {
	for _, want := range []struct {
		name                     string
		speed                    unit.BitRate
		lineRate, oversubscribed cells.Count
	}{
		{"trident2", 10 * unit.Gbps, 162, 182},
		{"trident2", 100 * unit.Gbps, 558, 0},
		{"trident3", 25 * unit.Gbps, 254, 288},
		{"tomahawk", 100 * unit.Gbps, 519, 648},
		{"tomahawkplus", 40 * unit.Gbps, 286, 340},
		{"tomahawk2", 100 * unit.Gbps, 507, 699},
		{"tomahawk3", 400 * unit.Gbps, 1962, 2730},
		{"tomahawk4", 200 * unit.Gbps, 1071, 1455},
	} {
		chip, err := asic.Load(want.name)
		require.NoError(t, err)
		require.Contains(t, chip.HeadroomDefaults, buffer.HeadroomDefault{Speed: want.speed, LineRate: want.lineRate,
			Oversubscribed: want.oversubscribed}, want.name)
	}
}

// On Tomahawk 2 and 3 an oversubscribed port's default is that of line rate and what the FIFO before the memory holds,
// in packets of 64 bytes. (Tomahawk 3's ports of 10G to 50G share one FIFO size.)
func TestOversubscribedIsLineRateAndFIFO(t *testing.T) {
	for name, fifo := range map[string][]unit.Bytes{
		"tomahawk2": {2064, 2064, 5136, 5136, 12288},
		"tomahawk3": {5184, 5184, 5184, 5184, 12288, 24576, 49152},
	} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		require.Len(t, chip.HeadroomDefaults, len(fifo))
		for i, d := range chip.HeadroomDefaults {
			require.Equal(t, d.LineRate+cells.Size(64).Holding(fifo[i]), d.Oversubscribed, "%s %v", name, d.Speed)
		}
	}
}

func takesOrSaysWhyNot(t *testing.T, chip buffer.Chip) {
	const why = "what the chip keeps for itself"
	for _, s := range chip.Slices {
		require.Equal(t, len(s.Takes) == 0, strings.Contains(strings.Join(chip.Notes, "\n"), why), chip.Name)
		for _, take := range s.Takes {
			require.NotEmpty(t, take.Item, chip.Name)
			require.NotEmpty(t, take.Source, chip.Name)
			require.Positive(t, take.Cells, chip.Name)
		}
	}
}

// Of a chip with memory beside it, each core has its own part of what the driver counts, and its ports are charged
// there.
func TestDeepChips(t *testing.T) {
	var names []string
	for _, c := range asic.All() {
		if !c.Deep() {
			continue
		}
		names = append(names, c.Name)
		require.Len(t, c.Pipes, len(c.Slices), c.Name)
		for core, feeds := range c.Pipes {
			require.Equal(t, []int{core}, feeds, c.Name)
		}
		require.Contains(t, strings.Join(c.Notes, "\n"), "memory beside it", c.Name)
	}
	require.Equal(t, []string{"jericho2", "jericho2cplus", "jericho3", "jericho3-ai", "qumran3d"}, names)
}

// SONiC's headroom for 400G over 120 km follows to 0.15 % from what a packet takes on these chips: it is what is on the
// way there and back at 5 ns a metre, in frames of 64 bytes, which take 84 bytes of the line.
func TestDeepChipsOverheadIsThatOfSONiCsTables(t *testing.T) {
	const onTheWay = 2 * 120000 * 5 * 400 / 8 // bytes of the line
	for name, row := range map[string]int64{"jericho2": 79900672, "jericho2cplus": 79953920, "qumran3d": 79900672} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		stored := onTheWay * int64(chip.Cell.Bytes(chip.Cell.Packet(64, chip.Overhead))) / 84
		require.InEpsilon(t, row, stored, 0.0015, name)
	}
}

func TestTotals(t *testing.T) {
	for name, want := range map[string]unit.Bytes{
		"trident2":         12766208,
		"trident2plus":     16777280,
		"trident2plus-12m": 12582960,
		"trident2plus-9m":  9437376,
		"trident4-56883":   64115696,
		"trident4-x9":      84619800,
		"jericho2":         6441610000,
		"jericho2cplus":    6441610000,
		"jericho3":         12883220000,
		"jericho3-ai":      12883220000,
		"jericho4":         0,
		"qumran3d":         25766440000,
		"trident3":         33030144,
		"trident4":         134861808,
		"tomahawk":         16777280,
		"tomahawkplus":     23068864,
		"tomahawk2":        44302336,
		"tomahawk3":        68157852,
		"tomahawk4":        117574568,
		"tomahawk5":        173268640,
		"tomahawk6":        210000000,
		"tomahawk6-nh4210": 267196860,
		"tomahawk-ultra":   173268640,
		"silicon-one-q200": 108 << 20,
		"silicon-one-p200": 88 << 20,
		"nexus-93180yc-fx": 10806016,
		"spectrum-1":       13945824,
		"spectrum-2":       34287552,
		"spectrum-3":       60817392,
		"spectrum-4":       158229504,
		"spectrum-5":       136209408,
		"spectrum-6":       248 << 20,
		"cloudscale-fx2":   30670848,
	} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		require.Equal(t, want, chip.Cell.Bytes(chip.TotalCells()), name)
	}
}

func TestWhatTheChipKeeps(t *testing.T) {
	for name, want := range map[string]cells.Count{
		"trident2": 0, "trident2plus": 110, "trident2plus-9m": 110,
		"trident4-56883": 2128, "trident4-x9": 864, "trident4": 1456, "tomahawk3": 2048, "tomahawk5": 12845,
		"tomahawk": 88, "tomahawkplus": 88, "tomahawk2": 88, "spectrum-4": 0,
		"spectrum-6": 32 << 20 / 256,
	} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		for i := range chip.Slices {
			require.Equal(t, want, chip.Slices[i].Taken(), "%s slice %d", name, i)
		}
	}
	chip, err := asic.Load("trident2")
	require.NoError(t, err)
	require.EqualValues(t, 46, chip.Cell.Packet(9416, chip.Overhead),
		"the global headroom of one pipe is one packet of the largest size")
}

// The SDK writes as bit masks which pipes feed a slice.
func TestPipes(t *testing.T) {
	for name, masks := range map[string][]int{
		"tomahawk":     {0b1001, 0b1001, 0b0110, 0b0110},
		"tomahawkplus": {0b1001, 0b1001, 0b0110, 0b0110},
		"tomahawk2":    {0b1001, 0b1001, 0b0110, 0b0110},
		"trident4":     {0xc3, 0x3c},
		"tomahawk3":    {0xc3, 0x3c},
		"tomahawk4":    {0xf00f, 0x0ff0},
		"tomahawk5":    {0xf00f, 0x0ff0},
	} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		got := make([]int, len(chip.Slices))
		for pipe, slices := range chip.Pipes {
			for _, s := range slices {
				got[s] |= 1 << pipe
			}
		}
		require.Equal(t, masks, got, name)
	}
}

// The notes say which frames an overhead of 48 or 64 bytes would cost a cell.
func TestFramesThatAnUnknownOverheadWouldCost(t *testing.T) {
	for _, c := range []struct {
		cell            cells.Size
		overhead, first unit.Bytes
	}{{254, 48, 207}, {254, 64, 191}, {420, 48, 373}, {420, 64, 357}} {
		for length := unit.Bytes(1); length <= unit.Bytes(c.cell); length++ {
			want := cells.Count(1)
			if length >= c.first {
				want = 2
			}
			require.Equal(t, want, c.cell.Packet(length, c.overhead))
		}
	}
}

func TestReturnedChipsAreTheCallersOwn(t *testing.T) {
	for _, name := range asic.Names() {
		before, err := asic.Load(name)
		require.NoError(t, err)
		mine, err := asic.Load(name)
		require.NoError(t, err)
		for i := range mine.Slices {
			mine.Slices[i].Cells = 1
		}
		for i := range mine.HeadroomDefaults {
			mine.HeadroomDefaults[i].LineRate = -1
		}
		for j := 0; plannable(mine) && j < len(mine.Slices[0].Takes); j++ {
			mine.Slices[0].Takes[j].Cells = -1
			for i := range mine.Slices[1:] {
				require.Positive(t, mine.Slices[1+i].Takes[j].Cells, "%s: two slices share their takes", name)
			}
		}
		for _, p := range mine.Pipes {
			p[0] = -1
		}
		for i := range mine.Notes {
			mine.Notes[i] = ""
		}
		after, err := asic.Load(name)
		require.NoError(t, err)
		require.Equal(t, before, after, name)
	}
	asic.Names()[0] = ""
	require.Equal(t, "trident2", asic.Names()[0])
}

func TestUnknownName(t *testing.T) {
	for name, hint := range map[string]string{
		"Broadcom Tomahawk 4":    "did you mean tomahawk4? the",
		"NVIDIA Spectrum 4":      "did you mean spectrum-4? the",
		"tomahwk":                "did you mean tomahawk? the",
		"Spectrum4":              "did you mean spectrum-4? the",
		"tomahawk7":              "did you mean tomahawk or tomahawk2 or",
		"jericho":                "did you mean jericho2 or jericho3 or jericho4? the",
		"memory":                 `"memory": the`,
		"":                       `"": the`,
		strings.Repeat("x", 1e6): "unknown chip",
	} {
		chip, err := asic.Load(name)
		require.ErrorIs(t, err, asic.ErrUnknown)
		require.Zero(t, chip)
		require.ErrorContains(t, err, hint)
		require.ErrorContains(t, err, "the catalogue has trident2, trident2plus, ")
		require.Less(t, len(err.Error()), 1000)
	}
}

// The comparison of counters is each chip's own: measured where a test has values of a switch, else inferred from the
// next chip that was measured.
func TestRules(t *testing.T) {
	for name, want := range map[string]buffer.LimitRule{
		"trident2": buffer.LimitBefore, "trident3": buffer.LimitBefore, "tomahawk": buffer.LimitBefore,
		"tomahawk2": buffer.LimitBefore, "tomahawkplus": buffer.LimitBefore, "tomahawk3": buffer.LimitAfter,
		"tomahawk5": buffer.LimitAfter, "tomahawk6": buffer.LimitAfter, "spectrum-4": "", "jericho3": buffer.LimitAfter,
		"jericho2": buffer.LimitAfter, "qumran3d": buffer.LimitAfter,
	} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		require.Equal(t, want, chip.LimitRule, name)
	}
	for _, c := range asic.All() {
		if c.LimitRule != "" {
			require.Regexp(t, "^(measured: |inferred: )", c.Sources.Rules, c.Name)
		}
	}
	leaks := map[string]int64{"jericho2cplus": 66544, "silicon-one-g200": 184, "tomahawk": 36, "tomahawk2": 0}
	for name, want := range leaks {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		require.Equal(t, want, chip.LeakOut, name)
	}
}

// A chip that was loaded is the caller's: a change to it changes no other.
func TestLoadedChipsShareNothing(t *testing.T) {
	for _, want := range asic.All() {
		got, err := asic.Load(want.Name)
		require.NoError(t, err)
		require.Equal(t, want, got)
		for i := range got.Slices {
			got.Slices[i].Cells++
			for j := range got.Slices[i].Takes {
				got.Slices[i].Takes[j].Cells++
			}
		}
		for _, pipes := range [][][]int{got.Pipes, got.EgressPipes} {
			for i := range pipes {
				for j := range pipes[i] {
					pipes[i][j]++
				}
			}
		}
		for i := range got.Notes {
			got.Notes[i] = ""
		}
		for i := range got.HeadroomDefaults {
			got.HeadroomDefaults[i].LineRate++
		}
		again, err := asic.Load(want.Name)
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
}

// Where a bandwidth is from says how sure it is.
func TestBandwidthsSayHowSureTheyAre(t *testing.T) {
	for _, c := range asic.All() {
		if c.Bandwidth > 0 {
			require.Regexp(t, `^(Broadcom's announcement of|trade press: |private page: |inferred: )`, c.Sources.Bandwidth,
				c.Name)
		}
	}
}

func ExampleProductsIn() {
	for _, p := range asic.ProductsIn("x86_64-mlnx_msn2700-r0 ACS-MSN2700") {
		fmt.Println(p.Name, "has", p.Chip)
	}
	// Output: MSN2700 has spectrum-1
}
