package table_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// shipped reads the tables that vendors ship in method.SONiC, by their ids.
func shipped(t testing.TB) map[string]*table.Table {
	files, err := filepath.Glob(filepath.Join("testdata", "tables", "*.ini"))
	require.NoError(t, err)
	require.Len(t, files, 53)
	out := map[string]*table.Table{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		file, bad := table.Scan(filepath.Base(file), bytes.NewReader(data))
		require.Empty(t, bad)
		out[strings.TrimSuffix(file.Name, ".ini")] = file
	}
	return out
}

func read(t testing.TB, text string) *table.Table {
	file, err := table.Read("t.ini", strings.NewReader(text))
	require.NoError(t, err)
	return file
}

func rates(t *table.Table) []unit.BitRate {
	var out []unit.BitRate
	for _, r := range t.Rows {
		out = append(out, r.Rate)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func written(t testing.TB, file *table.Table) string {
	var out strings.Builder
	n, err := file.WriteTo(&out)
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	return out.String()
}

// oneLine writes a row with single blanks.
func oneLine(t testing.TB, r table.Row) string {
	_, row, _ := strings.Cut(written(t, &table.Table{Rows: []table.Row{r}}), "\n")
	return strings.Join(strings.Fields(row), " ")
}

func memoryCell(n int) cells.Size { return cells.Size(n) }

// unplaced is the rows without where they stood.
func unplaced(rows []table.Row) []table.Row {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Line = 0
	}
	return out
}

func TestShippedTablesAreReadAndWrittenBack(t *testing.T) {
	rows := 0
	for id, file := range shipped(t) {
		rows += len(file.Rows)
		text := written(t, file)
		again, bad := table.Scan(id, strings.NewReader(text))
		require.Empty(t, bad)
		require.Equal(t, unplaced(file.Rows), unplaced(again.Rows), id)
		require.Equal(t, text, written(t, again), id)
	}
	require.Equal(t, 918, rows)
}

// Both forms of a row, comments, other spacing and units have the same meaning.
func TestReadsOddForms(t *testing.T) {
	file := read(t, "\ufeff# speed cable\r\n\t100000\t 5m 1248 2288 165568 0 2288 # short\r\n; old\n\n"+
		"100G 40M 1248B 2288 173KiB -3\n100Gb/s 300.0 m 1 2 3 +3 0\n 40000 80km 1 2 3 0\n400g 0.5m 1 2 3 0")
	require.Equal(t, []string{
		"100000 5m 1248 2288 165568 0 2288", "100000 40m 1248 2288 177152 -3", "100000 300m 1 2 3 3 0",
		"40000 80000m 1 2 3 0", "400000 0.5m 1 2 3 0",
	}, []string{oneLine(t, file.Rows[0]), oneLine(t, file.Rows[1]), oneLine(t, file.Rows[2]),
		oneLine(t, file.Rows[3]), oneLine(t, file.Rows[4])})
	require.Equal(t, 2, file.Rows[0].Line)
	require.True(t, file.Rows[2].XONOffset.IsGiven())
	require.False(t, file.Rows[1].XONOffset.IsGiven())
	require.Equal(t, `# speed  cable   size  xon   xoff    threshold  xon_offset
100000   5m      1248  2288  165568  0          2288
100000   40m     1248  2288  177152  -3
100000   300m    1     2     3       3          0
40000    80000m  1     2     3       0
400000   0.5m    1     2     3       0
`, written(t, file))
	require.NotContains(t, written(t, read(t, "1 1m 0 0 0 0")), "xon_offset")
	_, err := (&table.Table{Name: "x", Rows: []table.Row{{Rate: 1}}}).WriteTo(&strings.Builder{})
	require.ErrorContains(t, err, "x: 1b/s is not a whole number of Mb/s")
}

func TestScanKeepsWhatCanBeRead(t *testing.T) {
	file, bad := table.Scan("t.ini", strings.NewReader("1 1m 0 0 0 0\nnonsense\n1 1m 0 0 5 0\n100.5K 1m 0 0 0 0\n"))
	require.Len(t, file.Rows, 2)
	require.Len(t, bad, 2)
	require.EqualError(t, &bad[0], "t.ini:2: 1 columns; want speed cable size xon xoff dynamic_th [xon_offset]")
	require.ErrorContains(t, &bad[1], `t.ini:4: speed in Mb/s "100.5K"`)
	file, bad = table.Scan("t.ini", strings.NewReader("# nothing\n"))
	require.Empty(t, file.Rows)
	require.Empty(t, bad)
}

// Every table that the strict reader accepts is accepted by the tolerant one. A
// table that is written is read again as the same table.
func FuzzScanWriteRead(f *testing.F) {
	f.Add(lookup)
	f.Add("100G 40 M 1B 2KiB 3 +3 0\n\ufeff; x\n1 0.001m 0 0 0 -10\n")
	f.Add("1 1m 0 0 0 0\n1 1m 0 0 0 0\nx\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, bad := table.Scan("fuzz.ini", strings.NewReader(text))
		strict, err := table.Read("fuzz.ini", strings.NewReader(text))
		if err == nil {
			require.Empty(t, bad)
			require.Equal(t, file, strict)
		} else if len(bad) > 0 {
			require.ErrorContains(t, err, bad[0].Error())
		}
		again, bad := table.Scan("fuzz.ini", strings.NewReader(written(t, file)))
		require.Empty(t, bad)
		require.Equal(t, unplaced(file.Rows), unplaced(again.Rows))
		table.Lint(file, bad, 208)
	})
}

