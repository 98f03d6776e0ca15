package replay

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Row is a line of llr_profile_lookup.ini: the profile of ports with this speed and cable.
type Row struct {
	Rate   unit.BitRate
	Cable  unit.Length
	Values [Columns]unit.Optional[int64] // absent: "-", or the file has no such column
	Line   int                           // in the file; 0: the row is new
}

// Of returns a value, or 0 if the row does not have it.
func (r *Row) Of(c Column) int64 { return r.Values[c].Or(0) }

// Text returns a value as the file has it, "-" if it is not set.
func (r *Row) Text(c Column) string {
	if v, ok := r.Values[c].Get(); ok {
		return c.text(v)
	}
	return "-"
}

// Table is a vendor's llr_profile_lookup.ini.
type Table struct {
	Name string
	Rows []Row // in the order of the file
}

// Read reads an llr_profile_lookup.ini. Its first line that is no comment names the columns: speed and cable first,
// then the others in any order, with outstanding_frames and outstanding_bytes among them. A dash stands for a value
// that is not set. Read refuses a second row for a speed and cable, a column that SONiC does not know, and a file
// without rows. All complaints are joined in one error, each with the file and the line.
func Read(name string, r io.Reader) (*Table, error) {
	t := &Table{Name: name}
	var header []Column
	lines := map[[2]int64]int{}
	bad := columns.Lines(name, r, func(n int, fields []string) error {
		if header == nil {
			var err error
			header, err = readHeader(fields)
			return err
		}
		row, err := readRow(header, fields)
		if err != nil {
			return err
		}
		row.Line = n
		at := [2]int64{int64(row.Rate), int64(row.Cable)}
		if first, ok := lines[at]; ok {
			return fmt.Errorf("%v over %v is already on line %d", row.Rate, row.Cable, first)
		}
		if len(t.Rows) == columns.MaxRows {
			return fmt.Errorf("more than %[1]d rows: want at most %[1]d", columns.MaxRows)
		}
		lines[at] = n
		t.Rows = append(t.Rows, row)
		return nil
	})
	if len(bad) == 0 && len(t.Rows) == 0 {
		bad = append(bad, fielderr.Located{File: name, Err: errors.New(
			"no rows; expected a line of column names that begins with: speed cable, and rows below it")})
	}
	if len(bad) > 0 {
		return nil, columns.Joined(bad)
	}
	return t, nil
}

// readHeader reads the names of the columns. What it cannot read leaves a header
// with which no row is read, so that one error does not become many.
func readHeader(fields []string) ([]Column, error) {
	none := []Column{}
	if len(fields) < 2 || fields[0] != "speed" || fields[1] != "cable" {
		// The line is not shown: the file may be another one, with secrets.
		return none, errors.New("no line of column names: want one that begins with: speed cable")
	}
	var out []Column
	var bad fielderr.List
	for _, f := range fields[2:] {
		c, err := parseColumn(f)
		bad.Join(err)
		if err == nil && slices.Contains(out, c) {
			bad.Addf("two columns are named %v", c)
		}
		out = append(out, c)
	}
	for _, c := range []Column{Frames, Bytes} {
		if len(bad) == 0 && !slices.Contains(out, c) {
			bad.Addf("no column %v: SONiC makes no profile without it", c)
		}
	}
	if len(bad) > 0 {
		return none, bad.InLine()
	}
	return out, nil
}

// readRow reads the values of a row. With a header that could not be read every row is skipped.
func readRow(header []Column, fields []string) (Row, error) {
	if len(header) == 0 {
		return Row{}, errors.New("not read, because the names of the columns could not be read")
	}
	if len(fields) != len(header)+2 {
		return Row{}, fmt.Errorf("%d columns; want %d, as the line of column names has", len(fields), len(header)+2)
	}
	var row Row
	var bad fielderr.List
	var err error
	row.Rate, err = columns.ParseSpeed(fields[0])
	bad.Join(err)
	row.Cable, err = columns.ParseCable(fields[1])
	bad.Join(err)
	for i, c := range header {
		if fields[i+2] == "-" {
			if c == Frames || c == Bytes {
				bad.Addf("%v -: want a number, because SONiC makes no profile without it", c)
			}
			continue
		}
		v, err := c.parse(fields[i+2])
		bad.Join(err)
		row.Values[c] = unit.Given(v)
	}
	return row, bad.InLine()
}

// WriteTo writes the rows as an llr_profile_lookup.ini that Read reads as the same rows. It has the columns that a row
// has; a row without one has a dash. Comments of the file that was read are not written. A speed that is not a whole
// number of Mb/s is refused, because the file cannot express it.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	var used []Column
	for c := range Columns {
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Values[c].IsGiven() }) || c == Frames || c == Bytes {
			used = append(used, c)
		}
	}
	lines := [][]string{append([]string{"speed", "cable"}, grouped.Each(used, Column.String)...)}
	for _, r := range t.Rows {
		if r.Rate%unit.Mbps != 0 {
			return 0, fmt.Errorf("%s: %v is not a whole number of Mb/s", t.Name, r.Rate)
		}
		line := []string{strconv.FormatInt(int64(r.Rate/unit.Mbps), 10), table.Metres(r.Cable) + "m"}
		lines = append(lines, append(line, grouped.Each(used, r.Text)...))
	}
	n, err := io.WriteString(w, columns.Aligned(lines))
	return int64(n), err
}

// Fit is the straight line through the outstanding bytes of one speed's rows, over the length of the cable.
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

// At returns the row for a length. Its bytes are the line's, but never less than can be in flight; its frames are as
// many for each byte as in the row nearest in length, rounded up; its other values are those of that row, the longer
// one of two. A line in doubt is refused unless force is set, and a row that SONiC does not accept in any case.
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
