package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/unit"
)

// WriteTo writes the rows as a pg_profile_lookup.ini that Read reads as the same rows: a comment with the names of the
// columns, speeds in Mb/s, lengths in metres, aligned columns. A row has the column xon_offset if it had it when it was
// read, or if the offset is not 0. Comments of the file that was read are not written. A speed that is not a whole
// number of Mb/s is refused, because the file cannot express it.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	lines := [][]string{{"# speed", "cable", "size", "xon", "xoff", "threshold"}}
	for _, r := range t.Rows {
		if r.Rate%unit.Mbps != 0 {
			return 0, fmt.Errorf("%s: %v is not a whole number of Mb/s", t.Name, r.Rate)
		}
		line := []string{strconv.FormatInt(int64(r.Rate/unit.Mbps), 10), Metres(r.Cable) + "m"}
		for _, b := range []unit.Bytes{r.Size, r.XON, r.XOFF} {
			line = append(line, strconv.FormatInt(int64(b), 10))
		}
		line = append(line, strconv.FormatInt(r.threshold(), 10))
		if offset, ok := r.XONOffset.Get(); ok {
			line = append(line, strconv.FormatInt(int64(offset), 10))
			lines[0] = append(lines[0][:6], "xon_offset")
		}
		lines = append(lines, line)
	}
	n, err := io.WriteString(w, columns.Aligned(lines))
	return int64(n), err
}

// Metres prints a length as a decimal number of metres: 0.5, 80000.
func Metres(l unit.Length) string {
	text := strconv.FormatInt(int64(l/unit.Metre), 10)
	if rest := l % unit.Metre; rest != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%03d", rest), "0")
	}
	return text
}
