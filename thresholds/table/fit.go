package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Fit is the straight line through the rows of one speed, by least squares of xoff over length: a base, and bytes per
// metre of cable. It is computed in fractions and rounded for output, so it is the same on every machine.
type Fit struct {
	Rate        unit.BitRate
	Base        unit.Bytes  // xoff at length 0, to the nearest byte; may be negative
	PerMetre    Thousandths // bytes per metre
	MaxResidual Thousandths // largest distance of a row from the line, in percent of the row's xoff
	Reading     string      // what the slope may mean
	Doubt       error       // why the line gives no new rows: one of the errors below; nil: it does

	rows       []Row // sorted by length
	base, each *big.Rat
	round      unit.Bytes
}

// Why a series of rows gives no row for another length. A series is contradictory if a longer cable has less xoff, or
// if its slope is less than light needs in both directions by more than the 5 % by which cables differ.
var (
	errFlat          = errors.New("flat: all lengths have the same xoff")
	ErrContradictory = errors.New("contradictory")
	errOneLength     = errors.New("one length: no slope")
)

// Thousandths is a decimal number with three digits after the point.
type Thousandths int64

// String returns the number with all three digits: "378.000".
func (n Thousandths) String() string {
	sign, m := "", uint64(n)
	if n < 0 {
		sign, m = "-", -m
	}
	return fmt.Sprintf("%s%d.%03d", sign, m/1000, m%1000)
}

// MarshalJSON returns a number.
func (n Thousandths) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalJSON reads what MarshalJSON writes: a number with at most three digits after the point.
func (n *Thousandths) UnmarshalJSON(data []byte) error {
	whole, digits, _ := strings.Cut(string(data), ".")
	if len(digits) > 3 {
		return fmt.Errorf("%s: want at most three digits after the point", data)
	}
	v, err := strconv.ParseInt(whole+(digits + "000")[:3], 10, 64)
	*n = Thousandths(v)
	return err
}

// Fits returns the line of every speed of the table, slowest speed first. The cell is that of the chip. If it is 0, the
// slope is compared with the cell of which the table's values are multiples, or with those of known chips, and new rows
// are rounded up to Grain.
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

// Grain returns the unit of the xoff of new rows, which are multiples of it: the cell or, if that is 0, the greatest
// common divisor of the table's values of xoff. The divisor counts only if there are at least three different values,
// and if it is not larger than any cell; otherwise Grain is 1.
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

// seriesOf returns the rows of each speed, sorted by length; slowest speed first.
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

// shrinks returns the index of the first row with less xoff than the row before; 0: none.
func shrinks(s []Row) int {
	for i := 1; i < len(s); i++ {
		if s[i].XOFF < s[i-1].XOFF {
			return i
		}
	}
	return 0
}

