package table

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/unit"
)

// This file finds rows that differ from those beside them, and rows that do not differ where they should.

// outliers finds a row that differs in a column in which all others agree. The others are those of its speed if there
// are at least two; otherwise all rows of the table if there are at least four. Sizes also agree if they have the same
// difference to xoff. xoff itself is checked by length and by speed.
func (l *linter) outliers(rows []Row) {
	short := map[unit.BitRate]bool{}
	for _, s := range seriesOf(rows) {
		if len(s) < 3 {
			short[s[0].Rate] = true
			continue
		}
		l.outliersAmong(s, func(Row) bool { return true })
	}
	if len(rows) >= 4 {
		l.outliersAmong(rows, func(r Row) bool { return short[r.Rate] })
	}
}

// outliersAmong finds the outliers among rows.
func (l *linter) outliersAmong(rows []Row, judged func(Row) bool) {
	report := func(column string, of func(Row) int64) {
		if i, common := oddOne(rows, of); i >= 0 && judged(rows[i]) {
			l.addRow("row-odd", rows[i], nil, "%s is %d where the %d rows beside it have %d", column, of(rows[i]),
				len(rows)-1, common)
		}
	}
	report("xon", func(r Row) int64 { return int64(r.XON) })
	report("threshold", func(r Row) int64 { return r.threshold() })
	report("xon_offset", func(r Row) int64 { return int64(r.XONOffset.Or(0)) })
	switch {
	case allEqual(rows, sizeOf) || allEqual(rows, sizeOverXOFF):
	case hasOddOne(rows, sizeOf):
		report("size", sizeOf)
	default:
		report("size less xoff", sizeOverXOFF)
	}
}

// sizeOf is a column for outliersAmong.
func sizeOf(r Row) int64 { return int64(r.Size) }

// sizeOverXOFF is size minus xoff.
func sizeOverXOFF(r Row) int64 { return int64(r.Size - r.XOFF) }

// allEqual tells whether all rows have the same value.
func allEqual(rows []Row, of func(Row) int64) bool {
	return !slices.ContainsFunc(rows, func(r Row) bool { return of(r) != of(rows[0]) })
}

// hasOddOne tells whether exactly one row differs.
func hasOddOne(rows []Row, of func(Row) int64) bool {
	i, _ := oddOne(rows, of)
	return i >= 0
}

// oddOne returns the index of the only row that differs from all others, of which there must be at least two, and the
// value of the others; -1 if there is none.
func oddOne(rows []Row, of func(Row) int64) (odd int, common int64) {
	if len(rows) < 3 {
		return -1, 0
	}
	common = of(rows[0])
	if common != of(rows[1]) && common != of(rows[2]) {
		common = of(rows[1])
	}
	odd = -1
	for i, r := range rows {
		if of(r) == common {
			continue
		}
		if odd >= 0 {
			return -1, 0
		}
		odd = i
	}
	return odd, common
}

// xonOffsets finds the speeds whose rows all have another xon_offset than two thirds of the rows of the table.
func (l *linter) xonOffsets(t *Table) {
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
		l.add("xon-offset-odd", row.Line, row.Rate.String(),
			numbers{"xon_offset": int64(offset), "usual": int64(usual)},
			"all rows of %v have xon_offset %d, and %d of the %d rows of the table have %d", row.Rate, offset, most,
			len(t.Rows), usual)
	}
}

// sameForSpeeds finds lengths over which all speeds have the same headroom.
func (l *linter) sameForSpeeds(t *Table) {
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Cable, b.Cable), cmp.Compare(a.Rate, b.Rate))
	})
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Cable == rows[0].Cable {
			n++
		}
		same, rest := rows[:n], rows[n:]
		rows = rest
		if n > 1 && !slices.ContainsFunc(same, func(r Row) bool { return r.XOFF != same[0].XOFF }) &&
			same[0].Rate != same[n-1].Rate {
			l.add("xoff-same-for-speeds", same[0].Line, same[0].Cable.String(),
				numbers{"xoff": int64(same[0].XOFF)}, "all %d speeds have xoff %d over %v", n, same[0].XOFF, same[0].Cable)
		}
	}
}
