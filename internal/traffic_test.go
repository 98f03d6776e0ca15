package internal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/internal/traffic"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	senders  = 4
	receiver = "Ethernet1/5"
)

// trafficIncast is an ASIC with five ports, from four of which hosts send to the fifth
// without end: priority 3, whose group is lossless, and 0, which may be marked.
func trafficIncast(t testing.TB) (*sim.ASIC, *fabric.Sim) {
	t.Helper()
	asic, err := sim.New(buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 4000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: 8})
	require.NoError(t, err)
	var steps []buffer.Step
	var ports []string
	net := fabric.Network{Seed: 1}
	for i := range senders + 1 {
		name := fmt.Sprintf("Ethernet1/%d", i+1)
		ports = append(ports, name)
		for k, v := range map[buffer.Kind]int64{buffer.GroupReserved: 6, buffer.GroupAlpha: -3, buffer.GroupLossless: 1,
			buffer.GroupHeadroom: 400, buffer.GroupXONOffset: 10} {
			steps = append(steps, buffer.Step{Register: buffer.Register{Kind: k, Port: name, Index: 3}, To: v})
		}
		steps = append(steps, buffer.Step{Register: buffer.Register{Kind: buffer.GroupAlpha, Port: name, Index: 0}, To: -1})
		net.Hosts = append(net.Hosts, fabric.Host{PFC: pfc.Of(3)})
		net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: 100 * unit.Gbps,
			Delay: unit.Microsecond})
		for _, class := range []int{0, 3} {
			if i < senders {
				net.Flows = append(net.Flows, fabric.Flow{From: i, To: senders, Priority: class, PCP: class, Frame: 1000,
					ECT: class == 0})
			}
		}
	}
	require.NoError(t, asic.Apply(t.Context(), steps))
	sw, err := asic.Switch(ports, behaviour.Family{})
	require.NoError(t, err)
	for i := range sw.Ports {
		sw.Ports[i].Tagged = true
	}
	net.Switches = []fabric.Switch{sw}
	s, err := fabric.New(net)
	require.NoError(t, err)
	require.NoError(t, asic.Attach(sim.Traffic{Sim: s, Ports: ports}))
	return asic, s
}

// served is incast as a switch.
func served(t testing.TB, until unit.Time, opt server.Options) (*traffic.Switch, *sim.ASIC, *fabric.Sim) {
	t.Helper()
	asic, s := trafficIncast(t)
	sw, err := traffic.New(asic, until, opt)
	require.NoError(t, err)
	return sw, asic, s
}

func path(t testing.TB, text string) *gpb.Path {
	t.Helper()
	p, err := ygot.StringToStructuredPath(text)
	require.NoError(t, err)
	return p
}

// state reads all there is, as the structs of OpenConfig.
func state(t testing.TB, sw *traffic.Switch) *oc.Root {
	t.Helper()
	a, err := sw.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{{}}, Encoding: gpb.Encoding_JSON_IETF})
	require.NoError(t, err)
	tree := &oc.Root{}
	require.NoError(t, oc.Unmarshal(a.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal(), tree))
	return tree
}

// advance lets model time pass, all of it.
func advance(t testing.TB, sw *traffic.Switch, by unit.Time) {
	t.Helper()
	_, err := sw.Advance(t.Context(), by)
	require.NoError(t, err)
}

// set writes a leaf of the profile that all ports are bound to.
func set(t testing.TB, sw *traffic.Switch, queue int, leaf, value string) {
	t.Helper()
	profile := *state(t, sw).GetQos().GetInterfaces().GetInterface(receiver).GetInput().GetConfig().BufferAllocationProfile
	_, err := sw.Set(t.Context(), &gpb.SetRequest{Update: []*gpb.Update{{
		Path: path(t, fmt.Sprintf("/qos/buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%d]/config/%s", profile, queue, leaf)),
		Val:  &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(value)}}}}})
	require.NoError(t, err)
}

