package replay

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Row is a line of llr_profile_lookup.ini: the profile of ports with this speed
// and cable.
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

// Read reads an llr_profile_lookup.ini. Its first line that is no comment names
// the columns: speed and cable first, then the others in any order, with
// outstanding_frames and outstanding_bytes among them. A dash stands for a value
// that is not set. Read refuses a second row for a speed and cable, a column that
// SONiC does not know, and a file without rows. All complaints are joined in one
// error, each with the file and the line.
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

// readRow reads the values of a row. With a header that could not be read every
// row is skipped.
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

// WriteTo writes the rows as an llr_profile_lookup.ini that Read reads as the
// same rows. It has the columns that a row has; a row without one has a dash.
// Comments of the file that was read are not written. A speed that is not a whole
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
