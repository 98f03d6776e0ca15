package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// TestTopologyKeys asks the reader what it accepts, by keys that it does not
// know, and looks for each on the page. The page's example is one that it reads
// and that fits.
func TestTopologyKeys(t *testing.T) {
	data, err := os.ReadFile("topology.md")
	require.NoError(t, err)
	page := string(data)
	const text = `{x: 1, chip: tomahawk, headroom: {method: ieee802.1qbb}, pool: {x: 1},
classes: [{name: a, priorities: [0], x: 1, ecn: {x: 1}}], ports: [{name: e, speed: 100G, cable: 1m, x: 1}]}`
	_, err = topology.Parse("t", []byte(text), nil)
	require.Error(t, err)
	count := 0
	for line := range strings.Lines(err.Error()) {
		_, accepted, unknown := strings.Cut(line, "x: unknown key: accepted: ")
		if !unknown {
			continue
		}
		count++
		for key := range strings.SplitSeq(strings.TrimSpace(accepted), ", ") {
			require.Contains(t, page, "`"+key+"`", line)
		}
	}
	require.Equal(t, 5, count, "document, pool, class, ecn, port:\n%v", err)

	_, rest, _ := strings.Cut(page, "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	in, err := topology.Parse("topology.md", []byte(example), nil)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
}