const lookup = `# speed cable size xon xoff threshold xon_offset
100000 5m   1248 2288 165568 0 2288
100000 300m 1248 2288 268736 0 2288
40000  300m 1248 2288 108160 -3
`

func ExampleTable() {
	file, err := table.Read("pg_profile_lookup.ini", strings.NewReader(lookup))
	if err != nil {
		fmt.Println(err)
		return
	}
	h, _ := file.Explain(thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre}, thresholds.Memory{Cell: 208})
	fmt.Println(h.Cells, h.XOFF, h.XONOffset, h.Terms[0].Source)
	_, err = file.Size(thresholds.Link{Rate: 100 * unit.Gbps, Cable: 50 * unit.Metre}, thresholds.Memory{Cell: 208})
	fmt.Println(err)
	// Output:
	// 1292 268736B 2288B pg_profile_lookup.ini line 3: 100G 300m
	// pg_profile_lookup.ini: no such row in the headroom table: 100G over 50m; it has 100G over [5m 300m]
}

func TestTableWarnsWhenNotCellAligned(t *testing.T) {
	file, err := table.Read("t.ini", strings.NewReader(lookup))
	require.NoError(t, err)
	h, err := file.Explain(thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre},
		thresholds.Memory{Cell: 254})
	require.NoError(t, err)
	require.EqualValues(t, 1059, h.Cells)
	require.Contains(t, h.Warnings[0], "not a multiple of the 254-byte cell")
	_, err = file.Size(thresholds.Link{Rate: 25 * unit.Gbps}, thresholds.Memory{Cell: 254})
	require.ErrorIs(t, err, table.ErrNoRow)
}

func TestReadReportsEveryLine(t *testing.T) {
	_, err := table.Read("bad.ini", strings.NewReader(
		"100000 300 x 0 0 0\n1 2m 3\n100000 5m 1 2 3 99\n100000 5m 1 2 3 0\n100000 5m 1 2 3 0\n"))
	require.Error(t, err)
	for _, want := range []string{
		`bad.ini:1: size "x": want a whole number`, `bad.ini:1: size "x"`,
		`"300" is not a length: it has no unit`,
		"bad.ini:2: 3 columns", `bad.ini:3: dynamic_th "99"`, "bad.ini:5: 100G over 5m is already on line 4",
	} {
		require.ErrorContains(t, err, want)
	}
	_, err = table.Read("empty.ini", strings.NewReader("# nothing\n"))
	require.ErrorContains(t, err, "empty.ini: no rows")
}

func FuzzRead(f *testing.F) {
	f.Add(lookup)
	f.Add("100000 300m 1 2 3 4 5 6\n")
	f.Add("9999999999999999999 1m 0 0 0 0\n")
	f.Add("1 0.0001mm -1 0 0 0\n")
	f.Add("1 0m 0 0 0 2000\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := table.Read("fuzz.ini", strings.NewReader(text))
		if err != nil {
			require.Nil(t, file)
			return
		}
		for _, r := range file.Rows {
			h, err := file.Size(thresholds.Link{Rate: r.Rate, Cable: r.Cable}, thresholds.Memory{Cell: 208})
			if r.StaticTh.IsGiven() { // read and written, and refused for a pool in dynamic mode
				require.ErrorContains(t, err, "static mode")
				continue
			}
			require.NoError(t, err)
			require.GreaterOrEqual(t, h.XOFF, r.XOFF)
			require.Less(t, h.XOFF-r.XOFF, unit.Bytes(208))
			require.GreaterOrEqual(t, h.Cells, cells.Count(0))
		}
	})
}

