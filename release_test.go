package cellwarden_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A release turns the section Unreleased into that of the version, and the tag has its text.
func TestRelease(t *testing.T) {
	for _, tool := range []string{"git", "bash", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("install " + tool)
		}
	}
	script, err := os.ReadFile(filepath.Join(".ci", "release"))
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
	}
	do := func(name string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.net", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.net")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) string {
		out, err := do(name, args...)
		require.NoError(t, err, out)
		return out
	}
	write(".ci/release", string(script), 0o755)
	write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n### New\n\n- A thing.\n\n## v0.1.0 (2026-01-01)\n\n- Old.\n",
		0o644)
	must("git", "init", "-q")
	must("git", "add", "-A")
	must("git", "commit", "-q", "-m", "first")

	out, err := do(".ci/release", "0.2.0")
	require.Error(t, err)
	require.Contains(t, out, "version '0.2.0': want vMAJOR.MINOR.PATCH")
	require.Contains(t, must(".ci/release", "v0.2.0", "2026-11-23"), "tagged v0.2.0")
	text, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	require.NoError(t, err)
	require.Equal(t, "# Changelog\n\n## Unreleased\n\n## v0.2.0 (2026-11-23)\n\n### New\n\n- A thing.\n\n## v0.1.0 "+
		"(2026-01-01)\n\n"+
		"- Old.\n", string(text))
	tag := must("git", "tag", "-l", "--format=%(contents)", "v0.2.0")
	require.Contains(t, tag, "cellwarden v0.2.0\n\n\n### New\n\n- A thing.")
	require.NotContains(t, tag, "Old")

	out, err = do(".ci/release", "v0.3.0")
	require.Error(t, err)
	require.Contains(t, out, "nothing under")
	_, err = do(".ci/release", "v0.2.0")
	require.Error(t, err)
}
