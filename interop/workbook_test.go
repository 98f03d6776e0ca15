package interop

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// A workbook of plan -o xlsx is one for excelize: a sheet for each table, numbers as numbers, and no foreign text as a
// formula. The same report gives the same bytes.
func TestWorkbook(t *testing.T) {
	foreign := []string{"=1+2", "+1+2", "-1-2", "@SUM(A1)", "=HYPERLINK(\"http://example.net\")", "\t=1", "a\x01b\u202e",
		`<c><f>1+2</f></c>`, " kept ", strings.Repeat("x", 40_000)}
	screen := func() *cli.Screen {
		s := cli.Section{Title: "Groups, all of them", Columns: []string{"=name", "cells", "share", "rate"}}
		for _, name := range foreign {
			s.Row(name, cli.Count(80_660), cli.Share(1, 4), cli.Number("up to 300m"))
		}
		s.Total = []any{nil, cli.Count(-5), cli.Number("-"), ""}
		twice := cli.Section{Name: strings.Repeat("long-name-", 5), Columns: []string{"n"}, Rows: [][]any{{"=1"}}}
		return &cli.Screen{Head: []string{"=FITS"}, Sections: []cli.Section{s, twice, twice}, Foot: []string{"+note"}}
	}
	var first, second bytes.Buffer
	require.NoError(t, screen().Write(&first, cli.Output{Format: "xlsx"}, nil))
	require.NoError(t, screen().Write(&second, cli.Output{Format: "xlsx"}, nil))
	require.Equal(t, first.Bytes(), second.Bytes())

	book, err := excelize.OpenReader(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	require.Equal(t, []string{"verdict", "groups", "long-name-long-name-long-name-l", "long-name-long-name-long-name-2"},
		book.GetSheetList())
	cell := func(sheet, at string) string {
		t.Helper()
		text, err := book.GetCellValue(sheet, at, excelize.Options{RawCellValue: true})
		require.NoError(t, err)
		return text
	}
	require.Equal(t, "=FITS", cell("verdict", "B2"))
	require.Equal(t, "=1+2", cell("groups", "A2"))
	require.Equal(t, "-1-2", cell("groups", "A4"))
	require.NotContains(t, cell("groups", "A8"), "\u202e")
	require.Equal(t, " kept ", cell("groups", "A10"))
	require.Less(t, len(cell("groups", "A11")), 32_767)
	require.Equal(t, []string{"80660", "25.0e-2", "up to 300m"},
		[]string{cell("groups", "B2"), cell("groups", "C2"), cell("groups", "D2")})
	shown, err := book.GetCellValue("groups", "C2")
	require.NoError(t, err)
	require.Equal(t, "25.0%", shown)
	require.Equal(t, "-5", cell("groups", "B12"))
	for _, sheet := range book.GetSheetList() {
		rows, err := book.GetRows(sheet)
		require.NoError(t, err)
		for y, row := range rows {
			for x, text := range row {
				at, err := excelize.CoordinatesToCellName(x+1, y+1)
				require.NoError(t, err)
				formula, err := book.GetCellFormula(sheet, at)
				require.NoError(t, err)
				require.Empty(t, formula)
				kind, err := book.GetCellType(sheet, at)
				require.NoError(t, err)
				style, err := book.GetCellStyle(sheet, at)
				require.NoError(t, err)
				if kind == excelize.CellTypeInlineString && text != "" {
					require.Contains(t, []int{1, 2}, style, "%s of %s: quotePrefix keeps it a text when it is edited", at, sheet)
				}
			}
		}
	}
}
