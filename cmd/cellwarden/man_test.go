package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// request is a line of a manual page that formats. All other lines are text.
var request = regexp.MustCompile(`^\.(TH|SH|PP|TP|B|nf|fi)[ \n]`)

// Every command has a manual page with all of its flags, and no line of a help is taken for a request.
func TestManualPages(t *testing.T) {
	effort.Alone(t)
	dir := t.TempDir()
	code, out, bad := cellwarden(t, "man", dir)
	require.Zero(t, code, bad)
	require.Empty(t, out)
	for _, c := range append(verbs(rootCommand()), rootCommand()) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		text, err := os.ReadFile(filepath.Join(dir, name+".1"))
		require.NoError(t, err)
		page := string(text)
		require.True(t, strings.HasPrefix(page, ".TH "), name)
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				require.Regexp(t, request, line, name)
			}
		}
		require.Contains(t, page, ".SH OPTIONS\n", name)
		require.Contains(t, page, `\-\-log\-level`, name)
		if c.Flags().Lookup("units") != nil {
			require.Contains(t, page, ".B \\-\\-units", name)
		}
		formatted(t, name, text)
	}
	// A page that exists is not replaced.
	code, _, bad = cellwarden(t, "man", dir)
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "exists")
	code, _, _ = cellwarden(t, "man", "--force", dir)
	require.Zero(t, code)
}

// formatted checks that groff has nothing to complain about, where it is installed.
func formatted(t *testing.T, name string, page []byte) {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	c := exec.CommandContext(t.Context(), groff, "-man", "-Tascii", "-ww", "-z")
	c.Stdin = bytes.NewReader(page)
	said, err := c.CombinedOutput()
	require.NoError(t, err, name)
	require.NotRegexp(t, `(macro|unknown|undefined)`, string(said), name)
}
