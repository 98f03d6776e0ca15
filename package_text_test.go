package cellwarden_test

import (
	"bytes"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// statements returns the statements of a text of Go, each on one line and
// without comments; nil if the text is not Go that calls a package's function.
func statements(text string) []string {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", "package p\nfunc _() {\n"+text+"\n}", 0)
	if err != nil {
		return nil
	}
	calls := false
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if s, ok := call.Fun.(*ast.SelectorExpr); ok {
				_, plain := s.X.(*ast.Ident)
				calls = calls || plain
			}
		}
		return true
	})
	if !calls {
		return nil
	}
	var out []string
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		var b bytes.Buffer
		if err := printer.Fprint(&b, files, s); err != nil {
			return nil
		}
		out = append(out, strings.Join(strings.Fields(b.String()), " "))
	}
	return out
}

// packageText returns the comment above a package clause.
func packageText(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var text strings.Builder
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		if file.Doc != nil && !strings.HasPrefix(file.Doc.Text(), "//go:build") {
			text.WriteString(file.Doc.Text())
		}
	}
	return text.String()
}

// testFiles returns the files with the tests of a package: those of its folder, or of a folder above it, in which their
// names begin with those of the folders below.
func testFiles(t *testing.T, dir string) (here, above []string) {
	t.Helper()
	here, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for up, name := filepath.Split(filepath.FromSlash(dir)); up != ""; {
		up = filepath.Clean(up)
		for _, pattern := range []string{"_test.go", "_*_test.go"} {
			files, err := filepath.Glob(filepath.Join(up, name+pattern))
			require.NoError(t, err)
			above = append(above, files...)
		}
		var last string
		up, last = filepath.Split(up)
		name = last + "_" + name
	}
	return here, above
}

// testCode returns the functions in the files of a package's tests whose names begin with the prefix, with blanks folded.
func testCode(t *testing.T, files []string, prefix string) string {
	t.Helper()
	var out strings.Builder
	for _, path := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, prefix) {
				var b bytes.Buffer
				require.NoError(t, printer.Fprint(&b, set, f))
				out.WriteString(strings.Join(strings.Fields(b.String()), " ") + "\n")
			}
		}
	}
	return out.String()
}

// Every package says what it is. Code in that text stands in the package's
// tests, statement by statement, so that it compiles.
func TestPackageTexts(t *testing.T) {
	for _, pkg := range readArchitecture(t).order {
		text := packageText(t, pkg)
		if text == "" {
			t.Errorf("package %s has no package text", pkg)
		}
		if strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/") {
			continue
		}
		code := sync.OnceValue(func() string {
			here, above := testFiles(t, pkg)
			return testCode(t, append(here, above...), "")
		})
		for _, block := range new(comment.Parser).Parse(text).Content {
			snippet, ok := block.(*comment.Code)
			if !ok {
				continue
			}
			for _, s := range statements(snippet.Text) {
				if !strings.Contains(code(), s) {
					t.Errorf("package %s shows a statement that its tests do not have: %s", pkg, s)
				}
			}
		}
	}
}

// Packages of a library show how they are used.
func TestEveryPackageHasAnExample(t *testing.T) {
	none := map[string]string{
		".":                    "it holds no code",
		"internal/oc":          "generated",
		"backend/backendtest":  "its package text is a test's first lines",
		"internal/live/worker": "a program for a browser",
	}
	for _, pkg := range readArchitecture(t).order {
		if strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, "examples/") || none[pkg] != "" ||
			strings.HasPrefix(pkg, "internal/cli") { // verbs: scripts in cmd/cellwarden show them
			continue
		}
		here, above := testFiles(t, pkg)
		if testCode(t, here, "Example") == "" && testCode(t, above, "Example_"+path.Base(pkg)) == "" {
			t.Errorf("package %s has no Example", pkg)
		}
	}
}