// What is read over gNMI is what the simulator counts: nothing at first, then frames, drops, pauses and watermarks.
func TestTrafficCounters(t *testing.T) {
	effort.SkipFew(t, "it sends much traffic")
	sw, asic, s := served(t, 0, server.Options{})
	requireCounters(t, sw, asic)
	require.Zero(t, *state(t, sw).GetQos().GetInterfaces().GetInterface(
		receiver).GetOutput().GetQueues().GetQueue("3").GetState().TransmitPkts)
	for range 5 {
		advance(t, sw, 50*unit.Microsecond)
		require.NoError(t, s.Check())
		requireCounters(t, sw, asic)
	}
	require.Equal(t, 250*unit.Microsecond, sw.Now())
	tree := state(t, sw)
	var dropped, passed, paused uint64
	for i := range senders {
		name := fmt.Sprintf("Ethernet1/%d", i+1)
		in := tree.GetQos().GetInterfaces().GetInterface(name).GetInput().GetQueues()
		require.Positive(t, *in.GetQueue("0").GetState().DroppedPkts, "priority 0 has no headroom")
		require.Zero(t, *in.GetQueue("3").GetState().DroppedPkts, "group 3 is lossless")
		require.Greater(t, *in.GetQueue("3").GetState().MaxQueueLen, uint64(100*208))
		for _, q := range in.Queue {
			dropped, passed = dropped+*q.GetState().DroppedPkts, passed+*q.GetState().TransmitPkts
		}
		paused += *tree.GetInterfaces().GetInterface(name).GetEthernet().GetState().GetCounters().OutMacPauseFrames
	}
	sum := s.Summary()
	require.EqualValues(t, sum.Drops, dropped)
	require.EqualValues(t, sum.PauseSent+sum.ResumeSent, paused)
	require.Greater(t, passed, uint64(sum.Delivered))
	var arrived int64
	for i := range senders {
		arrived += s.Counters(fabric.AtSwitch(0, i)).FramesIn
	}
	require.EqualValues(t, arrived, passed+dropped)
}

// requireCounters compares every counter with the simulator's own.
func requireCounters(t *testing.T, sw *traffic.Switch, asic *sim.ASIC) {
	t.Helper()
	tree := state(t, sw)
	bytes := func(n cells.Count) uint64 { return uint64(n) * 208 }
	for i := range senders + 1 {
		name := fmt.Sprintf("Ethernet1/%d", i+1)
		port, _ := asic.Counters(name)
		c := tree.GetInterfaces().GetInterface(name).GetEthernet().GetState().GetCounters()
		require.EqualValues(t, port.PauseFramesIn, *c.InMacPauseFrames)
		require.EqualValues(t, port.PauseFramesOut, *c.OutMacPauseFrames)
		var sent, sentBytes uint64
		for n := range 8 {
			group, _ := asic.Group(name, n)
			in := tree.GetQos().GetInterfaces().GetInterface(name).GetInput().GetQueues().GetQueue(strconv.Itoa(n)).GetState()
			require.EqualValues(t, group.Tally.Passed, *in.TransmitPkts)
			require.EqualValues(t, group.Tally.PassedBytes, *in.TransmitOctets)
			require.EqualValues(t, group.Tally.Dropped, *in.DroppedPkts)
			require.EqualValues(t, group.Tally.DroppedBytes, *in.DroppedOctets)
			require.Equal(t, bytes(group.Tally.Peak), *in.MaxQueueLen)
			require.GreaterOrEqual(t, group.Tally.Peak, max(group.PeakShared, group.PeakHeadroom))
			require.Equal(t, port.Drops[n], group.Tally.Dropped,
				"every priority is in the group of its number, or sends nothing")
			queue, _ := asic.Queue(name, n)
			out := tree.GetQos().GetInterfaces().GetInterface(name).GetOutput().GetQueues().GetQueue(strconv.Itoa(n)).GetState()
			require.EqualValues(t, queue.Tally.Passed, *out.TransmitPkts)
			require.EqualValues(t, queue.Tally.Dropped, *out.DroppedPkts)
			require.EqualValues(t, queue.Tally.Marked, *out.EcnMarkedPkts)
			require.EqualValues(t, queue.Tally.MarkedBytes, *out.EcnMarkedOctets)
			require.Equal(t, port.Marked[n], queue.Tally.Marked)
			require.Equal(t, bytes(queue.Tally.Peak), *out.MaxQueueLen)
			require.GreaterOrEqual(t, queue.Tally.Peak, queue.Cells)
			sent, sentBytes = sent+*out.TransmitPkts, sentBytes+*out.TransmitOctets
		}
		require.EqualValues(t, port.FramesOut, sent)
		require.EqualValues(t, port.BytesOut, sentBytes)
	}
}

