package topology

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// rowKeys are the keys of a row of a headroom table in the topology: the columns of pg_profile_lookup.ini.
var rowKeys = []string{"speed", "cable", "size", "xon", "xoff", "dynamic_th", "xon_offset"}

// rows reads a headroom table in the topology itself. A second row for a speed and length is refused, as in
// a file: one of the two would not count.
func (r *reader) rows(v *document.Value) thresholds.Sizer {
	type link struct {
		rate  unit.BitRate
		cable unit.Length
	}
	// The order of the rows is kept, because a table that is written and read again has to be the same table. The
	// name is that of the topology: messages about a row name its file and line.
	t, first := &table.Table{Name: r.File}, map[link]int{}
	for _, item := range v.Items() {
		before := item.Complaints()
		row := r.row(item)
		at := link{row.Rate, row.Cable}
		if line, twice := first[at]; twice && item.Complaints() == before {
			r.Complain(item.Line, item.Path(), fmt.Sprintf("%v over %v", row.Rate, row.Cable),
				fmt.Sprintf("one row for a speed and a length; line %d has this one", line))
		} else {
			first[at] = item.Line
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) == 0 && v.Complaints() == 0 {
		v.Refuse("at least one row")
	}
	return t
}

// row reads one row.
func (r *reader) row(v *document.Value) table.Row {
	f := v.Fields(rowKeys...)
	// xon_offset may be absent, as in SONiC's files for chips that resume at xon alone. All others stand in every row
	// of pg_profile_lookup.ini.
	v.Need(f, "speed", "cable", "size", "xon", "xoff", "dynamic_th")
	row := table.Row{
		Rate:      document.Quantity(f["speed"], unit.ParseBitRate),
		Cable:     document.Quantity(f["cable"], unit.ParseLength),
		Size:      document.Quantity(f["size"], rowBytes),
		XON:       document.Quantity(f["xon"], rowBytes),
		XOFF:      document.Quantity(f["xoff"], rowBytes),
		XONOffset: document.Optional(f["xon_offset"], rowBytes),
		Line:      v.Line,
	}
	// The exponent n of 2^n, as in the file of SONiC. A limit in bytes (static_th) has no key here.
	row.Alpha = thresholds.Alpha(f["dynamic_th"].Integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha)))
	return row
}

// rowBytes reads a number of bytes of a row within the bounds of a table.
func rowBytes(text string) (unit.Bytes, error) {
	b, err := unit.ParseBytes(text)
	if err == nil && (b < 0 || b > table.MostBytes) {
		err = fmt.Errorf("%s: want 0B to %v", fielderr.Quote(text), table.MostBytes)
	}
	return b, err
}

// rowMapping is a row of a table as a mapping.
func rowMapping(r *table.Row) (m mapping) {
	m = mapping{{"speed", r.Rate.String()}, {"cable", r.Cable.String()}, {"size", r.Size.String()},
		{"xon", r.XON.String()}, {"xoff", r.XOFF.String()}, {"dynamic_th", fmt.Sprint(r.Alpha.DynamicTh())}}
	m.addIf(r.XONOffset.IsGiven(), "xon_offset", r.XONOffset)
	return m
}
