package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/effort"
)

var plannedScenario = filepath.Join("..", "..", "examples", "scenarios", "planned-switch.yaml")

// A subscriber is told of a counter until the scenario is over, and it ends at
// what the simulator counts; a plan can be applied to the switch meanwhile.
func TestTargetWithTraffic(t *testing.T) {
	effort.SkipFew(t, "it sends much traffic")
	data, err := os.ReadFile(plannedScenario)
	require.NoError(t, err)
	s, err := scenario.Read(plannedScenario, data, os.ReadFile)
	require.NoError(t, err)
	asic, err := s.Attach("s1")
	require.NoError(t, err)
	running, _ := asic.Traffic()
	running.Sim.Advance(s.Until)
	receiver := running.Ports[len(running.Ports)-1]
	queue, _ := asic.Queue(receiver, 3)
	require.Positive(t, queue.Tally.Passed)

	address := serve(t, "--traffic", plannedScenario, "--switch", "s1", "--pace", "2ms/s")
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	stream, err := gpb.NewGNMIClient(conn).Subscribe(t.Context())
	require.NoError(t, err)
	path, err := ygot.StringToStructuredPath("/qos/interfaces/interface[interface-id=" + receiver +
		"]/output/queues/queue[name=3]/state/transmit-pkts")
	require.NoError(t, err)
	require.NoError(t, stream.Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: &gpb.SubscriptionList{Encoding: gpb.Encoding_JSON_IETF,
		Subscription: []*gpb.Subscription{{Path: path, Mode: gpb.SubscriptionMode_ON_CHANGE}}}}}))
	code, out, bad := cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": unchanged", "the switch has the plan's registers")
	for last := int64(-1); last < queue.Tally.Passed; {
		m, err := stream.Recv()
		require.NoError(t, err)
		for _, u := range m.GetUpdate().GetUpdate() {
			now, err := strconv.ParseInt(strings.Trim(string(u.GetVal().GetJsonIetfVal()), `"`), 10, 64)
			require.NoError(t, err)
			require.Greater(t, now, last)
			last = now
			require.LessOrEqual(t, last, queue.Tally.Passed)
		}
	}
}
