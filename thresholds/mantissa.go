package thresholds

import (
	"math"
	"math/bits"

	"github.com/cellwarden/cellwarden/cells"
)

// Mantissa is how many bits a chip keeps of a threshold: it stores a mantissa
// of so many bits and an exponent of two, so that the limit in hardware is not
// always the one that was asked for. From 1 to 62; fewer than 1 count as 1.
type Mantissa int

// Split returns the mantissa and the exponent of n rounded down. Numbers that
// fit the mantissa are exact, with exponent 0; n below 0 counts as 0.
func (m Mantissa) Split(n cells.Count) (mantissa int64, exponent int) {
	n = max(n, 0)
	exponent = max(bits.Len64(uint64(n))-max(int(m), 1), 0)
	return int64(n) >> exponent, exponent
}

// Down returns the largest number not above n that the chip can store.
func (m Mantissa) Down(n cells.Count) cells.Count {
	mantissa, exponent := m.Split(n)
	return cells.Count(mantissa << exponent)
}

// Up returns the smallest number not below n that the chip can store; beyond
// int64 it saturates.
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
