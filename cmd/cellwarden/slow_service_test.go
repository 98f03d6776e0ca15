package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// firstSet makes the first Set of a switch by a function.
func firstSet(s *sonicfake.Switch, fault func(*sonicfake.Arrived) error) {
	s.Fault = func(a *sonicfake.Arrived) error {
		if a.N == 1 {
			return fault(a)
		}
		return a.Make()
	}
}

// A patch that sonic-gnmi gave up waiting for, or whose reply the bus lost, may come later: the state is unknown, and
// the journal stays open. When it has come, resume finds it.
func TestApplyToSONiCThatIsLate(t *testing.T) {
	for name, test := range map[string]struct {
		fault func(*sonicfake.Arrived) error
		says  string
	}{
		"timeout":    {(*sonicfake.Arrived).PatchTimesOut, "Timeout 600"},
		"lost reply": {(*sonicfake.Arrived).ReplyIsLost, "disconnected from message bus without replying"},
	} {
		t.Run(name, func(t *testing.T) {
			s, address := sonicSwitch(t)
			firstSet(s, test.fault)
			file := filepath.Join(t.TempDir(), "push.jsonl")
			code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", address, "--insecure", "--allow-disruption",
				"port", "--set-timeout", "300ms", "--journal", file)
			require.Equal(t, cli.ExitPartial, code, bad+out)
			require.Contains(t, bad, "did not answer the Set (Unknown): ")
			require.Contains(t, bad, test.says)
			require.Equal(t, 1, s.Sets())
			require.NotContains(t, s.Config(), "BUFFER_PG")

			require.NoError(t, s.Finish())
			after := s.Config()
			require.Contains(t, after, "BUFFER_PG")
			code, out, bad = cellwarden(t, "resume", file, "--insecure")
			require.Zero(t, code, bad+out)
			require.Contains(t, out, ": unchanged")
			require.Contains(t, out, "did not say that it saved them: a reboot may undo them (config save)")
			require.Equal(t, after, s.Config())
			require.NotEqual(t, after, s.Saved())
			require.Equal(t, 1, s.Sets())

			code, out, bad = cellwarden(t, "resume", file, "--insecure", "--undo")
			require.Zero(t, code, bad+out)
			require.NotContains(t, out, "config save", "the Set of the undo was answered")
			require.Equal(t, s.Config(), s.Saved())
		})
	}
}

// A saving that timed out comes after a whole patch: it is said by itself, and nothing is taken back.
func TestApplyToSONiCThatDoesNotSave(t *testing.T) {
	s, address := sonicSwitch(t)
	firstSet(s, (*sonicfake.Arrived).SaveTimesOut)
	code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", address, "--insecure", "--allow-disruption",
		"port", "--journal", "off")
	require.Zero(t, code, bad+out)
	require.Contains(t, out, ": applied\n")
	require.Contains(t, out, "config save")
	require.Equal(t, 1, s.Sets())
	require.NotEqual(t, s.Config(), s.Saved())
}

// A checkpoint that was left behind is what other clients read, and is said. apply, drift and resume read the switch.
func TestSONiCWithACheckpointInTheWay(t *testing.T) {
	s, address := sonicSwitch(t)
	firstSet(s, (*sonicfake.Arrived).KeepsCheckpoint)
	topology, file := leaf(t, "40m"), filepath.Join(t.TempDir(), "push.jsonl")
	to := []string{"--target", address, "--insecure"}
	code, out, bad := cellwarden(t, append([]string{"apply", topology, "--allow-disruption", "port", "--journal", file},
		to...)...)
	require.Zero(t, code, bad+out)
	require.NotContains(t, out, "stands in the way", "before the push it is what the switch has")

	const says = "a checkpoint stands in the way of other clients"
	code, out, bad = cellwarden(t, append([]string{"drift", topology}, to...)...)
	require.Zero(t, code, bad+out)
	require.Contains(t, out+bad, says)
	code, out, bad = cellwarden(t, append([]string{"apply", topology, "--dry-run"}, to...)...)
	require.Zero(t, code, bad+out)
	require.Contains(t, out, says)
	code, out, bad = cellwarden(t, "resume", file, "--insecure")
	require.Zero(t, code, bad+out)
	require.Contains(t, out, ": unchanged")
	code, out, bad = cellwarden(t, "resume", file, "--insecure", "--undo")
	require.Zero(t, code, bad+out)
	require.Equal(t, sonicDevice().Config(), s.Config())
}
