package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/report"
)

// losing serves a SONiC switch whose group 3 of Ethernet0 loses packets at every reading.
func losing(t *testing.T) string {
	return counters(t, func(s *sonicfake.Switch, reads int) {
		s.Count("COUNTERS:oid:0x1000000000000", sent3, strconv.Itoa(100*reads))
		s.Count("COUNTERS:oid:0x1a000000000003", dropped, strconv.Itoa(7*reads))
		s.Count("PERIODIC_WATERMARKS:oid:0x1a000000000003", headroomMark, "9216")
	})
}

// Several switches are watched in one process: each interval has a report for each, in the order of the file, the
// metrics are of all, and a switch that is not there hides none of the others.
func TestWatchManySwitches(t *testing.T) {
	addresses := []string{losing(t), losing(t)}
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
