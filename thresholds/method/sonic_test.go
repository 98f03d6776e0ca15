package method_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// A 400G port of a Spectrum-4 over 300 m with SONiC's defaults.
func ExampleSONiC() {
	chip, _ := method.LookupSONiCChip("spectrum-4")
	link := thresholds.Link{Rate: 400 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9100, LosslessMTU: 1024}
	h, err := method.SONiC{Chip: chip, Lanes: 8}.Explain(link, thresholds.Memory{Cell: chip.Cell})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range h.Terms {
		fmt.Printf("%-14s %7d\n", t.Name, t.Bytes)
		for _, part := range t.Terms {
			fmt.Printf("  %-13s %6d\n", part.Name, part.Bytes)
		}
	}
	fmt.Println("XON", h.XON, "XOFF", h.XOFF, "Size", h.Size, "cells", h.Cells)
	// Output:
	// propagation     225355
	//   port MTU        9100
	//   cable         151516
	//   MAC and PHY      820
	//   peer response  57920
	//   tile            6000
	// occupancy        53025
	// lossless MTU      1024
	// rounding           150
	// compensation      2048
	// XON 38912B XOFF 281600B Size 329728B cells 1467
}

// sonicFloat is the plug-in for NVIDIA once more, step by step in floating point as it runs; near tells that the sum
// lies so close to a whole KiB that floating point may round it to the wrong side.
func sonicFloat(m method.SONiC, l thresholds.Link) (xoff unit.Bytes, near bool) {
	quanta := map[unit.BitRate]float64{800: 905, 400: 905, 200: 453, 100: 394, 50: 147, 40: 118, 25: 80, 10: 67, 1: 2}
	cell, speed, length := float64(m.Chip.Cell), float64(l.Rate/unit.Mbps), float64(l.Cable)/1000
	spp, lmtu := float64(m.SmallPackets.Or(0))/100, float64(l.LosslessMTU)
	wcf := 2 * cell / (1 + cell)
	if cell > 128 {
		wcf = cell / 64
	}
	wcf = math.Ceil(wcf)
	p := 100 * 64 / ((float64(spp*64) + float64((100-spp)*lmtu)) / 100)
	occ := (100 - p + float64(p*wcf)) / 100
	peer := float64(m.Chip.PeerResponse) / 100 * 1024
	if q, known := quanta[l.Rate/unit.Gbps]; known {
		peer = q * 512 / 8
	}
	cable := 2 * length * speed * 1000000000 / 198000000 / (8 * 1000)
	prop := float64(l.MTU) + cable + 2*(speed*(float64(m.Gearbox)/1000)/8192) + float64(m.Chip.MACPHY)/100*1024 + peer
	if m.Chip.Tile {
		prop += speed / 1000 * 120 / 8
	}
	up := func(v float64) float64 {
		near = near || math.Abs(v/1024-math.Round(v/1024)) < 1e-9*max(1, v/1024)
		return math.Ceil(v/1024) * 1024
	}
	sum := up(lmtu+float64(prop*occ)) + float64(m.Chip.Extra)
	if full := up(lmtu + float64(prop*wcf)); !m.SharedHeadroom && spp != 100 && sum+2048 < full {
		sum += 2048
	}
	return unit.Bytes(sum), near
}

// sonicChips returns the chips for which SONiC computes headroom.
func sonicChips(t *testing.T) (chips []method.SONiCChip) {
	for _, name := range []string{"spectrum-1", "spectrum-2", "spectrum-3", "spectrum-4", "spectrum-5", "spectrum-6",
		"vs", "tofino-2"} {
		chip, known := method.LookupSONiCChip(name)
		require.True(t, known, name)
		chips = append(chips, chip)
	}
	return chips
}

// Exact fractions and floating point agree wherever floating point is exact enough.
func TestSONiCEqualsFloatingPoint(t *testing.T) {
	compared, doubtful := 0, 0
	for _, chip := range sonicChips(t)[:7] {
		for _, rate := range []unit.BitRate{1, 10, 25, 40, 50, 56, 100, 200, 400, 800, 1600} {
			for i := range 250 {
				m := method.SONiC{Chip: chip, Gearbox: unit.Time(i%3) * 400 * unit.Nanosecond,
					SmallPackets: unit.Given([]unit.Percent{0, 5000, 9000, 10000}[i%4]), SharedHeadroom: i%5 == 0,
					Exact: true}
				l := thresholds.Link{Rate: rate * unit.Gbps, Cable: unit.Length(i*i*i) * 7 * unit.Metre / 800,
					MTU: []unit.Bytes{1500, 9100, 9216}[i%3], LosslessMTU: 1024 + unit.Bytes(i)}
				if i%10 == 0 {
					l.Cable = 120 * unit.Kilometre
				}
				h, err := m.Size(l, thresholds.Memory{Cell: 128})
				require.NoError(t, err)
				want, near := sonicFloat(m, l)
				if near {
					doubtful++
					continue
				}
				compared++
				require.Equal(t, want, h.XOFF, "%+v %+v", m, l)
			}
		}
	}
	require.Greater(t, compared, 100*doubtful)
}

