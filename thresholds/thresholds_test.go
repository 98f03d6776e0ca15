package thresholds_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

var cloudScale = thresholds.Memory{Cell: 416}

// asTheTexts is the method as the texts on PFC have it: interface delays beside the response, and frames of the size
// that wastes most cells, without preamble and gap.
var asTheTexts = thresholds.IEEE{Mix: thresholds.Mix{From: 64, WithoutGap: true},
	Delays: thresholds.Delays{Sum: thresholds.SumOfTexts}}

func bookLink(rate unit.BitRate) thresholds.Link {
	return thresholds.Link{Rate: rate, Cable: 100 * unit.Metre, MTU: 9216, LosslessMTU: 2300}
}

// The worked example of the Cisco Press book: 10G, 100 m, FCoE.
func ExampleIEEE() {
	h, err := asTheTexts.Explain(bookLink(10*unit.Gbps), cloudScale)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range h.Terms {
		fmt.Printf("%-22s %6d\n", t.Name, t.BitTimes)
	}
	fmt.Println(h.BitTimes, "bit times,", h.Wire)
	for _, r := range h.Readings {
		fmt.Println(r.Name, r.Cells, r.Bytes, r.Used)
	}
	// Output:
	// longest frame           73888
	// pause frame               672
	// interface, receiver      8192
	// cable, pause frame       5000
	// interface, sender        8192
	// sender response         30720
	// frame in transmission   18560
	// cable, last data         5000
	// 150224 bit times, 18778B
	// expansion 294 122057B false
	// whole frames 294 122304B true
	// frames with gap 224 93184B false
}

// The same sum at the book's other speeds.
func TestIEEETotals(t *testing.T) {
	for rate, want := range map[unit.BitRate]struct {
		bits int64
		wire unit.Bytes
	}{
		10 * unit.Gbps:  {150224, 18778},
		25 * unit.Gbps:  {171368, 21421},
		40 * unit.Gbps:  {242688, 30336},
		100 * unit.Gbps: {640608, 80076},
	} {
		h, err := asTheTexts.Explain(bookLink(rate), cloudScale)
		require.NoError(t, err)
		require.Equal(t, want.bits, h.BitTimes, "%v", rate)
		require.Equal(t, want.wire, h.Wire, "%v", rate)
		require.Empty(t, h.Warnings, "%v", rate)
	}
}

// The book's numbers over distance: 142,528 bytes at 10 km, 205,028 at 15 km.
func TestIEEEOverDistance(t *testing.T) {
	for km, want := range map[unit.Length]unit.Bytes{10: 142528, 15: 205028} {
		l := bookLink(10 * unit.Gbps)
		l.Cable = km * unit.Kilometre
		h, err := asTheTexts.Explain(l, cloudScale)
		require.NoError(t, err)
		require.Equal(t, want, h.Wire)
	}
}

func TestIEEEInfersWhatIsNotSourced(t *testing.T) {
	for rate, from := range map[unit.BitRate]string{
		50 * unit.Gbps: "40G: 24576", 200 * unit.Gbps: "100G: 122880", 400 * unit.Gbps: "100G: 122880",
		800 * unit.Gbps: "100G: 122880",
	} {
		h, err := asTheTexts.Explain(bookLink(rate), cloudScale)
		require.NoError(t, err)
		require.Contains(t, strings.Join(h.Warnings, "\n"), "inferred from "+from, "%v", rate)
	}
	h, err := asTheTexts.Explain(bookLink(400*unit.Gbps), cloudScale)
	require.NoError(t, err)
	require.EqualValues(t, 4*122880, h.Terms[2].BitTimes)
	require.Equal(t, thresholds.Inferred, h.Terms[2].Kind)
	require.EqualValues(t, 905*512, h.Terms[5].BitTimes)

	for rate, quanta := range map[unit.BitRate]int64{800 * unit.Gbps: 1810, 1600 * unit.Gbps: 3620} {
		h, err := asTheTexts.Explain(bookLink(rate), cloudScale)
		require.NoError(t, err)
		require.EqualValues(t, quanta*512, h.Terms[5].BitTimes, "as long in time as the 905 quanta of 400G")
		require.Equal(t, thresholds.Inferred, h.Terms[5].Kind)
		require.Contains(t, strings.Join(h.Warnings, "\n"), "inferred from 400G, as long in time")
	}
	_, err = asTheTexts.Size(bookLink(3200*unit.Gbps), cloudScale)
	require.ErrorContains(t, err, "no source gives the pause response time of 3.2T (want 10G, 25G")
}

