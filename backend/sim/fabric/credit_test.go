package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

var fibre = CreditLink{Rate: 16 * unit.Gbps, Delay: 50 * unit.Microsecond, Frame: 2000, Credits: 1}

// A link with n credits carries n frames in the time from the first bit of a
// frame to its R_RDY, or as many as its rate allows.
func TestCreditsSetTheRate(t *testing.T) {
	const us = unit.Microsecond
	round := us + 50*us + us + 2*unit.Nanosecond + 50*us // frame, way, egress, R_RDY, way back
	require.Equal(t, 103, fibre.Full())
	for _, credits := range []int{1, 2, 10, 51, 102, 103, 200} {
		l := fibre
		l.Credits = credits
		got, err := l.Run(100 * unit.Millisecond)
		require.NoError(t, err)
		want := min(int64(100*unit.Millisecond)*int64(credits)/int64(round), 100_000)
		require.InDelta(t, want, got.Delivered, float64(credits)+60, "%d credits", credits)
		require.Equal(t, credits >= 103, got.Waited == 0, "%d credits wait %v", credits, got.Waited)
		require.LessOrEqual(t, got.Held, credits)
		require.LessOrEqual(t, got.Sent-got.Delivered, int64(credits),
			"no more under way than there is room for: none is lost")
	}
}

// With the full number of credits the egress is always busy; with one credit
// less it is not.
func TestFullCredits(t *testing.T) {
	for _, egress := range []unit.BitRate{0, 32 * unit.Gbps, 8 * unit.Gbps, 3 * unit.Gbps} {
		for _, delay := range []unit.Time{0, 7 * unit.Microsecond, 50*unit.Microsecond + 1} {
			l := fibre
			l.Egress, l.Delay = egress, delay
			l.Credits = 10 * l.Full()
			most, err := l.Run(100 * unit.Millisecond)
			require.NoError(t, err)
			for fewer := range 2 {
				if l.Credits = l.Full() - fewer; l.Credits == 0 {
					continue
				}
				got, err := l.Run(100 * unit.Millisecond)
				require.NoError(t, err)
				require.Equal(t, fewer == 0, got.Delivered == most.Delivered,
					"egress %v delay %v credits %d: %d of %d", egress, delay, l.Credits, got.Delivered, most.Delivered)
			}
		}
	}
}

// A slow egress fills the buffer, and holds no more than the credits.
func TestCreditsOfASlowEgress(t *testing.T) {
	l := fibre
	l.Credits, l.Egress = 300, 8*unit.Gbps
	got, err := l.Run(100 * unit.Millisecond)
	require.NoError(t, err)
	require.InDelta(t, 50_000, got.Delivered, 60)
	require.InDelta(t, 250, got.Held, 5, "the others are on the way: 50 R_RDY and frames of 2 us each way")
	require.Positive(t, got.Waited)
}

func TestCreditLinkRefused(t *testing.T) {
	_, err := CreditLink{Rate: -1, Egress: -1, Delay: -1, Gap: -1, Ready: -1}.Run(1)
	for _, s := range []string{"rate: ", "egress: ", "delay: -1ps (accepted: 0 to 1s)", "frame: 0B", "gap: -1B",
		"ready: -1B", "credits: 0 (accepted: 1 to 16777216)"} {
		require.ErrorContains(t, err, s)
	}
}

func BenchmarkCredits(b *testing.B) {
	b.ReportAllocs()
	l := fibre
	l.Credits = 103
	for b.Loop() {
		if _, err := l.Run(10 * unit.Millisecond); err != nil {
			b.Fatal(err)
		}
	}
}