// The fractions do not overflow: the largest accepted inputs are compared with math/big.
func TestSONiCIsExactAtItsLimits(t *testing.T) {
	chip := method.SONiCChip{Cell: 1<<20 - 3, MACPHY: 1<<20*100 - 1, PeerResponse: 1<<20*100 - 3, Tile: true}
	m := method.SONiC{Chip: chip, Gearbox: thresholds.MaxDelay - 1, SmallPackets: unit.Given[unit.Percent](4999),
		SharedHeadroom: true, Exact: true}
	l := thresholds.Link{Rate: 100*unit.Tbps - unit.Mbps, Cable: thresholds.MaxCable - 1,
		Extra: thresholds.MaxDelay - 3, MTU: 16384, LosslessMTU: 16381}
	h, err := m.Size(l, thresholds.Memory{Cell: 1})
	require.NoError(t, err)

	mbps, prop := int64(l.Rate/unit.Mbps), big.NewRat(16384, 1)
	add := func(den int64, factors ...int64) {
		r := big.NewRat(1, den)
		for _, f := range factors {
			r.Mul(r, new(big.Rat).SetInt64(f))
		}
		prop.Add(prop, r)
	}
	add(25, 256, int64(chip.MACPHY))
	add(25, 256, int64(chip.PeerResponse))
	add(200, 3, mbps)
	add(198*4000, int64(l.Cable), mbps)
	add(500*8000, int64(l.Extra), mbps)
	add(500*8192, int64(m.Gearbox), mbps)
	mean := int64(4999*64 + (10000-4999)*16381)
	wcf := int64((1<<20-3)/64 + 1)
	prop.Mul(prop, new(big.Rat).Add(big.NewRat(1, 1),
		new(big.Rat).Mul(big.NewRat(wcf-1, 1), big.NewRat(64*10000, mean))))
	prop.Add(prop, big.NewRat(16381, 1)).Mul(prop, big.NewRat(1, 1024))
	kib := new(big.Int).Div(prop.Num(), prop.Denom()) // no whole KiB by chance
	require.Equal(t, unit.Bytes(kib.Int64()+1)*unit.KiB, h.XOFF)

	for _, variant := range []method.SONiCVariant{method.SONiCCurrent, method.SONiCBarefoot, method.SONiCOlder} {
		for _, rate := range []unit.BitRate{unit.Mbps, 1600 * unit.Gbps, 99_999_989 * unit.Mbps} {
			for _, delay := range []unit.Time{0, thresholds.MaxDelay - 7} {
				m.Variant, m.Corrected, m.Exact, l.Rate = variant, !m.Corrected, m.Corrected, rate
				l.Delay = unit.Given(delay)
				h, err := m.Size(l, thresholds.Memory{Cell: 1})
				require.NoError(t, err)
				require.Less(t, h.XOFF, unit.Bytes(1<<60))
			}
		}
	}
}

func TestSONiCLongAndFast(t *testing.T) {
	chip, _ := method.LookupSONiCChip("spectrum-6")
	h, err := method.SONiC{Chip: chip, SmallPackets: unit.Given(unit.Whole), Exact: true}.Size(
		thresholds.Link{Rate: 1600 * unit.Gbps, Cable: 120 * unit.Kilometre, MTU: 9100, LosslessMTU: 1024},
		thresholds.Memory{Cell: chip.Cell})
	require.NoError(t, err)
	// 1024 + 4 x (9100 + 242,424,242.42 + 819.2 + 3891.2) = 969,753,235.3..., up to a KiB, and 18 KiB.
	require.EqualValues(t, 969_753_600+18*1024, h.XOFF)
}

