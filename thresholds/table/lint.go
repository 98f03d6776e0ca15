package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Severity is the severity of a finding.
type Severity string

// The severities. An error cannot be explained by what the row may be for: light
// is too slow, or two rows contradict each other. A warning should be looked at.
// A note is common in good tables.
const (
	SevereError   Severity = "error"
	SevereWarning Severity = "warning"
	SevereNote    Severity = "note"
)

// Code is the kind of a finding.
type Code string

// The codes, in the order in which one line's findings are given.
const (
	Unreadable Code = "unreadable" // error: a line is not a row; note: the table has no rows
	// error: a second row with other values; warning: with the same values
	DuplicateRow      Code = "duplicate-row"
	BelowLight        Code = "below-light"         // error: xoff is less than LightFloor
	ShrinksWithLength Code = "shrinks-with-length" // warning, one per speed: a longer cable has less xoff
	// warning: the next speed at the same length has less xoff
	ShrinksWithSpeed Code = "shrinks-with-speed"
	ColumnOutlier    Code = "column-outlier" // warning: one row differs where all its neighbours agree
	Flat             Code = "flat"           // note: all lengths of a speed, more than one, have the same xoff
	Misaligned       Code = "misaligned"     // note: xoff is not a multiple of the cell
)

// severities are the severities of the codes; two codes have an exception, see
// above.
var severities = map[Code]Severity{
	Unreadable: SevereError, DuplicateRow: SevereError, BelowLight: SevereError,
	ShrinksWithLength: SevereWarning, ShrinksWithSpeed: SevereWarning, ColumnOutlier: SevereWarning,
	Flat: SevereNote, Misaligned: SevereNote,
}

// codeOrder is the order of findings on one line.
var codeOrder = []Code{Unreadable, DuplicateRow, BelowLight, ShrinksWithLength, ShrinksWithSpeed, ColumnOutlier, Flat,
	Misaligned}

// Finding is something suspect in a table. It need not be wrong: no table
// states what its rows were made for.
type Finding struct {
	Code     Code
	Severity Severity
	File     string
	Line     int          // 0: the whole file
	Rate     unit.BitRate // 0: not about one speed
	Cable    unit.Length  // set if AtCable
	AtCable  bool         // the finding is about one length
	Message  string
}

// LightFloor is the least that can be in flight to a port when it pauses the
// sender at the other end of a cable: what arrives while the pause frame
// travels there and the last bit travels back, at 5 ns/m, and one frame of 1500
// bytes that the sender has begun, rounded up. Reaction times and the waste of
// cells come in addition.
func LightFloor(rate unit.BitRate, cable unit.Length) unit.Bytes {
	return unit.Bytes(inFlight(rate, cable).Ceil()) + 1500
}

// inFlight returns 2 x cable x 5 ns/m x rate in bytes, exactly. A millimetre
// takes 5 ps.
func inFlight(rate unit.BitRate, cable unit.Length) exact.Ratio {
	return exact.Whole(cable).Times(2*5, 8).Times(int64(rate), int64(unit.Second))
}

// Lint returns what is suspect in a table that Scan has read, and the lines
// that it could not read. A cell of 0 is unknown: alignment is then not
// checked. Of two rows for the same speed and length the later one is checked,
// because SONiC uses it (sonic-swss cfgmgr/buffermgr.cpp reads the file into a
// map).
func Lint(t *Table, unreadable []fielderr.Located, cell cells.Size) []Finding {
	l := linter{file: t.Name}
	for _, e := range unreadable {
		if rest, ok := e.Err.(fielderr.Rest); ok {
			l.add(Unreadable, Row{Line: e.Line}, false, "%v lines are no rows, up to this one: %d lines in all", rest,
				len(unreadable)-1+int(rest))
			continue
		}
		l.add(Unreadable, Row{Line: e.Line}, false, "%v", e.Err)
	}
	if len(t.Rows) == 0 && len(unreadable) == 0 {
		l.add(Unreadable, Row{}, false,
			"no rows: this table sizes no lossless group, which is correct for a switch without lossless groups")
		l.findings[0].Severity = SevereNote
	}
	rows := l.lastOfEach(t.Rows)
	l.eachRow(rows, cell)
	for _, s := range seriesOf(rows) {
		l.lengths(s)
	}
	l.speeds(rows)
	l.outliers(rows)
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(a.Line-b.Line, slices.Index(codeOrder, a.Code)-slices.Index(codeOrder, b.Code))
	})
	return l.findings
}