// A Set that lowers the limit of a lossy group has more of it dropped from then
// on, and one that raises it fewer; one that has a queue marked marks.
func TestSetWhileTrafficRuns(t *testing.T) {
	sw, asic, s := served(t, 0, server.Options{})
	held := func() cells.Count {
		advance(t, sw, 50*unit.Microsecond)
		require.NoError(t, s.Check())
		c, ok := asic.Group("Ethernet1/1", 0)
		require.True(t, ok)
		return c.Held.Shared
	}
	before := held()
	set(t, sw, 0, "dynamic-limit-scaling-factor", "-5")
	low := held()
	set(t, sw, 0, "dynamic-limit-scaling-factor", "1")
	high := held()
	require.Less(t, 4*low, before, "a sixteenth of the limit")
	require.Less(t, before, high)

	drops := func() int64 {
		b := s.Summary().Drops
		advance(t, sw, 20*unit.Microsecond)
		return s.Summary().Drops - b
	}
	drops()
	steady := drops()
	set(t, sw, 0, "dynamic-limit-scaling-factor", "-7")
	require.Greater(t, drops(), steady, "nothing is let in until the group is down to its limit")
	set(t, sw, 0, "dynamic-limit-scaling-factor", "2")
	require.Less(t, drops(), steady, "all is let in until it is up at its limit")
	requireCounters(t, sw, asic)

	require.Zero(t, s.Summary().Marked)
	const profile = "/qos/queue-management-profiles/queue-management-profile[name=w]"
	val := func(text string) *gpb.TypedValue {
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
	}
	binding := path(t, "/qos/interfaces/interface[interface-id="+receiver+"]/output/queues/queue[name=0]")
	_, err := sw.Set(t.Context(), &gpb.SetRequest{Update: []*gpb.Update{
		{Path: path(t, profile), Val: val(`{"config":{"name":"w"},"wred":{"uniform":{"config":{"enable-ecn":true,"min-threshold":"1000","max-threshold":"2000","max-drop-probability-percent":5}}}}`)},
		{Path: binding, Val: val(`{"config":{"name":"0","queue-management-profile":"w"}}`)}}})
	require.NoError(t, err)
	advance(t, sw, 20*unit.Microsecond)
	marked := s.Summary().Marked
	require.Positive(t, marked)
	requireCounters(t, sw, asic)
	_, err = sw.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{binding}})
	require.NoError(t, err)
	advance(t, sw, 20*unit.Microsecond)
	require.Equal(t, marked, s.Summary().Marked)
}

// The end is not passed, and counters and registers live on.
func TestTrafficEnd(t *testing.T) {
	sw, asic, s := served(t, 33*unit.Microsecond, server.Options{})
	for _, c := range []struct {
		by, now unit.Time
		done    bool
	}{{0, 0, false}, {-5, 0, false}, {30 * unit.Microsecond, 30 * unit.Microsecond, false},
		{unit.Second, 33 * unit.Microsecond, true}, {1<<63 - 1, 33 * unit.Microsecond, true}} {
		done, err := sw.Advance(t.Context(), c.by)
		require.NoError(t, err)
		require.Equal(t, c.done, done)
		require.Equal(t, c.now, sw.Now())
		require.Equal(t, c.now, s.Now())
	}
	require.Positive(t, s.Summary().Delivered)
	requireCounters(t, sw, asic)
	set(t, sw, 0, "dynamic-limit-scaling-factor", "-5")
	requireCounters(t, sw, asic)
}

// A scenario that is served comes out as one that is run, however it is sliced.
func TestTrafficScenario(t *testing.T) {
	const file = "../examples/scenarios/planned-switch.yaml"
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := scenario.Read(file, data, os.ReadFile)
	require.NoError(t, err)
	const end = 200 * unit.Microsecond
	want, err := s.Run(t.Context(), scenario.Options{Until: end})
	require.NoError(t, err)
	for _, step := range []unit.Time{end, 777 * unit.Nanosecond} {
		asic, err := s.Attach("")
		require.NoError(t, err)
		sw, err := traffic.New(asic, end, server.Options{})
		require.NoError(t, err)
		for done := false; !done; {
			done, err = sw.Advance(t.Context(), step)
			require.NoError(t, err)
		}
		running, _ := asic.Traffic()
		require.NoError(t, running.Sim.Check())
		got := running.Sim.Summary()
		got.Events = want.Summary.Events // those that are left out depend on where a run ends
		require.Equal(t, want.Summary, got)
	}
}

// Every tick lets the same time pass, up to the end; the context ends it before.
func TestTrafficPace(t *testing.T) {
	sw, _, _ := served(t, 25*unit.Microsecond, server.Options{})
	ticks, done := make(chan time.Time), make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	pace := func() { done <- sw.Pace(ctx, ticks, 10*unit.Microsecond) }
	go pace()
	ticks <- time.Time{}
	ticks <- time.Time{}
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.GreaterOrEqual(t, sw.Now(), 10*unit.Microsecond, "of the second tick nothing need have passed")
	ctx = t.Context()
	go pace()
	for {
		select {
		case ticks <- time.Time{}:
			continue
		case err := <-done:
			require.NoError(t, err)
		}
		break
	}
	require.Equal(t, 25*unit.Microsecond, sw.Now())
}

