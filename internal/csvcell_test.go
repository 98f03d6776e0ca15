package internal_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/csvcell"
)

func Example_csvcell() {
	name := csvcell.Defuse("=1+2")
	difference := csvcell.Defuse("-3")
	fmt.Println(name, difference)
	fmt.Println(string(csvcell.Append([]byte("1,"), `a "b", c`)))
	// Output:
	// '=1+2 -3
	// 1,"a ""b"", c"
}

func TestCsvcellDefuse(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "-": "-", "Ethernet1": "Ethernet1", "5": "5", "-5": "-5", "+0.5 %": "+0.5 %", "-1,234": "-1,234",
		"=HYPERLINK(1)": "'=HYPERLINK(1)", "+cmd": "'+cmd", "-5+3": "'-5+3", "@sum": "'@sum", "\tx": "'\tx", "\rx": "'\rx",
		"--": "'--", "-x": "'-x", "＝1": "'＝1", "a=1": "a=1", "-.5": "'-.5", "\nx": "'\nx",
	} {
		require.Equal(t, want, csvcell.Defuse(text), "%q", text)
	}
}

// FuzzCsvcellAppend reads what was appended back: the cell is the text, with a quotation mark in front or without.
func FuzzCsvcellAppend(f *testing.F) {
	for _, text := range []string{"", "a,b", `"`, "=1", "a\nb", "\r", "-", "ü"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		row, err := csv.NewReader(strings.NewReader(string(csvcell.Append([]byte("x,"), text)) + ",y\n")).Read()
		require.NoError(t, err)
		require.Len(t, row, 3)
		got := row[1]
		plain := strings.ReplaceAll(text, "\r\n", "\n") // which the reader does
		require.True(t, got == plain || got == "'"+plain, "%q", got)
		if got == plain && got != "" && got != "-" {
			require.True(t, !strings.ContainsAny(got[:1], "=+-@\t\r\n") || strings.Trim(got[1:], "0123456789.,+-% ") == "")
		}
	})
}

// Lines may end in CR LF, in a cell of several lines too; a table of the program that is none is a fault of it.
func TestRowsOfTables(t *testing.T) {
	const text = "# what the table is\nchip,names\n\ntomahawk,\"one,\n  two\"\nspectrum-1,three\n"
	want := [][]string{{"tomahawk", "one,\n  two"}, {"spectrum-1", "three"}}
	require.Equal(t, want, csvcell.Rows(text))
	require.Equal(t, want, csvcell.Rows(strings.ReplaceAll(text, "\n", "\r\n")))
	require.Empty(t, csvcell.Rows("chip,names\n"))
	require.Panics(t, func() { csvcell.Rows("chip,names\ntomahawk\n") })
	require.Panics(t, func() { csvcell.Rows("chip\n\"") })
}
