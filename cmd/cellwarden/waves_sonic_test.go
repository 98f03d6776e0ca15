package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// sonicPort is a SONiC switch whose ports change, and whose group 3 of Ethernet0 loses frames, at each look at PORT_TABLE.
type sonicPort struct {
	*sonicfake.Switch
	mu           sync.Mutex
	looks        int
	flaps, drops int // at each
}

// Get answers for APPL_DB, which the switch does not have, by itself.
func (s *sonicPort) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if req.GetPrefix().GetTarget() != "APPL_DB" {
		return s.Switch.Get(ctx, req)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	s.Count("COUNTERS:oid:0x1a000000000003", dropped, strconv.Itoa(s.drops*s.looks))
	ports := fmt.Sprintf(`{"Ethernet0":{"oper_status":"up","flap_count":"%d"},"Ethernet4":{"oper_status":"up"}}`, s.flaps*s.looks)
	return &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{{
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(ports)}}}}}}}, nil
}

// Longer cables for SONiC switches go in waves. What they lose, and how often their ports change, is compared with the
// limits of the user.
func TestWavesOfSONiC(t *testing.T) {
	dir := t.TempDir()
	switches := map[string]*sonicPort{}
	var text strings.Builder
	text.WriteString("roles: {leaf: {rank: 0, topology: sonic.yaml}, spine: {rank: 1, topology: sonic.yaml}}\nswitches:\n")
	for _, name := range []string{"leaf1", "leaf2", "spine1", "spine2"} {
		s := &sonicPort{Switch: sonicDevice()}
		for i, port := range []string{"Ethernet0", "Ethernet4"} {
			s.Count("COUNTERS_PORT_NAME_MAP", port, fmt.Sprintf("oid:0x100000000000%d", i))
			for _, group := range []int{3, 4} {
				id := fmt.Sprintf("oid:0x1a0000000000%d%d", i, group)
				s.Count("COUNTERS_PG_NAME_MAP", fmt.Sprintf("%s:%d", port, group), id)
				s.Count("COUNTERS:"+id, dropped, "0")
			}
		}
		server := grpc.NewServer()
		gpb.RegisterGNMIServer(server, s)
		switches[name] = s
		fmt.Fprintf(&text, "  - {name: %s, role: %s, target: %q}\n", name, strings.TrimRight(name, "12"), smallswitch.At(t, server))
	}
	text.WriteString("cable_kinds: [{a: leaf, b: spine, length: LENGTH, speed: 100G}]\ncables:\n")
	for i := range 2 {
		for k := range 2 {
			fmt.Fprintf(&text, "  - [\"leaf%d:Ethernet%d\", \"spine%d:Ethernet%d\"]\n", i+1, 4*k, k+1, 4*i)
		}
	}
	data, err := os.ReadFile(leaf(t, "5m"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sonic.yaml"), []byte(strings.ReplaceAll(string(data),
		"speed: 100G, cable: 5m, ", "")), 0o600))
	file := func(length string) string { return filepath.Join(dir, length+".yaml") }
	for _, length := range []string{"40m", "300m"} {
		require.NoError(t, os.WriteFile(file(length), []byte(strings.ReplaceAll(text.String(), "LENGTH", length)), 0o600))
	}
	for name := range switches {
		code, out, bad := cellwarden(t, "apply", file("40m")+":"+name, "--insecure", "--journal", "off", "--allow-disruption", "port")
		require.Zero(t, code, out+bad)
	}
	change := func(state string, more ...string) (int, string) {
		code, out, bad := cellwarden(t, append([]string{"apply", file("300m"), "--before", file("40m"), "--state", filepath.Join(dir,
			state), "--insecure", "--soak", "1ms", "--retries", "0", "--allow-disruption", "port"}, more...)...)
		return code, out + bad
	}
	length := func(name string) string { return switches[name].Config()["CABLE_LENGTH"]["AZURE"]["Ethernet0"] }
	code, out := change("none.json", "--dry-run")
	require.Zero(t, code, out)
	require.Regexp(t, `^READY IF cables wait: 2 waves for 4 of 4 switches; `, out)
	require.Contains(t, out, "- at most drops=0,storms=0,paused=90%,headroom=100%,flaps=0 (--at-most)")

	switches["spine2"].flaps, switches["spine2"].drops = 1, 5
	code, out = change("strict.json")
	require.Equal(t, cli.ExitRolledBack, code, out)
	require.Contains(t, out, "FAILED: wave 2 was undone, 1 before it stay: spine2: ")
	require.Contains(t, out, "drops: group 3 of Ethernet0 has lost 5 frames (at most 0); flaps: Ethernet0 went up or down 1 times")
	require.Equal(t, []string{"300m", "40m"}, []string{length("leaf1"), length("spine2")})

	code, out, bad := cellwarden(t, "apply", file("40m"), "--before", file("300m"), "--state", filepath.Join(dir, "back.json"),
		"--insecure", "--soak", "1ms", "--allow-disruption", "port", "--at-most", "drops=5,flaps=1")
	require.Equal(t, cli.ExitFine, code, out+bad) // the switches that have the old lengths already are left
	require.Equal(t, "40m", length("leaf1"))
	// One wave at a time, so that a person can drain the switches of the next one.
	code, out = change("loose.json", "--at-most", "drops=5,flaps=1", "--waves", "1")
	require.Equal(t, cli.ExitFine, code, out)
	require.Regexp(t, `^UNDER WAY: 1 of 2 waves done; the next is of leaf\d,spine\d`, out)
	require.Contains(t, out, "next      the same command goes on with wave 2; drain ")
	require.NotContains(t, out, "after the last wave alone")
	lengths := map[string]int{}
	for name := range switches {
		lengths[length(name)]++
	}
	require.Equal(t, map[string]int{"40m": 2, "300m": 2}, lengths)
	code, out = change("loose.json", "--at-most", "drops=5,flaps=1", "--waves", "1")
	require.Equal(t, cli.ExitFine, code, out)
	require.Contains(t, out, "SUCCESSFUL: 2 waves")
	code, out = change("loose.json", "--at-most", "drops=5,flaps=1")
	require.Equal(t, cli.ExitFine, code, out)
	require.Contains(t, out, "next      after the last wave alone: 4 cables are exchanged for longer ones")
	for name := range switches {
		require.Equal(t, "300m", length(name), name)
	}
}
