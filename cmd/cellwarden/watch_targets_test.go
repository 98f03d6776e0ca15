package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/report"
)

// serveSONiC serves a switch of SONiC on loopback, and returns its address.
func serveSONiC(t *testing.T, service func(*sonicfake.Switch) gpb.GNMIServer) string {
	t.Helper()
	s, _ := sonicSwitch(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, service(s))
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// Several switches are watched in one process: each interval has a report for each, in the order of the file, the
// metrics are of all, and a switch that is not there hides none of the others.
func TestWatchManySwitches(t *testing.T) {
	losing := func(s *sonicfake.Switch) gpb.GNMIServer { return &counting{Switch: s} }
	addresses := []string{serveSONiC(t, losing), serveSONiC(t, losing)}
	dir := t.TempDir()
	list, marks := filepath.Join(dir, "switches.txt"), filepath.Join(dir, "watch.prom")
	text := addresses[0] + "\n" + addresses[1] + "\n"
	require.NoError(t, os.WriteFile(list, []byte(text), 0o600))
	watch := []string{"watch", leaf(t, "40m"), "--targets", list, "--insecure", "--interval", "1ms", "--count", "2",
		"--retries", "0"}
	code, out, bad := cellwarden(t, append(watch, "--metrics", marks, "-o", "json")...)
	require.Equal(t, cli.ExitLint, code, bad)
	require.Contains(t, bad, "2 switches: 2 with findings\n")
	var sources []string
	for reader := json.NewDecoder(strings.NewReader(out)); reader.More(); {
		var doc report.WatchDocument
		require.NoError(t, reader.Decode(&doc))
		require.Len(t, doc.Findings, 1)
		sources = append(sources, doc.Source)
	}
	require.Equal(t, []string{addresses[0], addresses[1], addresses[0], addresses[1]}, sources)
	metered, err := os.ReadFile(marks)
	require.NoError(t, err)
	for _, address := range addresses {
		require.Contains(t, string(metered), fmt.Sprintf(`cellwarden_findings{kind="headroom",target=%q} 1`, address))
	}

	require.NoError(t, os.WriteFile(list, []byte("127.0.0.1:1\n"+text+"127.0.0.1:2 topology=none.yaml\n"), 0o600))
	code, out, bad = cellwarden(t, watch...)
	require.Equal(t, cli.ExitFailure, code, "a switch that was not read is worse than a finding")
	require.Equal(t, 4, strings.Count(out, "1 finding; of "), out)
	require.Contains(t, bad, "127.0.0.1:1: ")
	require.Contains(t, bad, "none.yaml")
	require.Contains(t, bad, "4 switches: 2 not read, 2 with findings\n")
	code, _, bad = cellwarden(t, append(watch, "--counters", marks)...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "--targets and --counters (want one of them)")
}
