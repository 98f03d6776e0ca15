package unit_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

func Example() {
	speed, _ := unit.ParseBitRate("400G")
	cable, _ := unit.ParseLength("0.3km")
	_, err := unit.ParseBitRate("400")
	fmt.Println(speed, cable, speed.BitsIn(1500*unit.Nanosecond), "bits in 1.5us")
	fmt.Println(err)
	// Output:
	// 400G 300m 600000 bits in 1.5us
	// "400" is not a bit rate: it has no unit (want T, G, M, Tb/s, Gb/s, Mb/s, b/s, Tbps, Gbps, Mbps, bps; for example 400G)
}

func TestTextFormsRoundTrip(t *testing.T) {
	cases := []struct {
		text string
		got  func(string) (fmt.Stringer, error)
		want fmt.Stringer
		out  string
	}{
		{"9216B", parse(unit.ParseBytes), unit.Bytes(9216), "9216B"},
		{"1.5KiB", parse(unit.ParseBytes), unit.Bytes(1536), "1536B"},
		{"19KiB", parse(unit.ParseBytes), unit.Bytes(19456), "19456B"},
		{"10MB", parse(unit.ParseBytes), unit.Bytes(10_000_000), "10000000B"},
		{"1.5KB", parse(unit.ParseBytes), unit.Bytes(1500), "1500B"},
		{"2GB", parse(unit.ParseBytes), unit.Bytes(2_000_000_000), "2000000000B"},
		{"400G", parse(unit.ParseBitRate), 400 * unit.Gbps, "400G"},
		{"1.6T", parse(unit.ParseBitRate), 1600 * unit.Gbps, "1.6T"},
		{"2500 Mb/s", parse(unit.ParseBitRate), 2500 * unit.Mbps, "2.5G"},
		{"300m", parse(unit.ParseLength), 300 * unit.Metre, "300m"},
		{"10km", parse(unit.ParseLength), 10 * unit.Kilometre, "10km"},
		{"50cm", parse(unit.ParseLength), 500 * unit.Millimetre, "500mm"},
		{"1.5us", parse(unit.ParseTime), 1500 * unit.Nanosecond, "1.5us"},
		{"5%", parse(unit.ParsePercent), 5 * unit.OnePercent, "5%"},
		{"0.25%", parse(unit.ParsePercent), unit.Percent(25), "0.25%"},
	}
	for _, c := range cases {
		got, err := c.got(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
		require.Equal(t, c.out, got.String())
		again, err := c.got(got.String())
		require.NoError(t, err, c.text)
		require.Equal(t, got, again, c.text)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{"", "it is empty"}, {"9216", "it has no unit"}, {"-1B", "it is negative"},
		{"9kb", `"kb" is not one of its units`}, {"B", "it does not begin with a number"},
		{"1.B", `"1." is not a decimal number`}, {".5KiB", `".5" is not a decimal number`},
		{"1.2.3B", `"1.2.3" is not a decimal number`}, {"0.5B", "it is finer than the smallest unit"},
		{"0.0001KiB", "it is finer than the smallest unit"},
		{"9223372036854775808B", "it is too large"}, {"9007199254740992KiB", "it is too large"},
		{"1e3B", `"e3B" is not one of its units`},
	} {
		_, err := unit.ParseBytes(c.text)
		var pe *unit.ParseError
		require.ErrorAs(t, err, &pe, c.text)
		require.Equal(t, c.reason, pe.Reason, c.text)
	}
	_, err := unit.ParseBitRate("9223372.9T")
	require.ErrorContains(t, err, "too large")
	_, err = unit.ParseTime("0.1ps")
	require.ErrorContains(t, err, "finer")
}

// BitsIn must equal exact arithmetic, at the edges of int64 too.
func TestBitsInIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		r, d := rng.Int64N(1<<rng.IntN(62)+1)+1, rng.Int64N(1<<rng.IntN(62)+1)+1
		want := new(big.Int).Mul(big.NewInt(r), big.NewInt(d))
		want.Add(want, big.NewInt(int64(unit.Second)-1)).Div(want, big.NewInt(int64(unit.Second)))
		if !want.IsInt64() {
			want.SetInt64(math.MaxInt64)
		}
		require.Equal(t, want.Int64(), unit.BitRate(r).BitsIn(unit.Time(d)), "%d %d", r, d)
	}
	require.EqualValues(t, math.MaxInt64, unit.BitRate(math.MaxInt64).BitsIn(math.MaxInt64))
	require.Zero(t, unit.BitRate(-1).BitsIn(5))
}

func TestPercentOfRoundsUp(t *testing.T) {
	require.EqualValues(t, 4033, (20 * unit.OnePercent).Of(20165))
	require.EqualValues(t, 1, unit.Percent(1).Of(3))
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"9216B", "1.5KiB", "9223372.9T", "0.000000000001s", "300m", "20%", "-1m", "KB",
		"1..2B", "９B", "9223372036854775807B", "0.9999999999GiB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		check(t, s, unit.ParseBytes)
		check(t, s, unit.ParseBitRate)
		check(t, s, unit.ParseLength)
		check(t, s, unit.ParseTime)
		check(t, s, unit.ParsePercent)
	})
}

// check requires of whatever parses that it is not negative and survives its own text form.
func check[T interface {
	~int64
	fmt.Stringer
}](t *testing.T, s string, p func(string) (T, error)) {
	v, err := p(s)
	if err != nil {
		return
	}
	require.GreaterOrEqual(t, int64(v), int64(0))
	again, err := p(v.String())
	require.NoError(t, err, "%q -> %q", s, v)
	require.Equal(t, v, again)
}

func parse[T fmt.Stringer](p func(string) (T, error)) func(string) (fmt.Stringer, error) {
	return func(s string) (fmt.Stringer, error) { v, err := p(s); return v, err }
}

// TimeWithin never returns a time in which more bits pass than it is given.
func TestTimeWithin(t *testing.T) {
	for _, rate := range []unit.BitRate{7, unit.Mbps, 3 * unit.Gbps, 1600 * unit.Gbps} {
		for n := int64(0); n < 5000; n += 13 {
			within := rate.TimeWithin(n)
			require.LessOrEqual(t, rate.BitsIn(within), n, "%v %d", rate, n)
			require.LessOrEqual(t, rate.TimeFor(n)-within, unit.Picosecond)
		}
	}
	require.Zero(t, unit.Gbps.TimeWithin(-1))
}

// The least number of a quantity has no positive counterpart.
func TestLeastNumbers(t *testing.T) {
	for _, q := range []fmt.Stringer{unit.Bytes(math.MinInt64), unit.BitRate(math.MinInt64), unit.Length(math.MinInt64),
		unit.Time(math.MinInt64), unit.Percent(math.MinInt64)} {
		require.Regexp(t, `^-9[0-9.]+[a-zA-Z%]+$`, q.String())
	}
}
