package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
)

// played is a line of the walk-through: a command, its exit code, and what its output has.
var played = regexp.MustCompile(`(?m)^ {4}cellwarden (.*?) +# exit code (\d): (.*)$`)

// The section about a lost connection in docs/gnmi.md is played: each command ends with the exit code that the page
// says, and prints what the page quotes. A switch loses the connection in the lines that end with 7.
func TestLostConnection(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "gnmi.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "### A connection that is lost\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	lines := played.FindAllStringSubmatch(section, -1)
	require.Equal(t, strings.Count(section, "\n    cellwarden "), len(lines), "each command says what comes of it")
	require.NotEmpty(t, lines)
	journals, leaf := state(t)
	switches := map[string]*messages{"leaf1": newMessages(t), "leaf2": newMessages(t)}
	for _, line := range lines {
		want, err := strconv.Atoi(line[2])
		require.NoError(t, err)
		open, err := push.Journals().List(journals)
		require.NoError(t, err)
		var args []string
		for arg := range strings.FieldsSeq(line[1]) {
			name, _, _ := strings.Cut(arg, ":")
			switch m := switches[name]; {
			case arg == "leaf.yaml":
				arg = leaf
			case arg == "JOURNAL":
				require.Len(t, open, 1)
				arg = open[0].Journal
			case m != nil:
				m.counted()
				m.loses = want == 7
				arg = m.address
			}
			args = append(args, arg)
		}
		if len(args) > 1 {
			args = append(args, "--insecure")
		}
		if args[0] != "drift" && len(args) > 1 { // a Set that was not answered is over soon
			args = append(args, "--set-timeout=2s", "--retries=1")
		}
		code, out, bad := cellwarden(t, args...)
		for _, m := range switches {
			m.counted()
		}
		require.Equal(t, want, code, "%s\n%s%s", line[1], out, bad)
		for quoted := range strings.SplitSeq(line[3], ", ") {
			text := strings.Trim(quoted, `"`)
			for name, m := range switches {
				text = strings.ReplaceAll(text, name+":9339", m.address)
			}
			require.Contains(t, out+bad, text, line[1])
		}
	}
}