// linter collects the findings of one file.
type linter struct {
	file     string
	findings []Finding
}

// add adds a finding.
func (l *linter) add(code Code, r Row, atCable bool, format string, args ...any) {
	f := Finding{Code: code, Severity: severities[code], File: l.file, Line: r.Line, Rate: r.Rate, AtCable: atCable,
		Message: fmt.Sprintf(format, args...)}
	if atCable {
		f.Cable = r.Cable
	}
	l.findings = append(l.findings, f)
}

// lastOfEach reports second rows and returns the rows that count.
func (l *linter) lastOfEach(all []Row) []Row {
	var rows []Row
	for _, r := range all {
		i := slices.IndexFunc(rows, func(o Row) bool { return o.Rate == r.Rate && o.Cable == r.Cable })
		if i < 0 {
			rows = append(rows, r)
			continue
		}
		first := rows[i]
		rows[i] = r
		if first.Line = r.Line; first == r {
			l.add(DuplicateRow, r, true, "%v over %v has two rows with the same values", r.Rate, r.Cable)
			l.findings[len(l.findings)-1].Severity = SevereWarning
			continue
		}
		l.add(DuplicateRow, r, true,
			"suspect: %v over %v has two rows with different values, xoff %v and %v; SONiC uses the last row",
			r.Rate, r.Cable, first.XOFF, r.XOFF)
	}
	return rows
}

// eachRow checks each row by itself.
func (l *linter) eachRow(rows []Row, cell cells.Size) {
	for _, r := range rows {
		if floor := LightFloor(r.Rate, r.Cable); r.XOFF < floor {
			l.add(BelowLight, r, true,
				"suspect: xoff %v is less than the %v that can be in flight at %v over %v (both "+
					"ways at 5 ns/m, and a frame of 1500B); the purpose of the row is unknown",
				r.XOFF, floor, r.Rate, r.Cable)
		}
		if cell > 0 && int64(r.XOFF)%int64(cell) != 0 {
			l.add(Misaligned, r, true, "xoff %v is not a multiple of the %d-byte cell; %d cells are %v", r.XOFF, cell,
				cell.Holding(r.XOFF), cell.Bytes(cell.Holding(r.XOFF)))
		}
	}
}

// lengths checks the rows of one speed.
func (l *linter) lengths(s []Row) {
	if isFlat(s) {
		f := s[0]
		f.Line = slices.MinFunc(s, func(a, b Row) int { return a.Line - b.Line }).Line
		l.add(Flat, f, false, "all %d lengths of %v have xoff %v: possibly one worst case for all lengths; "+
			"rows for other lengths cannot be derived", len(s), f.Rate, f.XOFF)
		return
	}
	if i := shrinks(s); i > 0 {
		l.add(ShrinksWithLength, s[i], true,
			"suspect: %v has xoff %v over %v but %v over %v; the purpose of the row is unknown",
			s[i].Rate, s[i].XOFF, s[i].Cable, s[i-1].XOFF, s[i-1].Cable)
	}
}

// speeds checks the rows of each length.
func (l *linter) speeds(rows []Row) {
	byLength := slices.Clone(rows)
	slices.SortFunc(byLength, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Cable, b.Cable), cmp.Compare(a.Rate, b.Rate))
	})
	for i := 1; i < len(byLength); i++ {
		if a, b := byLength[i-1], byLength[i]; a.Cable == b.Cable && b.XOFF < a.XOFF {
			l.add(ShrinksWithSpeed, b, true,
				"suspect: over %v, %v has xoff %v but %v has %v; the purpose of the row is unknown",
				b.Cable, b.Rate, b.XOFF, a.Rate, a.XOFF)
		}
	}
}

// outliers finds a row that differs in a column in which all others agree. The
// others are those of its speed if there are at least two; otherwise all rows
// of the table if there are at least four. Sizes also agree if they have the
// same difference to xoff. xoff itself is checked by length and by speed.
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
			l.add(ColumnOutlier, rows[i], true,
				"suspect: %s is %d where the %d rows beside it have %d; the purpose of the row is unknown", column,
				of(rows[i]),
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

// oddOne returns the index of the only row that differs from all others, of
// which there must be at least two, and the value of the others; -1 if there is
// none.
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
