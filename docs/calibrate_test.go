package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCalibrate runs every command of calibrate.md and checks that the page shows its output and the files that it
// reads.
func TestCalibrate(t *testing.T) {
	page, err := os.ReadFile("calibrate.md")
	require.NoError(t, err)
	bin := filepath.Join(t.TempDir(), "cellwarden")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../cmd/cellwarden")
	build.Stderr = os.Stderr
	require.NoError(t, build.Run())
	want := blocks.ReplaceAllStringFunc(string(page), func(block string) string {
		parts := blocks.FindStringSubmatch(block)
		if name, ok := strings.CutPrefix(parts[1], "yaml "); ok {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			return "```yaml " + name + "\n" + string(text) + "```"
		}
		line, _, _ := strings.Cut(parts[2], "\n")
		return "```console\n" + line + "\n" + typed(t, bin, line) + "```"
	})
	keep(t, "calibrate.md", want)
}
