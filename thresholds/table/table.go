package table

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Row is one line of a SONiC pg_profile_lookup.ini: what a vendor wants a
// lossless group at this speed and cable length to have.
type Row struct {
	Rate      unit.BitRate
	Cable     unit.Length
	Size      unit.Bytes // PG-min with a shared headroom pool; PG-min and headroom together without
	XON       unit.Bytes
	XOFF      unit.Bytes       // the headroom
	Alpha     thresholds.Alpha // dynamic_th
	XONOffset unit.Bytes       // 0 where the table has no such column
	HasOffset bool             // the row has the column xon_offset, be it 0
	Line      int              // where it stands in the file
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
func (t *Table) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	if err := mem.Validate(); err != nil {
		return thresholds.Headroom{}, err
	}
	row, err := t.find(l.Rate, l.Cable)
	if err != nil {
		return thresholds.Headroom{}, err
	}
	h := thresholds.Headroom{Method: t.Method(), XON: row.XON, XONOffset: row.XONOffset, Size: row.Size,
		Profile: row.profile(), Cells: mem.Cell.Holding(row.XOFF)}
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, nil
}

// Explain names the row.
func (t *Table) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, err := t.Size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	p := h.Profile
	e := thresholds.Explanation{Headroom: h}
	e.Terms = []thresholds.Term{{Name: "table row", Bytes: p.XOFF, Kind: thresholds.VendorTable,
		Source: fmt.Sprintf("%s line %d: %v %v", t.Name, p.Line, l.Rate, l.Cable)}}
	e.Readings = []thresholds.Reading{{Name: "as given", How: "bytes of the row, rounded up to cells", Cells: h.Cells,
		Bytes: p.XOFF, Used: true}}
	if h.XOFF != p.XOFF {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"%s line %d: xoff of %v is not a multiple of the %d-byte cell; %d cells are %v",
			t.Name, p.Line, p.XOFF, mem.Cell, h.Cells, h.XOFF))
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

// profile returns what the row states beside its speed and cable.
func (r *Row) profile() thresholds.Profile {
	return thresholds.Profile{Stated: true, Size: r.Size, XON: r.XON, XOFF: r.XOFF, Alpha: r.Alpha, Line: r.Line}
}

// Cables returns the cable lengths of all rows, shortest first, each once.
func (t *Table) Cables() []unit.Length {
	out := make([]unit.Length, len(t.Rows))
	for i := range t.Rows {
		out[i] = t.Rows[i].Cable
	}
	slices.Sort(out)
	return slices.Compact(out)
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
