package server_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/buffer"
)

// watched is a switch with counters and a clock that is moved by hand, and a subscriber.
type watched struct {
	*testing.T
	*server.Server
	clock  *hand
	counts *meter
	gpb.GNMI_SubscribeClient
}

// meter is Counters of a test.
type meter struct {
	mu  sync.Mutex
	now server.Counts
	err error
}

func (m *meter) Count(context.Context) (server.Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now, m.err
}

func (m *meter) show(now server.Counts, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now, m.err = now, err
}

// drops is a counter of one egress queue.
func drops(n uint64) server.Counts {
	return server.Counts{Queues: []server.QueueCount{{Port: "Ethernet1/1", Queue: 3, Dropped: n}}}
}

const (
	egress  = "/qos/interfaces/interface[interface-id=Ethernet1/1]/output/queues/queue[name=3]"
	dropped = egress + "/state/dropped-pkts"
)

// watch subscribes by STREAM and reads up to the sync_response. The switch waits for an hour: a test that moves the clock
// between a message's arrival and the switch's notice of it does not make the subscriber a slow one.
func watch(t *testing.T, opt server.Options, list *gpb.SubscriptionList, want ...string) watched {
	t.Helper()
	_, asic := planned(t)
	w := watched{T: t, clock: newHand(), counts: &meter{now: drops(1)}}
	opt.Clock, opt.Counters, opt.Patience = w.clock, w.counts, time.Hour
	var err error
	w.Server, err = server.New(asic, 208, opt)
	require.NoError(t, err)
	w.do(&gpb.SetRequest{Replace: []*gpb.Update{{Path: path(t, "/qos"), Val: ietf(plan)}}})
	w.GNMI_SubscribeClient, err = connect(t, w.Server).Subscribe(t.Context())
	require.NoError(t, err)
	list.Encoding = gpb.Encoding_JSON_IETF
	require.NoError(t, w.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: list}}))
	for _, line := range append(want, "synced") {
		w.hears(line)
	}
	return w
}

func (w watched) do(req *gpb.SetRequest) {
	w.Helper()
	_, err := w.Set(w.Context(), req)
	require.NoError(w, err)
}

// Context is the test's.
func (w watched) Context() context.Context { return w.T.Context() }

// hears reads one message, lines joined by a semicolon.
func (w watched) hears(want string) {
	w.Helper()
	m, err := w.Recv()
	require.NoError(w, err)
	require.Equal(w, want, lines(w, m))
}

// lines prints a message: path value; -path for a deletion; synced.
func lines(t testing.TB, m *gpb.SubscribeResponse) string {
	if m.GetSyncResponse() {
		return "synced"
	}
	var out []string
	for _, p := range m.GetUpdate().GetDelete() {
		out = append(out, "-"+text(t, p))
	}
	for _, u := range m.GetUpdate().GetUpdate() {
		out = append(out, text(t, u.GetPath())+" "+string(u.GetVal().GetJsonIetfVal()))
	}
	return strings.Join(out, "; ")
}

// lasting is a list of one subscription.
func lasting(t *testing.T, s *gpb.Subscription, where string) *gpb.SubscriptionList {
	s.Path = path(t, where)
	return &gpb.SubscriptionList{Subscription: []*gpb.Subscription{s}}
}

func TestOnChange(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, "/qos/queues"),
		`/qos/queues/queue[name=3]/config/name "3"; /qos/queues/queue[name=3]/name "3"; /qos/queues/queue[name=3]/state/name "3"`)
	w.do(update(t, dedicated, ietf(`"208"`))) // is not subscribed to
	w.do(update(t, queueID, ietf(`5`)))
	w.hears("/qos/queues/queue[name=3]/config/queue-id 5; /qos/queues/queue[name=3]/state/queue-id 5")
	w.do(&gpb.SetRequest{Delete: []*gpb.Path{path(t, queueID)}})
	w.hears("-/qos/queues/queue[name=3]/config/queue-id; -/qos/queues/queue[name=3]/state/queue-id")
	w.do(update(t, "/qos/queues/queue[name=4]", ietf(`{"config":{"name":"4","queue-id":4}}`)))
	w.hears(`/qos/queues/queue[name=4]/config/name "4"; /qos/queues/queue[name=4]/config/queue-id 4; /qos/queues/queue[name=4]/name "4"; /qos/queues/queue[name=4]/state/name "4"; /qos/queues/queue[name=4]/state/queue-id 4`)
	w.do(&gpb.SetRequest{Delete: []*gpb.Path{path(t, "/qos/queues/queue[name=4]")}})
	w.hears("-/qos/queues/queue[name=4]/config/name; -/qos/queues/queue[name=4]/config/queue-id; " +
		"-/qos/queues/queue[name=4]/name; -/qos/queues/queue[name=4]/state/name; -/qos/queues/queue[name=4]/state/queue-id")
	w.do(with(update(t, queueID, ietf(`6`)), begin("one", nil)))
	w.hears("/qos/queues/queue[name=3]/config/queue-id 6; /qos/queues/queue[name=3]/state/queue-id 6")
	w.clock.advance(10 * time.Minute)
	w.hears("-/qos/queues/queue[name=3]/config/queue-id; -/qos/queues/queue[name=3]/state/queue-id")
}

