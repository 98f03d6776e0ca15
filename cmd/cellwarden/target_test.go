package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"
)

// A plan is pushed by who may write, refused to who may read only, and by a
// password that is wrong; no output has a password.
func TestTargetWithUsers(t *testing.T) {
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	address := serve(t, "--chip", "tomahawk", "--insecure", "--user", "admin:read-write", "--user", "monitor:read-only",
		"--password-list", file("users", "# of the lab\n\nadmin:open:sesame\r\nmonitor:look\n"))
	for _, test := range []struct {
		name, password string
		code           int
		want           string
	}{
		{"monitor", "look", cli.ExitFailure, "PermissionDenied"},
		{"admin", "look", cli.ExitFailure, "Unauthenticated"},
		{"admin", "open:sesame", cli.ExitFine, ""},
	} {
		code, out, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure", "--username", test.name,
			"--password-file", file("password", test.password+"\n"))
		require.Equal(t, test.code, code, bad)
		require.Contains(t, bad, test.want)
		require.NotContains(t, out+bad, test.password)
	}
	code, _, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "Unauthenticated")
}

// A switch that is lenient takes a plan as any other, and lists itself.
func TestLenientTarget(t *testing.T) {
	address := serve(t, "--chip", "tomahawk", "--lenient")
	code, _, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Equal(t, cli.ExitFine, code, bad)
	code, out, bad := cellwarden(t, "drift", arista, "--target", address, "--insecure")
	require.Equal(t, cli.ExitFine, code, out+bad)
}
