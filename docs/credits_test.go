package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/unit"
)

// TestTableOfCredits checks that links.md shows what package cbfc computes.
func TestTableOfCredits(t *testing.T) {
	var b strings.Builder
	b.WriteString("| speed | cable | PFC, headroom | PFC, full rate | CBFC, full rate | B2B credits |\n" +
		"|---|---|---:|---:|---:|---:|\n")
	for _, rate := range []unit.BitRate{100 * unit.Gbps, 400 * unit.Gbps, 1600 * unit.Gbps, 3200 * unit.Gbps} {
		for _, cable := range cbfc.GridCables {
			ways, err := cbfc.Compare(cbfc.Channel{Link: link(rate, cable), Memory: memory, Frame: 4096})
			require.NoError(t, err)
			credits := unit.Thousands(ways.Credits.Cells)
			if ways.Credits.Credits > cbfc.MaxLimit {
				credits += fmt.Sprintf(" (20 bits: %v)", ways.Credits.Rate)
			}
			fmt.Fprintf(&b, "| %v | %v | %s | %s | %s | %s |\n", rate, cable, unit.Thousands(ways.Headroom.Cells),
				unit.Thousands(ways.Full()), credits, unit.Thousands(ways.Fibre.Credits))
		}
	}
	const begin, end = "<!-- credits: made by go test ./docs -rewrite -->\n", "<!-- credits end -->"
	head, rest, found := strings.Cut(read(t, "links.md"), begin)
	require.True(t, found)
	_, tail, found := strings.Cut(rest, end)
	require.True(t, found)
	keep(t, "links.md", head+begin+b.String()+end+tail)
}

// TestPictureOfCredits checks that the picture of links.md is what the command
// draws.
func TestPictureOfCredits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credits.svg")
	cellwarden(t, "headroom", "--compare", "--with", "cbfc", "--frame", "4096B", "--lossless-mtu", "4096B", "--plot", file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	keep(t, "pictures/credits.svg", string(data))
}