// A chip that stores 64 bytes with each packet needs two cells of 208 for a
// frame of 145 bytes, the worst case of Broadcom's own formula.
func TestOverheadAndFrameSize(t *testing.T) {
	tomahawk := thresholds.Memory{Cell: 208, Overhead: 64}
	size := func(frame unit.Bytes) thresholds.Explanation {
		l := bookLink(100 * unit.Gbps)
		if frame > l.LosslessMTU {
			l.MTU, l.LosslessMTU = 9216, frame
		}
		mix := thresholds.Frames(frame)
		mix.WithoutGap = true
		h, err := thresholds.IEEE{Mix: mix, Delays: asTheTexts.Delays}.Explain(l, tomahawk)
		require.NoError(t, err)
		return h
	}
	require.EqualValues(t, 1252, size(64).Cells, "80,076 bytes are 1252 frames of 64")
	require.EqualValues(t, (80076+144)/145*2, size(145).Cells)
	for _, frame := range []unit.Bytes{64, 145, 512, 1500, 4096} {
		h := size(frame)
		for _, r := range h.Readings {
			require.LessOrEqual(t, r.Cells, h.Cells+tomahawk.Cell.Packet(frame, 64), "%v %s", frame, r.Name)
		}
	}
}

// Frames that the lossless class cannot send fill no headroom: longer ones need fewer cells.
func TestFramesLongerThanTheClass(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 1100}
	for _, mix := range []string{"1101B", "9216B", "64B:50%,1500B:50%"} {
		m, err := thresholds.ParseMix(mix)
		require.NoError(t, err)
		_, err = thresholds.IEEE{Mix: m}.Size(l, thresholds.Memory{Cell: 208})
		require.ErrorContains(t, err, "(want at most the 1100B that frames of the lossless class have; shorter frames "+
			"take more cells)")
	}
	_, err := thresholds.IEEE{Mix: thresholds.Frames(1100)}.Size(l, thresholds.Memory{Cell: 208})
	require.NoError(t, err)
}

func TestLinkRefusesEverythingAtOnce(t *testing.T) {
	_, err := thresholds.IEEE{}.Size(thresholds.Link{Rate: 400, Cable: -1, MTU: 9216, LosslessMTU: 10000}, cloudScale)
	var le *thresholds.LinkError
	require.ErrorAs(t, err, &le)
	require.Len(t, le.Complaints, 3)
	_, err = thresholds.IEEE{Mix: thresholds.Frames(5)}.Size(bookLink(10*unit.Gbps), cloudScale)
	require.ErrorContains(t, err, "frames of 5B")
	_, err = thresholds.IEEE{}.Size(bookLink(10*unit.Gbps), thresholds.Memory{})
	require.ErrorContains(t, err, "cell of 0 bytes")
}

func TestAlpha(t *testing.T) {
	for text, n := range map[string]int{"1": 0, "8": 3, "1/8": -3, "1/1": 0, "1024": 10, "1/1024": -10} {
		a, err := thresholds.ParseAlpha(text)
		require.NoError(t, err)
		require.Equal(t, n, a.DynamicTh(), text)
	}
	require.Equal(t, "1/8", thresholds.Alpha(-3).String())
	require.Equal(t, "8", thresholds.Alpha(3).String())
	for _, text := range []string{"", "0", "3", "1/3", "1/0", "-1", "0.5", "2048", "8/1", "99999999999999999999"} {
		_, err := thresholds.ParseAlpha(text)
		require.ErrorContains(t, err, "power of two", text)
	}
}

func TestSizingAllocatesNothing(t *testing.T) {
	file, err := table.Read("t.ini", strings.NewReader("100000 300m 1248 2288 268736 0 2288\n"))
	require.NoError(t, err)
	link := bookLink(100 * unit.Gbps)
	link.Cable = 300 * unit.Metre
	for _, s := range []thresholds.Sizer{thresholds.IEEE{}, file} {
		_, err := s.Size(link, cloudScale)
		require.NoError(t, err, s.Method())
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.Size(link, cloudScale) }), s.Method())
	}
}

