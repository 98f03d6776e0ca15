package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/report"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// leaves is many switches in this process, each on a pipe in memory.
type leaves map[string]*bufconn.Listener

func (f leaves) dial(ctx context.Context, address string) (net.Conn, error) {
	pipe, there := f[address]
	if !there {
		return nil, fmt.Errorf("no such switch: %s", address)
	}
	return pipe.DialContext(ctx)
}

func (f leaves) add(t *testing.T, address string) *sim.ASIC {
	t.Helper()
	device, service := simulated(t)
	grpcServer := grpc.NewServer()
	service.Register(grpcServer)
	pipe := bufconn.Listen(1 << 16)
	f[address] = pipe
	smallswitch.On(t, grpcServer, pipe)
	return device
}

// verb runs a command with flags that only a test can set.
func (f leaves) verb(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	root := rootCommand()
	var out, bad bytes.Buffer
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&bad)
	err := root.ExecuteContext(context.WithValue(t.Context(), dial.DialerKey{}, f.dial))
	return cli.CodeOf(err), out.String(), bad.String()
}

// leafAddress is the target of a leaf: an address, because a push asks the resolver for a name, and the journals of all
// other pushes beside its own for theirs.
func leafAddress(n int) string { return fmt.Sprintf("192.0.2.%d:9339", n) }

// TestManySwitches brings a plan to 200 switches of this process, to 20 if time is short. One is not there and one has
// no room for it: the others have the plan all the same.
func TestManySwitches(t *testing.T) {
	effort.SkipFew(t, "it dials many switches")
	f, dir := leaves{}, t.TempDir()
	leaf, list := filepath.Join(dir, "leaf.yaml"), filepath.Join(dir, "switches.txt")
	require.NoError(t, os.WriteFile(leaf, []byte(twoPorts), 0o600))
	var text strings.Builder
	devices := map[string]*sim.ASIC{}
	many := 200
	if testing.Short() {
		many = 20
	}
	for n := range many {
		name := leafAddress(n)
		devices[name] = f.add(t, name)
		fmt.Fprintf(&text, "%s # in rack %d\n", name, n/2)
	}
	delete(f, leafAddress(7))
	full := buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: buffer.PoolShared}, Value: 20165 - 88}})
	require.NoError(t, devices[leafAddress(8)].Apply(t.Context(), buffer.Diff(nil, full)))
	require.NoError(t, os.WriteFile(list, []byte(text.String()), 0o600))

	journals := filepath.Join(dir, "journals")
	code, out, bad := f.verb(t, "apply", leaf, "--targets", list, "--parallel", "200", "--insecure", "--retries", "0", "--timeout", "1m",
		"-o", "json", "--journal", journals)
	require.Equal(t, cli.ExitFailure, code, "a switch that is not there is worse than one that is full")
	require.Equal(t, many, strings.Count(bad, "\n"), "a line of progress each")
	require.Contains(t, bad, fmt.Sprintf("%d of %d: ", many, many))
	var doc report.ApplyManyDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Targets, many)
	for n, got := range doc.Targets {
		require.Equal(t, leafAddress(n), got.Target, "in the order of the file")
		switch n {
		case 7:
			require.Equal(t, cli.ExitFailure, got.ExitCode)
			require.Contains(t, got.Error, "no such switch: "+leafAddress(7))
			require.Equal(t, "not sent", got.State, "that it is unchanged is not known")
		case 8:
			require.Equal(t, cli.ExitNoFit, got.ExitCode)
			require.Equal(t, "refused", got.State)
		default:
			require.Equal(t, "applied", got.State, got.Error)
			require.Contains(t, devices[got.Target].String(), "Ethernet1/2 group 4 reserved 6 cells")
		}
	}
	entries, err := os.ReadDir(journals)
	require.NoError(t, err)
	require.Len(t, entries, many-1, "one of each that was reached")

	stray := buffer.Step{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, From: 6,
		To: 9}
	require.NoError(t, devices[leafAddress(3)].Apply(t.Context(), []buffer.Step{stray}))
	require.NoError(t, os.WriteFile(list, []byte(leafAddress(2)+"\n"+leafAddress(3)+" profile=openconfig topology="+leaf+"\n"), 0o600))
	code, out, bad = f.verb(t, "drift", leaf, "--targets", list, "--insecure")
	require.Equal(t, cli.ExitFine, code, "the configuration is as planned: what is behind it shows in state alone: %s",
		bad)
	require.Contains(t, out, "2 switches: 2 as planned")
	require.NoError(t, os.WriteFile(leaf, []byte(strings.Replace(twoPorts, "416B", "832B", 1)), 0o600))
	code, out, bad = f.verb(t, "drift", leaf, "--targets", list, "--insecure")
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, "2 switches: 2 differs")
	require.Regexp(t, regexp.QuoteMeta(leafAddress(3))+` +Ethernet1/1 group 0 reserved +2 cells +4 cells +/qos/interfaces/interface\[interface-id=Ethernet1/1\]/input/config/buffer-allocation-profile`, out)
}

func TestTargetsFile(t *testing.T) {
	list := filepath.Join(t.TempDir(), "switches.txt")
	for text, want := range map[string]string{
		"":                              "the file names no switch",
		"a\nb\na\n":                     "line 3: a is in line 1 already",
		"a profile=dell\nb speed=100\n": `line 2: "speed=100": want prefix-target=NAME, profile=NAME, topology=FILE`,
		"a profile=dell\n":              `no such profile: "dell"`,
		"a topology=nothing.yaml\n":     "",
	} {
		require.NoError(t, os.WriteFile(list, []byte(text), 0o600))
		code, _, bad := cellwarden(t, "apply", arista, "--targets", list, "--insecure")
		require.Equal(t, cli.ExitUsage, code, text)
		require.Contains(t, bad, want)
	}
	for want, args := range map[string][]string{
		"--parallel: 0 (want 1 to 1024":      {"apply", arista, "--targets", list, "--parallel", "0"},
		"--watch needs a single switch":      {"drift", arista, "--targets", list, "--watch"},
		"(want one of them)":                 {"apply", arista, "--targets", list, "--target", "x"},
		"no switch is named":                 {"drift", arista},
		`want off, error, warn, info, debug`: {"drift", arista, "--target", "x", "--log-level", "loud"},
	} {
		code, _, bad := cellwarden(t, args...)
		require.Equal(t, cli.ExitUsage, code, args)
		require.Contains(t, bad, want)
	}
}

// The log tells of RPCs and never a credential; without --log-level there is none.
func TestLog(t *testing.T) {
	t.Setenv(dial.UsernameVariable, "operator")
	t.Setenv(dial.PasswordVariable, "xyzzy-secret")
	address := serve(t, "--chip", "tomahawk")
	code, _, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Zero(t, code)
	require.Regexp(t, `^journal: \S+\.jsonl\n$`, bad)
	code, out, bad := cellwarden(t, "drift", arista, "--target", address, "--insecure", "--log-level", "debug")
	require.Zero(t, code)
	require.Regexp(t, `level=DEBUG msg=gNMI target=\S+ rpc=Get took=`, bad)
	require.NotContains(t, out+bad, "xyzzy-secret")
	_, _, bad = cellwarden(t, "apply", arista, "--target", "127.0.0.1:1", "--insecure", "--retries", "0", "--log-level",
		"warn")
	require.Contains(t, bad, "level=WARN msg=gNMI target=127.0.0.1:1 rpc=Capabilities")
	require.Contains(t, bad, "code=Unavailable")
}
