package thresholds

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// Row is one line of a SONiC pg_profile_lookup.ini: what a vendor wants a
// lossless group at this speed and cable length to have.
type Row struct {
	Rate      unit.BitRate
	Cable     unit.Length
	Size      unit.Bytes // PG-min with a shared headroom pool; PG-min and headroom together without
	XON       unit.Bytes
	XOFF      unit.Bytes // the headroom
	Alpha     Alpha      // dynamic_th
	XONOffset unit.Bytes // 0 where the table has no such column
	Line      int        // where it stands in the file
}

// Table is a vendor's headroom table as a Sizer. Only rows that are there are
// answered: nothing is interpolated.
type Table struct {
	Name string // the file's name, for messages
	Rows []Row  // in the order of the file
}

// ErrNoRow is what a Table answers for a speed and length that it has not.
var ErrNoRow = errors.New("no such row in the headroom table")

// Method is "table".
func (*Table) Method() string { return "table" }

// Size returns the row of the link's speed and cable. The MTUs do not matter:
// whoever made the table assumed some, and did not write down which.
func (t *Table) Size(l Link, mem Memory) (Headroom, error) {
	if err := mem.Validate(); err != nil {
		return Headroom{}, err
	}
	row, err := t.find(l.Rate, l.Cable)
	if err != nil {
		return Headroom{}, err
	}
	h := Headroom{Method: t.Method(), XON: row.XON, XONOffset: row.XONOffset, Size: row.Size, Row: row, Cells: mem.Cell.Holding(row.XOFF)}
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, nil
}

// Explain names the row.
func (t *Table) Explain(l Link, mem Memory) (Explanation, error) {
	h, err := t.Size(l, mem)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Headroom: h}
	e.Terms = []Term{{Name: "table row", Bytes: h.Row.XOFF, Kind: VendorTable,
		Source: fmt.Sprintf("%s line %d: %v %v", t.Name, h.Row.Line, h.Row.Rate, h.Row.Cable)}}
	e.Readings = []Reading{{Name: "as given", How: "bytes of the row, rounded up to cells", Cells: h.Cells, Bytes: h.Row.XOFF, Used: true}}
	if h.XOFF != h.Row.XOFF {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%s line %d: xoff of %v is not a multiple of the %d-byte cell; %d cells are %v",
			t.Name, h.Row.Line, h.Row.XOFF, mem.Cell, h.Cells, h.XOFF))
	}
	return e, nil
}

func (t *Table) find(rate unit.BitRate, cable unit.Length) (*Row, error) {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Rate == rate && r.Cable == cable {
			return r, nil
		}
	}
	if lengths := t.Lengths(rate); len(lengths) > 0 {
		return nil, fmt.Errorf("%s: %w: %v over %v; it has %v over %v", t.Name, ErrNoRow, rate, cable, rate, lengths)
	}
	return nil, fmt.Errorf("%s: %w: it has no row for %v", t.Name, ErrNoRow, rate)
}

// Lengths returns the cable lengths that the table has for a speed, shortest
// first.
func (t *Table) Lengths(rate unit.BitRate) []unit.Length {
	var out []unit.Length
	for _, r := range t.Rows {
		if r.Rate == rate {
			out = append(out, r.Cable)
		}
	}
	slices.Sort(out)
	return out
}

// ReadTable reads a pg_profile_lookup.ini: lines of
//
//	speed(Mb/s) cable(m) size xon xoff dynamic_th [xon_offset]
//
// with # comments. All complaints are joined in one error, each with the
// file's name, the line and what is accepted; a file without rows is refused.
func ReadTable(name string, r io.Reader) (*Table, error) {
	t := &Table{Name: name}
	var bad []error
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		row, err := readRow(fields)
		row.Line = n
		if err == nil {
			err = t.clash(row)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		t.Rows = append(t.Rows, row)
	}
	if err := lines.Err(); err != nil {
		bad = append(bad, fmt.Errorf("%s: %w", name, err))
	}
	if len(t.Rows) == 0 && len(bad) == 0 {
		bad = append(bad, fmt.Errorf("%s: no rows; expected lines of: speed cable size xon xoff dynamic_th [xon_offset]", name))
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return t, nil
}

// clash refuses a second row for a speed and length that the table has.
func (t *Table) clash(row Row) error {
	for _, r := range t.Rows {
		if r.Rate == row.Rate && r.Cable == row.Cable {
			return fmt.Errorf("%v over %v is already on line %d", row.Rate, row.Cable, r.Line)
		}
	}
	return nil
}

func readRow(f []string) (Row, error) {
	if len(f) != 6 && len(f) != 7 {
		return Row{}, fmt.Errorf("%d columns; accepted: speed cable size xon xoff dynamic_th [xon_offset]", len(f))
	}
	var bad []error
	number := func(i int, name string, lowest, highest int64) int64 {
		v, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil || v < lowest || v > highest {
			bad = append(bad, fmt.Errorf("%s %q: accepted is a whole number from %d to %d", name, f[i], lowest, highest))
		}
		return v
	}
	const mostBytes = 1 << 40
	row := Row{
		Rate: unit.BitRate(number(0, "speed in Mb/s", 1, 10_000_000)) * unit.Mbps,
		Size: unit.Bytes(number(2, "size", 0, mostBytes)), XON: unit.Bytes(number(3, "xon", 0, mostBytes)),
		XOFF: unit.Bytes(number(4, "xoff", 0, mostBytes)), Alpha: Alpha(number(5, "dynamic_th", int64(MinAlpha), int64(MaxAlpha))),
	}
	if len(f) == 7 {
		row.XONOffset = unit.Bytes(number(6, "xon_offset", 0, mostBytes))
	}
	var err error
	if row.Cable, err = unit.ParseLength(f[1]); err != nil {
		bad = append(bad, fmt.Errorf("cable: %w", err))
	} else if row.Cable > MaxCable {
		bad = append(bad, fmt.Errorf("cable %v: accepted is at most %v", row.Cable, MaxCable))
	}
	return row, errors.Join(bad...)
}
