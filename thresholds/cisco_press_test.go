package thresholds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The numbers of the Cisco Press book's section on PFC headroom, by item.
func TestBookItems(t *testing.T) {
	e, err := asTheTexts.Explain(bookLink(10*unit.Gbps), cloudScale)
	require.NoError(t, err)
	term := func(i int) int64 { return e.Terms[i].BitTimes }
	at := func(rate unit.BitRate, i int) int64 {
		e, err := asTheTexts.Explain(bookLink(rate), cloudScale)
		require.NoError(t, err)
		return e.Terms[i].BitTimes
	}
	type pair struct{ want, got int64 }
	const q = 512
	for item, p := range map[string][]pair{
		"S0-01 bit time, quantum, gap, preamble": {
			{100, int64((10 * unit.Gbps).TimeFor(1))}, {10, int64((100 * unit.Gbps).TimeFor(1))}, // picoseconds
			{51200, int64((10 * unit.Gbps).TimeFor(q))}},
		"S0-02 longest frame": {{73888, term(0)}},
		"S0-03 pause frame":   {{672, term(1)}},
		"S0-04 interfaces": {{8192, term(2)}, {6144, at(25*unit.Gbps, 2)}, {24576, at(40*unit.Gbps, 2)},
			{122880, at(100*unit.Gbps, 2)}},
		"S0-05 cable": {{5000, term(3)}},
		"S0-06 response": {{60 * q, term(5)}, {80 * q, at(25*unit.Gbps, 5)}, {118 * q, at(40*unit.Gbps, 5)},
			{394 * q, at(100*unit.Gbps, 5)}, {905 * q, at(400*unit.Gbps, 5)}},
		"S0-07 frame begun":     {{18560, term(6)}},
		"S0-08 order and count": {{8, int64(len(e.Terms))}, {term(2), term(4)}, {term(3), term(7)}},
		"S0-09 sum":             {{150224, e.BitTimes}, {18778, int64(e.Wire)}},
		"S0-11 cells": {{352, int64(cells.Size(416).Bytes(1)) - 64}, {6, int64(cells.Size(416).Holding(2300))},
			{196, int64(cells.Size(416).Bytes(6)) - 2300}, {220, 2300 - int64(cells.Size(416).Bytes(5))}},
		"S0-12 122 KB":                {{122057, int64(e.Readings[0].Bytes)}},
		"S0-13 25,976 cells of 416 B": {{10806016, int64(cells.Size(416).Bytes(25976))}},
		"E4 the three readings": {{294, int64(e.Readings[0].Cells)}, {122304, int64(e.Readings[1].Bytes)},
			{224, int64(e.Readings[2].Cells)}, {93184, int64(e.Readings[2].Bytes)}},
		"E5 228,900 is not cell aligned": {{551, int64(cells.Size(416).Holding(228900))},
			{229216, int64(cells.Size(416).Bytes(551))}},
		"longest pause, 65535 quanta, ns": {
			{3355392, int64((10 * unit.Gbps).TimeFor(65535*q) / unit.Nanosecond)},
			{838848, int64((40 * unit.Gbps).TimeFor(65535*q) / unit.Nanosecond)},
			{335539, int64((100 * unit.Gbps).TimeFor(65535*q) / unit.Nanosecond)},
			{41942, int64((800 * unit.Gbps).TimeFor(65535*q) / unit.Nanosecond)}},
	} {
		for _, x := range p {
			require.Equal(t, x.want, x.got, item)
		}
	}
}

// The multipliers of the book, of which it prints the last two truncated
// (1.62 and 1.21): cell bytes for a thousand bytes of frames.
func TestBookMultipliers(t *testing.T) {
	for frame, want := range map[unit.Bytes]int64{64: 650000, 512: 162500, 1024: 121875} {
		n := cells.Size(416).Holding(frame)
		require.Equal(t, want, int64(cells.Size(416).Bytes(n))*100000/int64(frame), "S0-12, %v", frame)
	}
}

