package thresholds

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
)

// Fraction is an exact number that is not negative, in lowest terms: the result
// of a closed form before it is rounded. The zero Fraction is 0.
type Fraction struct{ Num, Den int64 }

// FractionOf returns n/d in lowest terms, for n not below 0 and d above 0.
func FractionOf(n, d int64) Fraction {
	g := int64(exact.GCD(uint64(n), uint64(d)))
	return Fraction{n / g, d / g}
}

// den returns the denominator; that of the zero Fraction is 1.
func (f Fraction) den() int64 { return max(f.Den, 1) }

// Floor returns the number rounded down.
func (f Fraction) Floor() int64 { return f.Num / f.den() }

// Ceil returns the number rounded up.
func (f Fraction) Ceil() int64 {
	n := f.Floor()
	if f.Num%f.den() != 0 {
		n++
	}
	return n
}

// Less tells whether f is below g.
func (f Fraction) Less(g Fraction) bool {
	hi, lo := bits.Mul64(uint64(f.Num), uint64(g.den()))
	ghi, glo := bits.Mul64(uint64(g.Num), uint64(f.den()))
	return hi < ghi || hi == ghi && lo < glo
}

// Plus returns f + n. The result must fit int64.
func (f Fraction) Plus(n cells.Count) Fraction {
	return Fraction{f.Num + int64(n)*f.den(), f.den()}
}

// Times returns f * n without rounding.
func (f Fraction) Times(n int64) exact.Ratio { return exact.Of(f.Num, f.den()).Times(n, 1) }

// String returns the fraction: "13083/2", "6541".
func (f Fraction) String() string {
	if f.den() == 1 {
		return strconv.FormatInt(f.Num, 10)
	}
	return fmt.Sprintf("%d/%d", f.Num, f.Den)
}

// Decimal returns the number with 0 to 9 decimals, rounded half up.
func (f Fraction) Decimal(places int) string {
	places = min(max(places, 0), 9)
	scale := int64(1)
	for range places {
		scale *= 10
	}
	rest := exact.Of(f.Num%f.den(), f.den()).Times(scale, 1).Plus(exact.Of(1, 2)).Floor()
	digits := strconv.FormatInt(rest%scale, 10)
	whole := strconv.FormatInt(f.Floor()+rest/scale, 10)
	if places == 0 {
		return whole
	}
	return whole + "." + strings.Repeat("0", places-len(digits)) + digits
}
