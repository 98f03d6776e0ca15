package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Fit is the straight line through the rows of one speed: a base and bytes for
// each metre of cable, by least squares of xoff over length. It is computed in
// fractions and rounded for print, so that it is the same on every machine.
type Fit struct {
	Rate        unit.BitRate
	Base        unit.Bytes  // xoff at no length, to the nearest byte; may be negative
	PerMetre    Thousandths // bytes for each metre
	MaxResidual Thousandths // the farthest row from the line, in percent of that row's xoff
	Reading     string      // what the slope may mean
	Doubt       error       // why no new row follows from it: one of the errors below; nil: nothing

	rows       []Row // by length
	base, each *big.Rat
	round      unit.Bytes
}

// Thousandths is a decimal number with three digits after the point.
type Thousandths int64

// String prints all three digits: "378.000".
func (n Thousandths) String() string {
	sign, m := "", uint64(n)
	if n < 0 {
		sign, m = "-", -m
	}
	return fmt.Sprintf("%s%d.%03d", sign, m/1000, m%1000)
}

// MarshalJSON writes a number.
func (n Thousandths) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// Fits lays a line through every speed of the table, slowest first. The cell is
// the chip's; 0 says that it is not known: then the slope is compared with the
// cell that the table's values are multiples of, or else with those of known
// chips, and new rows are rounded up to Grain.
func (t *Table) Fits(cell cells.Size) []Fit {
	grain := t.Grain(cell)
	if cell == 0 {
		cell = cellOf(grain)
	}
	all := seriesOf(t.Rows)
	fits := make([]Fit, len(all))
	for i, s := range all {
		fits[i] = fitOf(s)
		fits[i].round = grain
		fits[i].Reading = fits[i].read(cell)
		if fits[i].Doubt == nil && strings.HasPrefix(fits[i].Reading, "no known factor") {
			fits[i].Reading += sameAsFaster(s, all[i+1:], cell)
		}
	}
	return fits
}

// Grain is what new rows are rounded up to a multiple of: the cell or, if that
// is 0, the greatest common divisor of three or more values of xoff, unless it
// is larger than any cell.
func (t *Table) Grain(cell cells.Size) unit.Bytes {
	if cell > 0 {
		return unit.Bytes(cell)
	}
	common := uint64(0)
	values := map[unit.Bytes]bool{}
	for _, r := range t.Rows {
		common, values[r.XOFF] = exact.GCD(common, uint64(r.XOFF)), true
	}
	const largestCell = 4096
	if len(values) < 3 || common > largestCell {
		return 1
	}
	return max(1, unit.Bytes(common))
}