func TestWorstFrame(t *testing.T) {
	for _, c := range []struct {
		mem  thresholds.Memory
		want unit.Bytes
	}{
		{thresholds.Memory{Cell: 208, Overhead: 64}, 145}, // Broadcom's legacy formula
		{thresholds.Memory{Cell: 416}, 64},
		{thresholds.Memory{Cell: 96}, 97},
		{thresholds.Memory{Cell: 254, Overhead: 40}, 64},
	} {
		require.Equal(t, c.want, thresholds.WorstFrame(c.mem, thresholds.WireBytes, 64, thresholds.MaxFrameSize), "%+v",
			c.mem)
	}
	legacy := thresholds.Memory{Cell: 208, Overhead: 64}
	require.EqualValues(t, 64, thresholds.WorstFrame(legacy, thresholds.WireBytes, 64, 144))
	require.EqualValues(t, 145, thresholds.WorstFrame(legacy, thresholds.WireBytes, 64, 145))
	require.EqualValues(t, 97, thresholds.WorstFrame(thresholds.Memory{Cell: 96}, 0, 64, 9216))
}

// No other size takes more cells for its time on the wire.
func TestNoFrameIsWorse(t *testing.T) {
	for cell := cells.Size(64); cell < 500; cell += 7 {
		for _, overhead := range []unit.Bytes{0, 16, 40, 64} {
			for _, gap := range []unit.Bytes{0, thresholds.WireBytes} {
				mem := thresholds.Memory{Cell: cell, Overhead: overhead}
				worst := thresholds.WorstFrame(mem, gap, 64, thresholds.MaxFrameSize)
				inCells := int64(mem.Cell.Packet(worst, overhead))
				for f := thresholds.MinFrame; f <= thresholds.MaxFrameSize; f++ {
					if int64(mem.Cell.Packet(f, overhead))*int64(worst+gap) > inCells*int64(f+gap) {
						require.Failf(t, "worse", "%+v, gap %v: %v is worse than %v", mem, gap, f, worst)
					}
				}
			}
		}
	}
}

// By default the sum is filled with the worst mixture of frames: no size alone needs more.
func TestDefaultFrameIsTheWorst(t *testing.T) {
	for _, mem := range []thresholds.Memory{{Cell: 96}, {Cell: 144}, {Cell: 192}, {Cell: 208, Overhead: 64},
		{Cell: 254, Overhead: 40}, {Cell: 256, Overhead: 64}, {Cell: 384, Overhead: 40}, {Cell: 416},
		{Cell: 512, Overhead: 40}} {
		for _, rate := range []unit.BitRate{10 * unit.Gbps, 100 * unit.Gbps} {
			l := bookLink(rate)
			byDefault, err := thresholds.IEEE{}.Size(l, mem)
			require.NoError(t, err)
			named, err := thresholds.IEEE{Mix: thresholds.WorstFrames()}.Size(l, mem)
			require.NoError(t, err)
			require.Equal(t, named, byDefault)
			for f := thresholds.MinFrame; f <= l.LosslessMTU; f++ {
				other, err := thresholds.IEEE{Mix: thresholds.Frames(f)}.Size(l, mem)
				require.NoError(t, err)
				require.LessOrEqual(t, other.Cells, byDefault.Cells, "%+v, %v", mem, f)
			}
		}
	}
	bare := thresholds.WorstFrames()
	bare.WithoutGap = true
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	h, err := thresholds.IEEE{Mix: bare}.Size(l, thresholds.Memory{Cell: 96})
	require.NoError(t, err)
	require.Equal(t, "97B-without-gap", h.Mix.String(), "the result names the frame")
	l.LosslessMTU = 80
	h, err = thresholds.IEEE{Mix: bare}.Size(l, thresholds.Memory{Cell: 96})
	require.NoError(t, err)
	require.Equal(t, "64B-without-gap", h.Mix.String(), "the class has no frame of 97 bytes")
	require.Equal(t, "worst", thresholds.WorstFrames().String())
	parsed, err := thresholds.ParseMix("worst")
	require.NoError(t, err)
	require.Equal(t, thresholds.WorstFrames(), parsed)
}
