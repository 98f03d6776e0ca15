package buffer_test

import (
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// beside is a chip of 64 MiB with memory beside it.
func beside() buffer.Chip {
	return buffer.Chip{Cell: 1, MemoryKind: "SRAM+HBM", MemoryBytes: 64 << 20, Slices: []buffer.Slice{{Cells: 1 << 33}}}
}

// same is n ports of a rate with the same headroom.
func same(n int, rate unit.BitRate, headroom cells.Count) iter.Seq2[unit.BitRate, cells.Count] {
	return func(yield func(unit.BitRate, cells.Count) bool) {
		for range n {
			if !yield(rate, headroom) {
				return
			}
		}
	}
}

func TestOffloadNeeds(t *testing.T) {
	const rate = 400 * unit.Gbps
	chip := beside()
	// 8 ports bring 640 MiB while 64 MiB stay: nine tenths must leave, at the pace at which they come.
	lost, enough, _ := chip.OffloadNeeds(same(8, rate, 80<<20))
	require.Equal(t, []unit.BitRate{8 * rate * 9 / 10, 8 * rate}, []unit.BitRate{lost, enough})
	// What fits the chip need not leave it, if nothing else is there.
	lost, enough, _ = chip.OffloadNeeds(same(8, rate, 8<<20))
	require.Equal(t, []unit.BitRate{0, 8 * rate}, []unit.BitRate{lost, enough})
	// The longest link decides the time: 15 times 4 MiB come at once, and 80 MiB over 20 times as long.
	lost, enough, _ = chip.OffloadNeeds(func(yield func(unit.BitRate, cells.Count) bool) {
		_ = yield(rate, 80<<20) && yield(0, 1) && yield(rate, 0)
		same(15, rate, 4<<20)(yield)
	})
	require.Equal(t, []unit.BitRate{rate * (80 + 60 - 64) / 80, 16 * rate}, []unit.BitRate{lost, enough})

	chip.MemoryBytes = 0 // not sourced: only the upper end is known
	lost, enough, _ = chip.OffloadNeeds(same(8, rate, 80<<20))
	require.Equal(t, []unit.BitRate{0, 8 * rate}, []unit.BitRate{lost, enough})
	lost, enough, _ = chip.OffloadNeeds(same(0, rate, 1))
	require.Zero(t, lost+enough)
	chip.MemoryKind = "SRAM"
	lost, enough, _ = chip.OffloadNeeds(same(8, rate, 80<<20))
	require.Zero(t, lost+enough)
}

// At its own rate what waits on the chip is most when a port is full, and not always the last one.
func TestOffloadNeedsAtTheRateOfTheChip(t *testing.T) {
	const rate = 400 * unit.Gbps
	chip := beside()
	waiting := func(gbps int64, ports iter.Seq2[unit.BitRate, cells.Count]) unit.Bytes {
		chip.Offload = gbps
		_, _, waiting := chip.OffloadNeeds(ports)
		return waiting
	}
	require.Zero(t, waiting(0, same(8, rate, 80<<20)), "the rate is not known")
	require.EqualValues(t, 8*80<<20-20<<20, waiting(100, same(8, rate, 80<<20)))
	require.Zero(t, waiting(3200, same(8, rate, 80<<20)))
	short := func(yield func(unit.BitRate, cells.Count) bool) { // 15 short links and a long one
		_ = yield(rate, 80<<20)
		same(15, rate, 4<<20)(yield)
	}
	// When the short ones are full, 16 times 4 MiB have come and 4 MiB have left; the long one then brings as much as
	// leaves.
	require.EqualValues(t, 60<<20, waiting(400, short))
	// Here 64 MiB have come and 2 have left, and then 76 MiB come and 38 leave.
	require.EqualValues(t, (64-2+76-38)<<20, waiting(200, short))
	chip.MemoryKind = "SRAM"
	require.Zero(t, waiting(400, short))
}

// No numbers of a chip file overflow, and the lower end is never above the upper one.
func TestOffloadNeedsOfExtremes(t *testing.T) {
	for _, rate := range []unit.BitRate{1, unit.Gbps, 1 << 50, math.MaxInt64} {
		for _, headroom := range []cells.Count{1, buffer.MaxCells, math.MaxInt64} {
			for _, cell := range []cells.Size{1, 1 << 20} {
				for _, own := range []unit.Bytes{1, 1 << 50} {
					chip := beside()
					chip.Cell, chip.MemoryBytes = cell, own
					lost, enough, _ := chip.OffloadNeeds(same(3, rate, headroom))
					require.GreaterOrEqual(t, lost, unit.BitRate(0))
					require.GreaterOrEqual(t, enough, lost)
					chip.Offload = 1
					_, _, waiting := chip.OffloadNeeds(same(3, rate, headroom))
					require.GreaterOrEqual(t, waiting, unit.Bytes(0))
				}
			}
		}
	}
}

// A plan says what it assumes of the memory on the chip, and stops when the chip's file says it.
func TestPlanSaysWhatADeepChipRestsOn(t *testing.T) {
	chip, err := asic.Load("jericho2")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true}},
		Ports: []buffer.Port{{Name: "Ethernet0", Rate: 400 * unit.Gbps, Cable: 100 * unit.Kilometre, MTU: 9216},
			{Name: "Ethernet4", Rate: 400 * unit.Gbps, Cable: 100 * unit.Kilometre, MTU: 9216}}}
	says := func(gbps int64) string {
		in.Chip.Offload, in.Chip.Sources.Offload = gbps, "the operator"
		p, err := buffer.New(in)
		require.NoError(t, err)
		require.True(t, p.Fits)
		return strings.Join(slices.DeleteFunc(p.Warnings, func(w string) bool { return !strings.Contains(w, "beside") }),
			"\n")
	}
	require.Regexp(t, `the memory on the chip \(67,108,864 bytes\).* assumed: that they move at 800G, .*; with less than `+
		`[0-9]+G frames are lost`, says(0))
	require.Regexp(t, `they move at 10G \(the operator\), and these ports receive at 800G: .*; with less than`, says(10))
	require.NotContains(t, says(799), "with less than")
	require.Empty(t, says(800))
}
