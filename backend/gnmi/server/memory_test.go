package server_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// listener is the end of a subscription that a test holds. While gate is open, it takes messages; while it is shut,
// they wait.
type listener struct {
	gpb.GNMI_SubscribeServer
	ctx      context.Context
	list     *gpb.SubscriptionList
	asked    atomic.Bool
	gate     chan struct{} // closed: it takes messages
	waiting  *atomic.Int64 // messages that have waited at the gate
	synced   func()
	messages atomic.Int64
}

func (l *listener) Context() context.Context { return l.ctx }

func (l *listener) Recv() (*gpb.SubscribeRequest, error) {
	if l.asked.CompareAndSwap(false, true) {
		return &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: l.list}}, nil
	}
	<-l.ctx.Done()
	return nil, l.ctx.Err()
}

func (l *listener) Send(m *gpb.SubscribeResponse) error {
	select {
	case <-l.gate:
	default:
		l.waiting.Add(1)
		select {
		case <-l.gate:
		case <-l.ctx.Done():
			return l.ctx.Err()
		}
	}
	l.messages.Add(1)
	if m.GetSyncResponse() {
		l.synced()
	}
	return nil
}

// memory is what the program has in use, in MiB.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc >> 20)
}

// crowded is a switch of so many ports and its streams, one for each list.
type crowded struct {
	*server.Server
	all     []*listener
	gate    chan struct{}
	waiting atomic.Int64
	synced  sync.WaitGroup
	ended   sync.WaitGroup
	errors  chan error
	end     context.CancelFunc
}

// crowdOf opens streams whose clients take nothing until the gate opens. Time stands still, so that none is cut off.
func crowdOf(t *testing.T, ports, streams int, mode gpb.SubscriptionMode, where string) *crowded {
	t.Helper()
	asic, err := sim.New(buffer.Chip{Name: "large", Cell: 208, Slices: []buffer.Slice{{Cells: 1_000_000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: 8})
	require.NoError(t, err)
	c := &crowded{gate: make(chan struct{}), errors: make(chan error, streams)}
	c.Server, err = server.New(asic, 208, server.Options{MaxStreams: streams, Clock: newHand()})
	require.NoError(t, err)
	_, req := large(t, ports)
	_, err = c.Set(t.Context(), req)
	require.NoError(t, err)
	var ctx context.Context
	ctx, c.end = context.WithCancel(t.Context())
	t.Cleanup(c.end)
	c.synced.Add(streams)
	for range streams {
		l := &listener{ctx: ctx, gate: c.gate, waiting: &c.waiting, synced: c.synced.Done,
			list: &gpb.SubscriptionList{Subscription: []*gpb.Subscription{{Path: path(t, where), Mode: mode}},
				Encoding: gpb.Encoding_PROTO}}
		c.all = append(c.all, l)
		c.ended.Go(func() { c.errors <- c.Subscribe(l) })
	}
	return c
}

// Streams share what they were sent: 1,000 of them on a switch of 512 ports, all of which wait with their first message
// and then have all leaves, have less than 300 MiB together.
func TestMemoryOfManyStreams(t *testing.T) {
	effort.SkipFew(t, "it has a thousand streams on a large switch")
	ports, streams := 512, 1000
	if testing.Short() {
		ports, streams = 64, 200
	}
	modes := []gpb.SubscriptionMode{gpb.SubscriptionMode_ON_CHANGE, gpb.SubscriptionMode_TARGET_DEFINED}
	first, end := effort.Seeds(uint64(len(modes)))
	for _, mode := range modes[first:end] {
		t.Run(mode.String(), func(t *testing.T) {
			before := memory()
			c := crowdOf(t, ports, streams, mode, "/")
			require.Eventually(t, func() bool { return c.waiting.Load() == int64(streams) }, 5*time.Minute,
				10*time.Millisecond)
			waiting := memory() - before
			t.Logf("%d streams with a message that waits: %d MiB", streams, waiting)
			close(c.gate)
			c.synced.Wait()
			synced := memory() - before
			t.Logf("%d streams that have all leaves: %d MiB", streams, synced)
			require.Less(t, max(waiting, synced), int64(300))

			sent := func() (n int64) {
				for _, l := range c.all {
					n += l.messages.Load()
				}
				return n
			}
			count := sent()
			_, err := c.Set(t.Context(), update(t, "/qos/queues/queue[name=3]/config/queue-id", ietf(`3`)))
			require.NoError(t, err)
			require.Eventually(t, func() bool { return sent() == count+int64(streams) }, time.Minute, time.Millisecond,
				"each gets the change in one message")
			require.Less(t, memory()-before, int64(300), "and has forgotten what was before")
			c.end()
			c.ended.Wait()
			require.Less(t, memory()-before, int64(100), "the streams have ended")
			runtime.KeepAlive(c)
		})
	}
}

// A client that has gone is worked for no more: its call ends while others are still at work, and says so.
func TestWorkEndsWithTheClient(t *testing.T) {
	for _, mode := range []gpb.SubscriptionList_Mode{gpb.SubscriptionList_ONCE, gpb.SubscriptionList_STREAM} {
		s, _ := planned(t)
		held, release := make(chan struct{}), make(chan struct{})
		go func() {
			_ = s.Do(context.Background(), func() { close(held); <-release })
		}()
		<-held
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error)
		for range 10 {
			l := &listener{ctx: ctx, list: &gpb.SubscriptionList{Mode: mode,
				Subscription: []*gpb.Subscription{{Path: path(t, "/")}}}, waiting: &atomic.Int64{}, synced: func() {}}
			go func() { done <- s.Subscribe(l) }()
		}
		leave()
		for range 10 {
			require.Equal(t, codes.Canceled, status.Code(<-done))
		}
		close(release)
	}
}
