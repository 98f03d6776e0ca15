package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

func lint(text string, cell cells.Size) []string {
	file, bad := table.Scan("t.ini", strings.NewReader(text))
	out := []string{}
	for _, f := range table.Lint(file, bad, cell) {
		out = append(out, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Code))
	}
	return out
}

// What is suspect in the tables that vendors ship.
func TestLintOfShippedTables(t *testing.T) {
	counts := map[finding.Code]int{}
	for id, file := range shipped(t) {
		for _, f := range table.Lint(file, nil, 0) {
			counts[f.Code]++
			require.Equal(t, id+".ini", f.File)
			require.NotContains(t, f.Message, "wrong")
		}
	}
	require.Equal(t, map[finding.Code]int{
		"headroom-below-flight": 17, "xoff-shrinks-with-length": 5, "xoff-same-for-lengths": 29, "xoff-same-as-shorter": 19,
		"xoff-same-for-speeds":    24,
		"xoff-shrinks-with-speed": 3,
		"row-unreadable":          2, // the tables without rows: notes
	}, counts)
}

func TestLintCodes(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		cell cells.Size
		want []string
	}{
		"fine":          {"100000 5m 1 1 10000 0\n100000 300m 1 1 90000 0\n", 100, nil},
		"one byte less": {"100000 300m 1 1 38999 0\n", 0, []string{"1 warning headroom-below-frame"}},
		"exactly light": {"100000 300m 1 1 39000 0\n", 0, nil},
		"shrinks": {"100000 300m 1 1 80000 0\n100000 40m 1 1 90000 0\n100000 5m 1 1 95000 0\n", 0,
			[]string{"2 error xoff-shrinks-with-length"}},
		"flat": {"100000 300m 1 1 80000 0\n100000 40m 1 1 80000 0\n", 0, []string{"1 note xoff-same-for-lengths"}},
		"equal to its neighbour": {"25000 5m 1 1 80000 0\n25000 40m 1 1 80000 0\n25000 300m 1 1 95000 0\n", 0,
			[]string{"2 warning xoff-same-as-shorter"}},
		"two pairs": {"25000 5m 1 1 80000 0\n25000 40m 1 1 80000 0\n25000 300m 1 1 95000 0\n25000 400m 1 1 95000 0\n", 0,
			[]string{"2 warning xoff-same-as-shorter", "4 warning xoff-same-as-shorter"}},
		"one worst case for some": {"100000 5m 1 1 80000 0\n100000 40m 1 1 80000 0\n100000 50m 1 1 80000 0\n" +
			"100000 300m 1 1 95000 0\n", 0, []string{"3 note xoff-same-as-shorter"}},
		"equal by rounding":     {"10000 5m 1 1 80000 0\n10000 40m 1 1 80000 0\n10000 300m 1 1 95000 0\n", 0, nil},
		"equal by a large cell": {"25000 5m 1 1 81920 0\n25000 40m 1 1 81920 0\n25000 300m 1 1 98304 0\n", 4096, nil},
		"one row":               {"100000 300m 1 1 80000 0\n", 0, nil},
		"slower has more": {"100000 5m 1 1 80000 0\n10000 5m 1 1 90000 0\n25000 5m 1 1 90000 0\n", 0,
			[]string{"1 error xoff-shrinks-with-speed"}},
		"misaligned": {"100000 5m 1 1 80000 0\n", 208, []string{"1 note cell-misaligned"}},
		"no cell":    {"100000 5m 1 1 80001 0\n", 0, nil},
		"duplicate": {"100000 5m 1 1 80000 0\n100000 5m 1 1 80000 0\n100000 5m 2 1 80000 0\n", 0,
			[]string{"2 warning row-duplicate", "3 error row-duplicate"}},
		"last counts": {"100000 5m 1 1 0 0\n100000 5m 1 1 80000 0\n", 0, []string{"2 error row-duplicate"}},
		"unreadable":  {"x\n100000 5m 1 1 80000 0\n", 0, []string{"1 error row-unreadable"}},
		"empty":       {"#\n", 0, []string{"0 note row-unreadable"}},
		"offset typed": {"100000 5m 1 1 10000 0 3556\n100000 40m 1 1 20000 0 3356\n100000 300m 1 1 90000 0 3556\n", 0,
			[]string{"2 warning row-odd"}},
		"size typed": {"100000 5m 10001 1 10000 0\n100000 40m 20001 1 20000 0\n100000 300m 90009 1 90000 0\n", 0,
			[]string{"3 warning row-odd"}},
		"odd one in a short series": {
			"25000 5m 1 1 9000 0\n50000 5m 1 2 9000 0\n100000 5m 1 1 9000 0\n200000 5m 1 1 9000 0\n", 0,
			[]string{"1 note xoff-same-for-speeds", "2 warning row-odd"}},
		"differs by speed": {"100000 5m 1 1 10000 0\n100000 40m 1 1 20000 0\n100000 300m 1 1 90000 0\n400000 5m 1 " +
			"2 10000 1\n400000 40m 1 2 40000 1\n400000 300m 1 2 170000 1\n", 0, []string{"1 note xoff-same-for-speeds"}},
	} {
		require.Equal(t, append([]string{}, c.want...), lint(c.text, c.cell), name)
	}
}

// The lower bound of light does not overflow at the largest values of a row.
func TestLightFloor(t *testing.T) {
	require.Equal(t, unit.Bytes(251500), table.LightFloor(100*unit.Gbps, 2*unit.Kilometre))
	require.Equal(t, unit.Bytes(1500), table.LightFloor(100*unit.Gbps, 0))
	require.Equal(t, unit.Bytes(1501), table.LightFloor(unit.Mbps, unit.Millimetre))
	require.Equal(t, unit.Bytes(12500001500), table.LightFloor(10*unit.Tbps, thresholds.MaxCable))
}
