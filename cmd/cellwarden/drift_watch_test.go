package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// restartable is a switch that can be switched off and on again.
type restartable struct {
	address string
	service *server.Server
	options []grpc.ServerOption
	server  *grpc.Server
	done    chan error
}

func newRestartable(t *testing.T) *restartable {
	t.Helper()
	_, service := simulated(t)
	r := &restartable{address: "127.0.0.1:0", service: service}
	r.on(t)
	t.Cleanup(func() { r.off(t) })
	return r
}

func (r *restartable) on(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", r.address)
	require.NoError(t, err)
	r.address, r.server, r.done = listener.Addr().String(), grpc.NewServer(r.options...), make(chan error, 1)
	r.service.Register(r.server)
	server, done := r.server, r.done
	go func() { done <- server.Serve(listener) }()
}

func (r *restartable) off(t *testing.T) {
	t.Helper()
	r.server.Stop()
	if err := <-r.done; err != grpc.ErrServerStopped { // before it began to serve
		require.NoError(t, err)
	}
}

// watching is a drift --watch that is under way.
type watching struct {
	interrupt context.CancelFunc
	said      *bufio.Scanner // standard error
	out       bytes.Buffer
	code      chan int
}

func startWatching(t *testing.T, args ...string) *watching {
	t.Helper()
	ownHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	w := &watching{interrupt: cancel, said: bufio.NewScanner(reader), code: make(chan int, 1)}
	go func() {
		code := run(ctx, args, nil, &w.out, writer)
		writer.Close()
		w.code <- code
	}()
	return w
}

// says waits for the next line on standard error.
func (w *watching) says(t *testing.T, want string) {
	t.Helper()
	require.True(t, w.said.Scan(), "it ended without saying: "+want)
	require.Contains(t, w.said.Text(), want)
}

// ends waits until the command ends.
func (w *watching) ends(t *testing.T, code int) string {
	t.Helper()
	for w.said.Scan() {
		require.NotContains(t, w.said.Text(), "panic")
	}
	require.Equal(t, code, <-w.code)
	return w.out.String()
}

// Watching waits while all is as planned, also over a restart of the switch,
// and ends with the difference as soon as there is one.
func TestDriftWatch(t *testing.T) {
	_, leaf := state(t)
	sw := newRestartable(t)
	code, _, bad := cellwarden(t, "apply", leaf, "--target", sw.address, "--insecure")
	require.Zero(t, code, bad)
	_, out, _ := cellwarden(t, "apply", leaf, "--dry-run", "--profile", "openconfig")
	kmin := regexp.MustCompile(`/qos/queue-management-profiles/\S+/min-threshold`).FindString(out)
	args := []string{"drift", leaf, "--target", sw.address, "--insecure", "--watch", "--retries", "0"}

	w := startWatching(t, args...)
	w.says(t, "as planned; watching for changes")
	sw.off(t)
	w.says(t, "not reachable, trying again: gNMI target "+sw.address+": Subscribe failed (Unavailable)")
	sw.on(t)
	w.says(t, "reachable again, as planned; watching for changes")
	set(t, sw.address, kmin, 2080)
	out = w.ends(t, cli.ExitDrift)
	require.Contains(t, out, ": 4 differences")
	require.Regexp(t, `Ethernet1/1 queue 3 ecn kmin +10 cells +1201 cells +/qos/interfaces/interface\[interface-id=Ethernet1/1\]/output/queues/queue\[name=3\]`, out)

	out = startWatching(t, args...).ends(t, cli.ExitDrift)
	require.Contains(t, out, ": 4 differences", "it differs already")

	code, _, bad = cellwarden(t, "apply", leaf, "--target", sw.address, "--insecure")
	require.Zero(t, code, bad)
	w = startWatching(t, append(args, "-o", "json")...)
	w.says(t, "as planned; watching for changes")
	w.interrupt()
	w.says(t, "interrupted")
	require.Contains(t, w.ends(t, cli.ExitFine), `"differences": []`)

	w = startWatching(t, args...)
	w.says(t, "as planned; watching for changes")
	sw.off(t)
	w.says(t, "not reachable")
	w.interrupt()
	w.says(t, "interrupted while the switch could not be compared with the plan")
	require.Empty(t, w.ends(t, cli.ExitFailure))
	sw.on(t)
}

// What is altered while the switch is away is found when it is back.
func TestDriftWatchAfterARestart(t *testing.T) {
	effort.SkipFew(t, "it restarts a switch")
	_, leaf := state(t)
	sw := newRestartable(t)
	code, _, bad := cellwarden(t, "apply", leaf, "--target", sw.address, "--insecure")
	require.Zero(t, code, bad)
	w := startWatching(t, "drift", leaf, "--target", sw.address, "--insecure", "--watch", "--retries", "0")
	w.says(t, "as planned; watching for changes")
	sw.off(t)
	w.says(t, "not reachable")
	empty := newRestartable(t)
	sw.service = empty.service // it has lost its configuration
	sw.on(t)
	require.Contains(t, w.ends(t, cli.ExitDrift), ": 24 differences")
}

// The command as a process of its own: Ctrl-C ends it as it should.
func TestDriftWatchIsInterrupted(t *testing.T) {
	_, leaf := state(t)
	sw := newRestartable(t)
	code, _, bad := cellwarden(t, "apply", leaf, "--target", sw.address, "--insecure")
	require.Zero(t, code, bad)
	child := pusher(t, "drift", leaf, "--target", sw.address, "--insecure", "--watch")
	child.Stderr = nil
	reader, err := child.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	said := bufio.NewScanner(reader)
	require.True(t, said.Scan())
	require.Contains(t, said.Text(), "as planned; watching for changes")
	require.NoError(t, child.Process.Signal(os.Interrupt))
	require.True(t, said.Scan())
	require.Contains(t, said.Text(), "interrupted")
	require.False(t, said.Scan())
	require.NoError(t, child.Wait(), "exit code 0")
}

// A switch that does not report changes is told from one that is away.
func TestDriftWatchOfASwitchThatReportsNothing(t *testing.T) {
	_, leaf := state(t)
	sw := newRestartable(t)
	sw.off(t)
	sw.options = append(sw.options, grpc.StreamInterceptor(func(any, grpc.ServerStream, *grpc.StreamServerInfo,
		grpc.StreamHandler) error {
		return status.Error(codes.Unimplemented, "no ON_CHANGE here")
	}))
	sw.on(t)
	code, out, bad := cellwarden(t, "drift", leaf, "--target", sw.address, "--insecure", "--watch")
	require.Equal(t, cli.ExitFailure, code)
	require.Empty(t, out)
	require.Contains(t, bad, "Subscribe failed (Unimplemented): no ON_CHANGE here: the switch does not report changes "+
		"(want "+
		"drift without --watch, from time to time")
}
