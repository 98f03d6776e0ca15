package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/journal"
)

// A push is refused while another process of this machine pushes to the same switch, and its number
// is named. A dry run needs no lock.
func TestOnePushAtATime(t *testing.T) {
	_, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	lock, err := journal.LockTarget(address, time.Now())
	require.NoError(t, err)
	code, out, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Equal(t, exitFailure, code)
	require.Empty(t, out)
	require.Regexp(t, `nothing was sent: another process is pushing to \S+: process \d+ of `, bad)
	require.Empty(t, held(t, address))
	code, _, bad = cellwarden(t, "apply", leaf, "--target", address, "--insecure", "--dry-run")
	require.Zero(t, code, bad)
	lock.Release()
	code, _, bad = cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Zero(t, code, bad)
}

// A plan for another chip is refused before anything is sent, and drift compares nothing.
func TestPlanOfAnotherChip(t *testing.T) {
	_, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	other := filepath.Join(t.TempDir(), "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte(strings.Replace(twoPorts, "tomahawk", "tomahawk3", 1)), 0o600))
	for _, verb := range []string{"apply", "drift"} {
		code, _, bad := cellwarden(t, verb, other, "--target", address, "--insecure")
		require.Equal(t, exitUsage, code, bad)
		require.Contains(t, bad, "the plan is not for this switch: it has the chip tomahawk with cells of 208 bytes, and "+
			"the plan "+
			"is for tomahawk3 with cells of 254 bytes")
		require.Empty(t, held(t, address))
	}
	code, out, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure", "-o", "json")
	require.Zero(t, code, bad)
	require.Contains(t, out, `"not_said_by_target": []`)
}

// An earlier push to the same switch that did not end is named.
func TestAnEarlierPushIsNamed(t *testing.T) {
	journals, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	require.NoError(t, os.MkdirAll(journals, 0o700))
	earlier := filepath.Join(journals, "earlier.jsonl")
	require.NoError(t, os.WriteFile(earlier, []byte(journalLine(`"kind":"start","target":"`+address+`"`)+
		journalLine(`"kind":"send","phase":1`)), 0o600))
	code, _, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, bad, "an earlier push to this switch did not end (phase 1 was being sent): "+earlier)
}