func TestSONiCWarnings(t *testing.T) {
	chip := func(name string) method.SONiCChip {
		c, known := method.LookupSONiCChip(name)
		require.True(t, known)
		return c
	}
	link := thresholds.Link{Cable: 300 * unit.Metre, MTU: 9100, LosslessMTU: 1024}
	for name, c := range map[string]struct {
		method    method.SONiC // made exact for the first explanation
		rate      unit.BitRate
		warnings  []string // of the plug-in as it is
		corrected []string
	}{
		"nothing": {method.SONiC{Chip: chip("spectrum-4")}, 400, nil, nil},
		"800G": {method.SONiC{Chip: chip("spectrum-4"), Lanes: 4}, 800, []string{
			"slip: 800G responds in 905 pause quanta as 400G does; inferred from SONiC's tables of Spectrum-6: 1810",
			"corrected, XOFF is 547840B in place of 476160B",
		}, []string{"peer response: 1810 pause quanta of 64 bytes at 800G, twice those of 400G: inferred from " +
			"SONiC's tables of Spectrum-6; the plug-in has 905"}},
		"unknown speed": {method.SONiC{Chip: chip("spectrum-5")}, 1600, []string{
			"slip: no pause quanta for 1.6T; the response falls back to the chip's 3.8KiB, at every speed",
			"corrected, XOFF is 1080320B in place of 798720B",
		}, []string{"peer response: 3620 pause quanta of 64 bytes, as long in time as 1810 at 800G; the plug-in " +
			"has none for 1.6T"}},
		"between": {method.SONiC{Chip: chip("spectrum-3")}, 75, []string{
			"slip: no pause quanta for 75G; the response falls back to the chip's 3.8KiB, at every speed",
			"corrected, XOFF is 72704B in place of 55296B",
		}, []string{"peer response: 271 pause quanta of 64 bytes, interpolated between the neighbours of 75G, for " +
			"which the plug-in has none"}},
		"gearbox": {method.SONiC{Chip: chip("spectrum-2"), Gearbox: 400 * unit.Nanosecond}, 100, []string{
			"slip: the gearbox is computed with 8192 bits to the Mb/s and ns, 2.3 % too little",
			"corrected, XOFF is 106496B in place of 105472B",
		}, nil},
		"barefoot": {method.SONiC{Chip: chip("tofino-2"), Variant: method.SONiCBarefoot}, 100, []string{
			"slip: the cable is computed with 8192 bits to the Mb/s and ns, 2.3 % too little",
			"corrected, XOFF is 138240B in place of 137216B",
		}, nil},
		"wrong plug-in": {method.SONiC{Chip: chip("tofino-2")}, 100,
			[]string{"SONiC does not run the current formula on tofino-2"}, []string{
				"SONiC does not run the current formula on tofino-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := link
			l.Rate = c.rate * unit.Gbps
			c.method.Exact = true
			for _, want := range [][]string{c.warnings, c.corrected} {
				e, err := c.method.Explain(l, thresholds.Memory{Cell: 192})
				require.NoError(t, err)
				require.Equal(t, want, e.Warnings)
				c.method.Corrected, c.method.Exact = true, false
			}
		})
	}
}

// With the corrections, a faster port never needs less. Without them, 1.6T needs less than 800G over a short cable.
func TestSONiCCorrectedGrowsWithSpeed(t *testing.T) {
	chip, _ := method.LookupSONiCChip("spectrum-5")
	size := func(corrected bool, rate unit.BitRate) unit.Bytes {
		h, err := method.SONiC{Chip: chip, Corrected: corrected, Exact: !corrected}.Size(
			thresholds.Link{Rate: rate, Cable: 40 * unit.Metre, MTU: 9100, LosslessMTU: 1024},
			thresholds.Memory{Cell: chip.Cell})
		require.NoError(t, err)
		return h.XOFF
	}
	require.Less(t, size(false, 1600*unit.Gbps), size(false, 800*unit.Gbps))
	last := unit.Bytes(0)
	for rate := unit.Mbps; rate < 2*unit.Tbps; rate += max(unit.Mbps, rate/100/unit.Mbps*unit.Mbps) {
		now := size(true, rate)
		require.GreaterOrEqual(t, now, last, "%v", rate)
		last = now
	}
}

