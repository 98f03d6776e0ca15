package main

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	publish "github.com/cellwarden/cellwarden/report"
)

// A simulated switch that packets run through is read twice and compared with its plan. OpenConfig does not
// tell headroom and shared memory apart, and that is said.
func TestWatchSwitch(t *testing.T) {
	address := serve(t, "--traffic", filepath.Join("..", "..", "examples", "scenarios", "planned-switch.yaml"), "--pace", "1s/s")
	watch := []string{"watch", arista, "--target", address, "--insecure", "--interval", "10ms"}
	var doc publish.WatchDocument
	require.Eventually(t, func() bool { // the packets take a moment to come
		code, out, bad := cellwarden(t, append(watch, "-o", "json")...)
		require.NoError(t, json.Unmarshal([]byte(out), &doc), bad)
		return code == exitFine && doc.Groups[0].State == "in use"
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
	require.Equal(t, exitFailure, code)
	require.Empty(t, out)
	require.NotEmpty(t, bad)
}
