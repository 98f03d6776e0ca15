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
			back, fits := pfc.QuantaFor(pfc.Duration(q, c.rate), c.rate)
			require.True(t, fits)
			require.Equal(t, q, back, "%v", c.rate)
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

func TestQuantaForRoundsUp(t *testing.T) {
	for _, c := range []struct {
		t      unit.Time
		rate   unit.BitRate
		quanta uint16
		fits   bool
	}{
		{0, unit.Gbps, 0, true}, {-5, unit.Gbps, 0, true}, {0, 0, 0, true}, {1, 0, pfc.MaxQuanta, false},
		{1, -1, pfc.MaxQuanta, false},
		{1, 40 * unit.Gbps, 1, true}, {12800, 40 * unit.Gbps, 1, true}, {12801, 40 * unit.Gbps, 2, true},
		{838_848 * unit.Nanosecond, 40 * unit.Gbps, pfc.MaxQuanta, true},
		{838_848*unit.Nanosecond + 1, 40 * unit.Gbps, pfc.MaxQuanta, false},
		{17067, 30 * unit.Gbps, 1, true}, {17068, 30 * unit.Gbps, 2, true},
		{math.MaxInt64, unit.Gbps, pfc.MaxQuanta, false},
	} {
		quanta, fits := pfc.QuantaFor(c.t, c.rate)
		require.Equal(t, c.quanta, quanta, "%+v", c)
		require.Equal(t, c.fits, fits, "%+v", c)
	}
}

func FuzzQuantaFor(f *testing.F) {
	f.Add(int64(12801), int64(40*unit.Gbps))
	f.Add(int64(math.MaxInt64), int64(1))
	f.Add(int64(1), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, ps, bps int64) {
		at, rate := unit.Time(ps), unit.BitRate(bps)
		q, fits := pfc.QuantaFor(at, rate)
		require.Equal(t, fits, at <= 0 || pfc.Duration(q, rate) >= at)
		if q > 0 && fits {
			require.Less(t, pfc.Duration(q-1, rate), at, "one fewer is too short")
		}
	})
}

// A million frames in a second are 512 Mb/s of frames, as one text says, but
// they take 672 Mb/s of the link.
func TestMillionFrames(t *testing.T) {
	require.EqualValues(t, 512*unit.Mbps, 1_000_000*pfc.FrameBits)
	require.EqualValues(t, 672*unit.Mbps, 1_000_000*pfc.WireBits)
	require.EqualValues(t, 64, pfc.FrameBytes)
}
