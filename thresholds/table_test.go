package thresholds_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// shipped reads the tables that vendors ship in SONiC, by their ids.
func shipped(t testing.TB) map[string]*thresholds.Table {
	files, err := filepath.Glob(filepath.Join("testdata", "tables", "*.ini"))
	require.NoError(t, err)
	require.Len(t, files, 53)
	out := map[string]*thresholds.Table{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		table, bad := thresholds.ScanTable(filepath.Base(file), bytes.NewReader(data))
		require.Empty(t, bad)
		out[strings.TrimSuffix(table.Name, ".ini")] = table
	}
	return out
}

func read(t testing.TB, text string) *thresholds.Table {
	table, err := thresholds.ReadTable("t.ini", strings.NewReader(text))
	require.NoError(t, err)
	return table
}

func rates(t *thresholds.Table) []unit.BitRate {
	var out []unit.BitRate
	for _, r := range t.Rows {
		out = append(out, r.Rate)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func written(t testing.TB, table *thresholds.Table) string {
	var out strings.Builder
	n, err := table.WriteTo(&out)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	return out.String()
}

// oneLine writes a row with single blanks.
func oneLine(t testing.TB, r thresholds.Row) string {
	_, row, _ := strings.Cut(written(t, &thresholds.Table{Rows: []thresholds.Row{r}}), "\n")
	return strings.Join(strings.Fields(row), " ")
}

func memoryCell(n int) cells.Size { return cells.Size(n) }

// unplaced is the rows without where they stood.
func unplaced(rows []thresholds.Row) []thresholds.Row {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Line = 0
	}
	return out
}

func TestShippedTablesAreReadAndWrittenBack(t *testing.T) {
	rows := 0
	for id, table := range shipped(t) {
		rows += len(table.Rows)
		text := written(t, table)
		again, bad := thresholds.ScanTable(id, strings.NewReader(text))
		require.Empty(t, bad)
		require.Equal(t, unplaced(table.Rows), unplaced(again.Rows), id)
		require.Equal(t, text, written(t, again), id)
	}
	require.Equal(t, 918, rows)
}

// Both forms, comments, odd spacing, units: one meaning.
func TestReadsOddForms(t *testing.T) {
	table := read(t, "\ufeff# speed cable\r\n\t100000\t 5m 1248 2288 165568 0 2288 # short\r\n; old\n\n"+
		"100G 40M 1248B 2288 173KiB -3\n100Gb/s 300.0 m 1 2 3 +3 0\n 40000 80km 1 2 3 0\n400g 0.5m 1 2 3 0")
	require.Equal(t, []string{
		"100000 5m 1248 2288 165568 0 2288", "100000 40m 1248 2288 177152 -3", "100000 300m 1 2 3 3 0", "40000 80000m 1 2 3 0", "400000 0.5m 1 2 3 0",
	}, []string{oneLine(t, table.Rows[0]), oneLine(t, table.Rows[1]), oneLine(t, table.Rows[2]), oneLine(t, table.Rows[3]), oneLine(t, table.Rows[4])})
	require.Equal(t, 2, table.Rows[0].Line)
	require.True(t, table.Rows[2].HasOffset)
	require.False(t, table.Rows[1].HasOffset)
	require.Equal(t, `# speed  cable   size  xon   xoff    threshold  xon_offset
100000   5m      1248  2288  165568  0          2288
100000   40m     1248  2288  177152  -3
100000   300m    1     2     3       3          0
40000    80000m  1     2     3       0
400000   0.5m    1     2     3       0
`, written(t, table))
	require.NotContains(t, written(t, read(t, "1 1m 0 0 0 0")), "xon_offset")
	_, err := (&thresholds.Table{Name: "x", Rows: []thresholds.Row{{Rate: 1}}}).WriteTo(&strings.Builder{})
	require.ErrorContains(t, err, "x: 1b/s is not a whole number of Mb/s")
}

func TestScanTableKeepsWhatCanBeRead(t *testing.T) {
	table, bad := thresholds.ScanTable("t.ini", strings.NewReader("1 1m 0 0 0 0\nnonsense\n1 1m 0 0 5 0\n100.5K 1m 0 0 0 0\n"))
	require.Len(t, table.Rows, 2)
	require.Len(t, bad, 2)
	require.EqualError(t, &bad[0], "t.ini:2: 1 columns; accepted: speed cable size xon xoff dynamic_th [xon_offset]")
	require.ErrorContains(t, &bad[1], `t.ini:4: speed in Mb/s "100.5K"`)
	table, bad = thresholds.ScanTable("t.ini", strings.NewReader("# nothing\n"))
	require.Empty(t, table.Rows)
	require.Empty(t, bad)
}

// Strict refuses what tolerant takes, never the other way round; what is
// written is read as the same.
func FuzzScanWriteRead(f *testing.F) {
	f.Add(lookup)
	f.Add("100G 40 M 1B 2KiB 3 +3 0\n\ufeff; x\n1 0.001m 0 0 0 -10\n")
	f.Add("1 1m 0 0 0 0\n1 1m 0 0 0 0\nx\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, bad := thresholds.ScanTable("fuzz.ini", strings.NewReader(text))
		strict, err := thresholds.ReadTable("fuzz.ini", strings.NewReader(text))
		if err == nil {
			require.Empty(t, bad)
			require.Equal(t, table, strict)
		} else if len(bad) > 0 {
			require.ErrorContains(t, err, bad[0].Error())
		}
		again, bad := thresholds.ScanTable("fuzz.ini", strings.NewReader(written(t, table)))
		require.Empty(t, bad)
		require.Equal(t, unplaced(table.Rows), unplaced(again.Rows))
		require.NotNil(t, append(thresholds.Lint(table, bad, 208), thresholds.Finding{}))
	})
}
