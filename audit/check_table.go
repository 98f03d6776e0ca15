package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Table checks a headroom table by itself. Package thresholds/table finds what is suspect, as the verb lint prints it;
// here it gets the codes of an audit. A cell of 0 is not known.
func Table(t *table.Table, unreadable []table.LineError, cell cells.Size) []Finding {
	c := &collector{}
	for _, f := range table.Lint(t, unreadable, cell) {
		c.tableFinding(t, f)
	}
	c.xonOffsets(t)
	c.sameForSpeeds(t)
	Sort(c.found)
	return c.found
}

// tableCodes are the codes of lint. BelowLight is one of two: see belowLight.
var tableCodes = map[table.Code]Code{
	table.Unreadable: RowUnreadable, table.DuplicateRow: RowDuplicate, table.ShrinksWithLength: XOFFShrinksWithLength,
	table.ShrinksWithSpeed: XOFFShrinksWithSpeed, table.ColumnOutlier: RowOdd, table.Flat: XOFFSameForLengths,
	table.Misaligned: CellMisaligned,
}

// tableFinding adds a finding of lint.
func (c *collector) tableFinding(t *table.Table, f table.Finding) {
	at := Place{File: f.File, Line: f.Line}
	object := "headroom table"
	row := rowAt(t, f.Line)
	if row != nil {
		object = link{row.Rate, row.Cable}.String()
	}
	if f.Code == table.BelowLight {
		c.belowLight(row, at, object)
		return
	}
	code := tableCodes[f.Code]
	out := c.add(code, at, object, nil, "%s", strings.TrimSuffix(strings.TrimPrefix(f.Message, "suspect: "),
		"; the purpose of the row is unknown"))
	switch code {
	case RowDuplicate, RowUnreadable: // these have two severities
		out.Severity = Severity(f.Severity)
	case XOFFShrinksWithLength, XOFFShrinksWithSpeed:
		if row != nil {
			out.Bytes = numbers{"xoff": int64(row.XOFF)}
		}
	}
}

// rowAt returns the row of a line.
func rowAt(t *table.Table, line int) *table.Row {
	for i := range t.Rows {
		if t.Rows[i].Line == line {
			return &t.Rows[i]
		}
	}
	return nil
}

// InFlight is what is in flight on a link both ways at 4.9 ns/m, in bytes, rounded down: less cannot be enough. 4.9
// ns/m is the delay of fibre with a group index of 1.468, the least that is in use; headroom is sized with 5 ns/m.
func InFlight(rate unit.BitRate, cable unit.Length) unit.Bytes {
	return unit.Bytes(exact.Whole(cable).Times(2*49, 80).Times(int64(rate), int64(unit.Second)).Floor())
}

// belowLight adds the finding about a row whose headroom is less than light allows, or less than light and one frame.
func (c *collector) belowLight(row *table.Row, at Place, object string) {
	flight := InFlight(row.Rate, row.Cable)
	if row.XOFF < flight {
		c.add(HeadroomBelowFlight, at, object, numbers{"xoff": int64(row.XOFF), "in_flight": int64(flight)},
			"xoff %d is less than the %d bytes in flight", row.XOFF, flight)
		return
	}
	floor := table.LightFloor(row.Rate, row.Cable)
	c.add(HeadroomBelowFrame, at, object, numbers{"xoff": int64(row.XOFF), "needed": int64(floor)},
		"xoff %d is less than the %d bytes in flight at 5 ns/m with a frame of 1500 bytes", row.XOFF, floor)
}

