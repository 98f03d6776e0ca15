package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Lint returns what is suspect in a table that Scan has read, and the lines that it could not read. A finding need not
// be a fault: no table states what its rows were made for. A cell of 0 is unknown: alignment is then not checked. Of
// two rows for the same speed and length the later one is checked, because SONiC uses it (sonic-swss
// cfgmgr/buffermgr.cpp reads the file into a map).
func Lint(t *Table, unreadable []fielderr.Located, cell cells.Size) []finding.Finding {
	l := linter{file: t.Name}
	l.unread(t, unreadable)
	rows := l.lastOfEach(t.Rows)
	l.eachRow(rows, cell)
	for _, s := range seriesOf(rows) {
		l.lengths(s, cell)
	}
	l.speeds(rows)
	l.outliers(rows)
	l.xonOffsets(t)
	l.sameForSpeeds(t)
	finding.Sort(l.findings)
	return l.findings
}

// linter collects the findings of one file.
type linter struct {
	file     string
	findings []finding.Finding
}

// numbers are the bytes of a finding.
type numbers = map[string]int64

// add adds a finding about an object, and returns it.
func (l *linter) add(code finding.Code, line int, object string, n numbers, format string,
	args ...any) *finding.Finding {
	f := codes.New(code, finding.Place{File: l.file, Line: line}, object, fmt.Sprintf(format, args...))
	f.Bytes = n
	l.findings = append(l.findings, f)
	return &l.findings[len(l.findings)-1]
}

// addRow adds a finding about a row, and returns it.
func (l *linter) addRow(code finding.Code, r Row, n numbers, format string, args ...any) *finding.Finding {
	return l.add(code, r.Line, fmt.Sprintf("%v over %v", r.Rate, r.Cable), n, format, args...)
}

// unread reports lines that are no rows, and a table without rows.
func (l *linter) unread(t *Table, unreadable []fielderr.Located) {
	const object = "headroom table"
	for _, e := range unreadable {
		if rest, ok := e.Err.(fielderr.Rest); ok {
			l.add("row-unreadable", e.Line, object, nil, "%v lines are no rows, up to this one: %d lines in all", rest,
				len(unreadable)-1+int(rest))
			continue
		}
		l.add("row-unreadable", e.Line, object, nil, "%v", e.Err)
	}
	if len(t.Rows) == 0 && len(unreadable) == 0 {
		l.add("row-unreadable", 0, object, nil,
			"no rows: this table sizes no lossless group, which is correct for a switch without lossless groups").
			Severity = finding.Note
	}
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
			l.addRow("row-duplicate", r, nil, "%v over %v has two rows with the same values", r.Rate, r.Cable).Severity =
				finding.Warning
			continue
		}
		l.addRow("row-duplicate", r, nil,
			"%v over %v has two rows with different values, xoff %v and %v; SONiC uses the last row",
			r.Rate, r.Cable, first.XOFF, r.XOFF)
	}
	return rows
}

// eachRow checks each row by itself.
func (l *linter) eachRow(rows []Row, cell cells.Size) {
	for _, r := range rows {
		l.light(r)
		if cell > 0 && int64(r.XOFF)%int64(cell) != 0 {
			l.addRow("cell-misaligned", r, nil, "xoff %v is not a multiple of the %d-byte cell; %d cells are %v", r.XOFF, cell,
				cell.Holding(r.XOFF), cell.Bytes(cell.Holding(r.XOFF)))
		}
	}
}

// lengths checks the rows of one speed.
func (l *linter) lengths(s []Row, cell cells.Size) {
	if isFlat(s) {
		f := slices.MinFunc(s, func(a, b Row) int { return a.Line - b.Line })
		l.addRow("xoff-same-for-lengths", f, nil, "all %d lengths of %v have xoff %v: possibly one worst case for all "+
			"lengths; rows for other lengths cannot be derived", len(s), f.Rate, f.XOFF)
		return
	}
	if i := shrinks(s); i > 0 {
		l.addRow("xoff-shrinks-with-length", s[i], numbers{"xoff": int64(s[i].XOFF)}, "%v has xoff %v over %v but %v over %v",
			s[i].Rate, s[i].XOFF, s[i].Cable, s[i-1].XOFF, s[i-1].Cable)
	}
	for len(s) > 0 {
		n := 1
		for n < len(s) && s[n].XOFF == s[0].XOFF {
			n++
		}
		l.sameAsShorter(s[:n], cell)
		s = s[n:]
	}
}

// leastStep is the least difference in flight, in bytes, that the rows of two lengths must show: the rows of NVIDIA's
// switches are multiples of 1 KiB.
const leastStep = 1024

// sameAsShorter reports the longest of some neighbouring lengths with one headroom. Three or more are a note: they are
// often one worst case for all lengths up to the longest.
func (l *linter) sameAsShorter(same []Row, cell cells.Size) {
	short, long := same[0], same[len(same)-1]
	more := InFlight(long.Rate, long.Cable) - InFlight(short.Rate, short.Cable)
	if len(same) == 1 || more < max(leastStep, unit.Bytes(cell)) {
		return
	}
	f := l.addRow("xoff-same-as-shorter", long, numbers{"xoff": int64(long.XOFF), "more_in_flight": int64(more)},
		"%v has xoff %v over %v as over %v, and %d bytes more are in flight", long.Rate, long.XOFF, long.Cable, short.Cable,
		more)
	if len(same) > 2 {
		f.Severity = finding.Note
		f.Suspect(fmt.Sprintf("possibly one worst case for %d lengths", len(same)))
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
			l.addRow("xoff-shrinks-with-speed", b, numbers{"xoff": int64(b.XOFF)}, "over %v, %v has xoff %v but %v has %v",
				b.Cable, b.Rate, b.XOFF, a.Rate, a.XOFF)
		}
	}
}
