package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	publish "github.com/cellwarden/cellwarden/report"
)

// A simulated switch that packets run through is read twice and compared with its plan. OpenConfig does not
// tell headroom and shared memory apart, and that is said.
func TestWatchSwitch(t *testing.T) {
	address := serve(t, "--traffic", filepath.Join("..", "..", "examples", "scenarios", "planned-switch.yaml"), "--pace",
		"1s/s")
	watch := []string{"watch", arista, "--target", address, "--insecure", "--interval", "10ms"}
	var doc publish.WatchDocument
	require.Eventually(t, func() bool { // the packets take a moment to come
		code, out, bad := cellwarden(t, append(watch, "-o", "json")...)
		require.NoError(t, json.Unmarshal([]byte(out), &doc), bad)
		return code == cli.ExitFine && doc.Groups[0].State == "in use"
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, "no-finding", doc.Verdict)
	require.NotNil(t, doc.IntervalUS)
	require.Len(t, doc.Groups, 64)
	require.Equal(t, int64(0), *doc.Groups[0].Drops)
	require.Nil(t, doc.Groups[0].Headroom)
	require.Contains(t, doc.NotChecked, "64 of 64 groups: the headroom in use is not known: no headroom watermark")

	code, out, bad := cellwarden(t, "watch", arista, "--target", address, "--insecure", "--interval", "0s")
	require.Zero(t, code, bad)
	require.Contains(t, out, "0 findings; of 64 lossless groups of the plan, the headroom in use is known of 0, loss of ")
}

// A switch that cannot be reached is no switch without findings.
func TestWatchWithoutASwitch(t *testing.T) {
	code, out, bad := cellwarden(t, "watch", arista, "--target", "127.0.0.1:1", "--insecure", "--retries", "0")
	require.Equal(t, cli.ExitFailure, code)
	require.Empty(t, out)
	require.NotEmpty(t, bad)
}

// counting is a SONiC switch with COUNTERS_DB, whose group 3 of Ethernet0 loses packets at every reading.
type counting struct {
	*sonicfake.Switch
	mu    sync.Mutex
	reads int
}

// Get answers the paths of COUNTERS_DB as sonic-gnmi does, and leaves the others to the switch.
func (c *counting) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if req.GetPrefix().GetTarget() != "COUNTERS_DB" {
		return c.Switch.Get(ctx, req)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &gpb.GetResponse{}
	for _, p := range req.GetPath() {
		var names []string
		for _, e := range p.GetElem() {
			names = append(names, e.GetName())
		}
		var text string
		switch strings.Join(names, "/") {
		case "COUNTERS/Ethernet*":
			c.reads++
			text = fmt.Sprintf(`{"Ethernet0":{"SAI_PORT_STAT_PFC_3_TX_PKTS":"%d","SAI_PORT_STAT_PFC_3_RX_PKTS":"0"}}`,
				100*c.reads)
		case "PERIODIC_WATERMARKS/Ethernet*/PriorityGroups":
			text = `{"Ethernet0:3":{"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES":"9216"}}`
		case "COUNTERS_PG_NAME_MAP":
			text = `{"Ethernet0:3":"oid:0x1a000000000030"}`
		case "COUNTERS/oid:0x1a000000000030":
			text = fmt.Sprintf(`{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":"%d"}`, 7*c.reads)
		default:
			return nil, status.Errorf(codes.NotFound, "no valid entry found on %v", names)
		}
		out.Notification = append(out.Notification, &gpb.Notification{Update: []*gpb.Update{{Path: p,
			Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}}}})
	}
	return out, nil
}

// A SONiC switch is read at each interval, and the counters are differences.
func TestWatchSONiC(t *testing.T) {
	s, _ := sonicSwitch(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, &counting{Switch: s})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)

	marks := filepath.Join(t.TempDir(), "watch.prom")
	code, out, bad := cellwarden(t, "watch", leaf(t, "40m"), "--target", listener.Addr().String(), "--insecure",
		"--interval", "1ms", "--count", "2", "--metrics", marks)
	require.Equal(t, cli.ExitLint, code, bad)
	require.Equal(t, 2, strings.Count(out, "1 finding; of "), out)
	require.Regexp(t, `headroom +Ethernet0 +3 +pause_sent 100 frames, drops 7 packets, headroom_watermark 9216 bytes`, out)
	require.Contains(t, out, "not checked: COUNTERS_BUFFER_POOL_NAME_MAP could not be read: ")
	text, err := os.ReadFile(marks)
	require.NoError(t, err)
	require.Contains(t, string(text), `cellwarden_findings{kind="headroom"`)
}
