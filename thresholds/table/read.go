package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Read reads a pg_profile_lookup.ini with lines of
//
//	speed(Mb/s) cable(m) size xon xoff dynamic_th [xon_offset]
//
// Comments begin with # or ;, and any blanks separate columns. All complaints
// are joined in one error, each with the file, the line and what is accepted.
// Read is for planning with the table, so it refuses a file without rows. It
// also refuses a second row for a speed and length, because one of the two
// would be ignored silently. Scan refuses neither. The error of a file without
// any row is an ErrNoTable.
func Read(name string, r io.Reader) (*Table, error) {
	t, troubles := Scan(name, r)
	type place struct {
		rate  unit.BitRate
		cable unit.Length
	}
	first := map[place]int{}
	for _, row := range t.Rows {
		at := place{row.Rate, row.Cable}
		if line, ok := first[at]; ok {
			troubles = append(troubles,
				LineError{name, row.Line, fmt.Errorf("%v over %v is already on line %d", row.Rate, row.Cable, line)})
		} else {
			first[at] = row.Line
		}
	}
	if len(t.Rows) == 0 && len(troubles) == 0 {
		troubles = append(troubles, LineError{name, 0, errors.New(
			"no rows; expected lines of: speed cable size xon xoff dynamic_th [xon_offset]")})
	}
	if len(troubles) == 0 {
		return t, nil
	}
	bad := Joined(troubles)
	if len(t.Rows) == 0 {
		return nil, noTable{bad}
	}
	return nil, bad
}

// Joined returns the errors of lines as one error, in the order of the lines; nil
// if there are none.
func Joined(troubles []LineError) error {
	slices.SortStableFunc(troubles, func(a, b LineError) int { return a.Line - b.Line })
	var bad fielderr.List
	for i := range troubles {
		if rest, ok := troubles[i].Err.(fielderr.Rest); ok {
			bad = append(bad, rest)
		} else {
			bad = append(bad, &troubles[i])
		}
	}
	return bad.Err()
}

// ErrNoTable says that no line of a file is a row of a headroom table. The
// error's text shows what stands there instead, which may be another file's
// content.
var ErrNoTable = errors.New("no line is a row of a headroom table")

// noTable is an ErrNoTable with the reason of each line.
type noTable struct{ error }

// Is tells whether the target is ErrNoTable.
func (noTable) Is(target error) bool { return target == ErrNoTable }

// Unwrap returns the reasons.
func (e noTable) Unwrap() error { return e.error }

// Bounds of a table. The largest that a vendor ships has 150 rows.
const (
	maxBytes = 16 << 20 // of the file
	MaxRows  = 4096
	MaxLines = 65_536 // with comments
)

// LineError is the error of a line of a file.
type LineError struct {
	File string
	Line int // 0: the whole file
	Err  error
}

// Error returns the file, the line and what is wrong.
func (e *LineError) Error() string { return (*fielderr.Located)(e).Error() }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Scan reads all readable rows of a pg_profile_lookup.ini, also a second row
// for a speed and length, and returns an error for each line that is not a row.
// It accepts text with only one possible meaning: a speed or a size with its
// unit ("100G", "1248B"), a capital letter or a blank before the unit of a
// length ("40M", "40 m"), a byte order mark. It does not accept a length
// without a unit. Of more than fielderr.MostShown lines that are no rows, the
// last error counts the others: its Err is a fielderr.Rest.
func Scan(name string, r io.Reader) (*Table, []LineError) {
	t := &Table{Name: name}
	bad := Lines(name, r, func(n int, fields []string) error {
		row, err := readRow(fields)
		row.Line = n
		if err == nil && len(t.Rows) == MaxRows {
			err = fmt.Errorf("one row more than %d: accepted: at most so many", MaxRows)
		}
		if err == nil {
			t.Rows = append(t.Rows, row)
		}
		return err
	})
	return t, bad
}

