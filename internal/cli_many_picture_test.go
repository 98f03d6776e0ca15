package internal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli/many"
	"github.com/cellwarden/cellwarden/internal/picture"
)

// drawing is the picture of the fabric of a text, and what it shows of pauses.
func drawing(t *testing.T, name, text string) (*picture.Picture, []string) {
	t.Helper()
	f, err := fabric.Read(name, []byte(text))
	require.NoError(t, err)
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	p, what, err := many.Picture(cmd, f)
	require.NoError(t, err)
	return p, what
}

// The picture of the README is that of the example. go test ./internal -run PictureOfTheReadme -rewrite
// draws it again.
func TestManyPictureOfTheReadme(t *testing.T) {
	const root = ".."
	text, err := os.ReadFile(filepath.Join(root, "examples", "fabric-leaf-spine.yaml"))
	require.NoError(t, err)
	p, what := drawing(t, "fabric-leaf-spine.yaml", string(text))
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
func TestManyPictures(t *testing.T) {
	p, what := drawing(t, "f.yaml", "switches: [A, B, C, D]\ncables: [[A, B], [B, C], [C, D], [D, A]]\n"+
		"routes: {paths: [A B C D, C D A B], priority: 3}\n")
	require.Contains(t, what[0], "CAN LOCK: priority 3 in a circle of 4 channels")
	require.Equal(t, 5, strings.Count(p.SVG(), "bad-line"))
	p, what = drawing(t, "f.yaml", "switches: [A, B]\ncables: [[A, B]]\n")
	require.NotNil(t, p)
	require.Contains(t, what[0], "no routes")
	p, what = drawing(t, "f.yaml", "generate: {leaf-spine: {leaves: 200, spines: 2}}\n")
	require.Nil(t, p)
	require.Contains(t, what[1], "not drawn: 202 switches and 400 cables")
}