func TestUpdatesOnly(t *testing.T) {
	list := lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, "/qos/queues")
	list.UpdatesOnly = true
	w := watch(t, server.Options{}, list)
	w.do(update(t, queueID, ietf(`5`)))
	w.hears("/qos/queues/queue[name=3]/config/queue-id 5; /qos/queues/queue[name=3]/state/queue-id 5")
}

func TestHeartbeat(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE,
		HeartbeatInterval: 2e9}, rounded), rounded+` "1040"`)
	w.clock.await(2 * time.Second)
	w.clock.advance(2 * time.Second)
	w.hears(rounded + ` "1040"`)
}

func TestSample(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_SAMPLE, SampleInterval: 3e9},
		dropped), dropped+` "1"`)
	for range 2 {
		w.clock.await(3 * time.Second)
		w.clock.advance(3 * time.Second)
		w.hears(dropped + ` "1"`)
	}
	w.clock.await(3 * time.Second)
	w.clock.advance(10 * time.Second) // three samples at once are one
	w.hears(dropped + ` "1"`)
	w.clock.await(2 * time.Second)
	w.clock.advance(2 * time.Second)
	w.hears(dropped + ` "1"`)
	w.clock.await(3 * time.Second)
	w.counts.show(server.Counts{}, nil)
	w.clock.advance(3 * time.Second)
	w.hears("-" + dropped)
}

// A sample of 0 is as fast as the switch goes.
func TestSampleOfWhatChanged(t *testing.T) {
	w := watch(t, server.Options{MinSample: 7 * time.Second},
		lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_SAMPLE, SuppressRedundant: true, HeartbeatInterval: 20e9},
			dropped), dropped+` "1"`)
	w.clock.await(7 * time.Second)
	w.clock.advance(7 * time.Second) // nothing has changed
	w.clock.await(7 * time.Second)
	w.counts.show(drops(2), nil)
	w.clock.advance(7 * time.Second)
	w.hears(dropped + ` "2"`)
	w.clock.await(6 * time.Second)
	w.clock.advance(6 * time.Second) // the heartbeat
	w.hears(dropped + ` "2"`)
}

// Counters are sampled, the rest is told on change.
func TestTargetDefined(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{}, "/.../state/dropped-pkts"),
		dropped+` "1"`)
	w.counts.show(drops(2), nil)
	w.Changed()
	w.clock.await(10 * time.Second)
	w.clock.advance(10 * time.Second)
	w.hears(dropped + ` "2"`)

	w = watch(t, server.Options{}, lasting(t, &gpb.Subscription{}, rounded), rounded+` "1040"`)
	w.do(update(t, dedicated, ietf(`"209"`)))
	w.hears(rounded + ` "416"`)
}

// The caller that moves traffic or registers reports the change.
func TestChanged(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, dropped),
		dropped+` "1"`)
	w.counts.show(drops(5), nil)
	w.Changed()
	w.hears(dropped + ` "5"`)
}

