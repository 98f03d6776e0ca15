package table_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// A file of the largest size costs at most 512 MiB of memory, allocated in all, to read and to check, whatever its
// lines are. No more rows are kept than are accepted, and no more complaints than are printed.
func TestBudget(t *testing.T) {
	effort.SkipShort(t, "it reads files as large as they may be")
	var rows strings.Builder
	for i := range columns.MaxRows {
		fmt.Fprintf(&rows, "%d %dm 1 1 %d 0\n", 1000*(1+i%64), 1+i/64, i)
	}
	full := func(line string) string { return strings.Repeat(line, columns.MaxBytes/len(line)) }
	for name, text := range map[string]string{
		"rows": rows.String(), "short lines": full("x\n"), "bad rows": full("fast far 1 2 3 4\n"), "comments": full("#\n"),
		"one line": full("1 "), "same row": full("100000 40m 1 1 1 0\n"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read, bad := table.Scan("t.ini", strings.NewReader(text))
		findings := table.Lint(read, bad, 208)
		_, _ = table.Read("t.ini", strings.NewReader(text))
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc), 512<<20, name)
		require.LessOrEqual(t, len(read.Rows), columns.MaxRows, name)
		require.LessOrEqual(t, len(bad), 51, name)
		require.LessOrEqual(t, len(findings), 4*columns.MaxRows, name)
	}
}
