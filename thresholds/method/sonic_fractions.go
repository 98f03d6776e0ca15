package method

import "github.com/cellwarden/cellwarden/internal/exact"

// sonicDen is a common denominator of every term of SONiC's sum: a cable's 198
// x 4000 and 198 x 4096, a delay's 500 x 8000 and 500 x 8192, a hundredth of a
// KiB, and the differences between speeds. Terms over it can be added without
// being reduced.
//
// The largest accepted propagation, below 2^40 bytes, and the largest
// occupancy, 2^34 over 2^28, give a numerator below 2^111 and a denominator
// below 2^64.
const sonicDen = 1 << 15 * 99 * 15625

// sonicOver returns a x b / den over sonicDen. a x b must be below 2^64, and
// den a divisor of sonicDen.
func sonicOver[T ~int64](a T, b, den int64) exact.Ratio {
	return exact.Over(int64(a), b, den, sonicDen)
}
