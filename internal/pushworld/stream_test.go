package pushworld

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// The same steps end alike, whatever the pushes are told about phases and commits.
func TestStreams(t *testing.T) {
	effort.SkipFew(t, "it simulates each stream in each manner")
	for seed := uint64(1); seed <= 30; seed++ {
		if !effort.Some(int(seed), 5) {
			continue
		}
		first := RunStream(t, seed, 0)
		for how, manner := range Manners() {
			s := RunStream(t, seed, how)
			require.Empty(t, s.Wrong, "seed %d,%s\n%s", seed, manner, strings.Join(s.Lines, "\n"))
			require.Equal(t, first.Drifts, s.Drifts, "seed %d,%s", seed, manner)
			require.Equal(t, first.Ends, s.Ends, "seed %d,%s\n%s\n\n%s\n%s", seed, manner, strings.Join(s.Lines, "\n"),
				Manners()[0], strings.Join(first.Lines, "\n"))
		}
	}
}
