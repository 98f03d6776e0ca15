package internal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/ordered"
)

// upTo returns a source of the numbers below n.
func upTo(n int) func() (int, bool) {
	i := -1
	return func() (int, bool) { i++; return i, i < n }
}

func Example_ordered() {
	ctx := context.Background()
	next := upTo(5)
	square := func(n int) int { return n * n }
	emit := func(n int) error { fmt.Print(n, " "); return nil }
	err := ordered.Do(ctx, 2, next, square, emit)
	fmt.Println(err)
	// Output: 0 1 4 9 16 <nil>
}

func TestOrderedOrderIsThatOfTheWork(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 64} {
		for _, n := range []int{0, 1, 5, 1000} {
			var got []int
			err := ordered.Do(t.Context(), workers, upTo(n), func(n int) int { return n },
				func(n int) error { got = append(got, n); return nil })
			require.NoError(t, err)
			require.Len(t, got, n)
			for i, v := range got {
				require.Equal(t, i, v)
			}
		}
	}
}

// An error of emit ends the work, and so does the end of the context; no worker is left.
func TestOrderedWorkEnds(t *testing.T) {
	full := errors.New("full")
	count := 0
	err := ordered.Do(t.Context(), 3, upTo(1<<40), func(n int) int { return n }, func(n int) error {
		if count++; n == 10 {
			return full
		}
		return nil
	})
	require.ErrorIs(t, err, full)
	require.Equal(t, 11, count)
	ctx, stop := context.WithCancel(t.Context())
	err = ordered.Do(ctx, 3, upTo(1<<40), func(n int) int { return n }, func(n int) error {
		if n == 10 {
			stop()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}
