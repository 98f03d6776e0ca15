package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// bin is the file of the command, which built builds once for all tests of this package.
var (
	bin   string
	built = sync.OnceValue(build)
)

func build() error {
	dir, err := os.MkdirTemp("", "cellwarden-docs")
	if err != nil {
		return err
	}
	bin = filepath.Join(dir, "cellwarden")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin, "../cmd/cellwarden")
	build.Stderr = os.Stderr
	return build.Run()
}

// TestMain removes the command that the tests have built.
func TestMain(m *testing.M) {
	// The documents have tables as they are, not folded to a screen: a page scrolls.
	os.Setenv("COLUMNS", "1000")
	code := m.Run()
	if bin != "" {
		os.RemoveAll(filepath.Dir(bin))
	}
	os.Exit(code)
}

// command returns the file of the command.
func command(t *testing.T) string {
	t.Helper()
	effort.SkipShort(t, "it builds and runs the command")
	require.NoError(t, built())
	return bin
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
