package replay

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Fit is the straight line through the outstanding bytes of one speed's rows,
// over the length of the cable.
type Fit struct {
	Line table.Fit // with bytes outstanding in place of xoff
	rows []Row
}

// Fits returns the line of each speed, slowest first. A line that rises by less
// than light needs both ways contradicts what its rows are for: its Doubt says so.
func (t *Table) Fits() []Fit {
	lines := &table.Table{Name: t.Name}
	for _, r := range t.Rows {
		lines.Rows = append(lines.Rows, table.Row{Rate: r.Rate, Cable: r.Cable, XOFF: unit.Bytes(r.Of(Bytes)),
			Line: r.Line})
	}
	var out []Fit
	for _, l := range lines.Fits(0) {
		f := Fit{Line: l}
		for _, r := range t.Rows {
			if r.Rate == l.Rate {
				f.rows = append(f.rows, r)
			}
		}
		out = append(out, f)
	}
	return out
}

// NewRow is a row for any length.
type NewRow struct {
	Row
	FromTable bool     // the table has the row; it is unchanged
	Notes     []string // why its bytes are not the line's, and what is suspect
}

// At returns the row for a length. Its bytes are the line's, but never less than
// can be in flight; its frames are as many for each byte as in the row nearest in
// length, rounded up; its other values are those of that row, the longer one of
// two. A line in doubt is refused unless force is set, and a row that SONiC does
// not accept in any case.
func (f *Fit) At(cable unit.Length, force bool) (NewRow, error) {
	at, err := f.Line.At(cable, force)
	if err != nil {
		return NewRow{}, err
	}
	near := f.nearest(cable)
	if at.FromTable {
		return NewRow{Row: near, FromTable: true, Notes: near.Suspect()}, nil
	}
	row := NewRow{Row: near, Notes: at.Notes}
	row.Cable, row.Line = cable, 0
	frames := near.Of(Frames)
	if per := near.Of(Bytes); per > 0 {
		frames = exact.Whole(at.XOFF).Times(frames, per).Ceil()
	}
	for c, v := range map[Column]int64{Frames: frames, Bytes: int64(at.XOFF)} {
		if _, most := c.Bounds(); v > most {
			return NewRow{}, fmt.Errorf("%v over %v: %v of %d: accepted by SONiC: at most %d", row.Rate, cable, c, v, most)
		}
		row.Values[c] = unit.Given(v)
	}
	row.Notes = append(row.Notes, row.Suspect()...)
	return row, nil
}

// nearest returns the row nearest in length, the longer one of two.
func (f *Fit) nearest(cable unit.Length) Row {
	near := f.rows[0]
	for _, r := range f.rows {
		d, best := max(r.Cable-cable, cable-r.Cable), max(near.Cable-cable, cable-near.Cable)
		if d < best || d == best && r.Cable > near.Cable {
			near = r
		}
	}
	return near
}

// Suspect says what a row cannot do: hold what is in flight, or wait for an
// answer before it repeats. A row need not be wrong: no table says what it is
// for. A replay timer of 0, SAI's default, is not judged: what it means is not published.
func (r *Row) Suspect() []string {
	var out []string
	if floor := table.LightFloor(r.Rate, r.Cable); unit.Bytes(r.Of(Bytes)) < floor {
		out = append(out, fmt.Sprintf("suspect: %v of %d is less than the %v that can be in flight both ways at 5 ns/m, "+
			"with a frame of 1500B: the link is slower", Bytes, r.Of(Bytes), floor))
	}
	light := unit.Time(exact.Whole(r.Cable).Times(2*5, 1).Ceil())
	if ns, given := r.Values[Timer].Get(); given && ns > 0 && unit.Time(ns)*unit.Nanosecond < light {
		text := fmt.Sprintf("suspect: %v of %d ns is less than light needs both ways, %v: frames that arrived are repeated",
			Timer, ns, light)
		if _, most := Timer.Bounds(); light > unit.Time(most)*unit.Nanosecond {
			text += fmt.Sprintf("; SONiC accepts at most %d", most)
		}
		out = append(out, text)
	}
	return out
}
