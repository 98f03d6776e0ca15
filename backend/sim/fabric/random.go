package fabric

import "math/bits"

// mix spreads a number over all bits: the finaliser of splitmix64 (Steele, Lea
// and Flood, OOPSLA 2014). Neighbouring flows get unrelated hashes.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below turns 64 random bits into a number from 0 to n-1.
func below(random uint64, n int64) int64 {
	hi, _ := bits.Mul64(random, uint64(n))
	return int64(hi)
}

// exponential turns 64 random bits into a time with an exponential
// distribution: -mean * ln(u), u in (0, 1]. It uses integers only, so that the
// result is the same on every machine. The whole part of log2 is the number of
// leading zeros, and each squaring of the rest gives one more bit.
func exponential(random uint64, mean int64) int64 {
	u := max(random, 1) // in 2^-64
	whole := bits.LeadingZeros64(u)
	u <<= whole // 1 to 2, in 2^-63
	var part uint64
	for range fraction {
		hi, lo := bits.Mul64(u, u)
		part <<= 1
		if hi>>63 == 1 { // the square is 2 or more
			part |= 1
			u = hi
		} else {
			u = hi<<1 | lo>>63
		}
	}
	log2 := uint64(whole+1)<<fraction - part // -log2(u), in 2^-fraction
	log, _ := bits.Mul64(log2, ln2)
	hi, lo := bits.Mul64(log, uint64(mean))
	return int64(hi<<(64-fraction) | lo>>fraction)
}

// fraction is the number of bits of log2 after the point.
const fraction = 32

// ln2 is the natural logarithm of 2, in 2^-64.
const ln2 = 0xb17217f7d1cf79ab
