package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// limited is a switch with options, and a client of it.
func limited(t *testing.T, opt server.Options) (*server.Server, gpb.GNMIClient) {
	_, asic := planned(t)
	s, err := server.New(asic, 208, opt)
	require.NoError(t, err)
	_, err = s.Set(t.Context(), &gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(plan)}}})
	require.NoError(t, err)
	return s, connect(t, s, opt.ServerOptions()...)
}

// crowd configures so many queues, so that there is much to be told.
func crowd(t *testing.T, n int) *gpb.SetRequest {
	var all []string
	for i := range n {
		name := fmt.Sprintf("%s-%d", strings.Repeat("queue", 20), i)
		all = append(all, fmt.Sprintf(`{"name":%q,"config":{"name":%q}}`, name, name))
	}
	return update(t, "/qos/queues", ietf(`{"queue":[`+strings.Join(all, ",")+`]}`))
}

func TestStreamsAreBounded(t *testing.T) {
	_, c := limited(t, server.Options{MaxStreams: 2})
	open := func(ctx context.Context) error {
		stream, err := c.Subscribe(ctx)
		require.NoError(t, err)
		_ = stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: lasting(t,
			&gpb.Subscription{}, rounded)}})
		_, err = stream.Recv()
		return err
	}
	first, end := context.WithCancel(t.Context())
	require.NoError(t, open(first))
	require.NoError(t, open(t.Context()))
	require.Equal(t, codes.ResourceExhausted, status.Code(open(t.Context())))
	end()
	require.Eventually(t, func() bool { return open(t.Context()) == nil }, 10*time.Second, time.Millisecond,
		"the place is free again")
}

func TestRequestsAreBounded(t *testing.T) {
	_, c := limited(t, server.Options{MaxMessage: 10000})
	_, err := c.Set(t.Context(), crowd(t, 100))
	require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
	_, err = c.Set(t.Context(), crowd(t, 1))
	require.NoError(t, err)
}

func TestAnswersAreBounded(t *testing.T) {
	s, c := limited(t, server.Options{MaxMessage: 10000, MaxUpdates: 7})
	_, err := s.Set(t.Context(), crowd(t, 100))
	require.NoError(t, err)
	_, err = c.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos")}})
	require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
	require.ErrorContains(t, err, "ask for less at a time, or Subscribe")
	_, err = c.Get(t.Context(), &gpb.GetRequest{Path: make([]*gpb.Path, 1025)})
	require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)

	stream, err := c.Subscribe(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(once(&gpb.SubscriptionList{}, path(t, "/qos/queues/queue[name=*]/name"))))
	total := 0
	for m, err := stream.Recv(); !m.GetSyncResponse(); m, err = stream.Recv() {
		require.NoError(t, err)
		require.LessOrEqual(t, len(m.GetUpdate().GetUpdate()), 7)
		total += len(m.GetUpdate().GetUpdate())
	}
	require.Equal(t, 101, total)
}

// A subscriber that says nothing does not keep its place.
func TestSilentSubscriber(t *testing.T) {
	clock := newHand()
	_, c := limited(t, server.Options{Clock: clock})
	stream, err := c.Subscribe(t.Context())
	require.NoError(t, err)
	clock.await(10 * time.Second)
	clock.advance(10 * time.Second)
	_, err = stream.Recv()
	require.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
}

// told is a log that a test waits for.
type told struct {
	slog.Handler
	lines chan string
}

func (l told) Handle(_ context.Context, r slog.Record) error {
	l.lines <- r.Message
	return nil
}

// A subscriber that does not read is cut off with a status that says why. Set, and those who read, go on meanwhile.
func TestSlowSubscriber(t *testing.T) {
	effort.SkipFew(t, "it waits for a slow subscriber")
	log := told{slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelWarn}), make(chan string, 10)}
	s, c := limited(t, server.Options{Patience: time.Second, Log: slog.New(log)})
	_, err := s.Set(t.Context(), crowd(t, 700))
	require.NoError(t, err)
	stream, err := c.Subscribe(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{
		Subscribe: lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, "/qos/queues")}}))

	_, err = s.Set(t.Context(), update(t, queueID, ietf(`1`)))
	require.NoError(t, err, "nobody waits for the slow one")
	got, err := subscribe(t, c, once(&gpb.SubscriptionList{}, path(t, rounded)))
	require.NoError(t, err)
	require.Len(t, got, 2)

	require.Equal(t, "slow subscriber cut off", <-log.lines)
	for err == nil {
		_, err = stream.Recv()
	}
	require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
	require.ErrorContains(t, err, "slow subscriber: a message waited 1s to be taken")
}

// deaf is a subscriber whose connection takes nothing.
type deaf struct {
	gpb.GNMI_SubscribeServer
	list *gpb.SubscriptionList
	ctx  context.Context
	sent chan struct{}
}

func (d deaf) Context() context.Context { return d.ctx }

func (d deaf) Recv() (*gpb.SubscribeRequest, error) {
	return &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: d.list}}, nil
}

func (d deaf) Send(*gpb.SubscribeResponse) error {
	d.sent <- struct{}{}
	<-d.ctx.Done()
	return d.ctx.Err()
}

// Patience is measured by the clock, in every mode.
func TestPatience(t *testing.T) {
	for _, mode := range []gpb.SubscriptionList_Mode{gpb.SubscriptionList_ONCE, gpb.SubscriptionList_POLL,
		gpb.SubscriptionList_STREAM} {
		clock := newHand()
		s, _ := limited(t, server.Options{Clock: clock})
		list := lasting(t, &gpb.Subscription{}, rounded)
		list.Mode = mode
		d, done := deaf{list: list, ctx: t.Context(), sent: make(chan struct{})}, make(chan error)
		go func() { done <- s.Subscribe(d) }()
		<-d.sent
		clock.await(10 * time.Second) // for the first message
		clock.await(10 * time.Second) // for this one
		clock.advance(10*time.Second - 1)
		clock.advance(1)
		require.Equal(t, codes.ResourceExhausted, status.Code(<-done))
	}
}

// connect is a client of a switch, over a pipe in memory.
func connect(t *testing.T, s *server.Server, opt ...grpc.ServerOption) gpb.GNMIClient {
	grpcServer := grpc.NewServer(opt...)
	s.Register(grpcServer)
	require.Contains(t, grpcServer.GetServiceInfo(), "grpc.reflection.v1.ServerReflection")
	return gpb.NewGNMIClient(smallswitch.Pipe(t, grpcServer, 1<<14))
}
