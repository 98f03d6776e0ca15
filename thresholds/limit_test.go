package thresholds_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

func TestLimitAt(t *testing.T) {
	const none = thresholds.NoLimit
	for _, c := range []struct {
		name  string
		limit thresholds.Limit
		free  cells.Count
		want  cells.Count
	}{
		{"the zero limit is alpha 1", thresholds.Limit{}, 13071, 13071},
		{"alpha 1/8 rounds down", thresholds.Dynamic(-3), 39140, 4892},
		{"alpha 8", thresholds.Dynamic(3), 100, 800},
		{"smallest alpha", thresholds.Dynamic(-10), 1023, 0},
		{"an alpha beyond any chip", thresholds.Dynamic(-128), math.MaxInt64, 0},
		{"full pool", thresholds.Dynamic(10), 0, 0},
		{"overfull pool", thresholds.Dynamic(3), -5, 0},
		{"beyond int64", thresholds.Dynamic(10), math.MaxInt64 / 8, none},
		{"up to int64", thresholds.Dynamic(1), math.MaxInt64 / 2, math.MaxInt64 - 1},
		{"static", thresholds.Static(500), 3, 500},
		{"static nothing", thresholds.Static(-1), 100, 0},
		{"unlimited", thresholds.Unlimited(), 0, none},
	} {
		require.Equal(t, c.want, c.limit.At(c.free), c.name)
	}
}

func TestLimitTellsWhatItIs(t *testing.T) {
	require.Equal(t, thresholds.Dynamic(0), thresholds.Limit{})
	l := thresholds.Dynamic(-1)
	require.Equal(t, thresholds.DynamicLimit, l.Mode())
	require.Equal(t, thresholds.Alpha(-1), l.Alpha())
	require.Equal(t, cells.Count(9), thresholds.Static(9).Cells())
	require.Equal(t, "alpha 1/2", l.String())
	require.Equal(t, "9 cells", thresholds.Static(9).String())
	require.Equal(t, "no limit", thresholds.Unlimited().String())
}

func TestLimitAllocatesNothing(t *testing.T) {
	limits := []thresholds.Limit{{}, thresholds.Static(5), thresholds.Dynamic(-3), thresholds.Unlimited()}
	var sum cells.Count
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, l := range limits {
			sum ^= l.At(13071)
		}
	}))
}

func BenchmarkLimitAt(b *testing.B) {
	b.ReportAllocs()
	l, free := thresholds.Dynamic(-3), cells.Count(44032)
	for b.Loop() {
		free ^= l.At(free) & 1
	}
}

func ExampleLimit() {
	eighth := thresholds.Dynamic(-3)
	fmt.Println(eighth, "of an empty pool:", eighth.At(44032))
	fmt.Println(eighth, "when one group has stopped:", eighth.At(44032-4892))
	// Output:
	// alpha 1/8 of an empty pool: 5504
	// alpha 1/8 when one group has stopped: 4892
}
