// Package exact computes with fractions of 128-bit numerators, for formulas that their sources compute in floating
// point. A result is the same on every machine and is rounded once, where the source rounds. [Last] is for whole
// numbers that no formula gives.
package exact

import (
	"math"
	"math/bits"
)

// Ratio is an exact non-negative fraction with a numerator of 128 bits, for formulas that their sources compute in
// floating point: the exact value is the same on every machine, and is rounded once, where the source rounds. A result
// beyond its range stays marked as such and rounds to the largest int64. The zero Ratio has no denominator; start with
// [Whole], [Of] or [Over].
type Ratio struct {
	hi, lo uint64
	den    uint64
	over   bool
}

// Whole returns n, which must not be negative.
func Whole[T ~int64 | ~int](n T) Ratio { return Of(int64(n), 1) }

// Of returns n/d for n >= 0 and d > 0.
func Of(n, d int64) Ratio {
	if n < 0 || d <= 0 {
		panic("exact: a fraction of negative parts")
	}
	return Ratio{lo: uint64(n), den: uint64(d)}
}

// Times returns f * n/d.
func (f Ratio) Times(n, d int64) Ratio {
	num, den := uint64(n), uint64(d)
	if g := GCD(num, den); g > 1 {
		num, den = num/g, den/g
	}
	if g := GCD(num, f.den); g > 1 {
		num, f.den = num/g, f.den/g
	}
	if g := GCD(bits.Rem64(f.hi, f.lo, den), den); g > 1 && f.hi < g {
		f.lo, _ = bits.Div64(f.hi, f.lo, g)
		f.hi, den = 0, den/g
	}
	return f.timesUnreduced(num, den)
}

// Plus returns f + g.
func (f Ratio) Plus(g Ratio) Ratio {
	if f.den != g.den {
		common := GCD(f.den, g.den)
		up, down := int64(g.den/common), int64(f.den/common)
		f, g = f.widen(up), g.widen(down)
	}
	lo, carry := bits.Add64(f.lo, g.lo, 0)
	hi, carry := bits.Add64(f.hi, g.hi, carry)
	return Ratio{hi, lo, f.den, f.over || g.over || carry != 0}
}

// widen multiplies numerator and denominator by k.
func (f Ratio) widen(k int64) Ratio {
	den := f.den
	f.den = 1
	f = f.Times(k, 1)
	more, d := bits.Mul64(den, uint64(k))
	f.den, f.over = d, f.over || more != 0
	return f
}

// IsSet tells f from the zero Ratio, which is no number.
func (f Ratio) IsSet() bool { return f.den != 0 }

// Ceil returns f rounded up to a whole number.
func (f Ratio) Ceil() int64 {
	lo, carry := bits.Add64(f.lo, f.den-1, 0)
	hi := f.hi + carry
	if f.over || hi >= f.den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, f.den)
	return int64(min(q, math.MaxInt64))
}

// Floor returns f rounded down.
func (f Ratio) Floor() int64 {
	if f.over || f.hi >= f.den {
		return math.MaxInt64
	}
	q, _ := bits.Div64(f.hi, f.lo, f.den)
	return int64(min(q, math.MaxInt64))
}

// Float returns the float64 next to f.
func (f Ratio) Float() float64 { return (float64(f.hi)*(1<<64) + float64(f.lo)) / float64(f.den) }

// CeilTo returns f rounded up to a multiple of k.
func (f Ratio) CeilTo(k int64) int64 {
	n := f.Ceil()
	if n > math.MaxInt64-k {
		return math.MaxInt64
	}
	return (n + k - 1) / k * k
}

// GCD returns the greatest common divisor of two numbers; that of 0 and a number is the number.
func GCD(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Over returns a x b / den over a common denominator, not reduced, for a x b below 2^64 and den a divisor of common.
// Fractions over one denominator add up without a greatest common divisor, which is most of the time that they take.
func Over(a, b, den, common int64) Ratio {
	hi, lo := bits.Mul64(uint64(a)*uint64(b), uint64(common/den))
	return Ratio{hi: hi, lo: lo, den: uint64(common)}
}

// TimesRatio returns f x g, not reduced, for g below 2^64 parts.
func (f Ratio) TimesRatio(g Ratio) Ratio { return f.timesUnreduced(g.lo, g.den) }

// Grown returns f + f x by + n, not reduced, for by below 2^64 parts.
func (f Ratio) Grown(by Ratio, n int64) Ratio {
	f = f.timesUnreduced(by.lo+by.den, by.den)
	hi, lo := bits.Mul64(uint64(n), f.den)
	return f.Plus(Ratio{hi: hi, lo: lo, den: f.den})
}

// timesUnreduced returns f x n/d, not reduced.
func (f Ratio) timesUnreduced(n, d uint64) Ratio {
	carry, lo := bits.Mul64(f.lo, n)
	over, hi := bits.Mul64(f.hi, n)
	hi, c := bits.Add64(hi, carry, 0)
	more, den := bits.Mul64(f.den, d)
	return Ratio{hi, lo, den, f.over || over != 0 || c != 0 || more != 0}
}
