package many

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
)

var rewrite = flag.Bool("rewrite", false, "write the picture of the README again")

// of is the fabric of a text.
func of(t *testing.T, name, text string) *asked {
	f, err := fabric.Read(name, []byte(text))
	require.NoError(t, err)
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	a, err := askedOf(cmd, f, nil, "")
	require.NoError(t, err)
	return a
}

// The picture of the README is that of the example. go test ./internal/cli/many -rewrite draws it again.
func TestPictureOfTheReadme(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "examples", "fabric-leaf-spine.yaml"))
	require.NoError(t, err)
	p, what, err := of(t, "fabric-leaf-spine.yaml", string(text)).picture()
	require.NoError(t, err)
	require.Contains(t, what[0], "NO CYCLE on these routes. If leaf1-h1 pauses for ever, 640 channels can stop, in 3 steps")
	svg := filepath.Join(root, "docs", "pictures", "fabric.svg")
	if *rewrite {
		require.NoError(t, os.WriteFile(svg, []byte(p.File()), 0o644))
	}
	want, err := os.ReadFile(svg)
	require.NoError(t, err)
	require.Equal(t, string(want), p.File())
	require.Equal(t, 640, strings.Count(p.SVG(), `class="line thin`), "each cable is a line")
	require.Equal(t, 1+16+3+1, strings.Count(p.SVG(), "bad-line"), "the host, what its leaf gets, and the legend")
}

// A circle that can lock is red. A fabric without routes has a picture, and one that would be a grey area has none.
func TestPictures(t *testing.T) {
	p, what, err := of(t, "f.yaml", "switches: [A, B, C, D]\ncables: [[A, B], [B, C], [C, D], [D, A]]\n"+
		"routes: {paths: [A B C D, C D A B], priority: 3}\n").picture()
	require.NoError(t, err)
	require.Contains(t, what[0], "CAN LOCK: priority 3 in a circle of 4 channels")
	require.Equal(t, 5, strings.Count(p.SVG(), "bad-line"))
	p, what, err = of(t, "f.yaml", "switches: [A, B]\ncables: [[A, B]]\n").picture()
	require.NoError(t, err)
	require.NotNil(t, p)
	require.Contains(t, what[0], "no routes")
	p, what, err = of(t, "f.yaml", "generate: {leaf-spine: {leaves: 200, spines: 2}}\n").picture()
	require.NoError(t, err)
	require.Nil(t, p)
	require.Contains(t, what[1], "not drawn: 202 switches and 400 cables")
}
