package interop

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// deletion takes the profile off the input of one port.
const deletion = `delete:{elem:{name:"qos"} elem:{name:"interfaces"} elem:{name:"interface" key:{key:"interface-id" value:"Ethernet1/7"}} ` +
	`elem:{name:"input"} elem:{name:"config"} elem:{name:"buffer-allocation-profile"}}`

// TestWalkthrough runs what docs/gnmi.md shows: the command line against its own switch, and gnmi_cli in between.
func TestWalkthrough(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.Symlink(effort.Command(t, "..", "./cmd/cellwarden"), filepath.Join(bin, "cellwarden")))
	require.NoError(t, os.Symlink(gnmiCLI(t), filepath.Join(bin, "gnmi_cli")))
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "walkthrough.txtar")},
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
			e.Setenv("COLUMNS", "1000") // tables do not fold, so that a row is a line
			e.Setenv("SWITCH", free(t))
			e.Setenv("GUARDED", free(t))
			e.Setenv("DELETE", deletion)
			return topologies(e.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "answers": answers,
			"certificates": func(ts *testscript.TestScript, _ bool, _ []string) { certificates(t, ts.MkAbs(".")) }},
	})
}

// free returns an address on which no server listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// topologies writes the first example, one with a shorter cable and one with more reserved cells.
func topologies(dir string) error {
	const name = "arista-7060cx-32s"
	text, err := os.ReadFile(filepath.Join("..", "examples", name+".yaml"))
	table, bad := os.ReadFile(filepath.Join("..", "examples", name+".ini"))
	if err := errors.Join(err, bad, os.WriteFile(filepath.Join(dir, name+".ini"), table, 0o600)); err != nil {
		return err
	}
	const port = `  - {range: "Ethernet1/1-32", speed: 100G, cable: 300m, mtu: 9216B}`
	const first = `  - {name: Ethernet1/1, speed: 100G, cable: 5m, mtu: 9216B}`
	cable := strings.Replace(string(text), port, first+"\n"+strings.Replace(port, "1-32", "2-32", 1), 1)
	for file, content := range map[string]string{"leaf.yaml": string(text), "cable.yaml": cable,
		"reserved.yaml": strings.Replace(cable, "1248B", "1456B", 1)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// certificates makes those of the switch, of a client, and of another authority.
func certificates(t *testing.T, dir string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	ours := newAuthority(t, at("ca.pem"))
	ours.issue(t, at("switch.pem"), at("switch.key"))
	ours.issue(t, at("client.pem"), at("client.key"))
	newAuthority(t, at("other-ca.pem")).issue(t, at("other.pem"), at("other.key"))
}

// exits runs a command and requires its exit code: exits 3 cellwarden plan x.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var bad *exec.ExitError
	if errors.As(err, &bad) {
		code = bad.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v: %v", args[1:], err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%v exits %d, not %s", args[1:], code, args[0])
	}
}

// answers waits until a server listens on an address.
func answers(ts *testscript.TestScript, _ bool, args []string) {
	if err := reachable(args[0]); err != nil {
		ts.Fatalf("%v", err)
	}
}

// reachable waits until a server listens on an address.
func reachable(address string) error {
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		var conn net.Conn
		if conn, err = net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("no server listens: %w", err)
}
