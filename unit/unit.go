package unit

import (
	"math"
	"math/bits"
)

// Bytes is an amount of memory, or of data on a link.
type Bytes int64

// Amounts of memory. There is no KB, on purpose.
const (
	Byte Bytes = 1
	KiB        = 1024 * Byte
	MiB        = 1024 * KiB
	GiB        = 1024 * MiB
)

// BitRate is the speed of a port in bits per second.
type BitRate int64

// Bit rates, in powers of ten as IEEE 802.3 counts them.
const (
	BitPerSecond BitRate = 1
	Kbps                 = 1000 * BitPerSecond
	Mbps                 = 1000 * Kbps
	Gbps                 = 1000 * Mbps
	Tbps                 = 1000 * Gbps
)

// Length is the length of a cable, in millimetres.
type Length int64

// Lengths of cable.
const (
	Millimetre Length = 1
	Metre             = 1000 * Millimetre
	Kilometre         = 1000 * Metre
)

// Time is a span of model time in picoseconds. It is not a time.Duration, whose
// nanosecond is 100 bytes at 800 Gb/s: too coarse for a headroom.
type Time int64

// Spans of model time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Percent is a share in hundredths of a percent: 5% is 500.
type Percent int64

// Shares.
const (
	HundredthPercent Percent = 1
	OnePercent               = 100 * HundredthPercent
	Whole                    = 100 * OnePercent
)

// Of returns this share of n, rounded up, because a minimum must not be understated.
func (p Percent) Of(n int64) int64 { return mulDivUp(n, int64(p), int64(Whole)) }

// BitsIn returns how many bits a port of this rate sends in t, rounded up. IEEE
// 802.3 states delays in such bit times. A result beyond int64 saturates; a
// negative rate or time gives 0.
func (r BitRate) BitsIn(t Time) int64 {
	return mulDivUp(int64(r), int64(t), int64(Second))
}

// TimeFor returns how long a port of this rate takes to send n bits, rounded up to a picosecond. A result beyond int64
// saturates; a negative rate or count gives 0.
func (r BitRate) TimeFor(n int64) Time { return Time(mulDivUp(n, int64(Second), int64(r))) }

// TimeWithin returns the longest time in which a port of this rate sends at most
// n bits: TimeFor rounded down, for bounds that must not be exceeded.
func (r BitRate) TimeWithin(n int64) Time {
	t := r.TimeFor(n)
	if t > 0 && r.BitsIn(t) > n {
		t--
	}
	return t
}

// InBytes returns the number of bytes that hold n bits.
func InBytes(bitCount int64) Bytes { return Bytes((bitCount + 7) / 8) }

// mulDivUp returns ceil(a*b/c), or the largest int64 if that is larger. The
// product has 128 bits: 800 Gb/s times 12 us in picoseconds does not fit 64.
func mulDivUp(a, b, c int64) int64 {
	if a <= 0 || b <= 0 || c <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(c-1), 0)
	hi += carry
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	if q > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(q)
}
