package thresholds

import (
	"math"
	"math/bits"
)

// frac is an exact non-negative fraction with a numerator of 128 bits, for
// formulas that their sources compute in floating point: the exact value is
// the same on every machine, and is rounded once, where the source rounds. A
// result beyond its range stays marked as such and rounds to the largest int64.
// The zero frac has no denominator; start with whole or over.
type frac struct {
	hi, lo uint64
	den    uint64
	over   bool
}

// whole returns n, which must not be negative.
func whole[T ~int64 | ~int](n T) frac { return ratioOf(int64(n), 1) }

// ratioOf returns n/d for n >= 0 and d > 0.
func ratioOf(n, d int64) frac {
	if n < 0 || d <= 0 {
		panic("thresholds: a fraction of negative parts")
	}
	return frac{lo: uint64(n), den: uint64(d)}
}

// times returns f * n/d.
func (f frac) times(n, d int64) frac {
	num, den := uint64(n), uint64(d)
	if g := gcd(num, den); g > 1 {
		num, den = num/g, den/g
	}
	if g := gcd(num, f.den); g > 1 {
		num, f.den = num/g, f.den/g
	}
	if g := gcd(bits.Rem64(f.hi, f.lo, den), den); g > 1 && f.hi < g {
		f.lo, _ = bits.Div64(f.hi, f.lo, g)
		f.hi, den = 0, den/g
	}
	hi, lo := bits.Mul64(f.lo, num)
	over, high := bits.Mul64(f.hi, num)
	high, carry := bits.Add64(high, hi, 0)
	more, d64 := bits.Mul64(f.den, den)
	return frac{high, lo, d64, f.over || over != 0 || carry != 0 || more != 0}
}

// plus returns f + g.
func (f frac) plus(g frac) frac {
	if f.den != g.den {
		common := gcd(f.den, g.den)
		up, down := int64(g.den/common), int64(f.den/common)
		f, g = f.widen(up), g.widen(down)
	}
	lo, carry := bits.Add64(f.lo, g.lo, 0)
	hi, carry := bits.Add64(f.hi, g.hi, carry)
	return frac{hi, lo, f.den, f.over || g.over || carry != 0}
}

// widen multiplies numerator and denominator by k.
func (f frac) widen(k int64) frac {
	den := f.den
	f.den = 1
	f = f.times(k, 1)
	more, d := bits.Mul64(den, uint64(k))
	f.den, f.over = d, f.over || more != 0
	return f
}

// ceil returns f rounded up to a whole number.
func (f frac) ceil() int64 {
	lo, carry := bits.Add64(f.lo, f.den-1, 0)
	hi := f.hi + carry
	if f.over || hi >= f.den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, f.den)
	return int64(min(q, math.MaxInt64))
}

// floor returns f rounded down.
func (f frac) floor() int64 {
	if f.over || f.hi >= f.den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(f.hi, f.lo, f.den)
	return int64(min(q, math.MaxInt64))
}

// ceilTo returns f rounded up to a multiple of k.
func (f frac) ceilTo(k int64) int64 {
	n := f.ceil()
	if n > math.MaxInt64-k {
		return math.MaxInt64
	}
	return (n + k - 1) / k * k
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
