package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/complain"
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

// Read reads a pg_profile_lookup.ini: lines of
//
//	speed(Mb/s) cable(m) size xon xoff dynamic_th [xon_offset]
//
// with comments after # or ; and any blanks between the columns. All complaints
// are joined in one error, each with the file's name, the line and what is
// accepted. It is for those who will plan with the table: a file without rows
// is refused, and so is a second row for a speed and length, because one of the
// two would be passed over in silence. Scan refuses neither.
func Read(name string, r io.Reader) (*Table, error) {
	t, troubles := Scan(name, r)
	for i, row := range t.Rows {
		if first, ok := twin(t.Rows[:i], row); ok {
			troubles = append(troubles,
				LineError{name, row.Line, fmt.Errorf("%v over %v is already on line %d", row.Rate, row.Cable,
					first.Line)})
		}
	}
	if len(t.Rows) == 0 && len(troubles) == 0 {
		troubles = append(troubles, LineError{name, 0, errors.New(
			"no rows; expected lines of: speed cable size xon xoff dynamic_th [xon_offset]")})
	}
	if len(troubles) == 0 {
		return t, nil
	}
	slices.SortStableFunc(troubles, func(a, b LineError) int { return a.Line - b.Line })
	var bad complain.List
	for i := range troubles {
		bad.Join(&troubles[i])
	}
	return nil, bad.Err()
}

// LineError is a line of a file that is not what it should be.
type LineError struct {
	File string
	Line int // 0: it is about the whole file
	Err  error
}

// Error names the file and the line.
func (e *LineError) Error() string { return (*complain.Located)(e).Error() }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Scan reads what can be read of a pg_profile_lookup.ini: every row, also
// the second one for a speed and length, and beside them the lines that are no
// row. Text that has one meaning is taken as meant: a speed with its unit
// ("100G"), a size with its unit ("1248B"), a capital or a blank before the unit
// of a length ("40M", "40 m"), a byte order mark. A length without a unit is no
// row.
func Scan(name string, r io.Reader) (*Table, []LineError) {
	t := &Table{Name: name}
	var bad []LineError
	data, err := io.ReadAll(r)
	if err != nil {
		bad = append(bad, LineError{name, 0, err})
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		n++
		if comment := strings.IndexAny(line, "#;"); comment >= 0 {
			line = line[:comment]
		}
		fields := columns(line)
		if len(fields) == 0 {
			continue
		}
		row, err := readRow(fields)
		row.Line = n
		if err != nil {
			bad = append(bad, LineError{name, n, err})
			continue
		}
		t.Rows = append(t.Rows, row)
	}
	return t, bad
}

// columns cuts a line at its blanks; a length keeps its unit.
func columns(line string) []string {
	f := strings.Fields(line)
	if len(f) > 2 && (strings.EqualFold(f[2], "m") || strings.EqualFold(f[2], "km")) {
		f = slices.Replace(f, 1, 3, f[1]+f[2])
	}
	return f
}

// twin finds the row of the same speed and length.
func twin(rows []Row, row Row) (Row, bool) {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Rate == row.Rate && r.Cable == row.Cable })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// Bounds of what a row may say; beyond them somebody mistyped.
const (
	mostSpeed = 10_000_000 // Mb/s
	mostBytes = 1 << 40
)

func readRow(f []string) (Row, error) {
	if len(f) != 6 && len(f) != 7 {
		return Row{}, fmt.Errorf("%d columns; accepted: speed cable size xon xoff dynamic_th [xon_offset]", len(f))
	}
	var bad complain.List
	bytes := func(i int, name string) unit.Bytes {
		v, err := wholeNumber(f[i], name, 0, mostBytes)
		if b, e := unit.ParseBytes(f[i]); e == nil && b <= mostBytes {
			v, err = int64(b), nil
		}
		bad.Join(err)
		return unit.Bytes(v)
	}
	row := Row{HasOffset: len(f) == 7}
	var notSpeed, notCable, notAlpha error
	row.Rate, notSpeed = readSpeed(f[0])
	row.Cable, notCable = readCable(f[1])
	row.Size, row.XON, row.XOFF = bytes(2, "size"), bytes(3, "xon"), bytes(4, "xoff")
	var alpha int64
	alpha, notAlpha = wholeNumber(f[5], "dynamic_th", int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))
	row.Alpha = thresholds.Alpha(alpha)
	if row.HasOffset {
		row.XONOffset = bytes(6, "xon_offset")
	}
	for _, err := range []error{notSpeed, notAlpha, notCable} {
		bad.Join(err)
	}
	return row, bad.Err()
}

