package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// TestTopologyKeys checks that the page names every key that the reader accepts: the reader lists them when it refuses
// an unknown key. The page's example must fit.
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
		_, accepted, unknown := strings.Cut(line, "x: unknown key: want ")
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