func TestMeasuredDelayExtraAndMedium(t *testing.T) {
	link := bookLink(100 * unit.Gbps)
	bits := func(l thresholds.Link) int64 {
		h, err := asTheTexts.Size(l, cloudScale)
		require.NoError(t, err)
		return h.BitTimes
	}
	fibre := bits(link)
	link.Medium = thresholds.Copper
	require.Equal(t, fibre-2*2400, bits(link), "100 m of copper are 476 ns, of fibre 500 ns")
	link.Medium, link.Delay = thresholds.Fibre, unit.Given(500*unit.Nanosecond)
	require.Equal(t, fibre, bits(link), "a measured delay takes the place of the cable")
	link.Extra = 1500 * unit.Nanosecond
	require.Equal(t, fibre+2*150000, bits(link))
	e, err := asTheTexts.Explain(link, cloudScale)
	require.NoError(t, err)
	require.Equal(t, thresholds.Measured, e.Terms[3].Kind)
	require.Equal(t, "measured one-way delay 500ns + 1.5us extra", e.Terms[3].Source)
}

func TestDelaysAreReplacedTermByTerm(t *testing.T) {
	own := thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfTexts,
		Response: []thresholds.RateDelay{{Rate: 1600 * unit.Gbps, BitTimes: 1000, Kind: thresholds.Operator,
			Source: "lab"}},
	}}
	e, err := own.Explain(bookLink(1600*unit.Gbps), cloudScale)
	require.NoError(t, err)
	require.EqualValues(t, 1000, e.Terms[5].BitTimes)
	require.Equal(t, thresholds.Operator, e.Terms[5].Kind)
}

func TestMixOfFrames(t *testing.T) {
	mix, err := thresholds.ParseMix("64B:50%,1500B:50%")
	require.NoError(t, err)
	require.Equal(t, "64B:50%,1500B:50%", mix.String())
	e, err := thresholds.IEEE{Mix: mix, Delays: asTheTexts.Delays}.Explain(bookLink(10*unit.Gbps), cloudScale)
	require.NoError(t, err)
	// A hundred frames are 80,200 bytes on the wire in 50 x 1 + 50 x 4 cells.
	require.EqualValues(t, (18778*250+80199)/80200+3, e.Cells)
	mix, err = thresholds.ParseMix("64B:50%,1500B:50%-without-gap")
	require.NoError(t, err)
	require.Equal(t, "64B:50%,1500B:50%-without-gap", mix.String())
	bare, err := thresholds.IEEE{Mix: mix, Delays: asTheTexts.Delays}.Explain(bookLink(10*unit.Gbps), cloudScale)
	require.NoError(t, err)
	// A hundred frames are 78,200 bytes.
	require.EqualValues(t, (18778*250+78199)/78200+3, bare.Cells)
	for _, r := range bare.Readings {
		require.LessOrEqual(t, r.Cells, bare.Cells, r.Name)
		require.Equal(t, r.Name == "whole frames", r.Used)
	}
	for _, text := range []string{"worst", "67B-and-more", "worst-without-gap", "97B-without-gap"} {
		m, err := thresholds.ParseMix(text)
		require.NoError(t, err, text)
		require.Equal(t, text, m.String())
	}
	for _, text := range []string{"", "64", "64B:50%", "64B:60%,128B:60%", "1B", "64B:0.5%,65B:99.5%",
		"64B:25%,65B:25%,66B:25%,67B:25%", "0B-and-more", "63B-and-more", "-and-more",
		"67B-and-more-without-gap", "64B:50%,65B:50%-and-more", "worst-and-more", "-without-gap"} {
		_, err := thresholds.ParseMix(text)
		require.Error(t, err, text)
		require.LessOrEqual(t, strings.Count(err.Error(), strconv.Quote(text)), 1, "the value is named once")
	}
}

func BenchmarkSize(b *testing.B) {
	file, err := table.Read("t.ini", strings.NewReader("100000 300m 1248 2288 268736 0 2288\n"))
	require.NoError(b, err)
	link := bookLink(100 * unit.Gbps)
	link.Cable = 300 * unit.Metre
	for _, s := range []thresholds.Sizer{thresholds.IEEE{}, file} {
		b.Run(s.Method(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Size(link, cloudScale); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
