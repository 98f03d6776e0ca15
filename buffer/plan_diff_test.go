package buffer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
)

// The steps from one plan to another lead to its layout, without a state that over-commits.
func TestPlanDiffLeadsToTheOtherPlan(t *testing.T) {
	effort.SkipShort(t, "it compares many plans")
	proved := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := golden.Random(rng)
		other := golden.Vary(rng, in)
		from, err1 := buffer.New(in)
		to, err2 := buffer.New(other)
		if err1 != nil || err2 != nil {
			continue
		}
		steps, err := from.Diff(to)
		if !from.Fits || !to.Fits {
			require.ErrorIs(t, err, buffer.ErrNoSteps)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, to.Layout(), from.Layout().With(steps))
		proved++
	}
	require.Greater(t, proved, 10)
}
