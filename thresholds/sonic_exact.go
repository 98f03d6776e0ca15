package thresholds

import "math/bits"

// sonicDen is a denominator that every term of SONiC's sum has: a cable's
// 198 x 4000 and 198 x 4096, a delay's 500 x 8000 and 500 x 8192, a hundredth
// of a KiB, and the differences between speeds. Terms over it add up without
// being reduced, which is most of the time that fractions take.
//
// The largest propagation that is accepted, below 2^40 bytes, and the largest
// occupancy, 2^34 over 2^28, make a numerator below 2^111 and a denominator
// below 2^64.
const sonicDen = 1 << 15 * 99 * 15625

// sonicOver returns a x b / den over sonicDen, for a x b below 2^64 and den a
// divisor of sonicDen.
func sonicOver[T ~int64](a T, b, den int64) frac {
	hi, lo := bits.Mul64(uint64(a)*uint64(b), uint64(sonicDen/den))
	return frac{hi: hi, lo: lo, den: sonicDen}
}

// sonicTimes returns f x n/d, not reduced.
func sonicTimes(f frac, n, d uint64) frac {
	carry, lo := bits.Mul64(f.lo, n)
	over, hi := bits.Mul64(f.hi, n)
	hi, c := bits.Add64(hi, carry, 0)
	more, den := bits.Mul64(f.den, d)
	return frac{hi, lo, den, f.over || over != 0 || c != 0 || more != 0}
}

// sonicGrown returns f + f x by + n.
func sonicGrown[T ~int64](f, by frac, n T) frac {
	f = sonicTimes(f, by.lo+by.den, by.den)
	hi, lo := bits.Mul64(uint64(n), f.den)
	return f.plus(frac{hi: hi, lo: lo, den: f.den})
}
