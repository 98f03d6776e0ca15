package pfc_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// The longest pause at every rate: 65,535 times 512 bits. SONiC's tests quote
// 838.84 us at 40G.
func TestLongestPause(t *testing.T) {
	for _, c := range []struct {
		rate unit.BitRate
		want string
	}{
		{10 * unit.Mbps, "3.355392s"}, {unit.Gbps, "33.55392ms"},
		{10 * unit.Gbps, "3.355392ms"}, {25 * unit.Gbps, "1.3421568ms"}, {40 * unit.Gbps, "838.848us"},
		{50 * unit.Gbps, "671.0784us"}, {100 * unit.Gbps, "335.5392us"}, {200 * unit.Gbps, "167.7696us"},
		{400 * unit.Gbps, "83.8848us"}, {800 * unit.Gbps, "41.9424us"}, {1600 * unit.Gbps, "20.9712us"},
	} {
		got := pfc.Duration(pfc.MaxQuanta, c.rate)
		require.Equal(t, c.want, got.String(), "%v", c.rate)
		require.EqualValues(t, int64(pfc.MaxQuanta)*pfc.QuantumBits, c.rate.BitsIn(got), "exact at %v", c.rate)
		for _, q := range []uint16{0, 1, 2, 118, 32767, pfc.MaxQuanta} {
			require.Equal(t, pfc.Duration(q, c.rate)/2, pfc.RefreshAfter(q, c.rate))
		}
	}
}

func TestDurationRoundsUp(t *testing.T) {
	for _, rate := range []unit.BitRate{3, 7 * unit.Gbps, 30 * unit.Gbps, 999_999_999_999, 1<<50 + 1} {
		for _, q := range []uint16{1, 2, 3, 1000, pfc.MaxQuanta} {
			exact := new(big.Rat).SetFrac64(int64(q)*512, int64(rate))
			exact.Mul(exact, new(big.Rat).SetInt64(int64(unit.Second)))
			d := pfc.Duration(q, rate)
			if d == math.MaxInt64 {
				require.Equal(t, 1, exact.Cmp(new(big.Rat).SetInt64(math.MaxInt64)))
				continue
			}
			over := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(d)), exact)
			require.True(t, over.Sign() >= 0 && over.Cmp(big.NewRat(1, 1)) < 0, "%v %d", rate, q)
		}
	}
	require.Equal(t, unit.Time(math.MaxInt64), pfc.Duration(pfc.MaxQuanta, 1), "a pause of a year saturates")
	require.Zero(t, pfc.Duration(9, 0))
	require.Zero(t, pfc.Duration(9, -1))
	require.Zero(t, pfc.RefreshAfter(0, unit.Gbps))
}
