package thresholds_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

func TestBroadcomAlphaTables(t *testing.T) {
	hardware := []string{"1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8"}
	enum := []string{"1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "1/128", "8"}
	for i := range hardware {
		a, err := thresholds.BroadcomAlphaCode(i)
		require.NoError(t, err)
		require.Equal(t, hardware[i], a.String(), "hardware code %d", i)
		code, ok := a.BroadcomCode()
		require.True(t, ok)
		require.Equal(t, i, code)

		a, err = thresholds.BroadcomAlphaEnum(i)
		require.NoError(t, err)
		require.Equal(t, enum[i], a.String(), "value %d of the SDK", i)
		value, ok := a.BroadcomEnum()
		require.True(t, ok)
		require.Equal(t, i, value)
	}
	for _, bad := range []int{-1, 11} {
		_, err := thresholds.BroadcomAlphaCode(bad)
		require.ErrorContains(t, err, "accepted: 0 for 1/128 to 10 for 8")
		_, err = thresholds.BroadcomAlphaEnum(bad)
		require.ErrorContains(t, err, "accepted: 0 to 10")
	}
	for _, none := range []thresholds.Alpha{-8, 4} {
		_, ok := none.BroadcomCode()
		require.False(t, ok)
		_, ok = none.BroadcomEnum()
		require.False(t, ok)
	}
}

func TestSpectrumAlphaIndex(t *testing.T) {
	for _, c := range []struct {
		index int
		want  thresholds.Limit
	}{
		{0, thresholds.Static(0)},
		{1, thresholds.Dynamic(-7)},
		{8, thresholds.Dynamic(0)},
		{14, thresholds.Dynamic(6)},
		{0xff, thresholds.Unlimited()},
	} {
		got, err := thresholds.SpectrumAlphaIndex(c.index)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "index %d", c.index)
	}
	for _, bad := range []int{-1, 15, 254, 256} {
		_, err := thresholds.SpectrumAlphaIndex(bad)
		require.ErrorContains(t, err, "not a Spectrum alpha index")
	}
	require.Equal(t, thresholds.Static(0), thresholds.SpectrumDynamicTh(-8))
	require.Equal(t, thresholds.Dynamic(-7), thresholds.SpectrumDynamicTh(-7))
	require.Equal(t, thresholds.Dynamic(6), thresholds.SpectrumDynamicTh(6))
	require.Equal(t, thresholds.Unlimited(), thresholds.SpectrumDynamicTh(7))
}

// The shares in the manual are alpha/(1+alpha), rounded to hundredths of a
// percent, except for weight 1: the manual prints 0.7752 as 0.77.
func TestDellWeights(t *testing.T) {
	table := thresholds.DellWeights()
	require.Len(t, table, 9)
	for _, w := range table {
		a, err := thresholds.DellWeightAlpha(w.Weight)
		require.NoError(t, err)
		require.Equal(t, a, w.Alpha)
		s := w.Alpha.Share()
		rounded := (2*s.Num*int64(unit.Whole) + s.Den) / (2 * s.Den)
		if w.Weight == 1 {
			require.Equal(t, int64(78), rounded)
			rounded = s.Num * int64(unit.Whole) / s.Den
		}
		require.Equal(t, w.Printed, unit.Percent(rounded), "weight %d", w.Weight)
	}
	for _, bad := range []int{0, 10} {
		_, err := thresholds.DellWeightAlpha(bad)
		require.ErrorContains(t, err, "accepted: 1 to 9")
	}
}

func ExampleDellWeights() {
	for _, w := range thresholds.DellWeights()[6:] {
		fmt.Println(w.Weight, w.Alpha, w.Alpha.Share(), w.Printed)
	}
	// Output:
	// 7 1/2 1/3 33.33%
	// 8 1 1/2 50%
	// 9 2 2/3 66.67%
}
