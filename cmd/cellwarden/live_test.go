package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/live"
)

// A page that could not be made is refused before anything is written, and the refusal says what to do.
func TestLivePagesThatCannotBeMade(t *testing.T) {
	const leaf = "../../examples/arista-7060cx-32s.yaml"
	name := filepath.Join(t.TempDir(), "page.html")
	refused := map[string][]string{
		"--risk with --live (want one of them": {"--risk", "--html", name},
		"--live: accepted with -o html":        {"-o", "json"},
	}
	if _, err := live.Embedded(); err != nil {
		require.ErrorIs(t, err, live.ErrNone)
		refused["--live: this cellwarden was built without the module of its page (want a released binary; or, in a "+
			"checkout, go generate ./internal/live before go build ./cmd/cellwarden)"] = []string{"--html", name}
	}
	for want, flags := range refused {
		code, out, bad := cellwarden(t, append([]string{"plan", leaf, "--live"}, flags...)...)
		require.Equal(t, cli.ExitUsage, code, flags)
		require.Empty(t, out, flags)
		require.Contains(t, bad, want, flags)
		require.NoFileExists(t, name)
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Empty(t, entries)
}
