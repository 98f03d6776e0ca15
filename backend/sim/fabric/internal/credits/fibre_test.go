package credits

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// fibre is 10 km at 16G with frames of 2,000 bytes: a bit is 62.5 ps.
var fibre = BufferToBuffer{Way: 800_000, Frame: 2000, Slow: 1}

// runFibre runs a link with credits of Fibre Channel until a time.
func runFibre(t *testing.T, b BufferToBuffer, until int64) Result {
	t.Helper()
	return runFor(t, b.Link(), until)
}

// A link with n credits carries n frames in the time from the first bit of a
// frame to its R_RDY, or as many as its rate allows.
func TestCreditsOfFibreChannelSetTheRate(t *testing.T) {
	effort.SkipShort(t, "it simulates long cables")
	const until = 200_000_000
	bits := thresholds.FrameBits(fibre.Frame)
	round := 2*bits + 2*fibre.Way + readyBits
	full := fibre.Full()
	require.EqualValues(t, 102, full)
	for _, credits := range []int64{1, 2, 10, 51, full - 1, full, 200} {
		b := fibre
		b.Credits = cbfc.Credits(credits)
		got := runFibre(t, b, until)
		require.InDelta(t, min(until*credits/round, until/bits), got.Channels[0].Delivered, float64(credits)+60)
		require.Equal(t, credits >= full, got.Waited == 0, "%d credits wait %d", credits, got.Waited)
		require.LessOrEqual(t, got.Channels[0].Sent-got.Channels[0].Delivered, credits,
			"no more under way than there is room for: none is lost")
	}
}

// With the full number of credits the egress is always busy; with one credit less it is not.
func TestFullCreditsOfFibreChannel(t *testing.T) {
	effort.SkipShort(t, "it simulates long cables")
	for _, slow := range []int64{0, 1, 2, 5} {
		for _, way := range []int64{0, 112_000, 810_000} {
			b := BufferToBuffer{Way: way, Frame: 2000, Slow: slow}
			b.Credits = cbfc.Credits(10 * b.Full())
			most := runFibre(t, b, 100_000_000).Channels[0].Delivered
			for fewer := range cbfc.Credits(2) {
				if b.Credits = cbfc.Credits(b.Full()) - fewer; b.Credits == 0 {
					continue
				}
				got := runFibre(t, b, 100_000_000).Channels[0].Delivered
				require.Equal(t, fewer == 0, got == most, "slow %d way %d credits %d: %d of %d", slow, way, b.Credits, got,
					most)
			}
		}
	}
}

// Buffer-to-buffer credits are a loop without spacing: package cbfc's count for them is the one that keeps a link full.
func TestBufferToBufferIsALoop(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		b := BufferToBuffer{Way: r.Int64N(100_000_000), Frame: unit.Bytes(64 + r.IntN(2000)), Slow: 1}
		bits := thresholds.FrameBits(b.Frame)
		require.Equal(t, cbfc.Loop{Way: b.Way, Hold: bits, Answer: 32}.Frames(bits), b.Full())
	}
}