// A generated file may have a fault in each of its rows: the first are shown, each in a line, and the others counted.
func TestManyBadRows(t *testing.T) {
	effort.SkipShort(t, "it reads a file of bad rows")
	bad := strings.Repeat("fast far 1 2 3 4\n", 30_000)
	_, err := table.Read("t.ini", strings.NewReader("100000 40m 1 1 1 0\n"+bad))
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 51)
	require.Equal(t, `t.ini:2: speed in Mb/s "fast": want a whole number from 1 to 10000000; `+
		`cable: "far" is not a length: it does not begin with a number (want km, m, cm, mm; for example 300m)`, lines[0])
	require.Equal(t, "and 29950 more: 30000 complaints in all", lines[50])
	require.NotErrorIs(t, err, table.ErrNoTable)

	_, err = table.Read("t.ini", strings.NewReader(bad))
	require.ErrorIs(t, err, table.ErrNoTable)

	read, unreadable := table.Scan("t.ini", strings.NewReader(bad))
	findings := table.Lint(read, unreadable, 0)
	require.Len(t, findings, 51)
	require.Equal(t, "and 29950 more lines are no rows, up to this one: 30000 lines in all", findings[50].Message)
	require.Equal(t, 30_000, findings[50].Line)
}

// Values are cut, and rows have a bound.
func TestBounds(t *testing.T) {
	_, err := table.Read("t.ini", strings.NewReader("100000 40m 1 1 1 "+strings.Repeat("9", 1<<20)))
	require.ErrorContains(t, err, `dynamic_th "`+strings.Repeat("9", 60)+`"... (1048576 bytes): want`)
	require.Less(t, len(err.Error()), 300)
	_, err = table.Read("t.ini", strings.NewReader("100000 "+strings.Repeat("m", 1<<20)+" 1 1 1 1"))
	require.Less(t, len(err.Error()), 800)

	var rows strings.Builder
	for i := range columns.MaxRows + 5 {
		fmt.Fprintf(&rows, "100000 %dm 1 1 1 0\n", i+1)
	}
	_, err = table.Read("t.ini", strings.NewReader(rows.String()))
	require.ErrorContains(t, err, "t.ini:4097: more than 4096 rows: want at most 4096\n")
	require.Len(t, strings.Split(err.Error(), "\n"), 5)

	_, unreadable := table.Scan("t.ini", strings.NewReader(strings.Repeat("#", columns.MaxBytes+1)))
	require.ErrorContains(t, unreadable[0].Err, "more than 16777216 bytes")
}

// TestStaticLimitIsNoExponent: the threshold of a pool in static mode is a limit in bytes. It is read and written as it
// is; a plan, whose pools are dynamic, refuses the row.
func TestStaticLimitIsNoExponent(t *testing.T) {
	text := "# speed  cable  size  xon    xoff    threshold\n100000   5m     3584  78400  132160  82880\n"
	rows, err := table.Read("t.ini", strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, unit.Given(unit.Bytes(82880)), rows.Rows[0].StaticTh)
	require.Equal(t, 0, rows.Rows[0].Alpha.DynamicTh())
	var out strings.Builder
	_, err = rows.WriteTo(&out)
	require.NoError(t, err)
	again, err := table.Read("t.ini", strings.NewReader(out.String()))
	require.NoError(t, err)
	require.Equal(t, rows.Rows, again.Rows)
	_, err = rows.Size(thresholds.Link{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre}, thresholds.Memory{Cell: 208})
	require.ErrorContains(t, err, "threshold 82880 is a limit of 82880B, for a pool in static mode: want "+
		"dynamic_th -10")
	for _, threshold := range []string{"11", "1499", "-11", "1099511627777", "82880.5", "x"} {
		_, err := table.Read("t.ini", strings.NewReader("100000 5m 3584 78400 132160 "+threshold))
		require.ErrorContains(t, err, "want a whole number from -10 to 10", threshold)
	}
}