func wholeNumber(text, name string, lowest, highest int64) (int64, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lowest || v > highest {
		return 0, fmt.Errorf("%s %q: accepted is a whole number from %d to %d", name, text, lowest, highest)
	}
	return v, nil
}

// readSpeed reads Mb/s, or a bit rate with its unit.
func readSpeed(text string) (unit.BitRate, error) {
	for _, spelling := range []string{text, strings.ToUpper(text)} {
		if r, err := unit.ParseBitRate(spelling); err == nil && r >= unit.Mbps && r <= mostSpeed*unit.Mbps &&
			r%unit.Mbps == 0 {
			return r, nil
		}
	}
	v, err := wholeNumber(text, "speed in Mb/s", 1, mostSpeed)
	return unit.BitRate(v) * unit.Mbps, err
}

// readCable reads a length; SONiC writes metres, some hands a capital M.
func readCable(text string) (unit.Length, error) {
	l, err := unit.ParseLength(strings.ToLower(text))
	if err != nil {
		return 0, fmt.Errorf("cable: %w", err)
	}
	if l > thresholds.MaxCable {
		return 0, fmt.Errorf("cable %v: accepted is at most %v", l, thresholds.MaxCable)
	}
	return l, nil
}

// WriteTo writes the rows as a pg_profile_lookup.ini that reads back as the
// same rows: a comment with the names of the columns, speeds in Mb/s, lengths in
// metres, columns aligned. A row has the column xon_offset if it had it when it
// was read, or has an offset. Comments are not kept, they are not read either. A
// speed that is not a whole number of Mb/s is refused, for there is no form for
// it.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	lines := [][]string{{"# speed", "cable", "size", "xon", "xoff", "threshold"}}
	for _, r := range t.Rows {
		if r.Rate%unit.Mbps != 0 {
			return 0, fmt.Errorf("%s: %v is not a whole number of Mb/s", t.Name, r.Rate)
		}
		line := []string{strconv.FormatInt(int64(r.Rate/unit.Mbps), 10), metres(r.Cable) + "m"}
		for _, b := range []unit.Bytes{r.Size, r.XON, r.XOFF} {
			line = append(line, strconv.FormatInt(int64(b), 10))
		}
		line = append(line, strconv.Itoa(r.Alpha.DynamicTh()))
		if r.HasOffset || r.XONOffset != 0 {
			line = append(line, strconv.FormatInt(int64(r.XONOffset), 10))
			lines[0] = append(lines[0][:6], "xon_offset")
		}
		lines = append(lines, line)
	}
	n, err := io.WriteString(w, aligned(lines))
	return int64(n), err
}

// metres prints a length as a decimal number of metres: 0.5, 80000.
func metres(l unit.Length) string {
	text := strconv.FormatInt(int64(l/unit.Metre), 10)
	if rest := l % unit.Metre; rest != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text
}

// aligned puts columns under each other, two blanks apart.
func aligned(lines [][]string) string {
	var widths [7]int
	for _, line := range lines {
		for i, v := range line {
			widths[i] = max(widths[i], len(v))
		}
	}
	var out strings.Builder
	for _, line := range lines {
		for i, v := range line {
			if i < len(line)-1 {
				v += strings.Repeat(" ", widths[i]-len(v)+2)
			}
			out.WriteString(v)
		}
		out.WriteByte('\n')
	}
	return out.String()
}
