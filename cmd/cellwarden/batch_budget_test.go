package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	sizecli "github.com/cellwarden/cellwarden/internal/cli/size"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// allocated runs a command and returns its exit code and the memory that it allocated in all.
func allocated(t *testing.T, stdin string, args ...string) (code int, bytes uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code = run(context.Background(), args, strings.NewReader(stdin), io.Discard, io.Discard)
	runtime.ReadMemStats(&after)
	return code, after.TotalAlloc - before.TotalAlloc
}

// A line of a batch costs at most 64 KiB of memory, whatever it says; a file that many lines name is read once.
func TestBatchBudget(t *testing.T) {
	effort.SkipShort(t, "it reads batches as large as they may be")
	const each = 64 << 10
	lines := 2000
	if testing.Short() {
		lines = 200 // enough for the race detector, under which a line takes ten times as long
	}
	dir := t.TempDir()
	for _, name := range []string{"chip.json", "table.ini"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("# a remark\n", 60_000)), 0o666))
	}
	t.Chdir(dir)
	for name, line := range map[string]string{
		"plain":  `{"speed":"400G","cable":"300m","chip":"tomahawk4"}`,
		"worst":  `{"speed":"400G","cable":"1000km","cell":"1B","frame":"worst","mtu":"16384B"}`,
		"chip":   `{"speed":"400G","cable":"300m","chip":"./chip.json"}`,
		"table":  `{"speed":"400G","cable":"300m","cell":"208B","method":"table","table":"table.ini"}`,
		"text":   `{"speed":"` + strings.Repeat("9", 16_000) + `"}`,
		"key":    `{"` + strings.Repeat("k", 16_000) + `":1}`,
		"nested": strings.Repeat("[", 9000),
		"device": `{"speed":"400G","cable":"300m","chip":"/dev/zero"}`,
	} {
		_, used := allocated(t, strings.Repeat(line+"\n", lines), "headroom", "--batch", "-")
		require.LessOrEqual(t, used, uint64(lines*each+64<<20), name)
	}
	code, used := allocated(t, strings.Repeat("\n", sizecli.MostBatchLines+1), "headroom", "--batch", "-")
	require.Equal(t, cli.ExitUsage, code)
	require.LessOrEqual(t, used, uint64(16<<20))
}
