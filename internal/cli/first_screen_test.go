package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// long is a report of many rows and lines.
func long(rows, lines int) *Screen {
	s := Section{Name: "groups", Title: "Groups, in cells", Columns: []string{"port", "cells", "why"}}
	for i := range rows {
		s.Row(fmt.Sprintf("Ethernet%d", i), Amount{Cells: cells.Count(i), Bytes: unit.Bytes(208 * i), Rate: unit.Gbps},
			"because")
	}
	s.MB("cells", "MB")
	r := &Screen{Head: []string{"VERDICT"}, Sections: []Section{s, {Name: "other", Title: "Other", Columns: []string{"a"},
		Rows: [][]any{{"b"}}}}, Foot: []string{"Notes"}}
	for i := range lines {
		r.Foot = append(r.Foot, fmt.Sprintf("- note %d of some words", i))
	}
	return r
}

// printed is what a command with these flags prints of a report.
func printed(t *testing.T, r *Screen, o Output) string {
	t.Helper()
	t.Setenv("COLUMNS", "100")
	o.Format = "table"
	var b bytes.Buffer
	require.NoError(t, r.Write(&b, o, nil))
	return b.String()
}

// A first screen has at most 24 lines, whatever the report has, and says what --all prints beside it.
func TestAFirstScreenFits(t *testing.T) {
	for _, rows := range []int{0, 1, 5, 6, 12, 40, 400} {
		for _, lines := range []int{0, 1, 4, 30, 300} {
			short := printed(t, long(rows, lines).Brief(rows, "groups"), Output{units: InBoth})
			require.LessOrEqual(t, strings.Count(short, "\n"), FirstLines, "%d rows, %d lines", rows, lines)
			all := printed(t, long(rows, lines).Brief(rows, "groups"), Output{units: InBoth, all: true})
			require.Contains(t, all, "Other\n")
			if strings.Count(all, "\n") <= FirstLines {
				require.Equal(t, all, short)
				continue
			}
			require.Contains(t, short, "other")
			require.Contains(t, short, "more      --all prints ")
			shown := strings.Count(short, "because")
			if more := rows - shown; more > 0 {
				require.Contains(t, short, Plural(more, "more row", "more rows")+" of groups")
			}
			if kept := strings.Count(short, "- note"); kept == 0 && lines > 0 {
				require.NotContains(t, short, "Notes")
			}
		}
	}
}

// Rows that go on with the row above are no rows of their own in what --all prints beside a first screen.
func TestRowsThatGoOn(t *testing.T) {
	s := Section{Name: "findings", Columns: []string{"code", "text"}}
	s.Row("rate", "what")
	short := &Screen{Head: []string{"DIFFER"}, Sections: []Section{s}}
	s.Row("", "repair")
	whole := &Screen{Head: []string{"DIFFER"}, Sections: []Section{s}}
	require.Contains(t, printed(t, whole.Short(short.Sections...), Output{}),
		"--all prints the rest of each row of findings\n")
	s.Row("cable", "what")
	whole.Sections = []Section{s}
	require.Contains(t, printed(t, whole.Short(short.Sections...), Output{}), "--all prints 1 more row of findings\n")
}

// An amount is the same number in each unit, with its sign where it is a change, and 0 is 0.
func TestAmounts(t *testing.T) {
	a := Amount{Cells: 1292, Bytes: 268_736, Rate: 100 * unit.Gbps}
	for units, want := range map[string]string{InBoth: "1,292 cells, 0.27 MB, 21.49us at 100G", InCells: "1,292 cells",
		InBytes: "268,736 bytes", InTime: "21.49us at 100G"} {
		require.Equal(t, want, a.Text(units))
	}
	require.Equal(t, "0 cells", Amount{Rate: unit.Gbps}.Text(InBoth))
	a.Rate = 0 // of several ports
	require.Equal(t, "1,292 cells", a.Text(InTime))
	less := Amount{Cells: -1292, Bytes: -268_736, Rate: 100 * unit.Gbps, Change: true}
	require.Equal(t, []Number{"-1,292", "-268,736", "-21.49us", "-0.27"},
		[]Number{less.In(InCells), less.In(InBytes), less.In(InTime), less.megabytes()})
	more := Amount{Cells: 1292, Bytes: 268_736, Change: true}
	require.Equal(t, []Number{"+1,292", "+268,736", "+0.27"}, []Number{more.In(InCells), more.In(InBytes),
		more.megabytes()})
}
