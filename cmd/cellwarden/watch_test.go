package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/report"
)

// A simulated switch that packets run through is read twice and compared with its plan. OpenConfig does not
// tell headroom and shared memory apart, and that is said.
func TestWatchSwitch(t *testing.T) {
	address := serve(t, "--traffic", filepath.Join("..", "..", "examples", "scenarios", "planned-switch.yaml"), "--pace",
		"1s/s")
	watch := []string{"watch", arista, "--target", address, "--insecure", "--interval", "10ms"}
	var doc report.WatchDocument
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

// counting is a SONiC switch whose counters advance at each reading.
type counting struct {
	*sonicfake.Switch
	mu      sync.Mutex
	reads   int
	advance func(reads int)
}

// Get advances the counters where a reading begins: with the names of ports.
func (c *counting) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if elems := req.GetPath()[0].GetElem(); len(elems) > 0 && elems[0].GetName() == "COUNTERS_PORT_NAME_MAP" {
		c.mu.Lock()
		c.reads++
		c.advance(c.reads)
		c.mu.Unlock()
	}
	return c.Switch.Get(ctx, req)
}

// counters serves a SONiC switch with two ports, whose vendor calls them by the names of other ports, and with
// objects for them in COUNTERS_DB.
func counters(t *testing.T, advance func(s *sonicfake.Switch, reads int)) string {
	s, _ := sonicSwitch(t)
	db := s.Config()
	db["PORT"]["Ethernet0"]["alias"], db["PORT"]["Ethernet4"]["alias"] = "Ethernet4", "Ethernet8"
	s.Load(db)
	for i, port := range []string{"Ethernet0", "Ethernet4"} {
		s.Count("COUNTERS_PORT_NAME_MAP", port, fmt.Sprintf("oid:0x100000000000%d", i))
		for _, group := range []int{3, 4} {
			s.Count("COUNTERS_PG_NAME_MAP", fmt.Sprintf("%s:%d", port, group), fmt.Sprintf("oid:0x1a0000000000%d%d", i, group))
		}
	}
	advance(s, 0)
	c := &counting{Switch: s, advance: func(reads int) { advance(s, reads) }}
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, c)
	return smallswitch.At(t, server)
}

const (
	headroomMark = "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"
	dropped      = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"
	sent3        = "SAI_PORT_STAT_PFC_3_TX_PKTS"
)

// A SONiC switch is read at each interval, and the counters are differences.
func TestWatchSONiC(t *testing.T) {
	address := losing(t)
	marks := filepath.Join(t.TempDir(), "watch.prom")
	code, out, bad := cellwarden(t, "watch", leaf(t, "40m"), "--target", address, "--insecure",
		"--interval", "1ms", "--count", "2", "--metrics", marks)
	require.Equal(t, cli.ExitLint, code, bad)
	require.Equal(t, 2, strings.Count(out, "1 finding; of "), out)
	require.Regexp(t, `headroom +Ethernet0 +3 +pause_sent 100 frames, drops 7 packets, headroom_watermark 9216 bytes`, out)
	require.Contains(t, out, "not checked: COUNTERS_BUFFER_POOL_NAME_MAP has no names")
	text, err := os.ReadFile(marks)
	require.NoError(t, err)
	require.Contains(t, string(text), `cellwarden_findings{kind="headroom"`)
}

// The counters of a port are found where the vendor has another name for it, even that of another port. COUNTERS has
// the watermark since the last poll, which is no largest value. A group without counters is unknown.
func TestWatchSONiCWithAliases(t *testing.T) {
	address := counters(t, func(s *sonicfake.Switch, _ int) {
		s.Count("COUNTERS:oid:0x1000000000000", sent3, "9000000")
		s.Count("COUNTERS:oid:0x1a000000000003", headroomMark, "0")
		s.Count("COUNTERS:oid:0x1a000000000003", dropped, "0")
		s.Count("PERIODIC_WATERMARKS:oid:0x1a000000000003", headroomMark, "300000")
		s.Count("COUNTERS:oid:0x1a000000000014", headroomMark, "400000")
	})
	code, out, bad := cellwarden(t, "watch", leaf(t, "40m"), "--target", address, "--insecure", "--interval", "0s")
	require.Equal(t, cli.ExitLint, code, out+bad)
	require.Regexp(t, `overrun +Ethernet0 +3 +pause_sent 9000000 frames, drops 0 packets, headroom_watermark 300000 bytes`,
		out)
	require.Contains(t, out, "1 finding; of 4 lossless groups of the plan, the headroom in use is known of 1, "+
		"loss of 1, pauses of 1; 3 groups are unknown")
	require.Regexp(t, `Ethernet4 +4 +rdma +unknown +unknown `, out)
}
