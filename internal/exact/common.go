package exact

import "math/bits"

// Over returns a x b / den over a common denominator, not reduced, for a x b
// below 2^64 and den a divisor of common. Fractions over one denominator add up
// without a greatest common divisor, which is most of the time that they take.
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