// The terms add up to the sum. Each is at most one byte above its exact value, and each has a source.
func TestSONiCTermsMakeUpTheSum(t *testing.T) {
	for _, c := range sonicVectors(t) {
		m := c.method(t)
		e, err := m.Explain(c.link(), thresholds.Memory{Cell: m.Chip.Cell})
		require.NoError(t, err)
		h, err := m.Size(c.link(), thresholds.Memory{Cell: m.Chip.Cell})
		require.NoError(t, err)
		require.Equal(t, h, e.Headroom)
		sumsTo(t, e.XOFF, e.Terms)
		require.Equal(t, "propagation", e.Terms[0].Name)
		sumsTo(t, e.Terms[0].Bytes, e.Terms[0].Terms)
		require.Equal(t, e.Terms[0].Bytes+c.LosslessMTU, e.Wire)
		require.True(t, e.Readings[0].Used)
		require.GreaterOrEqual(t, e.Readings[1].Bytes+2*unit.KiB, e.Readings[0].Bytes)
	}
}

func sumsTo(t *testing.T, want unit.Bytes, terms []thresholds.Term) {
	sum := unit.Bytes(0)
	for _, term := range terms {
		require.Equal(t, thresholds.Driver, term.Kind, term.Name)
		require.NotEmpty(t, term.Source, term.Name)
		sum += term.Bytes
	}
	require.GreaterOrEqual(t, sum, want)
	require.Less(t, sum, want+unit.Bytes(len(terms)))
}

// A measured delay replaces the cable, an extra one is added both ways.
func TestSONiCDelays(t *testing.T) {
	chip, _ := method.LookupSONiCChip("spectrum-3")
	m := method.SONiC{Chip: chip, SmallPackets: unit.Given(unit.Whole)}
	link := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 198 * unit.Metre, MTU: 9100, LosslessMTU: 1024}
	mem := thresholds.Memory{Cell: chip.Cell}
	cable, err := m.Explain(link, mem)
	require.NoError(t, err)

	link.Medium = thresholds.Copper
	copper, err := m.Explain(link, mem)
	require.NoError(t, err)
	require.Equal(t, cable.XOFF, copper.XOFF)
	require.Equal(t, []string{"copper is computed as fibre: SONiC has no other medium"}, copper.Warnings)

	link.Cable, link.Delay = 0, unit.Given(unit.Microsecond) // light through 198 m
	measured, err := m.Explain(link, mem)
	require.NoError(t, err)
	require.Equal(t, cable.Headroom, measured.Headroom)
	require.Equal(t, thresholds.Measured, measured.Terms[0].Terms[1].Kind)

	link.Delay, link.Extra = unit.Given(400*unit.Nanosecond), 600*unit.Nanosecond
	extra, err := m.Explain(link, mem)
	require.NoError(t, err)
	require.Equal(t, cable.Headroom, extra.Headroom)
	require.Equal(t, "extra delay", extra.Terms[0].Terms[2].Name)
	require.EqualValues(t, 2*600*100/8, extra.Terms[0].Terms[2].Bytes)
	require.Equal(t, thresholds.Operator, extra.Terms[0].Terms[2].Kind)
}

func TestSONiCSmallPacketsDefaultToHalf(t *testing.T) {
	chip, _ := method.LookupSONiCChip("MELLANOX-SPECTRUM-3")
	link := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre, MTU: 9100, LosslessMTU: 1024}
	h, err := method.SONiC{Chip: chip}.Size(link, thresholds.Memory{Cell: chip.Cell})
	require.NoError(t, err)
	half, err := method.SONiC{Chip: chip, SmallPackets: unit.Given(50 * unit.OnePercent)}.Size(link,
		thresholds.Memory{Cell: chip.Cell})
	require.NoError(t, err)
	require.Equal(t, half, h)
	require.Equal(t, "64B:50%,1024B:50%-without-gap", h.Mix.String())
}

