package docs_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

func TestMain(m *testing.M) {
	// The documents have tables as they are, not folded to a screen: a page scrolls.
	os.Setenv("COLUMNS", "1000")
	os.Exit(m.Run())
}

// command returns the file of the command.
func command(t *testing.T) string {
	t.Helper()
	effort.SkipShort(t, "it builds and runs the command")
	return effort.Command(t, "..", "./cmd/cellwarden")
}

// cellwarden runs the command in the root of the repository and returns what it prints.
func cellwarden(t *testing.T, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), command(t), args...)
	c.Dir, c.Stderr = "..", os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	return out
}
