package thresholds_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

func TestMantissa(t *testing.T) {
	for _, c := range []struct {
		bits     thresholds.Mantissa
		n        cells.Count
		down, up cells.Count
	}{
		{5, 0, 0, 0},
		{5, -3, 0, 0},
		{5, 31, 31, 31},
		{5, 33, 32, 34},
		{5, 63, 62, 64},
		{5, 8192, 8192, 8192},
		{5, 27306, 26624, 27648},
		{4, 1041, 960 + 64, 1152},
		{4, 31, 30, 32},
		{0, 5, 4, 8},
		{5, math.MaxInt64, 31 << 58, math.MaxInt64},
	} {
		require.Equal(t, c.down, c.bits.Down(c.n), "%d bits of %d", c.bits, c.n)
		require.Equal(t, c.up, c.bits.Up(c.n), "%d bits of %d", c.bits, c.n)
	}
	for n := range cells.Count(5000) {
		m, e := thresholds.Mantissa(5).Split(n)
		require.Less(t, m, int64(32))
		require.True(t, e == 0 || m >= 16)
		require.LessOrEqual(t, thresholds.Mantissa(5).Down(n), n)
		require.GreaterOrEqual(t, thresholds.Mantissa(4).Up(n), n)
		require.Equal(t, thresholds.Mantissa(4).Up(n), thresholds.Mantissa(4).Up(thresholds.Mantissa(4).Up(n)))
	}
}

func ExampleMantissa() {
	m, e := thresholds.Mantissa(5).Split(27306)
	fmt.Printf("%d * 2^%d = %d\n", m, e, thresholds.Mantissa(5).Down(27306))
	// Output: 26 * 2^10 = 26624
}
