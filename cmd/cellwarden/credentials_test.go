package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// kept keeps what several goroutines write.
type kept struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (k *kept) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.Write(b)
}

func (k *kept) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.text.String()
}

// TestNoCredentialAnywhere looks for passwords, right, wrong and mistyped, in all that apply, drift, resume and target
// write at --log-level debug: reports, errors, logs of both sides and journals.
func TestNoCredentialAnywhere(t *testing.T) {
	effort.SkipShort(t, "it runs each verb that dials")
	journals, leaf := state(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	all := &kept{}
	address := serveInto(t, all, "--chip", "tomahawk", "--insecure", "--log-level", "debug",
		"--user", "admin:read-write", "--user", "monitor:read-only", "--password-list",
		file("users", "admin:xyzzy-right\nmonitor:xyzzy-look\n"))
	list := file("list", address+"\n")
	push := file("push.jsonl", journalLine(`"kind":"start","target":"`+address+
		`","profile":"openconfig","cell_bytes":208`))
	verbs := map[string][]string{
		"apply": {"apply", leaf, "--target", address}, "apply many": {"apply", leaf, "--targets", list},
		"drift": {"drift", leaf, "--target", address}, "drift many": {"drift", leaf, "--targets", list},
		"resume": {"resume", push}, "dry run": {"apply", leaf, "--target", address, "--dry-run"},
	}
	for _, who := range []struct{ user, password, env string }{
		{"admin", "xyzzy-wrong", ""}, {"admin", "", "xyzzy-wrong"}, {"monitor", "xyzzy-look", ""},
		{"nobody", "xyzzy-none", ""},
		{"admin", "xyzzy-right", ""}, {"admin", "xyzzy-right", "xyzzy-wrong"}, {"admin", "", "xyzzy-right"},
	} {
		t.Setenv(dial.PasswordVariable, who.env)
		flags := []string{"--insecure", "--username", who.user, "--log-level", "debug"}
		if who.password != "" {
			flags = append(flags, "--password-file", file("password", who.password+"\n"))
		}
		for name, verb := range verbs {
			for _, format := range []string{"table", "json"} {
				code, out, bad := cellwarden(t, append(append(verb, flags...), "-o", format)...)
				all.Write([]byte(out + bad))
				if who.user == "admin" && who.password == "xyzzy-right" {
					require.Contains(t, []int{cli.ExitFine, cli.ExitDrift}, code, "%s: %s", name, bad)
				}
				require.Contains(t, bad, "msg=gNMI", name)
			}
		}
	}
	for _, args := range [][]string{ // who mistakes a flag for one that takes a password
		{"apply", leaf, "--target", "admin:xyzzy-right@" + address},
		{"drift", leaf, "--target", address, "--password=xyzzy-right"}, {"resume", "--password", "xyzzy-right"},
		{"target", "--chip", "tomahawk", "--user", "admin:xyzzy-right"},
		{"apply", leaf, "--targets", file("users.txt", "admin:xyzzy-right@leaf1\n")},
	} {
		code, out, bad := cellwarden(t, args...)
		require.Equal(t, cli.ExitUsage, code, bad)
		all.Write([]byte(out + bad))
	}
	written := namesIn(t, journals)
	require.NotEmpty(t, written)
	for _, f := range append(written, push) {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		all.Write(data)
	}
	text := all.String()
	for _, part := range []string{`msg="access denied"`, "rpc=Set", `"kind":"send"`, " applied", "Unauthenticated",
		"PermissionDenied"} {
		require.True(t, strings.Contains(text, part), "what is looked through has in it: "+part)
	}
	for line := range strings.Lines(text) {
		require.NotContains(t, line, "xyzzy")
	}
}

// A switch that repeats the password in its refusal does not bring it into the journal.
func TestNoCredentialInAJournalOfACarelessSwitch(t *testing.T) {
	journals, leaf := state(t)
	w := watch(t)
	w.run(func(int, bool) error {
		return status.Error(codes.InvalidArgument, "no queue 3, says operator with password xyzzy-right")
	})
	t.Setenv(dial.UsernameVariable, "operator")
	t.Setenv(dial.PasswordVariable, "xyzzy-right")
	code, out, bad := cellwarden(t, "apply", leaf, "--target", w.address, "--insecure", "--log-level", "debug")
	require.Equal(t, cli.ExitFailure, code, bad)
	made := namesIn(t, journals)
	require.Len(t, made, 1)
	data, err := os.ReadFile(made[0])
	require.NoError(t, err)
	require.Contains(t, string(data), "no queue 3, says operator with password ***")
	require.NotContains(t, out+bad+string(data), "xyzzy")
}
