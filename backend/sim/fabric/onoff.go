package fabric

import (
	"errors"
	"math/bits"
	"math/rand/v2"

	"github.com/cellwarden/cellwarden/unit"
)

// OnOff makes a flow send and be silent in turn, from its start. A frame that
// has begun is finished.
type OnOff struct {
	On          unit.Time // time in which it may send; 0: always
	Off         unit.Time // time of silence
	Exponential bool      // On and Off are the means of random times
}

// Validate refuses values out of range, with all complaints at once.
func (o OnOff) Validate() error {
	if o == (OnOff{}) {
		return nil
	}
	var bad complaints
	bad.between("on in ps", int64(o.On), int64(shortest), int64(unit.Second)*1000)
	bad.between("off in ps", int64(o.Off), int64(shortest), int64(unit.Second)*1000)
	return errors.Join(bad...)
}

// shortest is the shortest time that is accepted: a flow that alternates faster
// has in effect a lower rate.
const shortest = 100 * unit.Nanosecond

// bursts is the state of an OnOff. Its times are drawn when they are needed.
type bursts struct {
	on, off int64 // 0: always on
	chance  rand.PCG
	random  bool
	begins  int64 // of the present on time
	ends    int64
}

// newBursts returns the state at the flow's start, which begins an on time.
func newBursts(o OnOff, start int64, r rand.PCG) bursts {
	b := bursts{on: int64(o.On), off: int64(o.Off), random: o.Exponential, chance: r, begins: start}
	b.ends = start + b.draw(b.on)
	return b
}

// from returns the first time, at or after a given one, at which the flow may
// send. The given times must not decrease.
func (b *bursts) from(at int64) int64 {
	for at >= b.ends {
		b.begins = b.ends + b.draw(b.off)
		b.ends = b.begins + b.draw(b.on)
	}
	return max(at, b.begins)
}

// draw returns the length of the next time.
func (b *bursts) draw(mean int64) int64 {
	if !b.random {
		return mean
	}
	return max(1, exponential(b.chance.Uint64(), mean))
}

// below turns 64 random bits into a number from 0 to n-1.
func below(random uint64, n int64) int64 {
	hi, _ := bits.Mul64(random, uint64(n))
	return int64(hi)
}

// ln2 is the natural logarithm of 2, in 2^-64.
const ln2 = 0xb17217f7d1cf79ab

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
