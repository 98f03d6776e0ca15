package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// Commands that can take long look at their context all the time: wherever they are when it ends, they end, print
// nothing of a result that is not whole, and say so. The looks are counted, so that no clock decides; packages buffer,
// capacity and backend/sim bound the work between two of them.
func TestCommandsEndWithTheirContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "leaf.yaml")
	require.NoError(t, os.WriteFile(name, []byte("chip: tomahawk\nheadroom: {method: ieee802.1qbb}\n"+
		"classes: [{name: a, priorities: [3], lossless: true}]\n"+
		"ports: [{range: e1-4, speed: 100G, cable: 300m}, {range: e5-8, speed: 100G, cable: 5m}]\n"), 0o600))
	for _, args := range [][]string{
		{"verify", name}, {"capacity", name, "--only", "cable"}, {"diff", name, "--set", "ports[0].cable=80km"},
		{"plan", name, "--set", "ports[0].cable=80km"},
	} {
		whole := effort.NewLooks(t, -1)
		code := run(whole, args, strings.NewReader(""), io.Discard, io.Discard)
		require.Contains(t, []int{cli.ExitFine, cli.ExitNoFit, cli.ExitDrift}, code, args)
		require.Greater(t, whole.Count, 10, args)
		for _, most := range []int{whole.Count / 3, whole.Count / 2, whole.Count - 4, whole.Count - 1} {
			var out, bad bytes.Buffer
			half := effort.NewLooks(t, most)
			require.Equal(t, cli.ExitFailure, run(half, args, strings.NewReader(""), &out, &bad), "%v at %d", args, most)
			require.Empty(t, out.String(), args)
			require.Contains(t, bad.String(), "context canceled", args)
			require.LessOrEqual(t, half.Count, most+6, args)
		}
	}
}

// cancelling ends a context when something is written.
type cancelling struct {
	bytes.Buffer
	stop context.CancelFunc
}

func (c *cancelling) Write(data []byte) (int, error) {
	c.stop()
	return c.Buffer.Write(data)
}

// A sweep that is interrupted plans no more points than its workers are at.
func TestSweepEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, bad := &cancelling{stop: stop}, bytes.Buffer{}
	code := run(ctx, []string{"sweep", "../../examples/arista-7060cx-32s.yaml", "--vary", "cable=1m..900m/1m",
		"--vary", "mtu=1500B..9000B/1B", "-o", "csv"}, strings.NewReader(""), out, &bad)
	require.Equal(t, cli.ExitFailure, code, bad.String())
	require.Contains(t, bad.String(), "context canceled")
	require.Less(t, strings.Count(out.String(), "\n"), 5000, "of 6.7 million points")
}

// A question about a fabric that is interrupted is not answered, and its exit code does not say NO CYCLE.
func TestDeadlockEndsWithItsContext(t *testing.T) {
	args := []string{"fabric", "deadlock", "../../examples/fabric-leaf-spine.yaml"}
	whole := effort.NewLooks(t, -1)
	require.Equal(t, cli.ExitFine, run(whole, args, strings.NewReader(""), io.Discard, io.Discard))
	for most := range whole.Count {
		var bad bytes.Buffer
		code := run(effort.NewLooks(t, most), args, strings.NewReader(""), io.Discard, &bad)
		require.Equal(t, cli.ExitFailure, code, "after %d of %d looks: %s", most, whole.Count, bad.String())
		require.Contains(t, bad.String(), "context canceled")
	}
}