// seriesOf returns the rows of each speed, speeds and lengths in rising order.
func seriesOf(rows []Row) [][]Row {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted,
		func(a, b Row) int { return cmp.Or(cmp.Compare(a.Rate, b.Rate), cmp.Compare(a.Cable, b.Cable)) })
	var out [][]Row
	for i, r := range sorted {
		if i == 0 || r.Rate != sorted[i-1].Rate {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

// isFlat tells whether several lengths have the same xoff.
func isFlat(s []Row) bool {
	return len(s) > 1 && allEqual(s, func(r Row) int64 { return int64(r.XOFF) })
}

// shrinks returns the first row with less xoff than the one before; 0: none.
func shrinks(s []Row) int {
	for i := 1; i < len(s); i++ {
		if s[i].XOFF < s[i-1].XOFF {
			return i
		}
	}
	return 0
}

// fitOf lays the line through the rows of one speed, which are in the order of
// their lengths. With n rows, x the length in millimetres and y the xoff:
//
//	each = (n Sxy - Sx Sy) / (n Sxx - Sx Sx)    base = (Sy - each Sx) / n
func fitOf(s []Row) Fit {
	f := Fit{Rate: s[0].Rate, rows: s, each: new(big.Rat)}
	n, sx, sy, sxx, sxy := integer(int64(len(s))), new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for _, r := range s {
		x, y := integer(int64(r.Cable)), integer(int64(r.XOFF))
		sx.Add(sx, x)
		sy.Add(sy, y)
		sxx.Add(sxx, product(x, x))
		sxy.Add(sxy, product(x, y))
	}
	if spread := new(big.Int).Sub(product(n, sxx), product(sx, sx)); spread.Sign() > 0 {
		f.each.SetFrac(new(big.Int).Sub(product(n, sxy), product(sx, sy)), spread)
	}
	f.base = new(big.Rat).SetInt(sx)
	f.base.Sub(new(big.Rat).SetInt(sy), f.base.Mul(f.base, f.each))
	f.base.Quo(f.base, new(big.Rat).SetInt(n))
	f.Base = unit.Bytes(rounded(f.base, 1))
	f.PerMetre = Thousandths(rounded(f.each, 1000*int64(unit.Metre)))
	f.MaxResidual = f.residual()
	f.Doubt = f.doubt()
	return f
}

func integer(n int64) *big.Int       { return big.NewInt(n) }
func product(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
func fraction(n, d int64) *big.Rat   { return big.NewRat(n, d) }
func (f *Fit) line(l unit.Length) *big.Rat {
	x := fraction(int64(l), 1)
	return x.Add(x.Mul(x, f.each), f.base)
}

// doubt says why a series is not to be trusted beyond its rows.
func (f *Fit) doubt() error {
	s := f.rows
	switch i := shrinks(s); {
	case len(s) == 1:
		return ErrOneLength
	case isFlat(s):
		return ErrFlat
	case i > 0:
		return fmt.Errorf("%w: %v over %v, %v over %v", ErrContradictory, s[i-1].XOFF, s[i-1].Cable, s[i].XOFF,
			s[i].Cable)
	case f.propagation().Cmp(fraction(95, 100)) < 0:
		return fmt.Errorf("%w: the slope is %v of what light takes", ErrContradictory,
			Thousandths(rounded(f.propagation(), 1000)))
	}
	return nil
}

// propagation returns the slope in multiples of what light takes, there and
// back: 2 x 5 ps x rate / 8 bytes for each millimetre.
func (f *Fit) propagation() *big.Rat {
	return new(big.Rat).Quo(f.each, fraction(int64(f.Rate), 8*int64(unit.Second)/10))
}

// residual returns the largest distance of a row from the line, in percent of
// the row's xoff; an xoff of 0 counts as one byte.
func (f *Fit) residual() Thousandths {
	var most Thousandths
	for _, r := range f.rows {
		most = max(most, offBy(f.line(r.Cable), r.XOFF))
	}
	return most
}

// OffBy returns how far the line is from an xoff at a length, in percent of that
// xoff: what a prediction misses when the row was kept back.
func (f *Fit) OffBy(cable unit.Length, xoff unit.Bytes) Thousandths {
	return offBy(f.line(cable), xoff)
}

// offBy returns how far a value is from a true one, in percent of the latter.
func offBy(value *big.Rat, truth unit.Bytes) Thousandths {
	d := new(big.Rat).Sub(value, fraction(int64(truth), 1))
	d.Quo(d.Abs(d), fraction(max(1, int64(truth)), 1))
	return Thousandths(rounded(d, 100*1000))
}

// rounded returns x times scale to the nearest whole number, halves up; what
// int64 cannot hold becomes the nearest that it can.
func rounded(x *big.Rat, scale int64) int64 {
	num := product(x.Num(), integer(2*scale))
	num.Add(num, x.Denom())
	num.Div(num, product(x.Denom(), integer(2))) // towards minus infinity: the denominator is positive
	switch {
	case num.IsInt64():
		return num.Int64()
	case num.Sign() < 0:
		return math.MinInt64
	default:
		return math.MaxInt64
	}
}

// roundedUp returns the smallest whole number that is not less than x.
func roundedUp(x *big.Rat) *big.Int {
	num := new(big.Int).Neg(x.Num())
	return num.Neg(num.Div(num, x.Denom()))
}

// NewRow is a row for a length that may not be in the table.
type NewRow struct {
	Row
	FromTable bool     // the table has it; it is given unchanged
	Notes     []string // why it is not what the line says
}

// At returns the row for a length. If the table has it, that is it. Otherwise
// xoff is what the line says, rounded up to the table's grain, but never less
// than LightFloor or than a shorter cable has; threshold, xon and xon_offset are
// those of the row next in length, the longer of two; so is the size, unless it
// moves with xoff. A series in Doubt is refused; with force its line is used all
// the same, except that of a single length.
func (f *Fit) At(cable unit.Length, force bool) (NewRow, error) {
	if cable < 0 || cable > thresholds.MaxCable {
		return NewRow{}, fmt.Errorf("cable %v is not between 0m and %v", cable, thresholds.MaxCable)
	}
	i := slices.IndexFunc(f.rows, func(r Row) bool { return r.Cable == cable })
	switch {
	case i >= 0:
		return NewRow{Row: f.rows[i], FromTable: true}, nil
	case errors.Is(f.Doubt, ErrOneLength), f.Doubt != nil && !force:
		return NewRow{}, fmt.Errorf("%v over %v: no row follows from a series that is %w", f.Rate, cable, f.Doubt)
	}
	up := roundedUp(f.line(cable))
	if !up.IsInt64() || up.Int64() > mostBytes {
		return NewRow{}, fmt.Errorf("%v over %v: the line gives more than %v", f.Rate, cable, unit.Bytes(mostBytes))
	}
	row := NewRow{Row: f.nearest(cable)}
	if f.Doubt != nil {
		row.Notes = append(row.Notes, fmt.Sprintf("forced: %v", f.Doubt))
	}
	if f.MaxResidual > 10*1000 {
		row.Notes = append(row.Notes, fmt.Sprintf("the line misses a row of the table by %v %%", f.MaxResidual))
	}
	xoff := row.notUnder(unit.Bytes(max(0, up.Int64())), f.shorter(cable), LightFloor(f.Rate, cable))
	xoff = (xoff + f.round - 1) / f.round * f.round
	if allEqual(f.rows, sizeOverXOFF) && row.Size >= row.XOFF {
		row.Size += xoff - row.XOFF
	}
	row.XOFF, row.Cable, row.Line = xoff, cable, 0
	return row, nil
}

// notUnder raises xoff to its two bounds and notes it.
func (r *NewRow) notUnder(xoff, shorter, light unit.Bytes) unit.Bytes {
	if xoff < shorter {
		r.Notes = append(r.Notes, fmt.Sprintf("the line gives %v; raised to the %v of a shorter cable", xoff, shorter))
		xoff = shorter
	}
	if xoff < light {
		r.Notes = append(r.Notes, fmt.Sprintf("the line gives %v; raised to the %v that can be in flight", xoff, light))
		xoff = light
	}
	return xoff
}

// nearest returns the row next in length.
func (f *Fit) nearest(cable unit.Length) Row {
	near := f.rows[0]
	for _, r := range f.rows {
		if max(r.Cable-cable, cable-r.Cable) <= max(near.Cable-cable, cable-near.Cable) {
			near = r
		}
	}
	return near
}

// shorter returns the largest xoff of the shorter cables.
func (f *Fit) shorter(cable unit.Length) unit.Bytes {
	var most unit.Bytes
	for _, r := range f.rows {
		if r.Cable < cable {
			most = max(most, r.XOFF)
		}
	}
	return most
}

// knownCells are the cells of chips whose tables have been seen; nvidiaCells
// are those of Spectrum, whose tables come from a formula of their own.
var (
	knownCells  = []cells.Size{80, 96, 144, 192, 208, 254, 256, 318, 416, 420}
	nvidiaCells = []cells.Size{96, 144, 192, 256}
)
