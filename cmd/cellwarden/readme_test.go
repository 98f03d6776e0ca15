package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the README shows is what the command prints.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "\n    go run ./cmd/cellwarden plan examples/arista-7060cx-32s.yaml\n")
	t.Setenv("COLUMNS", "")
	t.Chdir(root)
	code, out, bad := cellwarden(t, "plan", "examples/arista-7060cx-32s.yaml")
	require.Zero(t, code, bad)
	var shown strings.Builder
	for line := range strings.Lines(out) {
		if line != "\n" {
			shown.WriteString("    ")
		}
		shown.WriteString(line)
	}
	require.Contains(t, string(readme), shown.String())
}
