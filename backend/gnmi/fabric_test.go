package gnmi_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// A chip of one slice, and plans on it.
const cell = smallswitch.Cell

var chip, intent, weighed, planned = smallswitch.Chip, smallswitch.Intent, smallswitch.Weighed, smallswitch.Planned

// carried is what of a layout goes over gNMI.
func carried(l buffer.Layout) buffer.Layout {
	return l.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) })
}

// lab is a client and the switch that it speaks to, over a pipe in memory.
type lab struct {
	asic   *sim.ASIC
	served gpb.GNMIServer
	client *gnmi.Client
	server *grpc.Server

	conn grpc.ClientConnInterface
	cell cells.Size
	cut  func() // breaks the connections there are

	mu    sync.Mutex
	calls []string // methods that arrived
	hook  grpc.UnaryServerInterceptor
	other gpb.GNMIServer  // that streams go to; nil: where all goes
	waits []time.Duration // that the client made, without waiting
}

// newLab serves a simulated ASIC.
func newLab(t testing.TB, chip buffer.Chip) *lab {
	asic, err := sim.New(chip)
	require.NoError(t, err)
	served, err := server.New(asic, chip.Cell, server.Options{})
	require.NoError(t, err)
	l := serveCells(t, served, chip.Cell)
	l.asic = asic
	return l
}

// serve serves any gNMI server of a chip with the usual cells.
func serve(t testing.TB, served gpb.GNMIServer) *lab { return serveCells(t, served, cell) }

func serveCells(t testing.TB, served gpb.GNMIServer, cell cells.Size) *lab {
	l := &lab{served: served}
	pipe := bufconn.Listen(1 << 20)
	var dialled []net.Conn
	l.cut = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, c := range dialled {
			_ = c.Close()
		}
	}
	l.server = grpc.NewServer(grpc.UnaryInterceptor(l.intercept), grpc.StreamInterceptor(l.route))
	gpb.RegisterGNMIServer(l.server, served)
	done := make(chan error, 1)
	go func() { done <- l.server.Serve(pipe) }()
	conn, err := grpc.NewClient("passthrough:switch", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			c, err := pipe.DialContext(ctx)
			l.mu.Lock()
			defer l.mu.Unlock()
			dialled = append(dialled, c)
			return c, err
		}))
	require.NoError(t, err)
	l.conn, l.cell = conn, cell
	l.client = l.with(t, gnmi.Options{Username: "operator", Password: "secret"})
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		l.server.Stop()
		require.NoError(t, <-done)
	})
	return l
}

func (l *lab) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	l.mu.Lock()
	l.calls = append(l.calls, info.FullMethod)
	hook := l.hook
	l.mu.Unlock()
	if hook != nil {
		return hook(ctx, req, info, next)
	}
	return next(ctx, req)
}

// route passes a stream on.
func (l *lab) route(served any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	l.mu.Lock()
	l.calls = append(l.calls, gpb.GNMI_Subscribe_FullMethodName)
	if l.other != nil {
		served = l.other
	}
	l.mu.Unlock()
	return next(served, stream)
}

// redirect has streams go to another server from now on.
func (l *lab) redirect(other gpb.GNMIServer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.other = other
}

// on runs hook in place of the next calls of a method.
func (l *lab) on(method string, hook grpc.UnaryServerInterceptor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hook = func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if info.FullMethod != method {
			return next(ctx, req)
		}
		return hook(ctx, req, info, next)
	}
}

// sets counts the Sets that arrived so far.
func (l *lab) sets() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(l.calls), func(m string) bool { return m != gpb.GNMI_Set_FullMethodName }))
}

// wait notes that the client waits, and does not.
func (l *lab) wait(ctx context.Context, d time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = append(l.waits, d)
	return ctx.Err()
}

// with is another client of the same switch.
func (l *lab) with(t testing.TB, opt gnmi.Options) *gnmi.Client {
	t.Helper()
	opt.Cell, opt.Address, opt.Retry = l.cell, "leaf1", gnmi.Retry{Wait: l.wait}
	if opt.SetTimeout == 0 {
		opt.SetTimeout = 20 * time.Second // a switch that does not answer is read a few times, and not many
	}
	c, err := gnmi.New(l.conn, opt)
	require.NoError(t, err)
	return c
}
