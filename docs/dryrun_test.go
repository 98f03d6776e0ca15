package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/nos/registry"
)

// blocks are what a page shows: a command with what it prints, or a file.
var blocks = regexp.MustCompile("(?ms)^```(console|yaml \\S+)\n(.*?)^```$")

// TestDryRuns runs every command of dry-run.md and checks that the page shows its output and the files that it reads.
func TestDryRuns(t *testing.T) {
	want := run(t, "dry-run.md")
	keep(t, "dry-run.md", want)
	for _, name := range registry.ProfileNames() {
		require.Contains(t, want, "\n## "+name+"\n")
		require.Contains(t, want, "--dry-run --profile "+name+"\n", "every profile is shown")
	}
}

// run runs every command of a page, and returns the page with what they print and with the files that it shows.
func run(t *testing.T, name string) string {
	t.Helper()
	bin := command(t)
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	return blocks.ReplaceAllStringFunc(string(page), func(block string) string {
		parts := blocks.FindStringSubmatch(block)
		if name, ok := strings.CutPrefix(parts[1], "yaml "); ok {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			return "```yaml " + name + "\n" + string(text) + "```"
		}
		line, _, _ := strings.Cut(parts[2], "\n")
		return "```console\n" + line + "\n" + typed(t, bin, line) + "```"
	})
}

// typed runs a command and returns what it prints, without trailing blanks.
func typed(t *testing.T, bin, line string) string {
	t.Helper()
	args := strings.Fields(line)
	require.Equal(t, []string{"$", "cellwarden"}, args[:2])
	c := exec.CommandContext(t.Context(), bin, args[2:]...)
	c.Dir = "testdata"
	var bad strings.Builder
	c.Stderr = &bad
	out, err := c.Output()
	require.NoError(t, err, bad.String())
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(string(out), "")
}
