package effort

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheRestIsWhatGoTestHasLeft checks that two runs take each seed once.
func TestTheRestIsWhatGoTestHasLeft(t *testing.T) {
	for n := range uint64(300) {
		first, end := part(n, false, "")
		require.Zero(t, first)
		rest, last := part(n, false, "rest")
		require.Equal(t, end, rest)
		require.Equal(t, n, last)
		if n > 0 {
			require.Positive(t, end)
		}
	}
}

func TestShortTakesFew(t *testing.T) {
	first, end := part(1000, true, "")
	require.Zero(t, first)
	require.EqualValues(t, 20, end)
	_, end = part(1, true, "")
	require.EqualValues(t, 1, end)
}

func TestSomeCases(t *testing.T) {
	var few, all []int
	for i := range 10 {
		if some(i, 4, true) {
			few = append(few, i)
		}
		if some(i, 4, false) {
			all = append(all, i)
		}
	}
	require.Equal(t, []int{0, 4, 8}, few)
	require.Len(t, all, 10)
}

func TestAnotherValueIsRefused(t *testing.T) {
	require.PanicsWithValue(t, "CELLWARDEN_SEEDS=some, want rest or all", func() { part(1, false, "some") })
}
