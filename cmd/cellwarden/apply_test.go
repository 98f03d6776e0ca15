package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

var arista = filepath.Join("..", "..", "examples", "arista-7060cx-32s.yaml")

// cellwarden runs the command and returns its exit code and output.
func cellwarden(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ownHome(t)
	var out, bad bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &bad)
	return code, out.String(), bad.String()
}

// serve runs the target command until the test ends, and returns its address.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	return serveInto(t, io.Discard, args...)
}

// serveInto is serve with the switch's log.
func serveInto(t *testing.T, log io.Writer, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	done := make(chan int)
	go func() {
		code := run(ctx, append([]string{"target", "--listen", "127.0.0.1:0"}, args...), nil, writer, writer)
		writer.Close()
		done <- code
	}()
	t.Cleanup(func() { cancel(); require.Zero(t, <-done) })
	lines := bufio.NewReader(reader)
	line, err := lines.ReadString('\n')
	require.NoError(t, err, line)
	go func() { _, _ = io.Copy(log, lines) }()
	_, address, found := strings.Cut(line, "switch on ")
	require.True(t, found, line)
	address, _, _ = strings.Cut(address, ",")
	return address
}

func TestApplyTwice(t *testing.T) {
	address := serve(t, "--chip", "tomahawk")
	code, out, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure", "--dry-run")
	require.Zero(t, code, bad)
	require.Contains(t, out, "dry run: nothing was sent; 352 registers would change")

	code, out, bad = cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": applied")
	require.Contains(t, out, "352 registers changed, read back and found equal, in cells")
	require.Contains(t, out, "\nNOT LOSSLESS BY THIS PUSH ALONE: not sent: shared headroom pools (4), PFC (64), "+
		"headroom (64)\n")

	code, out, bad = cellwarden(t, "apply", arista, "--target", address, "--insecure", "-o", "json")
	require.Zero(t, code, bad)
	require.Contains(t, out, `"state": "unchanged"`)
	require.Contains(t, out, `"steps": []`)

	code, out, _ = cellwarden(t, "apply", arista, "--target", address, "--insecure", "--strict")
	require.Equal(t, cli.ExitGaps, code)
	require.Contains(t, out, "nothing was sent")
}

func TestApplyToTheSimulator(t *testing.T) {
	code, out, bad := cellwarden(t, "apply", arista, "--sim", "--strict")
	require.Zero(t, code, bad)
	require.Contains(t, out, "simulated tomahawk: applied")
	require.Contains(t, out, "552 registers changed")
	require.NotContains(t, out, "Not sent")
}

func TestApplyOfAPlanThatDoesNotFit(t *testing.T) {
	code, out, bad := cellwarden(t, "apply", strings.Replace(arista, ".yaml", "-dedicated-10km.yaml", 1), "--sim")
	require.Equal(t, cli.ExitNoFit, code)
	require.Empty(t, out)
	require.Contains(t, bad, "nothing was sent: ingress buffer allocation failed for interface Ethernet1/1: group 4")
}

// OpenConfig carries whole percents only: a half becomes a whole, and that is said.
func TestApplyOfAValueThatIsRounded(t *testing.T) {
	text, err := os.ReadFile(arista)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "leaf.yaml")
	table, err := filepath.Abs(strings.Replace(arista, ".yaml", ".ini", 1))
	require.NoError(t, err)
	edited := strings.NewReplacer("pmax: 5%", "pmax: 0.5%", "arista-7060cx-32s.ini", table).Replace(string(text))
	require.NoError(t, os.WriteFile(file, []byte(edited), 0o600))
	address := serve(t, "--chip", "tomahawk")
	for _, state := range []string{": applied", ": unchanged"} {
		code, out, bad := cellwarden(t, "apply", file, "--target", address, "--insecure")
		require.Zero(t, code, bad)
		require.Contains(t, out, state)
		require.Contains(t, out, "Sent as a rounded value")
		require.Regexp(t, `queue ecn pmax +0.50% .* 0.50 +1 percent +the leaf holds multiples of 1 percent; rounded nearest +64 +3,4 of Ethernet1/1-32`, out)
		require.NotContains(t, out, "Sent as planned")
	}
}

// A target with less memory than was planned for refuses the Set.
func TestTargetRefusesWhatDoesNotFit(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small.json")
	writeChip(t, small, 100)
	address := serve(t, "--chip", small)
	code, out, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Equal(t, cli.ExitNoFit, code, bad)
	require.Contains(t, out, "the device refused the change. It was read back and holds the previous values")
	require.Contains(t, bad, "ingress buffer allocation failed for interface Ethernet1/")
}

func TestTargetThatIsNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	code, out, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure", "--retries", "0")
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, out, "nothing was sent")
	require.Contains(t, bad, "gNMI target "+address+": Capabilities failed (Unavailable)")
	require.Contains(t, bad, "connection refused\" (no server listens there: is gNMI enabled, and on this port?)")
}

// dying is a device whose switch is killed while it applies.
type dying struct {
	backend.Backend
	kill func()
}

func (d *dying) Apply(ctx context.Context, steps []buffer.Step) error {
	err := d.Backend.Apply(ctx, steps)
	go d.kill() // the RPC that this call serves is cut off, too
	<-ctx.Done()
	return err
}

func TestTargetIsKilledInTheMiddle(t *testing.T) {
	effort.SkipFew(t, "it kills processes")
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	device, err := sim.New(chip)
	require.NoError(t, err)
	grpcServer := grpc.NewServer()
	service, err := server.New(&dying{device, grpcServer.Stop}, chip.Cell, server.Options{})
	require.NoError(t, err)
	service.Register(grpcServer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- grpcServer.Serve(listener) }()
	t.Cleanup(grpcServer.Stop)

	code, out, bad := cellwarden(t, "apply", arista, "--target", listener.Addr().String(), "--insecure", "--timeout",
		"20s", "--set-timeout", "1s", "--retries", "0")
	require.Equal(t, cli.ExitPartial, code, bad)
	require.NoError(t, <-served)
	require.Contains(t, out, ": unknown")
	require.Contains(t, out, "the device could not be read. It may hold the plan, the previous values, or a mixture. Run "+
		"apply again later: apply compares first")
	require.Contains(t, bad, "reading it until its state is known, for at most 1s")
	require.Contains(t, bad, "is unknown, because it cannot be read")
	require.Regexp(t, `\ncellwarden resume \S+\.jsonl reads the switch and finishes the push; with --undo it restores the previous values`, bad)
}

func TestApplyFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"no device is named":          {"apply", arista},
		"or --dry-run with --profile": {"apply", arista, "--profile", "arista"},
		`no such profile: "dell"`: {"apply", arista, "--profile", "dell",
			"--dry-run"},
		"(want one of them)": {"apply", arista, "--sim", "--target", "x"},
		"--insecure contradicts the --tls": {"apply", arista, "--target", "x", "--insecure",
			"--tls-ca", "y"},
		"--tls-ca: open nothing.pem": {"apply", arista, "--target", "x", "--tls-ca",
			"nothing.pem"},
		"--password-file: open nothing.txt": {"apply", arista, "--target", "x", "--insecure",
			"--username", "u", "--password-file", "nothing.txt"},
		`--allow-disruption: "all" (want none, port, switch, reboot`: {"apply", arista, "--sim", "--allow-disruption",
			"all"},
		"--retries: -1 (want 0 or more":      {"apply", arista, "--target", "x", "--retries", "-1"},
		"want --chip, or --traffic":          {"target"},
		"--ports: ":                          {"target", "--chip", "tomahawk", "--ports", "a9-1"},
		"tomahawk5":                          {"target", "--chip", "nothing"},
		"is no command of cellwarden (want ": {"aply"},
	} {
		code, _, bad := cellwarden(t, args...)
		require.Equal(t, cli.ExitUsage, code, args)
		require.Contains(t, bad, want, args)
	}
}

// writeChip writes a Tomahawk with so many cells in each slice.
func writeChip(t *testing.T, file string, cells int) {
	t.Helper()
	code, out, bad := cellwarden(t, "asic", "show", "tomahawk", "-o", "json")
	require.Zero(t, code, bad)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(out, `"cells": 20165`,
		fmt.Sprintf(`"cells": %d`, cells))), 0o600))
}

// Phases are sent one by one where the profile or the operator wants it.
func TestApplyInPhases(t *testing.T) {
	effort.SkipFew(t, "it pushes in phases, with and without a commit")
	address := serve(t, "--chip", "tomahawk")
	code, out, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure", "--phases")
	require.Zero(t, code, bad)
	require.Contains(t, out, "352 registers changed, read back and found equal, in cells")
	code, out, bad = cellwarden(t, "apply", arista, "--target", address, "--insecure", "--profile", "arista")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": unchanged")
}
