package csvcell

import (
	"encoding/csv"
	"strings"
)

// Rows returns the rows of a table that is a part of the program, below its header. Empty lines and lines that begin
// with # are comments, and lines may end in CR LF. A text that is no table, or that has rows of several lengths, is a
// fault of the program: Rows panics, and a test reads every table.
func Rows(text string) [][]string {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		panic("a table of the program: " + err.Error())
	}
	return rows[1:]
}
