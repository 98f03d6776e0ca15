package thresholds

import (
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
)

// Mantissa is the number of bits that a chip keeps of a threshold. The chip stores a mantissa of n bits and an exponent
// of two, so the limit in the hardware can differ from the configured one. It is 1 to 62; less than 1 counts as 1.
type Mantissa int

// Split returns the mantissa and the exponent of n, rounded down. A number that
// fits the mantissa is exact and has the exponent 0. A negative n counts as 0.
func (m Mantissa) Split(n cells.Count) (mantissa int64, exponent int) {
	n = max(n, 0)
	exponent = max(bits.Len64(uint64(n))-max(int(m), 1), 0)
	return int64(n) >> exponent, exponent
}

// Down returns the largest number that the chip can store and that is not above n.
func (m Mantissa) Down(n cells.Count) cells.Count {
	mantissa, exponent := m.Split(n)
	return cells.Count(mantissa << exponent)
}

// Up returns the smallest number that the chip can store and that is not below n. It saturates at the largest int64.
func (m Mantissa) Up(n cells.Count) cells.Count {
	down := m.Down(n)
	if down >= n {
		return down
	}
	_, exponent := m.Split(n)
	if down > math.MaxInt64-1<<exponent {
		return math.MaxInt64
	}
	return down + 1<<exponent
}
