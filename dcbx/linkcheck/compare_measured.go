package linkcheck

import (
	"fmt"

	"github.com/cellwarden/cellwarden/thresholds"
)

// measured compares the measured round trips of the one cable. Both are there and back, so that they are the same
// quantity whichever end measures. A difference above both uncertainties together cannot be chance.
func (r *Result) measured(a, b *End) {
	if !a.Measured.IsGiven() || !b.Measured.IsGiven() {
		r.measuredAgainstLength(a, b)
		r.measuredAgainstLength(b, a)
		return
	}
	long, short := a, b
	if b.Measured.RoundTrip > a.Measured.RoundTrip {
		long, short = b, a
	}
	x, y := long.Measured, short.Measured
	if x.RoundTrip-y.RoundTrip <= x.Uncertainty+y.Uncertainty {
		return
	}
	r.tooShort(a, b, short, measuredDelay, fmt.Sprintf("if the round trip is %v", x.RoundTrip),
		fmt.Sprintf("one cable: %s has %v, %s has %v", long.Name, x, short.Name, y),
		"measure again, and plan both ends with the same measurement")
}

// measuredAgainstLength finds a measurement at one end that the length of the cable at the other end excludes.
func (r *Result) measuredAgainstLength(with, other *End) {
	length, known := other.Cable.Get()
	if !known || !with.Measured.IsGiven() {
		return
	}
	impossible, _ := with.Measured.Against(length, thresholds.Fibre)
	if impossible == "" {
		return
	}
	r.tooShort(with, other, with, measuredDelay, fmt.Sprintf("no signal takes %s; if the length is right", impossible),
		fmt.Sprintf("one cable: %s has %v, %s has %v", with.Name, with.Measured, other.Name, length),
		"measure again, or correct the length")
}
