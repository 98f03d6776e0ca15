package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// Lines in a file are read as they come, as those of standard input are: their number has no bound.
func TestLinesOfALongFile(t *testing.T) {
	effort.SkipShort(t, "it reads a file that is longer than an input may be")
	line := `{"id": 1, "chip": "tomahawk4", "headroom": {"method": "ieee802.1qbb"}, "classes": [{"name": "rdma", ` +
		`"priorities": [3], "lossless": true}], "ports": [{"name": "e1", "speed": "400G", "cable": "5m"}]}` +
		strings.Repeat(" ", 1<<20) + "\n"
	file := filepath.Join(t.TempDir(), "lines.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat(line, 34)), 0o666))
	code, out, bad := cellwarden(t, "plan", "--lines", file)
	require.Equal(t, cli.ExitFine, code, bad)
	require.Equal(t, 34, strings.Count(out, `"fits":true`))
	code, _, bad = cellwarden(t, "plan", "--lines", t.TempDir())
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "is a directory: want a regular file")
}
