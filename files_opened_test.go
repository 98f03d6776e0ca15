package cellwarden_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// opens are the functions that open a file by its name.
var opens = map[string]bool{"os.Open": true, "os.OpenFile": true, "os.ReadFile": true, "os.Create": true,
	"os.WriteFile": true, "os.DirFS": true, "ioutil.ReadFile": true, "tls.LoadX509KeyPair": true}

// mayOpenBy tells whether a text may call one of them. If not, it need not be parsed.
func mayOpenBy(text []byte) bool {
	for call := range opens {
		pkg, name, _ := strings.Cut(call, ".")
		if bytes.Contains(text, []byte(pkg+".")) && bytes.Contains(text, []byte(name)) {
			return true
		}
	}
	return false
}

// openers may open files: internal/files for all others, the journal for the files that it continues, and programs that
// are run by the project's developers.
var openers = []string{"internal/files/", "backend/journal/", "internal/oc/gen_main.go", "internal/live/make.go",
	"examples/", ".ci/pack/"}

// A name that a user or a file gives is opened by internal/files alone: another function could block at a pipe, read
// without end, follow a link out of a folder, or replace an input.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || d.IsDir() && path == "interop" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || mayOpen(path) || !mayOpenBy(text) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && opens[x.Name+"."+s.Sel.Name] {
					found = append(found, path+": "+x.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, found)
}

func mayOpen(path string) bool {
	for _, o := range openers {
		if strings.HasPrefix(path, o) {
			return true
		}
	}
	return false
}
