package table

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// factor is a possible meaning of a slope: a multiple of what light needs,
// which is 2 x 5 ns/m x rate / 8 bytes per metre.
type factor struct {
	num, den int64
	within   int64 // largest distance of a slope, in percent of the factor
	text     string
}

// rat returns the factor as a fraction.
func (f factor) rat() *big.Rat { return big.NewRat(f.num, f.den) }

// cellOf returns the largest known cell that divides a table's grain; 0 if no cell does, or if the table is rounded to
// KiB, which says nothing about cells.
func cellOf(grain unit.Bytes) cells.Size {
	for _, c := range slices.Backward(knownCells) {
		if grain%512 != 0 && int64(grain)%int64(c) == 0 {
			return c
		}
	}
	return 0
}

// factorsOf returns the possible meanings of a slope. With the chip's cell a distance of 2 % is accepted, because
// vendors round. Among all known cells 1 % is accepted, because they are close together. The first of equal factors
// counts.
func factorsOf(cell cells.Size) []factor {
	general := []factor{
		{1, 1, 5, "1, propagation alone: long frames, which waste little of their cells"},
		{4, 1, 1, "4, the factor of a table that several vendors ship; no source says why"},
		{208 * 569, 84 * 500, 1, "208/84 at 5.69 ns/m (inferred: no source says so)"},
	}
	if cell > 0 {
		own := []cells.Size{cell}
		return append(cellFactors(own, own, 2), general...)
	}
	return append(general, cellFactors(knownCells, nvidiaCells, 1)...)
}

// cellFactors are the factors that follow from cells. SONiC's plug-in for Spectrum computes with light at 198,000 km/s,
// which is 100/99 of 5 ns/m, and with small packets that grow by cell/64 or, where two cells can hold a packet of cell
// + 1 bytes, by 2 cell / (cell + 1).
func cellFactors(some, nvidia []cells.Size, within int64) []factor {
	var out []factor
	for _, c := range some {
		out = append(out, factor{int64(c), 84, within, fmt.Sprintf(
			"%d/84, every 64-byte frame and its gap takes one %d-byte cell", c, c)},
			factor{int64(c), 64, within, fmt.Sprintf(
				"%d/64, every 64-byte frame takes one %d-byte cell, gaps not counted", c, c)})
	}
	for _, c := range nvidia {
		num, den, text := int64(c), int64(64), fmt.Sprintf("%d/64", c)
		if c <= 128 {
			num, den, text = 2*int64(c), int64(c)+1, fmt.Sprintf("%d/%d", 2*c, c+1)
		}
		out = append(out, factor{num * 100, den * 99, within,
			text + " at 198,000 km/s, all packets small, in SONiC's formula for Spectrum"},
			factor{(num + den) * 50, den * 99, within, "the mean of 1 and " + text +
				" at 198,000 km/s, half the bytes in small packets, in SONiC's formula for Spectrum"})
	}
	return out
}

// read names the factor nearest to the slope.
func (f *Fit) read(cell cells.Size) string {
	if f.Doubt != nil {
		return f.Doubt.Error()
	}
	times := f.propagation()
	factors := factorsOf(cell)
	best := slices.MinFunc(factors,
		func(a, b factor) int { return relativeDistance(times, a).Cmp(relativeDistance(times, b)) })
	value := Thousandths(rounded(times, 1000))
	switch exact := Thousandths(rounded(best.rat(), 1000)); {
	case relativeDistance(times, best).Cmp(big.NewRat(best.within, 100)) > 0:
		return fmt.Sprintf("no known factor: %v times propagation", value)
	case value == exact:
		return fmt.Sprintf("%v: %s", value, best.text)
	default:
		return fmt.Sprintf("%v: near %v, %s", value, exact, best.text)
	}
}

// relativeDistance returns the distance of x from a factor, as a fraction of the factor.
func relativeDistance(x *big.Rat, f factor) *big.Rat {
	d := new(big.Rat).Sub(x, f.rat())
	return d.Quo(d.Abs(d), f.rat())
}

// sameAsFaster names a faster speed with the same rows, and reads its slope. A
// port of 10G on a lane of 25G often has the lane's rows.
func sameAsFaster(s []Row, faster [][]Row, cell cells.Size) string {
	for _, other := range faster {
		if slices.EqualFunc(s, other, func(a, b Row) bool { return a.Cable == b.Cable && a.XOFF == b.XOFF }) {
			f := fitOf(other)
			return fmt.Sprintf("; same rows as %v, %s", f.Rate, f.read(cell))
		}
	}
	return ""
}

// knownCells are the cell sizes of chips with known tables. nvidiaCells are
// those of Spectrum, whose tables were made with a formula of their own.
var (
	knownCells  = []cells.Size{80, 96, 144, 192, 208, 254, 256, 318, 416, 420}
	nvidiaCells = []cells.Size{96, 144, 192, 256}
)
