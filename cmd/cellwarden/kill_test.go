package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// simulated returns a simulated Tomahawk, and the server of its gNMI.
func simulated(t *testing.T) (*sim.ASIC, *server.Server) {
	t.Helper()
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	device, err := sim.New(chip)
	require.NoError(t, err)
	service, err := server.New(device, chip.Cell, server.Options{})
	require.NoError(t, err)
	return device, service
}

// watched is a simulated switch that runs a function at each Set, before or after it is made.
type watched struct {
	address string
	asic    *sim.ASIC

	mu    sync.Mutex
	sets  int
	at    func(set int, made bool) error // nil: nobody watches
	alter func(*gnmi.SetRequest)         // what the switch makes of a Set before it stores it; nil: nothing
}

func watch(t *testing.T) *watched {
	t.Helper()
	device, service := simulated(t)
	w := &watched{asic: device}
	grpcServer := grpc.NewServer(grpc.UnaryInterceptor(w.intercept))
	service.Register(grpcServer)
	w.address = smallswitch.At(t, grpcServer)
	return w
}

func (w *watched) intercept(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any,
	error) {
	w.mu.Lock()
	at := w.at
	if set, is := req.(*gnmi.SetRequest); is {
		w.sets++
		if w.alter != nil {
			w.alter(set)
		}
	} else {
		at = nil
	}
	n := w.sets
	w.mu.Unlock()
	if at == nil {
		return next(ctx, req)
	}
	if err := at(n, false); err != nil {
		return nil, err
	}
	answer, err := next(context.WithoutCancel(ctx), req)
	if bad := at(n, true); bad != nil {
		return nil, bad
	}
	return answer, err
}

// run has a function run at each Set from now on; nil: none.
func (w *watched) run(at func(set int, made bool) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = at
}

// counted is how many Sets there were.
func (w *watched) counted() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sets
}

// reset makes the switch hold a layout, and counts from 0.
func (w *watched) reset(t *testing.T, l buffer.Layout) {
	w.run(nil)
	hold(t, w.address, l)
	w.mu.Lock()
	w.sets = 0
	w.mu.Unlock()
}

// brief bounds the time that a push waits for a Set whose answer is lost. On a machine under load gRPC may lose a
// connection, and the default would hold a test for minutes.
const brief = "--set-timeout=1m"

// pusher starts the command line as a process of its own.
func pusher(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ownHome(t)
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cellwarden")
	require.NoError(t, os.Symlink(self, file))
	c := exec.CommandContext(t.Context(), file, args...)
	c.Stderr = os.Stderr
	return c
}

// A pusher that is killed with SIGKILL before or after any of its Sets, commits and confirmations among them, is
// finished or undone from its journal, and no commit is left waiting.
func TestResumeAfterSIGKILL(t *testing.T) {
	effort.SkipShort(t, "it kills processes")
	w := watch(t)
	leaf := filepath.Join(t.TempDir(), "leaf.yaml")
	require.NoError(t, os.WriteFile(leaf, []byte(twoPorts), 0o600))
	before := buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1",
		Index: 3}, Value: 9},
		{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet2/1", Index: 1}, Value: 7}})
	w.reset(t, before)
	code, _, bad := cellwarden(t, "apply", leaf, "--target", w.address, "--insecure", "--phases", brief)
	require.Zero(t, code, bad)
	require.Equal(t, 8, w.counted(), "three phases, each confirmed, and a proof of two")
	after := held(t, w.address)

	for n, kill := range []struct {
		set  int
		made bool
	}{{1, false}, {1, true}, {2, true}, {3, false}, {3, true}, {4, true}, {5, true}, {6, true}, {7, false}, {7, true},
		{8, false}, {8, true}} {
		w.reset(t, before)
		journals, _ := state(t)
		child := pusher(t, "apply", leaf, "--target", w.address, "--insecure", "--phases", brief)
		dead := make(chan struct{})
		var started sync.Mutex // until it is, there is nothing to kill
		w.run(func(set int, made bool) error {
			if set != kill.set || made != kill.made {
				return nil
			}
			started.Lock()
			_ = child.Process.Kill()
			started.Unlock()
			<-dead
			return status.Error(codes.Unavailable, "nobody is there")
		})
		started.Lock()
		err := child.Start()
		started.Unlock()
		require.NoError(t, err)
		err = child.Wait()
		close(dead)
		require.ErrorContains(t, err, "signal: killed")
		w.run(nil)

		open, err := push.Journals().List(journals)
		require.NoError(t, err)
		require.Len(t, open, 1, "resume lists it")
		journal := open[0].Journal
		longAgo(t, journal)
		require.Equal(t, w.address, open[0].Target)
		args, want := []string{"resume", journal, "--insecure", brief}, after
		if n%2 == 1 {
			args, want = append(args, "--undo"), before
		}
		code, out, bad := cellwarden(t, args...)
		require.Zero(t, code, "%v: %s", kill, bad)
		require.Equal(t, want, held(t, w.address), "%v: %s", kill, out)
		data, err := os.ReadFile(journal)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(data), "}\n"))
		open, err = push.Journals().List(journals)
		require.NoError(t, err)
		require.Empty(t, open, "and no more when it is done")
	}
	w.reset(t, before) // no commit waits: a plain Set is taken
}
