// Package columns reads and writes tables of a switch's profiles in columns, as SONiC's pg_profile_lookup.ini and
// llr_profile_lookup.ini are: a line for each speed and length of cable, blanks between the columns, comments behind #
// or ;. What the columns mean is the business of packages thresholds/table and cbfc.
package columns

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Bounds of a table. The largest that a vendor ships has 150 rows.
const (
	MaxBytes = 16 << 20 // of the file
	MaxRows  = 4096
	MaxLines = 65_536 // with comments
)

// Lines reads a table in columns, as pg_profile_lookup.ini and
// llr_profile_lookup.ini are. It calls a function for each line that is neither
// empty nor a comment, and returns what the
// function refuses: an error for each line. Of more than fielderr.MostShown lines, the last error counts the others:
// its Err is a fielderr.Rest.
func Lines(name string, r io.Reader, each func(line int, fields []string) error) []fielderr.Located {
	var bad []fielderr.Located
	refuse := func(line int, err error) {
		switch last := len(bad) - 1; {
		case last+1 < fielderr.MostShown:
			bad = append(bad, fielderr.Located{File: name, Line: line, Err: err})
		case last+1 == fielderr.MostShown:
			bad = append(bad, fielderr.Located{File: name, Line: line, Err: fielderr.Rest(1)})
		default:
			bad[last].Line, bad[last].Err = line, bad[last].Err.(fielderr.Rest)+1
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("more than %d bytes: want a headroom table", MaxBytes)
	}
	if err != nil {
		return []fielderr.Located{{File: name, Err: err}}
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
		if n++; n > MaxLines {
			refuse(n, fmt.Errorf("more than %d lines: want a headroom table", MaxLines))
			break
		}
		if comment := strings.IndexAny(line, "#;"); comment >= 0 {
			line = line[:comment]
		}
		if fields := split(line); len(fields) > 0 {
			if err := each(n, fields); err != nil {
				refuse(n, err)
			}
		}
	}
	return bad
}

// split splits a line at its blanks, but not between a length and its unit.
func split(line string) []string {
	f := strings.Fields(line)
	if len(f) > 2 && (strings.EqualFold(f[2], "m") || strings.EqualFold(f[2], "km")) {
		f = slices.Replace(f, 1, 3, f[1]+f[2])
	}
	return f
}

// Joined returns the errors of lines as one error, in the order of the lines; nil without errors.
func Joined(troubles []fielderr.Located) error {
	slices.SortStableFunc(troubles, func(a, b fielderr.Located) int { return a.Line - b.Line })
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

// mostSpeed bounds the speed of a row, in Mb/s. A value beyond it is a typing error.
const mostSpeed = 10_000_000

// WholeNumber reads a number in a range; the complaint has the name of the column.
func WholeNumber(text, name string, lowest, highest int64) (int64, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lowest || v > highest {
		return 0, fmt.Errorf("%s %s: want a whole number from %d to %d", name, fielderr.Quote(text), lowest,
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
		return 0, fmt.Errorf("cable %v: want at most %v", l, thresholds.MaxCable)
	}
	return l, nil
}

// Aligned aligns columns, two blanks apart, a line for each row.
func Aligned(lines [][]string) string {
	var widths []int
	for _, line := range lines {
		widths = append(widths, make([]int, max(0, len(line)-len(widths)))...)
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
