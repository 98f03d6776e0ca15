package main

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// listening is a listener that treats each connection so, until the test ends.
func listening(t *testing.T, each func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			each(c)
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

// Whatever is wrong with the way to a switch, apply, drift and resume say what
// the user can do about it, and that nothing was sent.
func TestAdvice(t *testing.T) {
	effort.SkipShort(t, "handshakes that fail take long")
	_, leaf := state(t)
	cert, key := selfSigned(t)
	other, _ := selfSigned(t)
	t.Setenv("CELLWARDEN_PASSWORD_LAB", "open sesame")
	t.Setenv("CELLWARDEN_PASSWORD_MONITOR", "look")
	plain := serve(t, "--chip", "tomahawk")
	secured := serve(t, "--chip", "tomahawk", "--tls-cert", cert, "--tls-key", key, "--user", "lab:read-write", "--user",
		"monitor:read-only")
	mutual := serve(t, "--chip", "tomahawk", "--tls-cert", cert, "--tls-key", key, "--tls-ca", cert)
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	website := strings.TrimPrefix(web.URL, "http://")
	securedWeb := httptest.NewUnstartedServer(http.NotFoundHandler())
	securedWeb.Config.ErrorLog = log.New(io.Discard, "", 0)
	securedWeb.StartTLS()
	t.Cleanup(securedWeb.Close)
	silent := listening(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	rude := listening(t, func(c net.Conn) { c.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := l.Addr().String()
	require.NoError(t, l.Close())
	l, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	bare := grpc.NewServer()
	served := make(chan error, 1)
	go func() { served <- bare.Serve(l) }()
	t.Cleanup(func() { bare.Stop(); require.NoError(t, <-served) })
	password := func(text string) string {
		file := filepath.Join(t.TempDir(), "password")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	push := journalLine(`"kind":"start","target":"x","profile":"openconfig","cell_bytes":208`)

	for name, test := range map[string]struct {
		target, flags string
		want          string
	}{
		"nobody listens": {nobody, "--insecure", "(no server listens there: is gNMI enabled, and on this port?)"},
		"no such name":   {"nowhere.invalid", "--insecure", "is the name right?)"},
		"TLS to a plain switch": {plain, "", "(the server does not speak TLS: is the port right? Use --insecure for a " +
			"switch without TLS)"},
		"no TLS to one with TLS": {secured, "--insecure",
			"does not speak gRPC without TLS: is the port right? Leave out --insecure to use TLS)"},
		"no authority": {secured, "", "(--tls-ca names a file with the authority that signed the switch's " +
			"certificate)"},
		"another authority": {secured, "--tls-ca " + other,
			"(--tls-ca names a file with the authority that signed the switch's certificate)"},
		"another name": {strings.Replace(secured, "127.0.0.1", "localhost", 1), "--tls-ca " + cert,
			"(--tls-server-name says which name is in the switch's certificate)"},
		"no user": {secured, "--tls-ca " + cert,
			"(use --username and --password-file, or $CELLWARDEN_USERNAME and $CELLWARDEN_PASSWORD)"},
		"no password": {secured, "--tls-ca " + cert + " --username lab",
			"(no password is given: want --password-file, or $CELLWARDEN_PASSWORD)"},
		"a wrong password": {secured, "--tls-ca " + cert + " --username lab --password-file " + password("barley"),
			"(user lab, with the password of --password-file, else of $CELLWARDEN_PASSWORD)"},
		"no certificate":       {mutual, "--tls-ca " + cert, "--tls-cert and --tls-key"},
		"a web server":         {website, "--insecure", "(the server does not speak gRPC without TLS: is the port right?"},
		"a web server and TLS": {website, "", "does not speak TLS: is the port right?"},
		"a web server with TLS": {strings.TrimPrefix(securedWeb.URL, "https://"), "--tls-skip-verify",
			"(the server speaks TLS but not gRPC: is the port right?)"},
		"who says nothing": {silent, "--insecure --timeout 500ms",
			"(the port accepts connections but does not answer: is it the port of a gNMI server?"},
		"who says nothing, TLS": {silent, "--timeout 500ms",
			"(the port accepts connections but does not answer: is it the port of a gNMI server?"},
		"who hangs up": {rude, "--insecure", "does not speak gRPC without TLS: is the port right?"},
		"another gRPC server": {l.Addr().String(), "--insecure",
			"(the server speaks gRPC but not gNMI: is the port right?)"},
		"an address of the web": {"https://leaf1:9339", "--insecure",
			`--target: address "https://leaf1:9339" (want <host> or <host>:<port>`},
		"a port that is none": {"leaf1:gnmi", "--insecure", `(want <host> or <host>:<port>`},
		"a password without user": {plain, "--insecure --password-file " + password("x"),
			"a password without a user (want --username, or $CELLWARDEN_USERNAME)"},
		"a negative timeout": {plain, "--insecure --timeout -1s", "--timeout: -1s (want more than 0s"},
		"a zero timeout":     {plain, "--insecure --timeout 0s", "--timeout: 0s (want more than 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			flags := append(strings.Fields(test.flags), "--target", test.target, "--retries", "0")
			file := filepath.Join(t.TempDir(), "push.jsonl")
			require.NoError(t, os.WriteFile(file, []byte(push), 0o600))
			for _, verb := range [][]string{{"apply", leaf}, {"drift", leaf}, {"resume", file}} {
				code, out, bad := cellwarden(t, append(verb, flags...)...)
				require.Contains(t, []int{cli.ExitFailure, cli.ExitUsage}, code, bad)
				require.Contains(t, bad, test.want, verb[0])
				require.Equal(t, 1, strings.Count(bad, "\n"), bad)
				require.NotContains(t, out+bad, "sesame")
				if out != "" {
					require.Contains(t, out, "nothing was sent")
				}
			}
		})
	}

	code, out, bad := cellwarden(t, "apply", leaf, "--target", secured, "--tls-ca", cert, "--username", "monitor",
		"--password-file", password("look"))
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, out, "the device refused the change. It was read back and holds the previous values")
	require.Contains(t, bad, "(this user has no permission: use another one with --username and --password-file)")
}

// Flags and files that cannot be used are refused before anything is asked.
func TestAdviceOnUsage(t *testing.T) {
	_, leaf := state(t)
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(there, []byte("leaf1\n"), 0o600))
	list := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(list, []byte("leaf1, leaf2\nleaf3\nleaf3:9339\n[::1]\n::1\n"), 0o600))
	address := serve(t, "--chip", "tomahawk")
	for want, args := range map[string][]string{
		"--journal: " + there + " exists already": {"apply", leaf, "--target", "x",
			"--journal", there},
		"--rollback-after: 5ms (want 0s": {"apply", leaf, "--target", "x",
			"--rollback-after", "5ms"},
		"nothing.yaml: no such file":                                       {"apply", "nothing.yaml", "--target", "x"},
		`line 1: address "leaf1," (want <host>`:                            {"apply", leaf, "--targets", list},
		"line 3: leaf3:9339 is in line 2 already: want each switch":        {"drift", leaf, "--targets", list},
		"line 5: ::1 is in line 4 already":                                 {"apply", leaf, "--targets", list},
		"no switch is named (want --target or":                             {"drift", leaf},
		"--targets: open nothing":                                          {"drift", leaf, "--targets", "nothing"},
		`no such profile: "dell" (want simulated, `:                        {"asic", "profiles", "dell"},
		"nothing.jsonl: no such file or directory (want a journal that":    {"resume", "nothing.jsonl"},
		"there: line 1: invalid character":                                 {"resume", there},
		"looking for beginning of value (want a journal that apply wrote)": {"resume", there},
		"--listen \"127.0.0.1\" (want <address>:<port>": {"target", "--chip", "tomahawk",
			"--listen", "127.0.0.1"},
		"want --chip, or --traffic":              {"target"},
		"--user is no flag of apply (want those": {"apply", leaf, "--target", "x", "--user", "y"},
		"no such profile: \"openconfg\" (want simulated, arista, srlinux, j": {"drift", leaf, "--target", "x",
			"--profile", "openconfg"},
	} {
		code, out, bad := cellwarden(t, args...)
		require.Equal(t, cli.ExitUsage, code, "%v: %s", args, bad)
		require.Contains(t, bad, want, args)
		require.Empty(t, out)
	}
	code, _, bad := cellwarden(t, "target", "--chip", "tomahawk", "--listen", address)
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "--listen: listen tcp "+address+
		": bind: address already in use (want an address of this machine with a free port")

	for _, verb := range []string{"apply", "drift"} {
		code, _, bad := cellwarden(t, verb, leaf, "--target", address, "--insecure", "--profile", "sonic")
		require.Equal(t, cli.ExitFailure, code)
		require.Contains(t, bad, "Get failed (Unimplemented): /DEVICE_METADATA: this switch has no such node")
	}
}
