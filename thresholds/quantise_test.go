package thresholds_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
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

func TestSiliconOne(t *testing.T) {
	for _, c := range []struct {
		name   string
		family thresholds.SiliconOne
		in     thresholds.SiliconOneProfile
		want   thresholds.SiliconOneThresholds
	}{
		{"gb, under the queue's maximum of 5,684,352", thresholds.SiliconOneGB,
			thresholds.SiliconOneProfile{Pool: 67108864, XOFF: 444000, XON: 3 * unit.MiB},
			thresholds.SiliconOneThresholds{Requested: 5240352, Pause: 5240352, Drop: 5684352, Resume: 3145728}},
		{"gb, small alpha", thresholds.SiliconOneGB,
			thresholds.SiliconOneProfile{Pool: 67108864, Alpha: -5, XOFF: 444000},
			thresholds.SiliconOneThresholds{Requested: 2097152, Pause: 2097152, Drop: 2541152}},
		{"gr rounds down to 5 bits", thresholds.SiliconOneGR,
			thresholds.SiliconOneProfile{Pool: 1 << 30, XOFF: 444000, XON: 10 * unit.MiB},
			// 22,737,408 - 444,000 is 58,055 units of 384: 28 * 2^11
			thresholds.SiliconOneThresholds{Requested: 22293408, Pause: 57344 * 384, Drop: 57344*384 + 444000, Resume: 26624 * 384}},
		{"gr2 is a share of the pool", thresholds.SiliconOneGR2,
			thresholds.SiliconOneProfile{Pool: 100_000_000, PoolXOFF: 20_000_000, Alpha: -1, XOFF: 100_000, XONOffset: 50_000},
			// 80,000,000/3 is 52,083 units of 512: 25 * 2^11; less 50,000: 51,102, 24 * 2^11
			thresholds.SiliconOneThresholds{Requested: 26666666, Pause: 51200 * 512, Drop: 51200*512 + 100_000, Resume: 49152 * 512}},
		{"p200 rounds its headroom up to 4 bits", thresholds.SiliconOneP200,
			thresholds.SiliconOneProfile{Pool: 100_000_000, PoolXOFF: 20_000_000, Alpha: -1, XOFF: 100_000},
			// 196 units: 13 * 2^4
			thresholds.SiliconOneThresholds{Requested: 26666666, Pause: 51200 * 512, Drop: 51200*512 + 208*512, Resume: 51200 * 512}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.family.Thresholds(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestSiliconOneHeadroomPackets(t *testing.T) {
	// gr2: 64 bytes are two pieces of 32 and two more.
	require.Equal(t, int64(781), thresholds.SiliconOneGR2.HeadroomPackets(100_000, 64))
	require.Equal(t, int64(704), thresholds.SiliconOneP200.HeadroomPackets(355_000, 64), "694 units are rounded up to 11 * 2^6")
}

func TestSiliconOneRefusals(t *testing.T) {
	for f := thresholds.SiliconOneGB; f <= thresholds.SiliconOneP200; f++ {
		again, err := thresholds.ParseSiliconOne(f.String())
		require.NoError(t, err)
		require.Equal(t, f, again)
	}
	_, err := thresholds.ParseSiliconOne("q200")
	require.ErrorContains(t, err, "accepted: gb, gr, gr2, p200")
	_, err = thresholds.SiliconOne(9).Thresholds(thresholds.SiliconOneProfile{Pool: -1, PoolXOFF: 5, Alpha: 20})
	require.ErrorContains(t, err, "family 9")
	require.ErrorContains(t, err, "alpha 2^20")
	require.ErrorContains(t, err, "-1B")
	require.ErrorContains(t, err, "shared headroom 5B")
	_, err = thresholds.SiliconOneGB.Thresholds(thresholds.SiliconOneProfile{Pool: 1, XOFF: 6_000_000})
	require.ErrorContains(t, err, "leaves nothing")
}

func ExampleMantissa() {
	m, e := thresholds.Mantissa(5).Split(27306)
	fmt.Printf("%d * 2^%d = %d\n", m, e, thresholds.Mantissa(5).Down(27306))
	// Output: 26 * 2^10 = 26624
}
