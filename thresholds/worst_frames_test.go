package thresholds_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// most is the slow model of WorstArrival: the most cells of frames whose sizes with their gaps add up to at most so
// many bytes, one byte more at a time.
func most(wire int64, shortest, longest, gap unit.Bytes, mem thresholds.Memory) cells.Count {
	var takes []cells.Count // of each size, which divides only once
	for size := shortest; size <= longest; size++ {
		takes = append(takes, mem.Cell.Packet(size, mem.Overhead))
	}
	best := make([]cells.Count, wire+1)
	for n := int64(1); n <= wire; n++ {
		best[n] = best[n-1]
		for size := shortest; size <= longest && int64(size+gap) <= n; size++ {
			best[n] = max(best[n], best[n-int64(size+gap)]+takes[size-shortest])
		}
	}
	return best[wire]
}

func TestWorstArrivalIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	first, end := effort.Seeds(2000)
	for i := range end {
		mem := thresholds.Memory{Cell: cells.Size(1 + r.IntN(300)), Overhead: unit.Bytes(r.IntN(70))}
		if r.IntN(4) == 0 {
			mem.Cell = cells.Size(1 + r.IntN(30))
		}
		shortest := 64 + unit.Bytes(r.IntN(200))
		longest := shortest + unit.Bytes(r.IntN(500))
		gap := []unit.Bytes{0, 9, 13, 20}[r.IntN(4)]
		n := int64(1 + r.IntN(30_000))
		if i < first { // it is drawn, for those after it
			continue
		}
		a := thresholds.WorstArrival(n, shortest, longest, gap, mem)
		first := mem.Cell.Packet(longest, mem.Overhead)
		require.Equal(t, most((n-1)/8, shortest, longest, gap, mem)+first, a.Cells, "%v %v..%v gap %v, %d bits", mem,
			shortest, longest, gap, n)
		sum, wire := first, int64(0)
		for _, f := range a.Mixture {
			require.GreaterOrEqual(t, f.Frames, int64(0))
			if f.Frames > 0 {
				require.GreaterOrEqual(t, f.Size, shortest)
				require.LessOrEqual(t, f.Size, longest)
			}
			sum += cells.Count(f.Frames) * mem.Cell.Packet(f.Size, mem.Overhead)
			wire += f.Frames * int64(f.Size+gap)
		}
		require.Equal(t, a.Cells, sum, "the mixture is the answer")
		require.Less(t, wire*8, n)
	}
}

// A frame of 1500 bytes that causes the pause, and 252 of 64 bytes after it: the exact need of 25G over 5 m.
func TestWorstArrivalOf25G(t *testing.T) {
	l := thresholds.Link{Rate: 25 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 1500}
	h, err := thresholds.IEEE{}.Size(l, thresholds.Memory{Cell: 256})
	require.NoError(t, err)
	require.EqualValues(t, 258, h.Cells)
}

func TestWorstArrivalAllocatesNothing(t *testing.T) {
	require.Zero(t, testing.AllocsPerRun(100, func() {
		thresholds.WorstArrival(810_944, 64, 4096, thresholds.WireBytes, thresholds.Memory{Cell: 208, Overhead: 64})
	}))
}

// The last entry of a mixture has most of the frames, also where these are the longest: in cells of a byte with 48
// more for each frame, frames of 1011 bytes and more are best as 19 of 1024 bytes.
func TestTheLastFramesOfAMixtureAreTheMost(t *testing.T) {
	mem := thresholds.Memory{Cell: 1, Overhead: 48}
	for shortest := unit.Bytes(64); shortest <= 1024; shortest++ {
		a := thresholds.WorstArrival(164_832, shortest, 1024, thresholds.WireBytes, mem)
		for _, f := range a.Mixture {
			require.LessOrEqual(t, f.Frames, a.Mixture[3].Frames, "%v: %v", shortest, a)
		}
	}
}

// What holds the worst case is enough, also where its cells have fewer bytes than are in flight: a frame of 64 bytes
// is 84 bytes on the link, because preamble and gap are not stored, and takes a cell of 80 bytes.
func TestCellsWithFewerBytesThanTheLinkAreEnough(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 40 * unit.Kilometre, MTU: 9216, LosslessMTU: 64}
	mem := thresholds.Memory{Cell: 80}
	w := thresholds.IEEE{}.WorstCase(l, mem)
	require.Less(t, mem.Cell.Bytes(w.Cells), w.InFlight)
	require.Equal(t, thresholds.Enough, w.Judge(w.Cells, mem.Cell))
	require.Equal(t, thresholds.LessThanInFlight, w.Judge(w.Cells-1, mem.Cell))
	require.Empty(t, w.Note(w.Cells, mem.Cell))
}
