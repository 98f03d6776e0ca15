package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Three lengths of Tomahawk 4 at 100G; a row for 500 m.
func ExampleTable_Fits() {
	file, err := table.Read("th4.ini", strings.NewReader(`
100000 5m   18796 0 128778 0 3556
100000 40m  18796 0 142240 0 3556
100000 300m 18796 0 240538 0 3556
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	f := file.Fits(254)[0]
	fmt.Println(f.Base, f.PerMetre, f.Reading)
	row, err := f.At(500*unit.Metre, false)
	fmt.Println(row.XOFF, row.XOFF%254, row.XONOffset, err)
	// Output:
	// 126985B 378.555 3.028: near 3.024, 254/84, every 64-byte frame and its gap takes one 254-byte cell
	// 316484B 0B 3556B <nil>
}

// The line is the least squares line: points on a line give this line, and the factor of the slope is named.
func TestFitExact(t *testing.T) {
	// 7 + 12.5 bytes/m at 10G: propagation alone.
	file := read(t, "10000 2m 0 0 32 0\n10000 4m 0 0 57 0\n10000 10m 0 0 132 0\n")
	f := file.Fits(0)[0]
	require.NoError(t, f.Doubt)
	require.Equal(t, unit.Bytes(7), f.Base)
	require.Equal(t, "12.500", f.PerMetre.String())
	require.Zero(t, f.MaxResidual)
	require.Equal(t, "1.000: 1, propagation alone: long frames, which waste little of their cells", f.Reading)
	row, err := f.At(1000*unit.Metre, false)
	require.NoError(t, err)
	require.Equal(t, table.LightFloor(10*unit.Gbps, unit.Kilometre), row.XOFF,
		"12,507 would be less than light and a frame")
	require.Contains(t, row.Notes[0], "in flight")

	// (0, 0), (1, 1000), (2, 1500): slope 750, base 250/3, the middle row off by 500/3.
	f = read(t, "10000 0m 0 0 0 0\n10000 1m 0 0 1000 0\n10000 2m 0 0 1500 0\n").Fits(0)[0]
	require.Equal(t, unit.Bytes(83), f.Base)
	require.Equal(t, "750.000", f.PerMetre.String())
	require.Equal(t, "8333.333", f.MaxResidual.String(), "an xoff of 0 counts as one byte")
	require.Equal(t, "-0.001", table.Thousandths(-1).String())
}

func TestReadings(t *testing.T) {
	for file, want := range map[string]string{
		"07454410 100G": "3.024: 254/84, every 64-byte frame and its gap takes one 254-byte cell",
		"2dfa9356 200G": "5.000: 420/84, every 64-byte frame and its gap takes one 420-byte cell",
		"9c57b72d 100G": "flat: all lengths have the same xoff",
		"7c71886e 100G": "contradictory: 366592B over 1.5km, 234496B over 2km",
		"25dba412 100G": "contradictory: the slope is 0.677 times the propagation of light",
		"79934ada 25G":  "one length: no slope",
		"ad605375 100G": "4.000: 4, the factor of a table that several vendors ship; no source says why",
		"da013b68 50G":  "1.026: near 1.000, 1, propagation alone: long frames, which waste little of their cells",
		"07454410 10G": "no known factor: 7.578 times propagation; same rows as 25G, 3.031: near 3.024, 254/84, " +
			"every 64-byte frame and its gap takes one 254-byte cell",
	} {
		id, speed, _ := strings.Cut(file, " ")
		for _, f := range shipped(t)[id].Fits(0) {
			if f.Rate.String() == speed {
				require.Equal(t, want, f.Reading, file)
			}
		}
	}
}

func TestFitRefusesWhatSaysNothing(t *testing.T) {
	flat := read(t, "100000 5m 10 0 160000 0\n100000 300m 10 0 160000 0\n").Fits(256)[0]
	_, err := flat.At(500*unit.Metre, false)
	require.ErrorIs(t, err, table.ErrFlat)
	row, err := flat.At(500*unit.Metre, true)
	require.NoError(t, err)
	require.Equal(t, unit.Bytes(160000), row.XOFF)
	require.Contains(t, row.Notes[0], "forced: flat")
	row, err = flat.At(4*unit.Kilometre, true)
	require.NoError(t, err)
	require.Equal(t, unit.Bytes(501504), row.XOFF, "501,500 can be in flight: 1,959 cells")

	back := read(t, "100000 5m 10 0 90000 0\n100000 300m 10 0 80000 0\n").Fits(256)[0]
	_, err = back.At(50*unit.Metre, false)
	require.ErrorIs(t, err, table.ErrContradictory)
	row, err = back.At(50*unit.Metre, true)
	require.NoError(t, err)
	require.GreaterOrEqual(t, row.XOFF, unit.Bytes(90000), "not less than a shorter cable")

	single := read(t, "100000 5m 10 0 90000 0\n").Fits(256)[0]
	row, err = single.At(5*unit.Metre, false)
	require.NoError(t, err)
	require.True(t, row.FromTable)
	_, err = single.At(6*unit.Metre, true)
	require.ErrorIs(t, err, table.ErrOneLength)
	_, err = single.At(-1, true)
	require.ErrorContains(t, err, "not between 0m and")
}

// The other columns are those of the row with the nearest length. A size that
// follows xoff follows it in the new row too.
func TestFitOtherColumns(t *testing.T) {
	fixed := read(t, "100000 5m 10 1 20000 -1 7\n100000 305m 10 2 320000 -2 8\n").Fits(0)[0]
	row, err := fixed.At(155*unit.Metre, false)
	require.NoError(t, err)
	require.Equal(t, "100000 155m 10 2 170000 -2 8", oneLine(t, row.Row))
	moving := read(t, "100000 5m 20100 100 20000 0\n100000 305m 320100 100 320000 0\n").Fits(300)[0]
	row, err = moving.At(155*unit.Metre, false)
	require.NoError(t, err)
	require.Equal(t, "100000 155m 170200 100 170100 0", oneLine(t, row.Row))
}

// For all shipped tables, lint reports no error and no shrinking in the new
// rows, and the lengths of the table keep their rows.
func TestNewRowsPassLint(t *testing.T) {
	made := 0
	for id, file := range shipped(t) {
		for _, f := range file.Fits(0) {
			for _, l := range []unit.Length{unit.Metre, 30 * unit.Metre, 50 * unit.Metre, 4 * unit.Kilometre} {
				row, err := f.At(l, false)
				if err != nil {
					require.Error(t, f.Doubt, "%s %v", id, f.Rate)
					continue
				}
				if row.FromTable {
					continue
				}
				made++
				require.GreaterOrEqual(t, row.XOFF, table.LightFloor(f.Rate, l))
				require.Zero(t, row.XOFF%file.Grain(0))
				for _, r := range file.Rows {
					require.False(t, r.Rate == f.Rate && r.Cable < l && r.XOFF > row.XOFF, "%s %v over %v", id,
						f.Rate, l)
				}
			}
		}
	}
	require.Greater(t, made, 500)
}

// heldOut leaves the longest cable of every series of three lengths or more out and says by how many thousandths of a
// percent the line through the others misses it, least first; trusted are the series from whose others fit does not
// refuse to extrapolate.
func heldOut(tables map[string]*table.Table) (errs, trusted []table.Thousandths) {
	for _, file := range tables {
		for _, rate := range rates(file) {
			lengths := file.Lengths(rate)
			if len(lengths) < 3 {
				continue
			}
			longest := lengths[len(lengths)-1]
			var rest []table.Row
			var truth unit.Bytes
			for _, r := range file.Rows {
				switch {
				case r.Rate == rate && r.Cable == longest:
					truth = r.XOFF
				case r.Rate == rate:
					rest = append(rest, r)
				}
			}
			f := (&table.Table{Rows: rest}).Fits(0)[0]
			off := f.OffBy(longest, truth)
			errs = append(errs, off)
			if f.Doubt == nil {
				trusted = append(trusted, off)
			}
		}
	}
	slices.Sort(errs)
	slices.Sort(trusted)
	return errs, trusted
}

// median is the middle, or halfway between the two in the middle, rounded down.
func median(sorted []table.Thousandths) table.Thousandths {
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

func within(sorted []table.Thousandths, percent int) int {
	n, _ := slices.BinarySearch(sorted, table.Thousandths(percent*1000+1))
	return n
}

func TestFitPredictsTheLongestCable(t *testing.T) {
	all, trusted := heldOut(shipped(t))
	t.Logf("all %d series: median error %v %%, %d within 5 %%", len(all), median(all), within(all, 5))
	t.Logf("the %d series that fit would extrapolate: median error %v %%, %d within 5 %%", len(trusted),
		median(trusted), within(trusted, 5))
	again, _ := heldOut(shipped(t))
	require.Equal(t, all, again)
	require.Equal(t, heldOutAll, fmt.Sprint(len(all), median(all)))
	require.Equal(t, heldOutTrusted, fmt.Sprint(len(trusted), median(trusted)))
}

const (
	heldOutAll     = "244 0.675"
	heldOutTrusted = "201 0.913"
)

// BenchmarkFits fits the lines of all shipped tables, and reports how well a
// line predicts the longest cable.
func BenchmarkFits(b *testing.B) {
	tables := shipped(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range tables {
			t.Fits(0)
		}
	}
	all, _ := heldOut(tables)
	b.ReportMetric(float64(median(all))/1000, "median-error-%")
}

func FuzzFit(f *testing.F) {
	f.Add(lookup, int64(50000), 0, true)
	f.Add("1 0m 0 0 1 0\n1 0.001m 0 0 1099511627776 0\n", int64(1000000000), 254, true)
	f.Add("10000000 1000km 0 0 0 0\n10000000 0m 0 0 1 0\n", int64(1), 1, false)
	f.Fuzz(func(t *testing.T, text string, cable int64, cell int, force bool) {
		file, err := table.Read("fuzz.ini", strings.NewReader(text))
		if err != nil || cell < 0 || cell > 1<<20 {
			return
		}
		for _, f := range file.Fits(memoryCell(cell)) {
			row, err := f.At(unit.Length(cable), force)
			if err != nil || row.FromTable {
				continue
			}
			require.GreaterOrEqual(t, row.XOFF, table.LightFloor(f.Rate, row.Cable))
			require.GreaterOrEqual(t, row.Size, unit.Bytes(0))
			require.NotEmpty(t, f.Reading)
		}
	})
}
