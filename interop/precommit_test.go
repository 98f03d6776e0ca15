package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pre-commit installs the hook from a clone of this repository, takes a commit in order, and refuses one whose pool is
// larger than the chip.
func TestPreCommit(t *testing.T) {
	tool, err := exec.LookPath("pre-commit")
	if err != nil {
		t.Skip("install pre-commit")
	}
	if testing.Short() {
		t.Skip("pre-commit builds the hook, which can take a minute")
	}
	dir := t.TempDir()
	t.Setenv("PRE_COMMIT_HOME", filepath.Join(dir, "home"))
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_AUTHOR_NAME": "a",
		"GIT_AUTHOR_EMAIL": "a@example.net", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.net"} {
		t.Setenv(name, value)
	}
	for _, name := range []string{"GOMODCACHE", "GOCACHE"} { // pre-commit has a GOPATH of its own
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		require.NoError(t, err)
		t.Setenv(name, strings.TrimSpace(string(out)))
	}
	do := func(in, name string, args ...string) (string, error) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = in
		out, err := c.CombinedOutput()
		return string(out), err
	}
	must := func(in, name string, args ...string) string {
		out, err := do(in, name, args...)
		require.NoError(t, err, out)
		return strings.TrimSpace(out)
	}
	clone, work := filepath.Join(dir, "cellwarden"), filepath.Join(dir, "work")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	must(dir, "git", "clone", "-q", root, clone)
	require.NoError(t, os.Mkdir(work, 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(work, name), []byte(text), 0o600))
	}
	config := func(size string) {
		write("config_db.json", `{"DEVICE_METADATA": {"localhost": {"hwsku": "A", "platform": "x86_64-arista_7060_cx32s"}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"size": "`+size+`", "type": "ingress", "mode": "dynamic"}}}`)
	}
	must(work, "git", "init", "-q")
	write(".pre-commit-config.yaml", "repos:\n  - repo: "+clone+"\n    rev: "+must(clone, "git", "rev-parse", "HEAD")+
		"\n    hooks: [{id: cellwarden-audit}]\n")
	config("10875072")
	must(work, "git", "add", "-A")
	must(work, "git", "commit", "-q", "-m", "a pool")
	must(work, tool, "install")

	config("10875073")
	must(work, "git", "add", "-A")
	require.Contains(t, must(work, "git", "commit", "-m", "another pool"), "Passed")
	config("33329088")
	must(work, "git", "add", "-A")
	out, err := do(work, "git", "commit", "-m", "too large")
	require.Error(t, err)
	require.Contains(t, out, "pool-over-chip")
	require.Contains(t, out, "Failed")
}
