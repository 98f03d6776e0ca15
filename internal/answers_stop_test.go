package internal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/answers"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// Long questions look at their context all the time, and when it has ended they do no more work. The looks are counted,
// so that the test is the same on a slow machine; package capacity bounds the work between two looks.
func TestAnswersLongQuestionsEndWithTheirContext(t *testing.T) {
	q := answers.Question{Topology: "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\n" +
		"classes: [{name: a, priorities: [3], lossless: true}]\n" +
		"ports: [{range: e1-4, speed: 100G, cable: 300m}, {range: e5-8, speed: 100G, cable: 5m}]\n"}
	for name, x := range map[string]struct {
		least int // looks of a whole answer
		ask   func(context.Context) error
	}{
		"verify": {4, func(ctx context.Context) error {
			_, err := answers.Verify(ctx, &answers.VerifyQuestion{Question: q})
			return err
		}},
		"capacity": {50, func(ctx context.Context) error {
			_, err := answers.Capacity(ctx, &answers.CapacityQuestion{Question: q})
			return err
		}},
		"sweep": {40, func(ctx context.Context) error {
			_, err := answers.Sweep(ctx, &answers.SweepQuestion{Question: q, Vary: []string{"cable=5m..10km:40"}})
			return err
		}},
		"plan": {4, func(ctx context.Context) error {
			_, err := answers.Plan(ctx, &q)
			return err
		}},
		"page": {60, func(ctx context.Context) error {
			_, err := (&answers.PageQuestion{Question: q, Full: true}).Answer(ctx)
			return err
		}},
		"report": {60, func(ctx context.Context) error {
			_, err := (&answers.PageQuestion{Question: q, Full: true}).Report(ctx)
			return err
		}},
		"diff": {9, func(ctx context.Context) error {
			_, err := answers.Diff(ctx, &answers.DiffQuestion{From: q, To: q})
			return err
		}},
	} {
		whole := effort.NewLooks(t, -1)
		require.NoError(t, x.ask(whole), name)
		require.GreaterOrEqual(t, whole.Count, x.least, name)
		for _, most := range []int{0, whole.Count / 2, whole.Count - 1} {
			half := effort.NewLooks(t, most)
			require.ErrorIs(t, x.ask(half), answers.ErrBusy, "%s after %d of %d looks", name, most, whole.Count)
			require.LessOrEqual(t, half.Count, most+4, name)
		}
	}
}