// Requests get their turn while model time passes without end, and nothing of it is a race.
func TestTrafficTogether(t *testing.T) {
	effort.SkipFew(t, "it sends many requests while time passes")
	sw, _, s := served(t, 0, server.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		_, err := sw.Advance(ctx, 1<<60)
		require.ErrorIs(t, err, context.Canceled)
	})
	client := connect(t, sw)
	stream, err := client.Subscribe(ctx)
	require.NoError(t, err)
	require.NoError(t, stream.Send(subscription(t, gpb.SubscriptionMode_ON_CHANGE, sent)))
	var last uint64
	for n := 0; n < 5; {
		if now, ok := heard(t, stream); ok && now > last {
			last = now
			n++
		}
		set(t, sw, 0, "dynamic-limit-scaling-factor", strconv.Itoa(-n))
	}
	require.Positive(t, sw.Now())
	cancel()
	all.Wait()
	require.NoError(t, s.Check())
	_, err = sw.Advance(ctx, 1)
	require.ErrorIs(t, err, context.Canceled)
}

const sent = "/qos/interfaces/interface[interface-id=" + receiver + "]/output/queues/queue[name=3]/state/transmit-pkts"

// A subscriber that samples sees a counter grow; one that waits for changes is told after each slice.
func TestTrafficSubscribe(t *testing.T) {
	for _, mode := range []gpb.SubscriptionMode{gpb.SubscriptionMode_SAMPLE, gpb.SubscriptionMode_ON_CHANGE} {
		sw, asic, _ := served(t, 0, server.Options{MinSample: time.Millisecond})
		stream, err := connect(t, sw).Subscribe(t.Context())
		require.NoError(t, err)
		require.NoError(t, stream.Send(subscription(t, mode, sent)))
		now, ok := heard(t, stream)
		require.True(t, ok)
		require.Zero(t, now)
		for range 3 {
			advance(t, sw, 10*unit.Microsecond)
			queue, _ := asic.Queue(receiver, 3)
			want := uint64(queue.Tally.Passed)
			require.Greater(t, want, now)
			for now < want {
				if got, ok := heard(t, stream); ok {
					require.GreaterOrEqual(t, got, now)
					now = got
				}
			}
			require.Equal(t, want, now)
		}
	}
}

func subscription(t *testing.T, mode gpb.SubscriptionMode, where string) *gpb.SubscribeRequest {
	return &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: &gpb.SubscriptionList{Encoding: gpb.Encoding_JSON_IETF,
		Subscription: []*gpb.Subscription{{Path: path(t, where), Mode: mode, SampleInterval: uint64(time.Millisecond)}}}}}
}

// heard reads the one counter that is subscribed to.
func heard(t *testing.T, stream gpb.GNMI_SubscribeClient) (n uint64, ok bool) {
	t.Helper()
	m, err := stream.Recv()
	require.NoError(t, err)
	if len(m.GetUpdate().GetUpdate()) == 0 {
		return 0, false
	}
	require.NoError(t, json.Unmarshal([]byte(strings.Trim(string(m.GetUpdate().GetUpdate()[0].GetVal().GetJsonIetfVal()),
		`"`)), &n))
	return n, true
}

func connect(t *testing.T, sw *traffic.Switch) gpb.GNMIClient {
	grpcServer := grpc.NewServer()
	sw.Register(grpcServer)
	return gpb.NewGNMIClient(smallswitch.Pipe(t, grpcServer, 1<<14))
}

func TestTrafficNewRefuses(t *testing.T) {
	chip := buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 4000}}, MinAlpha: -7, MaxAlpha: 3,
		Groups: 8}
	idle, err := sim.New(chip)
	require.NoError(t, err)
	_, err = traffic.New(idle, 0, server.Options{})
	require.ErrorContains(t, err, "want an ASIC that is attached to a simulation")
	asic, _ := trafficIncast(t)
	_, err = traffic.New(asic, -1, server.Options{})
	require.ErrorContains(t, err, "until -1ps: want")
	_, err = traffic.New(asic, 0, server.Options{MaxStreams: -1})
	require.ErrorContains(t, err, "max_streams")
	require.NoError(t, asic.Apply(t.Context(), []buffer.Step{{Register: buffer.Register{Kind: buffer.QueueECNMax,
		Port: receiver, Index: 3}, To: 10},
		{Register: buffer.Register{Kind: buffer.QueueECNPMax, Port: receiver, Index: 3}, To: 50}}))
	_, err = traffic.New(asic, 0, server.Options{})
	require.ErrorContains(t, err, "ecn pmax")
}
