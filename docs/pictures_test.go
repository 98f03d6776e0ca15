package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pictures that cellwarden draws itself. That of report.md is drawn in report/page, those that need a plot library
// in interop/pictures.

// TestPictureOfCredits checks that the picture of links.md is what the command draws.
func TestPictureOfCredits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credits.svg")
	cellwarden(t, "headroom", "--compare", "--with", "cbfc", "--frame", "4096B", "--lossless-mtu", "4096B", "--plot", file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	keep(t, "pictures/credits.svg", string(data))
}
