package internal_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/sleep"
)

func Example_sleep() {
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	fmt.Println(sleep.For(ctx, time.Hour))
	// Output:
	// context deadline exceeded
}

func TestSleepFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		require.NoError(t, sleep.For(t.Context(), time.Hour))
		require.Equal(t, time.Hour, time.Since(start))
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		require.ErrorIs(t, sleep.For(ctx, time.Hour), context.DeadlineExceeded)
		require.Equal(t, time.Hour+time.Minute, time.Since(start), "the context ends the wait")
	})
}