func TestStreamRefuses(t *testing.T) {
	for name, s := range map[string]*gpb.Subscription{
		"fast":           {Mode: gpb.SubscriptionMode_SAMPLE, SampleInterval: 1e9 - 1},
		"slow":           {Mode: gpb.SubscriptionMode_SAMPLE, SampleInterval: 24*3600e9 + 1},
		"overflowing":    {Mode: gpb.SubscriptionMode_SAMPLE, SampleInterval: 1 << 63},
		"fast heartbeat": {Mode: gpb.SubscriptionMode_ON_CHANGE, HeartbeatInterval: 1},
		"fast counters":  {SampleInterval: 1},
		"mode":           {Mode: 9},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := subscribe(t, stub(t), &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: lasting(t,
				s, "/")}})
			require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
		})
	}
}

// A message after the list is refused; closing the side that sends is not.
func TestStreamHearsTheSubscriber(t *testing.T) {
	list := func() *gpb.SubscriptionList {
		return lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, rounded)
	}
	w := watch(t, server.Options{}, list(), rounded+` "1040"`)
	require.NoError(t, w.CloseSend())
	w.do(update(t, dedicated, ietf(`"209"`)))
	w.hears(rounded + ` "416"`)

	w = watch(t, server.Options{}, list(), rounded+` "1040"`)
	require.NoError(t, w.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Poll{Poll: &gpb.Poll{}}}))
	_, err := w.Recv()
	require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
}

func TestPoll(t *testing.T) {
	list := lasting(t, &gpb.Subscription{}, rounded)
	list.Mode = gpb.SubscriptionList_POLL
	w := watch(t, server.Options{}, list, rounded+` "1040"`)
	for _, bytes := range []string{"208", "416"} {
		w.do(update(t, dedicated, ietf(`"`+bytes+`"`)))
		require.NoError(t, w.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Poll{Poll: &gpb.Poll{}}}))
		w.hears(rounded + ` "` + bytes + `"`)
		w.hears("synced")
	}
	require.NoError(t, w.CloseSend())
	_, err := w.Recv()
	require.Equal(t, io.EOF, err)

	w = watch(t, server.Options{}, list, rounded+` "1040"`)
	require.NoError(t, w.Send(&gpb.SubscribeRequest{}))
	_, err = w.Recv()
	require.Equal(t, codes.InvalidArgument, status.Code(err), "%v", err)
}

// A device that cannot be read ends the subscription and says so.
func TestStreamOfADeviceThatFails(t *testing.T) {
	w := watch(t, server.Options{}, lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, dropped),
		dropped+` "1"`)
	w.counts.show(drops(1), errors.New("no answer from the chip"))
	w.Changed()
	_, err := w.Recv()
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.ErrorContains(t, err, "no answer from the chip")
}

// A register that changed otherwise than by Set is told when somebody says so.
func TestOnChangeOfRegisters(t *testing.T) {
	s, asic := planned(t)
	stream, err := connect(t, s).Subscribe(t.Context())
	require.NoError(t, err)
	require.NoError(t, stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{
		Subscribe: lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, rounded)}}))
	hears := func(want string) {
		m, err := stream.Recv()
		require.NoError(t, err)
		if m.GetSyncResponse() {
			return
		}
		require.Equal(t, want, string(m.GetUpdate().GetUpdate()[0].GetVal().GetJsonVal()))
	}
	hears("1040")
	hears("synced")
	for _, port := range []string{"Ethernet1/1", "Ethernet1/2"} {
		require.NoError(t, asic.Apply(t.Context(), []buffer.Step{{Register: buffer.Register{Kind: buffer.GroupReserved,
			Port: port, Index: 3}, To: 9}}))
	}
	s.Changed()
	hears("1872")
}

// What is done to the device beside Sets has it to itself, and waits no longer than its context.
func TestDo(t *testing.T) {
	s, _ := planned(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	require.NoError(t, s.Do(ctx, func() {
		go func() {
			_, err := s.Set(t.Context(), update(t, queueID, ietf(`7`)))
			done <- err
		}()
		cancel()
		require.ErrorIs(t, s.Do(ctx, func() { t.Error("it is another caller's turn") }), context.Canceled)
		late, stop := context.WithTimeout(t.Context(), time.Nanosecond)
		defer stop()
		require.ErrorIs(t, s.Do(late, func() { t.Error("it is another caller's turn") }), context.DeadlineExceeded)
		select {
		case <-done:
			t.Error("the Set did not wait")
		default:
		}
	}))
	require.NoError(t, <-done)
	require.ErrorIs(t, s.Do(ctx, func() { t.Error("nobody waits for it any more") }), context.Canceled)
}
