package docs_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// limitRow is a row of a table of limits.md: what, the limit, and the constant that has it.
var limitRow = regexp.MustCompile("(?m)^\\|.*\\| ([0-9,]+)( [KMG]iB)? \\| `([a-z/-]+)\\.([A-Za-z]+)` \\|$")

// Every limit of the page is the code's.
func TestLimits(t *testing.T) {
	effort.SkipShort(t, "it reads inputs as large as they may be")
	page, err := os.ReadFile("limits.md")
	require.NoError(t, err)
	rows := limitRow.FindAllStringSubmatch(string(page), -1)
	tables := strings.Count(string(page), "|---|---|---|")
	require.Len(t, rows, strings.Count(string(page), "\n|")-2*tables, "every row has a limit and its constant")
	for _, row := range rows {
		want, err := strconv.ParseInt(strings.ReplaceAll(row[1], ",", ""), 10, 64)
		require.NoError(t, err)
		want *= map[string]int64{"": 1, " KiB": 1 << 10, " MiB": 1 << 20, " GiB": 1 << 30}[row[2]]
		require.Equal(t, want, constantOf(t, row[3], row[4]), "%s.%s", row[3], row[4])
	}
}

// constantOf computes a constant of a package from its text, which has numbers and operators alone.
func constantOf(t *testing.T, pkg, name string) int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") { // it may give a constant another name
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				if spec.Names[0].Name != name {
					continue
				}
				value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(spec.Values[0]))
				require.NoError(t, err)
				n, exact := constant.Int64Val(value.Value)
				require.True(t, exact)
				return n
			}
		}
	}
	require.Failf(t, "no such constant", "%s.%s", pkg, name)
	return 0
}
