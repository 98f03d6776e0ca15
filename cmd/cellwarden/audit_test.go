package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// TestAuditOfASwitch reads CONFIG_DB over gNMI and sends no Set.
func TestAuditOfASwitch(t *testing.T) {
	s, address := sonicSwitch(t)
	code, out, bad := cellwarden(t, "audit", "--all", "--target", address, "--insecure", "--chip", "tomahawk")
	require.Zero(t, code, bad)
	require.Contains(t, out, "0 errors (0 certain), ")
	require.Contains(t, out, "in 1 configuration\n")
	require.Contains(t, out, "Force10-S6100")
	require.Contains(t, out, "ingress_lossless_pool")
	require.NotContains(t, out, address+":1 ", "what a switch has stands on no line")
	require.Zero(t, s.Sets())

	code, _, bad = cellwarden(t, "audit", "--target", "127.0.0.1:1", "--insecure", "--timeout", "1s", "--retries", "0")
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "127.0.0.1:1")
	code, _, bad = cellwarden(t, "audit", "config_db.json", "--target", address)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "accepted without a path")
}

// TestAuditSinceARevision lists only what the work tree brings in.
func TestAuditSinceARevision(t *testing.T) {
	effort.SkipShort(t, "it makes a repository with git")
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if r, err := devicetree.StartRenderer(t.Context()); err != nil {
		t.Skip(err)
	} else {
		r.Close()
	}
	root := t.TempDir()
	folder := filepath.Join(root, "device", "acme", "x86_64-arista_7060_cx32s", "Acme")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	write := func(size string) {
		pool := `{"BUFFER_POOL": {"ingress_lossless_pool": {"size": "` + size + `", "type": "ingress", "mode": "dynamic"},
			"egress_lossy_pool": {"size": "99999999", "type": "egress", "mode": "dynamic"}}}`
		require.NoError(t, os.WriteFile(filepath.Join(folder, "buffers.json.j2"), []byte(pool), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "buffers_defaults_t0.j2"), nil, 0o600))
	}
	git := func(args ...string) {
		c := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		text, err := c.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	write("10875072")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "a pool")
	code, out, bad := cellwarden(t, "audit", "--since", "HEAD", folder)
	require.Zero(t, code, bad)
	require.Contains(t, out, "NOTHING FOUND: 0 errors (0 certain), 0 warnings, 0 notes in")
	require.Contains(t, out, "that are not in HEAD (0 were, 0 of these are mended)\n"+
		"0 of 1 hwsku folders depend on a file that differs; the others are not audited")

	write("33329088")
	code, out, bad = cellwarden(t, "audit", "--since", "HEAD", folder)
	require.Equal(t, cli.ExitLint, code, bad)
	require.Contains(t, out, "FINDINGS: 1 error (1 certain)")
	require.Contains(t, out, "size 33329088 is larger than the memory of tomahawk")
	require.NotContains(t, out, "size 99999999")
	code, _, bad = cellwarden(t, "audit", "--since", "nonsense", folder)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "no such revision")
}
