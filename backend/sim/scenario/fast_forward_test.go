package scenario_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// The committed scenarios end before a state is steady for long enough, so a fast run of each gives the results of a
// whole run. Those that measure queues, or rates after a time, are refused, as the packages' other tests show. With
// -short it is every sixth file.
func TestFastForwardOfTheGallery(t *testing.T) {
	effort.SkipShort(t, "it runs each scenario twice")
	files, err := filepath.Glob("../../../examples/scenarios/*.yaml")
	require.NoError(t, err)
	compared, least := 0, 20
	for i, file := range files {
		if testing.Short() {
			if least = 1; i%6 != 0 {
				continue
			}
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := scenario.Read(file, data, os.ReadFile)
		require.NoError(t, err)
		if len(s.Watch) > 0 || s.Settle > 0 {
			continue
		}
		whole, fast := bothWays(t, s)
		require.Zero(t, fast.FastForward.Leaps, file)
		fast.FastForward = nil
		require.Equal(t, whole, fast, file)
		compared++
	}
	require.Greater(t, compared, least)
}

// A long run of a scenario of the gallery: what its flows deliver, its pauses and its maximum differ by less than 1 %.
func TestFastForwardOfALongVictim(t *testing.T) {
	effort.SkipShort(t, "millions of events")
	data, err := os.ReadFile("../../../examples/scenarios/hol-victim.yaml")
	require.NoError(t, err)
	data = regexp.MustCompile(`(?m)^until: .*$`).ReplaceAll(data, []byte("until: 40ms"))
	s, err := scenario.Read("long.yaml", data, os.ReadFile)
	require.NoError(t, err)
	whole, fast := bothWays(t, s)
	require.Greater(t, fast.FastForward.Skipped, 20*unit.Millisecond)
	require.Empty(t, fast.Unmet)
	requireNear(t, whole.Summary.PauseSent, fast.Summary.PauseSent)
	requireNear(t, whole.Summary.MaxShared, fast.Summary.MaxShared)
	for i := range whole.Flows {
		requireNear(t, whole.Flows[i].Bytes, fast.Flows[i].Bytes)
		requireNear(t, whole.Flows[i].Rate, fast.Flows[i].Rate)
	}
}

// bothWays runs a scenario as a whole and fast.
func bothWays(t *testing.T, s *scenario.Scenario) (whole, fast *scenario.Result) {
	whole, err := s.Run(context.Background(), scenario.Options{})
	require.NoError(t, err)
	fast, err = s.Run(context.Background(), scenario.Options{FastForward: true})
	require.NoError(t, err)
	return whole, fast
}

// requireNear fails if two numbers differ by 1 % or more.
func requireNear[T ~int64](t *testing.T, want, got T) {
	t.Helper()
	require.InEpsilon(t, int64(want), int64(got), 0.01)
}
