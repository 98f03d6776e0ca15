package interop

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
)

// TestGNMICBinary has the gnmic command ask, set and subscribe. It cannot be
// built as a module: GNMIC names it, or it is skipped.
func TestGNMICBinary(t *testing.T) {
	file := os.Getenv("GNMIC")
	if file == "" {
		t.Skip("GNMIC does not name a gnmic command")
	}
	l := start(t, server.Options{})
	gnmic := func(args ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		args = append([]string{"-a", l.address, "--tls-ca", l.ca, "--tls-cert", l.cert, "--tls-key", l.key, "-e",
			"json_ietf"}, args...)
		out, err := exec.CommandContext(ctx, file, args...).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	require.Contains(t, gnmic("capabilities"), "openconfig-qos")
	tree := filepath.Join(t.TempDir(), "qos.json")
	require.NoError(t, os.WriteFile(tree, []byte(plan), 0o600))
	gnmic("set", "--replace-path", "/qos", "--replace-file", tree)
	require.Contains(t, l.asic.String(), inRegisters)
	const leaf = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]/state/dedicated-buffer"
	require.Contains(t, gnmic("get", "--path", leaf), "1040")
	require.Contains(t, gnmic("subscribe", "--mode", "once", "--path", leaf, "--format", "flat"), "1040")
}
