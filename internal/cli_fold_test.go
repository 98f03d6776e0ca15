package internal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli/fold"
)

func TestFoldLine(t *testing.T) {
	for line, want := range map[string]string{
		"a line that is short":                    "a line that is short",
		"a line that is longer than twenty":       "a line that is\n  longer than twenty",
		"- an item that is longer than twenty":    "- an item that is\n  longer than twenty",
		"chip      a name and its text behind it": "chip      a name and\n          its text\n          behind it",
		"headroom  method table":                  "headroom  method\n          table",
		"a wordthatislongerthanalltwentycolumns":  "a wordthatislongerthanalltwentycolumns",
		"Überlänge is counted in letters":         "Überlänge is counted\n  in letters",
	} {
		require.Equal(t, want, strings.Join(fold.Line(line, 20), "\n"), line)
	}
	require.Equal(t, []string{"a line of any length"}, fold.Line("a line of any length", 0))
}
