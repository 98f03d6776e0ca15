package table

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Row is a line of SONiC's pg_profile_lookup.ini: what a vendor gives a lossless group at this speed and cable length.
type Row struct {
	Rate      unit.BitRate
	Cable     unit.Length
	Size      unit.Bytes // PG-min with a shared headroom pool; without one PG-min and headroom together
	XON       unit.Bytes
	XOFF      unit.Bytes                // the headroom
	Alpha     thresholds.Alpha          // dynamic_th
	StaticTh  unit.Optional[unit.Bytes] // static_th, of a pool in static mode; absent: the row has a dynamic_th
	XONOffset unit.Optional[unit.Bytes] // absent: the row has no such column
	Line      int                       // line in the file
}

// Table is a vendor's headroom table as a Sizer. It knows only the speeds and
// lengths of its rows; nothing is interpolated.
type Table struct {
	Name string // name of the file, for messages
	Rows []Row  // in the order of the file
}

// ErrNoRow is the error of a Table for a speed and length without a row.
var ErrNoRow = errors.New("no such row in the headroom table")

// Method returns "table".
func (*Table) Method() string { return "table" }

// Size returns the row of the link's speed and cable. The MTUs do not matter:
// the table assumes some, and does not state them.
func (t *Table) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	if err := mem.Validate(); err != nil {
		return thresholds.Headroom{}, err
	}
	row, err := t.find(l.Rate, l.Cable)
	if err == nil && !row.valid() {
		err = fmt.Errorf("%s line %d: size %v, xon %v, xoff %v, dynamic_th %d, xon_offset %v: want 0B to %v, "+
			"dynamic_th %d to %d", t.Name, row.Line, row.Size, row.XON, row.XOFF, row.Alpha.DynamicTh(), row.XONOffset,
			MostBytes, thresholds.MinAlpha.DynamicTh(), thresholds.MaxAlpha.DynamicTh())
	}
	if limit, static := row.staticTh(); static {
		err = errors.Join(err, fmt.Errorf("%s line %d: threshold %d is a limit of %v, for a pool in static mode: want "+
			"dynamic_th %d to %d", t.Name, row.Line, limit, limit, thresholds.MinAlpha.DynamicTh(),
			thresholds.MaxAlpha.DynamicTh()))
	}
	if err != nil {
		return thresholds.Headroom{}, err
	}
	h := thresholds.Headroom{Method: t.Method(), XON: row.XON, XONOffset: row.XONOffset, Size: row.Size,
		Profile: row.profile(), Cells: mem.Cell.Holding(row.XOFF)}
	h.XOFF = mem.Cell.Bytes(h.Cells)
	return h, nil
}

// Explain returns the row and its line in the file.
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
	if t, given := l.Response.Get(); given {
		e.Warnings = append(e.Warnings, fmt.Sprintf(
			"the response time %v of the link's sender is not used: a row is for a speed and a length", t))
	}
	if added := l.AddedText(); added != "" {
		e.Warnings = append(e.Warnings, added+" is not used: a row is for a speed and a length")
	}
	return e, nil
}

// find returns the row of a speed and length.
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

// valid tells whether the row is one that Read accepts: a caller may make its own.
func (r *Row) valid() bool {
	for _, b := range [...]unit.Bytes{r.Size, r.XON, r.XOFF, r.XONOffset.Or(0)} {
		if b < 0 || b > MostBytes {
			return false
		}
	}
	return r.Alpha.Valid()
}

// staticTh returns the static limit; a missing row has no limit.
func (r *Row) staticTh() (unit.Bytes, bool) {
	if r == nil {
		return 0, false
	}
	return r.StaticTh.Get()
}

// threshold is the column: static_th or dynamic_th.
func (r *Row) threshold() int64 { return int64(r.StaticTh.Or(unit.Bytes(r.Alpha.DynamicTh()))) }

// profile returns what the row states in addition to its speed and cable.
func (r *Row) profile() thresholds.Profile {
	return thresholds.Profile{Stated: true, Size: r.Size, XON: r.XON, XOFF: r.XOFF, Alpha: r.Alpha, Line: r.Line}
}

// Cables returns the cable lengths of all rows in ascending order, without duplicates.
func (t *Table) Cables() []unit.Length {
	out := make([]unit.Length, len(t.Rows))
	for i := range t.Rows {
		out[i] = t.Rows[i].Cable
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Lengths returns the cable lengths of a speed in ascending order.
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