// Lines reads a table in columns, as pg_profile_lookup.ini and
// llr_profile_lookup.ini are. It calls a function for each line that is neither
// empty nor a comment, and returns what the function refuses, as Scan does.
func Lines(name string, r io.Reader, each func(line int, fields []string) error) []LineError {
	var bad []LineError
	refuse := func(line int, err error) {
		switch last := len(bad) - 1; {
		case last+1 < fielderr.MostShown:
			bad = append(bad, LineError{name, line, err})
		case last+1 == fielderr.MostShown:
			bad = append(bad, LineError{name, line, fielderr.Rest(1)})
		default:
			bad[last].Line, bad[last].Err = line, bad[last].Err.(fielderr.Rest)+1
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("more than %d bytes: accepted: a headroom table", maxBytes)
	}
	if err != nil {
		return []LineError{{name, 0, err}}
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		if n++; n > MaxLines {
			refuse(n, fmt.Errorf("more than %d lines: accepted: a headroom table", MaxLines))
			break
		}
		if comment := strings.IndexAny(line, "#;"); comment >= 0 {
			line = line[:comment]
		}
		if fields := columns(line); len(fields) > 0 {
			if err := each(n, fields); err != nil {
				refuse(n, err)
			}
		}
	}
	return bad
}

// columns splits a line at its blanks, but not between a length and its unit.
func columns(line string) []string {
	f := strings.Fields(line)
	if len(f) > 2 && (strings.EqualFold(f[2], "m") || strings.EqualFold(f[2], "km")) {
		f = slices.Replace(f, 1, 3, f[1]+f[2])
	}
	return f
}

// mostSpeed bounds the speed of a row, in Mb/s. A value beyond it is a typing error.
const mostSpeed = 10_000_000

// MostBytes bounds the bytes of a row. A value beyond it is a typing error.
const MostBytes unit.Bytes = 1 << 40

// leastLimit is the least threshold that is read as static_th. The column has no name of its own: the buffer manager
// writes it into dynamic_th or static_th, by the mode of the pool (sonic-swss cfgmgr/buffermgr.cpp). A limit below a
// frame would stop all traffic, and an exponent above 10 is a typing error; what is between them is neither.
const leastLimit = 1500

// readRow reads the columns of a row.
func readRow(f []string) (Row, error) {
	if len(f) != 6 && len(f) != 7 {
		return Row{}, fmt.Errorf("%d columns; accepted: speed cable size xon xoff dynamic_th [xon_offset]", len(f))
	}
	var bad fielderr.List
	bytes := func(i int, name string) unit.Bytes {
		v, err := WholeNumber(f[i], name, 0, int64(MostBytes))
		if b, e := unit.ParseBytes(f[i]); e == nil && b <= MostBytes {
			v, err = int64(b), nil
		}
		bad.Join(err)
		return unit.Bytes(v)
	}
	var row Row
	var notSpeed, notCable, notAlpha error
	row.Rate, notSpeed = ParseSpeed(f[0])
	row.Cable, notCable = ParseCable(f[1])
	row.Size, row.XON, row.XOFF = bytes(2, "size"), bytes(3, "xon"), bytes(4, "xoff")
	if limit, err := strconv.ParseInt(f[5], 10, 64); err == nil && limit >= leastLimit && limit <= int64(MostBytes) {
		row.StaticTh = unit.Given(unit.Bytes(limit))
	} else {
		var alpha int64
		alpha, notAlpha = WholeNumber(f[5], "dynamic_th", int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))
		row.Alpha = thresholds.Alpha(alpha)
	}
	if len(f) == 7 {
		row.XONOffset = unit.Given(bytes(6, "xon_offset"))
	}
	for _, err := range []error{notSpeed, notAlpha, notCable} {
		bad.Join(err)
	}
	return row, bad.InLine()
}

// WholeNumber reads a number in a range; the complaint has the name of the column.
func WholeNumber(text, name string, lowest, highest int64) (int64, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lowest || v > highest {
		return 0, fmt.Errorf("%s %s: accepted is a whole number from %d to %d", name, fielderr.Quote(text), lowest,
			highest)
	}
	return v, nil
}

// ParseSpeed reads a speed in Mb/s, or a bit rate with its unit.
func ParseSpeed(text string) (unit.BitRate, error) {
	for _, spelling := range []string{text, strings.ToUpper(text)} {
		if r, err := unit.ParseBitRate(spelling); err == nil && r >= unit.Mbps && r <= mostSpeed*unit.Mbps &&
			r%unit.Mbps == 0 {
			return r, nil
		}
	}
	v, err := WholeNumber(text, "speed in Mb/s", 1, mostSpeed)
	return unit.BitRate(v) * unit.Mbps, err
}

// ParseCable reads a length. SONiC writes "40m"; some tables have a capital M.
func ParseCable(text string) (unit.Length, error) {
	l, err := unit.ParseLength(strings.ToLower(text))
	if err != nil {
		return 0, fmt.Errorf("cable: %s", fielderr.Requote(err, strings.ToLower(text)))
	}
	if l > thresholds.MaxCable {
		return 0, fmt.Errorf("cable %v: accepted is at most %v", l, thresholds.MaxCable)
	}
	return l, nil
}
