package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// TestTourNamesWhatIsThere requires that each file of the tour declares what the reader is told to look for.
func TestTourNamesWhatIsThere(t *testing.T) {
	page, err := os.ReadFile("tour.md")
	require.NoError(t, err)
	row := regexp.MustCompile(`(?m)^\| \d \| \[([^\]]+)\][^|]*\| ([^|]*) \|`)
	rows := row.FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 8)
	for _, r := range rows {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", r[1]), nil, 0)
		require.NoError(t, err)
		there := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				there[d.Name.Name] = true
			case *ast.TypeSpec:
				there[d.Name.Name] = true
			}
			return true
		})
		for name := range strings.SplitSeq(r[2], ", ") {
			require.True(t, there[strings.Trim(name, "`")], "%s has no %s", r[1], name)
		}
	}
}

// TestTourNumbers computes the numbers of the tour.
func TestTourNumbers(t *testing.T) {
	page, err := os.ReadFile("tour.md")
	require.NoError(t, err)
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	require.EqualValues(t, 64, chip.Overhead)
	require.EqualValues(t, 6, chip.Cell.Packet(1000, chip.Overhead))
	require.Contains(t, string(page), "It takes 6 cells of 208 bytes")
	const name = "../examples/arista-7060cx-32s.yaml"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	file, err := topology.Read(name, text, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(file.Intent)
	require.NoError(t, err)
	require.EqualValues(t, 13071, plan.Slices[0].Shared)
	require.Contains(t, string(page), "13,071 shared cells in each slice")
	require.EqualValues(t, 1292, plan.Sizing.Kinds[0].Granted)
	require.Contains(t, string(page), "1,292 cells")
}