func TestSONiCRefuses(t *testing.T) {
	chip, _ := method.LookupSONiCChip("vs")
	link := thresholds.Link{Rate: 100 * unit.Gbps, MTU: 9100, LosslessMTU: 1024}
	_, err := method.SONiC{Gearbox: -1, Lanes: -8, SmallPackets: unit.Given[unit.Percent](10001), Variant: 7}.Size(link,
		thresholds.Memory{Cell: 128})
	require.EqualError(t, err, "SONiC's formula refused: "+
		"chip.cell 0 is not between 1 and 1048576 bytes (chips: spectrum-1, spectrum-2, spectrum-3, spectrum-4, "+
		"spectrum-5, spectrum-6, vs, tofino-2); gearbox -1ps is not between 0ps and 10ms; "+
		"-8 lanes are not between 0 and 16; small packets 100.01% are not between 0% and 100%; "+
		"variant 7 is not one of current, barefoot, older")

	chip.Extra, chip.MACPHY, chip.PeerResponse, chip.PipelineLatency = -1, -1, -80, 1<<40
	require.EqualError(t, method.SONiC{Chip: chip}.Validate(), "SONiC's formula refused: "+
		"chip.pipeline_latency 10995116277.76KiB is not between 0KiB and 1048576KiB; "+
		"chip.mac_phy_delay -0.01KiB is not between 0KiB and 1048576KiB; "+
		"chip.peer_response_time -0.8KiB is not between 0KiB and 1048576KiB; chip.extra -1B is not between 0B and "+
		"1073741824B")

	chip, _ = method.LookupSONiCChip("vs")
	link.Rate++
	_, err = method.SONiC{Chip: chip}.Explain(link, thresholds.Memory{Cell: 128})
	require.ErrorContains(t, err, "not a whole number of Mb/s")
	link.Rate = 0
	_, err = method.SONiC{Chip: chip}.Size(link, thresholds.Memory{Cell: 128})
	require.ErrorContains(t, err, "is not between 1M and 100T")
	link.Rate = unit.Gbps
	_, err = method.SONiC{Chip: chip}.Size(link, thresholds.Memory{})
	require.ErrorContains(t, err, "cell of 0 bytes")
	_, err = method.ParseSONiCVariant("newer")
	require.ErrorContains(t, err, "want current, barefoot, older")
}

func TestSONiCChips(t *testing.T) {
	chips := sonicChips(t)
	require.Len(t, chips, 8)
	for _, c := range chips {
		found, known := method.LookupSONiCChip(c.Key)
		require.True(t, known)
		require.Equal(t, c, found)
		require.Contains(t, c.Source, "sonic-buildimage")
	}
	require.Equal(t, cells.Size(96), chips[0].Cell)
	require.Equal(t, "3.8KiB", chips[0].PeerResponse.String())
	require.Equal(t, "19KiB", chips[0].PipelineLatency.String())
	require.Equal(t, "0.05KiB", method.SONiCKiB(5).String())
	require.Equal(t, "1048576KiB", method.SONiCKiB(1<<20*100).String())
	_, known := method.LookupSONiCChip("tomahawk")
	require.False(t, known)
}

// At a speed for which the plug-in has no pause quanta the corrected number is the
// answer, and the plug-in's is the note.
func TestSONiCAnswersWhatIsCorrectAtUnknownSpeeds(t *testing.T) {
	chip, _ := method.LookupSONiCChip("spectrum-6")
	mem := thresholds.Memory{Cell: chip.Cell}
	l := thresholds.Link{Rate: 1600 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	e, err := method.SONiC{Chip: chip}.Explain(l, mem)
	require.NoError(t, err)
	require.EqualValues(t, 292_864, e.XOFF)
	require.Contains(t, e.Warnings, "no pause quanta for 1.6T: corrected; the plug-in gives 55296B, with the chip's "+
		"3.8KiB whatever the speed")
	require.Equal(t, "corrected", e.Readings[0].Name)
	require.True(t, e.Readings[0].Used)
	require.EqualValues(t, 55_296, e.Readings[1].Bytes)
	h, err := method.SONiC{Chip: chip}.Size(l, mem)
	require.NoError(t, err)
	require.Equal(t, e.Headroom, h)

	exact, err := method.SONiC{Chip: chip, Exact: true}.Explain(l, mem)
	require.NoError(t, err)
	require.EqualValues(t, 55_296, exact.XOFF)
	corrected, err := method.SONiC{Chip: chip, Corrected: true}.Size(l, mem)
	require.NoError(t, err)
	require.Equal(t, h, corrected)

	// Where the chip's constant is more, it stays.
	l.Rate = 5 * unit.Gbps
	byDefault, err := method.SONiC{Chip: chip}.Size(l, mem)
	require.NoError(t, err)
	shipped, err := method.SONiC{Chip: chip, Exact: true}.Size(l, mem)
	require.NoError(t, err)
	require.Equal(t, shipped, byDefault)

	require.ErrorContains(t, method.SONiC{Chip: chip, Exact: true, Corrected: true}.Validate(),
		"both the plug-in's exact number and the corrected one")
	for text, want := range map[string][2]bool{"": {}, "false": {true, false}, "true": {false, true}} {
		o := method.Options{"corrected": text}
		if text == "" {
			o = nil
		}
		made, err := method.NewSizer("sonic-dynamic", "spectrum-6", o)
		require.NoError(t, err)
		require.Equal(t, want, [2]bool{made.(method.SONiC).Exact, made.(method.SONiC).Corrected}, "corrected: %q", text)
	}
}