// xonOffsets finds the speeds whose rows all have another xon_offset than two thirds of the rows of the table.
func (c *collector) xonOffsets(t *table.Table) {
	bySpeed := map[unit.BitRate]map[unit.Bytes]int{}
	count := map[unit.Bytes]int{}
	for i := range t.Rows {
		offset, given := t.Rows[i].XONOffset.Get()
		if !given {
			return
		}
		if bySpeed[t.Rows[i].Rate] == nil {
			bySpeed[t.Rows[i].Rate] = map[unit.Bytes]int{}
		}
		bySpeed[t.Rows[i].Rate][offset]++
		count[offset]++
	}
	usual, most := unit.Bytes(0), 0
	for offset, n := range count {
		if n > most || n == most && offset < usual {
			usual, most = offset, n
		}
	}
	if most == len(t.Rows) || 3*most < 2*len(t.Rows) { // it is usual if two thirds of the rows have it
		return
	}
	told := map[unit.BitRate]bool{}
	for i := range t.Rows {
		row := &t.Rows[i]
		offset := row.XONOffset.Or(0)
		if offset == usual || told[row.Rate] || len(bySpeed[row.Rate]) > 1 {
			continue
		}
		told[row.Rate] = true
		c.add(XONOffsetOdd, Place{File: t.Name, Line: row.Line}, row.Rate.String(),
			numbers{"xon_offset": int64(offset), "usual": int64(usual)},
			"all rows of %v have xon_offset %d, and %d of the %d rows of the table have %d", row.Rate, offset, most,
			len(t.Rows), usual)
	}
}

// sameForSpeeds finds lengths over which all speeds have the same headroom.
func (c *collector) sameForSpeeds(t *table.Table) {
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b table.Row) int {
		return cmp.Or(cmp.Compare(a.Cable, b.Cable), cmp.Compare(a.Rate, b.Rate))
	})
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Cable == rows[0].Cable {
			n++
		}
		same, rest := rows[:n], rows[n:]
		rows = rest
		if n > 1 && !slices.ContainsFunc(same, func(r table.Row) bool { return r.XOFF != same[0].XOFF }) &&
			same[0].Rate != same[n-1].Rate {
			c.add(XOFFSameForSpeeds, Place{File: t.Name, Line: same[0].Line}, same[0].Cable.String(),
				numbers{"xoff": int64(same[0].XOFF)}, "all %d speeds have xoff %d over %v", n, same[0].XOFF, same[0].Cable)
		}
	}
}

// tableInPools checks all rows of the table against the pool that the manager puts their profiles in, also those that
// no port uses: a change of a cable is all that it takes. Rows with the same fault are one finding.
func (c *check) tableInPools() {
	pool := c.sw.losslessIngress()
	if c.Table == nil || pool == nil || c.sw.Dynamic {
		return
	}
	rows := &check{collector: &collector{topology: c.topology}, Source: c.Source, sw: c.sw}
	for i := range c.Table.Rows {
		row := &c.Table.Rows[i]
		l := link{row.Rate, row.Cable}
		if lastRow(c.Table, l) != row {
			continue
		}
		rows.headroomInPool(headroomRow{l.String() + ": ", int64(row.Size), int64(row.XON), int64(row.XOFF), true}, pool,
			Place{File: c.Table.Name, Line: row.Line}, l.String())
	}
	for _, code := range []Code{ProfileXOFFOverPool, SizeBelowXOFF, XONXOFFOverSize} {
		var of []Finding
		for _, f := range rows.found {
			if f.Code == code {
				of = append(of, f)
			}
		}
		c.foldRows(of)
	}
}

// unused says of a finding about rows that no port has a group of the table: the rows have no effect today.
func (c *check) unused(f *Finding) {
	for _, p := range c.sw.Profiles {
		if p.Row != nil {
			return
		}
	}
	f.Severity = Warning
	f.suspect("no port has a lossless group of the table")
}

// mostRows is the largest number of rows that one finding lists.
const mostRows = 64

// foldRows adds the findings about rows as one: with the numbers of the first, and a list of all.
func (c *check) foldRows(rows []Finding) {
	if len(rows) == 0 {
		return
	}
	f := rows[0]
	if len(rows) > 1 {
		var list []string
		for _, r := range rows[1:min(len(rows), mostRows)] {
			list = append(list, r.Object+": "+r.Numbers())
		}
		if len(rows) > mostRows {
			list = append(list, fmt.Sprintf("%d more", len(rows)-mostRows))
		}
		f.Message += fmt.Sprintf("; %d rows in all (%s)", len(rows), strings.Join(list, "; "))
	}
	c.unused(&f)
	c.found = append(c.found, f)
}
