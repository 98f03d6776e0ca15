package internal_test

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/columns"
)

// A table is read line by line, each wrong line is an error of its own, and the columns are written aligned.
func Example_columns() {
	var rows [][]string
	bad := columns.Lines("a.ini", strings.NewReader("# speed cable\n100000 40 m\n5 x\n400000\t300m ; far\n"),
		func(_ int, fields []string) error {
			if _, err := columns.ParseCable(fields[1]); err != nil {
				return err
			}
			rows = append(rows, fields)
			return nil
		})
	fmt.Println(columns.Joined(bad))
	fmt.Print(columns.Aligned(rows))
	// Output:
	// a.ini:3: cable: "x" is not a length: it does not begin with a number (want km, m, cm, mm; for example 300m)
	// 100000  40m
	// 400000  300m
}
