package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// What the packages of this module make when the program starts is paid by every command. The runtime counts it, so
// that no clock decides: at most 90 KB in all, where it was 1.1 MB, and 20 KB a package but for what is named.
func TestPackagesMakeLittleAtTheStart(t *testing.T) {
	effort.Alone(t) // the race detector has the packages make more
	c := pusher(t, "version")
	c.Env = append(c.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	c.Stderr = &trace
	require.NoError(t, c.Run())
	sum, before, early, most := 0, 0, -1, map[string]int{
		"audit":        40_000, // the codes by their names
		"backend/gnmi": 30_000, // patterns of the engine of pushes
	}
	for line := range strings.Lines(trace.String()) {
		// init PACKAGE @0.1 ms, 0.1 ms clock, 100 bytes, 3 allocs
		words := strings.Fields(line)
		n, err := strconv.Atoi(words[slices.Index(words, "bytes,")-1])
		require.NoError(t, err, line)
		before += n
		pkg, own := strings.CutPrefix(words[1], "github.com/cellwarden/cellwarden/")
		if !own || pkg == "cmd/cellwarden" { // tests
			continue
		}
		if pkg == "internal/early" {
			early = before
		}
		require.LessOrEqual(t, n, max(most[pkg], 20_000), line)
		sum += n
	}
	require.Positive(t, sum)
	require.LessOrEqual(t, sum, 90_000)
	require.NotEqual(t, -1, early, "internal/early was initialised")
	require.Less(t, early, 64<<10, "no sample is taken before")
}

// A verb that is built without the others is the same verb, by its name: their help is equal.
func TestVerbsAreBuiltAlone(t *testing.T) {
	help := func(root *cobra.Command, verb string) string {
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs([]string{verb, "--help"})
		require.NoError(t, root.ExecuteContext(t.Context()))
		return out.String()
	}
	for _, g := range groups {
		for name, verb := range g.verbs {
			require.Equal(t, name, verb().Name())
			alone := rootFor([]string{name})
			if name != needsAll {
				require.Less(t, len(alone.Commands()), len(rootCommand().Commands())-20)
			}
			require.Equal(t, help(rootCommand(), name), help(alone, name))
		}
	}
}

// stalled takes no byte until it is released, and ends a context before.
type stalled struct {
	stop    context.CancelFunc
	release chan struct{}
}

func (s *stalled) Write(data []byte) (int, error) {
	s.stop()
	<-s.release
	return len(data), nil
}

// A command that is interrupted while its output is written ends, also if nobody reads on.
func TestOutputEndsWithItsContext(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "../../examples/arista-7060cx-32s.yaml", "-o", "json"},
		{"plan", "../../examples/arista-7060cx-32s.yaml", "-o", "html"},
		{"verify", "../../examples/arista-7060cx-32s.yaml"},
		{"capacity", "../../examples/arista-7060cx-32s.yaml", "--only", "cable"},
		{"asic", "list", "-o", "csv"},
	} {
		ctx, stop := context.WithCancel(t.Context())
		out := &stalled{stop, make(chan struct{})}
		var bad bytes.Buffer
		require.Equal(t, cli.ExitFailure, run(ctx, args, strings.NewReader(""), out, &bad), args)
		require.Contains(t, bad.String(), "context canceled", args)
		close(out.release)
	}
	require.Equal(t, cli.ExitFine, run(t.Context(), []string{"version"}, strings.NewReader(""), io.Discard, io.Discard))
}
