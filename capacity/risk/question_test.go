package risk_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// An answer for which nobody waits any more is not computed to its end: it looks after each group.
func TestAnswerEndsWithItsContext(t *testing.T) {
	_, in := pools(t)
	in.Pool.SharedHeadroom, in.Pool.SharedHeadroomRatio = 0, 4
	q := risk.Question{Paused: unit.Given("1%"), Target: 1e-6}
	all := effort.NewLooks(t, -1)
	_, err := q.Answer(all, in)
	require.NoError(t, err)
	require.Greater(t, all.Count, 64*len(in.Ports), "for each group of each step of a search")
	for _, most := range []int{0, 1, 100, all.Count / 2, all.Count - 1} {
		ctx := effort.NewLooks(t, most)
		_, err := q.Answer(ctx, in)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, most+1, ctx.Count)
	}
}

// A question is refused with the names of its options as they are, and one of too much work with its size.
func TestQuestionRefusals(t *testing.T) {
	for want, q := range map[string]risk.Question{
		"paused, pauses, congested and watermarks (want one behaviour)": {Target: 1e-6, Paused: unit.Given("1%"),
			FanIn: unit.Given(1)},
		"accepted-risk 0 (want above 0 and below 1)": {},
		`paused "NaN" (want a part of the time`:      {Target: 1e-6, Paused: unit.Given("NaN")},
		"pause-time: ":                               {Target: 1e-6, Pauses: unit.Given(1.0)},
		"fan-in 0 (want 1 or more senders)":          {Target: 1e-6, Congested: unit.Given("1%")},
		"trials: accepted with paused or pauses":     {Target: 1e-6, Trials: 1},
		"file: no watermark":                         {Target: 1e-6, File: "file", Watermarks: unit.Given([]byte(nil))},
	} {
		require.ErrorContains(t, q.Check(), want)
	}
}
