package table_test

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// A table has rows for some lengths only. Lint names suspect rows, and a line
// through the rows of a speed gives a row for another length.
func Example() {
	file, err := table.Read("pg_profile_lookup.ini", strings.NewReader(`
# speed cable size xon xoff threshold
100000 5m   1248 2288 165568 0
100000 40m  1248 2288 177632 0
100000 300m 1248 2288 268736 0
40000  300m 1248 2288 10800  0
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range table.Lint(file, nil, 208) {
		fmt.Printf("line %d: %s %s\n", f.Line, f.Severity, f.Code)
	}
	for _, f := range file.Fits(208) {
		row, err := f.At(100*unit.Metre, false)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(row.Rate, row.Cable, row.XOFF)
	}
	// Output:
	// line 6: note cell-misaligned
	// line 6: error headroom-below-flight
	// 40G over 100m: no row can be made from a series that is one length: no slope
	// 100G 100m 198848B
}