// fitOf returns the line through the rows of one speed, which are sorted by
// length. For n rows with length x in millimetres and xoff y:
//
//	each = (n Sxy - Sx Sy) / (n Sxx - Sx Sx)    base = (Sy - each Sx) / n
func fitOf(s []Row) Fit {
	f := Fit{Rate: s[0].Rate, rows: s, each: new(big.Rat)}
	n, sx, sy, sxx, sxy := big.NewInt(int64(len(s))), new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for _, r := range s {
		x, y := big.NewInt(int64(r.Cable)), big.NewInt(int64(r.XOFF))
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

// product returns a*b.
func product(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }

// line returns the line's value at a length.
func (f *Fit) line(l unit.Length) *big.Rat {
	x := big.NewRat(int64(l), 1)
	return x.Add(x.Mul(x, f.each), f.base)
}

// doubt returns why a series gives no new rows.
func (f *Fit) doubt() error {
	s := f.rows
	switch i := shrinks(s); {
	case len(s) == 1:
		return errOneLength
	case isFlat(s):
		return errFlat
	case i > 0:
		return fmt.Errorf("%w: %v over %v, %v over %v", ErrContradictory, s[i-1].XOFF, s[i-1].Cable, s[i].XOFF,
			s[i].Cable)
	case f.propagation().Cmp(big.NewRat(95, 100)) < 0:
		return fmt.Errorf("%w: the slope is %v times the propagation of light", ErrContradictory,
			Thousandths(rounded(f.propagation(), 1000)))
	}
	return nil
}

// propagation returns the slope as a multiple of what light needs in both
// directions: 2 x 5 ps x rate / 8 bytes per millimetre.
func (f *Fit) propagation() *big.Rat {
	return new(big.Rat).Quo(f.each, big.NewRat(int64(f.Rate), 8*int64(unit.Second)/10))
}

// residual returns the largest distance of a row from the line, in percent of
// the row's xoff. An xoff of 0 counts as one byte.
func (f *Fit) residual() Thousandths {
	var most Thousandths
	for _, r := range f.rows {
		most = max(most, offBy(f.line(r.Cable), r.XOFF))
	}
	return most
}

// offBy returns the distance of a value from a true one, in percent of the true one.
func offBy(value *big.Rat, truth unit.Bytes) Thousandths {
	d := new(big.Rat).Sub(value, big.NewRat(int64(truth), 1))
	d.Quo(d.Abs(d), big.NewRat(max(1, int64(truth)), 1))
	return Thousandths(rounded(d, 100*1000))
}

// rounded returns x times scale to the nearest whole number, halves up, limited to int64.
func rounded(x *big.Rat, scale int64) int64 {
	num := product(x.Num(), big.NewInt(2*scale))
	num.Add(num, x.Denom())
	num.Div(num, product(x.Denom(), big.NewInt(2))) // towards minus infinity: the denominator is positive
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

// NewRow is a row for any length.
type NewRow struct {
	Row
	FromTable bool     // the table has the row; it is unchanged
	Notes     []string // why xoff is not the line's value
}

// At returns the row for a length. A row of the table is returned unchanged. Otherwise xoff is the line's value,
// rounded up to the table's grain, but not less than LightFloor and not less than that of a shorter cable. Threshold,
// xon and xon_offset are those of the row nearest in length, the longer one of two; so is the size, unless size and
// xoff have the same difference in all rows. A series in Doubt is refused. With force its line is used in spite of the
// doubt, except for a series with a single length.
func (f *Fit) At(cable unit.Length, force bool) (NewRow, error) {
	if cable < 0 || cable > thresholds.MaxCable {
		return NewRow{}, fmt.Errorf("cable %v is not between 0m and %v", cable, thresholds.MaxCable)
	}
	i := slices.IndexFunc(f.rows, func(r Row) bool { return r.Cable == cable })
	switch {
	case i >= 0:
		return NewRow{Row: f.rows[i], FromTable: true}, nil
	case errors.Is(f.Doubt, errOneLength), f.Doubt != nil && !force:
		return NewRow{}, fmt.Errorf("%v over %v: no row can be made from a series that is %w", f.Rate, cable, f.Doubt)
	}
	up := roundedUp(f.line(cable))
	if !up.IsInt64() || up.Int64() > int64(MostBytes) {
		return NewRow{}, fmt.Errorf("%v over %v: the line gives more than %v", f.Rate, cable, MostBytes)
	}
	row := NewRow{Row: f.nearest(cable)}
	if f.Doubt != nil {
		row.Notes = append(row.Notes, fmt.Sprintf("forced: %v", f.Doubt))
	}
	if f.MaxResidual > 10*1000 {
		row.Notes = append(row.Notes, fmt.Sprintf("the line deviates from a row of the table by %v %%", f.MaxResidual))
	}
	xoff := row.notUnder(unit.Bytes(max(0, up.Int64())), f.shorter(cable), LightFloor(f.Rate, cable))
	xoff = (xoff + f.round - 1) / f.round * f.round
	if allEqual(f.rows, sizeOverXOFF) && row.Size >= row.XOFF {
		row.Size += xoff - row.XOFF
	}
	row.XOFF, row.Cable, row.Line = xoff, cable, 0
	return row, nil
}

// notUnder raises xoff to its two bounds, and notes it.
func (r *NewRow) notUnder(xoff, shorter, light unit.Bytes) unit.Bytes {
	if xoff < shorter {
		r.Notes = append(r.Notes, fmt.Sprintf("the line gives %v; increased to %v, the xoff of a shorter cable", xoff,
			shorter))
		xoff = shorter
	}
	if xoff < light {
		r.Notes = append(r.Notes, fmt.Sprintf("the line gives %v; increased to %v, the bytes that can be in flight",
			xoff, light))
		xoff = light
	}
	return xoff
}

// nearest returns the row nearest in length.
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
