package docs_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// shippedKinds are the judgements of the rows of one vendor.
type shippedKinds struct {
	rows, all, some, none, short int
	vendorAll, vendorSome        int          // rows that do not hold all frames in the worst case, by the vendor's delays
	from                         []unit.Bytes // the smallest sizes of the rows in some
}

// TestShippedHeadroom judges the headroom that SONiC ships and checks that headroom.md has the counts.
func TestShippedHeadroom(t *testing.T) {
	kinds := map[string]*shippedKinds{}
	for _, row := range shippedRows(t) {
		vendor := vendorOf(row.chip)
		for _, name := range []string{vendor, "all"} {
			if kinds[name] == nil {
				kinds[name] = &shippedKinds{}
			}
			kinds[name].add(t, row)
		}
	}
	require.Equal(t, 581, kinds["all"].rows)
	vendors := []string{"Broadcom", "NVIDIA", "Intel", "all"}
	var b strings.Builder
	b.WriteString("| rows | " + strings.Join(vendors, " | ") + " |\n|---|" + strings.Repeat("---:|", len(vendors)) + "\n")
	for _, kind := range []struct {
		name string
		of   func(*shippedKinds) any
	}{
		{"LOSSLESS", func(k *shippedKinds) any { return k.all }},
		{"LOSSLESS for frames of N and more", func(k *shippedKinds) any { return k.some }},
		{"the median of N", func(k *shippedKinds) any { return k.median() }},
		{"too few cells for frames of every size", func(k *shippedKinds) any { return k.none }},
		{"of these, less than in flight", func(k *shippedKinds) any { return k.short }},
		{"together", func(k *shippedKinds) any { return k.rows }},
		{"not LOSSLESS, but so by NVIDIA's delays", func(k *shippedKinds) any { return k.vendor(k.vendorAll) }},
		{"the same for frames of N and more", func(k *shippedKinds) any { return k.vendor(k.vendorSome) }},
	} {
		b.WriteString("| " + kind.name + " |")
		for _, name := range vendors {
			fmt.Fprintf(&b, " %v |", kind.of(kinds[name]))
		}
		b.WriteString("\n")
	}
	page := read(t, "headroom.md")
	spectrum := kinds["NVIDIA"]
	require.Contains(t, page, fmt.Sprintf("These are the %d different combinations", kinds["all"].rows))
	require.Contains(t, page, fmt.Sprintf("%d of the\n  %d rows that are not LOSSLESS", spectrum.vendorAll+
		spectrum.vendorSome, spectrum.rows-spectrum.all))
	require.InDelta(t, 1.0/5, float64(kinds["Broadcom"].all)/float64(kinds["Broadcom"].rows), 0.02, "a fifth of the rows")
	keepPart(t, "headroom.md", "<!-- shipped: made by go test ./docs -rewrite -->\n", b.String(), "<!-- shipped ends -->")
}

// vendor returns a number of rows by the vendor's delays, or a dash where no formula of the vendor is known.
func (k *shippedKinds) vendor(rows int) any {
	if k.vendorAll+k.vendorSome == 0 {
		return "–"
	}
	return rows
}

// median returns the median of the sizes from which on the rows hold.
func (k *shippedKinds) median() unit.Bytes {
	slices.Sort(k.from)
	return k.from[len(k.from)/2]
}

// shippedRow is a row of a headroom table that SONiC ships.
type shippedRow struct {
	chip string
	link thresholds.Link
	xoff unit.Bytes
}

// shippedRows reads the rows, as links with the frames of the comparison.
func shippedRows(t *testing.T) (out []shippedRow) {
	t.Helper()
	file, err := os.Open("testdata/shipped-rows.csv")
	require.NoError(t, err)
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	records, err := r.ReadAll()
	require.NoError(t, err)
	for _, f := range records {
		var n [3]int64
		for i := range n {
			n[i], err = strconv.ParseInt(f[i+1], 10, 64)
			require.NoError(t, err)
		}
		out = append(out, shippedRow{f[0], link(unit.BitRate(n[0])*unit.Mbps, unit.Length(n[1])*unit.Metre),
			unit.Bytes(n[2])})
	}
	return out
}

// vendorOf names the vendor of a chip.
func vendorOf(chip string) string {
	switch {
	case strings.HasPrefix(chip, "spectrum"):
		return "NVIDIA"
	case strings.HasPrefix(chip, "tofino"):
		return "Intel"
	}
	return "Broadcom"
}

// add judges a row.
func (k *shippedKinds) add(t *testing.T, row shippedRow) {
	t.Helper()
	chip, err := asic.Load(row.chip)
	require.NoError(t, err)
	granted := chip.Cell.Holding(row.xoff)
	w := thresholds.WorstCaseOf(thresholds.IEEE{}, row.link, chip.Memory())
	require.True(t, w.Known)
	k.rows++
	from, _ := w.Holds(granted)
	require.Equal(t, w.Judge(granted, chip.Cell) == thresholds.Enough, from == thresholds.MinFrame, "%v", row)
	switch {
	case from == thresholds.MinFrame:
		k.all++
		return
	case from > 0:
		k.some++
		k.from = append(k.from, from)
	default:
		k.none++
	}
	if w.Judge(granted, chip.Cell) == thresholds.LessThanInFlight {
		k.short++
	}
	k.addByVendor(row, chip.Memory(), granted)
}

// addByVendor judges a row that does not hold all frames by the delays of the vendor's formula, where they are known.
func (k *shippedKinds) addByVendor(row shippedRow, mem thresholds.Memory, granted cells.Count) {
	chip, known := method.LookupSONiCChip(row.chip)
	if !known || vendorOf(row.chip) != "NVIDIA" {
		return
	}
	sum := thresholds.SumOfNVIDIA
	if chip.NewTables {
		sum = thresholds.SumOfNVIDIAQuanta
	}
	from, _ := thresholds.IEEE{Delays: thresholds.Delays{Sum: sum}}.WorstCase(row.link, mem).Holds(granted)
	switch {
	case from == thresholds.MinFrame:
		k.vendorAll++
	case from > 0:
		k.vendorSome++
	}
}
