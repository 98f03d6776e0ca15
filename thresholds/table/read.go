package table

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Read reads a pg_profile_lookup.ini with lines of
//
//	speed(Mb/s) cable(m) size xon xoff dynamic_th [xon_offset]
//
// Comments begin with # or ;, and any blanks separate columns. All complaints are joined in one error, each with the
// file, the line and what is accepted. Read is for planning with the table, so it refuses a file without rows. It also
// refuses a second row for a speed and length, because one of the two would be ignored silently. Scan refuses neither.
// The error of a file without any row is an ErrNoTable.
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
				fielderr.Located{File: name, Line: row.Line, Err: fmt.Errorf("%v over %v is already on line %d", row.Rate,
					row.Cable, line)})
		} else {
			first[at] = row.Line
		}
	}
	if len(t.Rows) == 0 && len(troubles) == 0 {
		troubles = append(troubles, fielderr.Located{File: name, Err: errors.New(
			"no rows; expected lines of: speed cable size xon xoff dynamic_th [xon_offset]")})
	}
	if len(troubles) == 0 {
		return t, nil
	}
	bad := columns.Joined(troubles)
	if len(t.Rows) == 0 {
		return nil, noTable{bad}
	}
	return nil, bad
}

// ErrNoTable says that no line of a file is a row of a headroom table. The error's text shows the text there instead,
// which may be another file's content.
var ErrNoTable = errors.New("no line is a row of a headroom table")

// noTable is an ErrNoTable with the reason of each line.
type noTable struct{ error }

// Is tells whether the target is ErrNoTable.
func (noTable) Is(target error) bool { return target == ErrNoTable }

// Unwrap returns the reasons.
func (e noTable) Unwrap() error { return e.error }

// Scan reads all readable rows of a pg_profile_lookup.ini, also a second row for a speed and length, and returns an
// error for each line that is not a row. It accepts text with only one possible meaning: a speed or a size with its
// unit ("100G", "1248B"), a capital letter or a blank before the unit of a length ("40M", "40 m"), a byte order mark.
// It does not accept a length without a unit. Of more than fielderr.MostShown lines that are no rows, the last error
// counts the others: its Err is a fielderr.Rest.
func Scan(name string, r io.Reader) (*Table, []fielderr.Located) {
	t := &Table{Name: name}
	bad := columns.Lines(name, r, func(n int, fields []string) error {
		row, err := readRow(fields)
		row.Line = n
		if err == nil && len(t.Rows) == columns.MaxRows {
			err = fmt.Errorf("more than %[1]d rows: want at most %[1]d", columns.MaxRows)
		}
		if err == nil {
			t.Rows = append(t.Rows, row)
		}
		return err
	})
	return t, bad
}

// MostBytes bounds the bytes of a row. A value beyond it is a typing error.
const MostBytes unit.Bytes = 1 << 40

// leastLimit is the least threshold that is read as static_th. The column has no name of its own: the buffer manager
// writes it into dynamic_th or static_th, by the mode of the pool (sonic-swss cfgmgr/buffermgr.cpp). A limit below a
// frame would stop all traffic, and an exponent above 10 is a typing error; what is between them is neither.
const leastLimit = 1500

// readRow reads the columns of a row.
func readRow(f []string) (Row, error) {
	if len(f) != 6 && len(f) != 7 {
		return Row{}, fmt.Errorf("%d columns; want speed cable size xon xoff dynamic_th [xon_offset]", len(f))
	}
	var bad fielderr.List
	bytes := func(i int, name string) unit.Bytes {
		v, err := columns.WholeNumber(f[i], name, 0, int64(MostBytes))
		if b, e := unit.ParseBytes(f[i]); e == nil && b <= MostBytes {
			v, err = int64(b), nil
		}
		bad.Join(err)
		return unit.Bytes(v)
	}
	var row Row
	var notSpeed, notCable, notAlpha error
	row.Rate, notSpeed = columns.ParseSpeed(f[0])
	row.Cable, notCable = columns.ParseCable(f[1])
	row.Size, row.XON, row.XOFF = bytes(2, "size"), bytes(3, "xon"), bytes(4, "xoff")
	if limit, err := strconv.ParseInt(f[5], 10, 64); err == nil && limit >= leastLimit && limit <= int64(MostBytes) {
		row.StaticTh = unit.Given(unit.Bytes(limit))
	} else {
		var alpha int64
		alpha, notAlpha = columns.WholeNumber(f[5], "dynamic_th", int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))
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
