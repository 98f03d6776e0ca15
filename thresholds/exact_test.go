package thresholds

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every operation equals math/big, or says that it is out of range.
func TestFracIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	pick := func() int64 { return rng.Int64N(1<<rng.IntN(45)+1) + 1 }
	for range 20000 {
		f, want := whole(pick()), new(big.Rat)
		want.SetInt(new(big.Int).SetUint64(f.lo))
		for range 1 + rng.IntN(4) {
			n, d := pick(), pick()
			if rng.IntN(2) == 0 {
				f, want = f.times(n, d), want.Mul(want, big.NewRat(n, d))
			} else {
				f, want = f.plus(ratioOf(n, d)), want.Add(want, big.NewRat(n, d))
			}
		}
		if f.over {
			require.EqualValues(t, math.MaxInt64, f.ceil())
			continue
		}
		ceil := new(big.Int).Add(want.Num(), new(big.Int).Sub(want.Denom(), big.NewInt(1)))
		ceil.Div(ceil, want.Denom())
		if !ceil.IsInt64() {
			require.EqualValues(t, math.MaxInt64, f.ceil())
			continue
		}
		require.Equal(t, ceil.Int64(), f.ceil())
		require.Equal(t, new(big.Int).Div(want.Num(), want.Denom()).Int64(), f.floor())
		if c := ceil.Int64(); c < 1<<50 {
			require.Equal(t, (c+1023)/1024*1024, f.ceilTo(1024))
		}
	}
}
