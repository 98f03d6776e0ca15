package exact

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
		f, want := Whole(pick()), new(big.Rat)
		want.SetInt(new(big.Int).SetUint64(f.lo))
		for range 1 + rng.IntN(4) {
			n, d := pick(), pick()
			if rng.IntN(2) == 0 {
				f, want = f.Times(n, d), want.Mul(want, big.NewRat(n, d))
			} else {
				f, want = f.Plus(Of(n, d)), want.Add(want, big.NewRat(n, d))
			}
		}
		if f.over {
			require.EqualValues(t, math.MaxInt64, f.Ceil())
			continue
		}
		ceil := new(big.Int).Add(want.Num(), new(big.Int).Sub(want.Denom(), big.NewInt(1)))
		ceil.Div(ceil, want.Denom())
		if !ceil.IsInt64() {
			require.EqualValues(t, math.MaxInt64, f.Ceil())
			continue
		}
		require.Equal(t, ceil.Int64(), f.Ceil())
		near, _ := want.Float64()
		require.InEpsilon(t, near, f.Float(), 1e-15)
		require.Equal(t, new(big.Int).Div(want.Num(), want.Denom()).Int64(), f.Floor())
		if c := ceil.Int64(); c < 1<<50 {
			require.Equal(t, (c+1023)/1024*1024, f.CeilTo(1024))
		}
	}
}

func TestLast(t *testing.T) {
	for high := int64(-2); high < 20; high++ {
		for last := range max(high, 1) {
			require.Equal(t, last, Last(0, high, func(n int64) bool { return n <= last }), "%d of %d", last, high)
		}
	}
	require.Equal(t, -3, Last(-7, 5, func(n int) bool { return n < -2 }))
	require.Equal(t, 4, Last(-7, 5, func(n int) bool { return n < 5 }))
}
