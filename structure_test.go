package cellwarden_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/cellwarden/cellwarden"

// architecture is what docs/architecture.md states about the packages. The
// document is the rule, and these tests are what makes it true.
type architecture struct {
	order     []string            // packages, as the table lists them
	core      map[string]bool     // pure packages: values and functions on the standard library
	libraries map[string][]string // where a library may be imported, by the beginning of its path
}

var quoted = regexp.MustCompile("`([^`]*)`")

// names returns the texts between backquotes.
func names(cell string) []string {
	out := []string{}
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// readArchitecture reads the two tables of docs/architecture.md.
func readArchitecture(t *testing.T) architecture {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "architecture.md"))
	require.NoError(t, err)
	a := architecture{core: map[string]bool{}, libraries: map[string][]string{}}
	table := ""
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			table = ""
		case table == "":
			table = strings.Join(cells, "|")
		case strings.HasPrefix(cells[0], "-"):
		case table == "package|core|idea":
			require.Len(t, cells, 3, line)
			for _, pkg := range names(cells[0]) {
				require.NotContains(t, a.order, pkg, "the table names a package once")
				a.order = append(a.order, pkg)
				a.core[pkg] = cells[1] == "core"
			}
		case table == "library|where":
			require.Len(t, cells, 2, line)
			for _, library := range names(cells[0]) {
				a.libraries[library] = names(cells[1])
			}
		}
	}
	require.Greater(t, len(a.order), 30, "the table of packages was found")
	require.Greater(t, len(a.libraries), 5, "the table of libraries was found")
	return a
}

// imported returns the imports of every package of the module, without tests
// and programs that go generate alone runs.
func imported(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "interop" || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil || len(file.Comments) > 0 && file.Comments[0].List[0].Text == "//go:build ignore" {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		out[pkg] = append(out[pkg], []string{}...)
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if !slices.Contains(out[pkg], name) {
				out[pkg] = append(out[pkg], name)
			}
		}
		return nil
	})
	require.NoError(t, err)
	return out
}

// The table of packages names every package of the tree once, and a package imports
// only what stands above it.
func TestArchitectureIsTheTree(t *testing.T) {
	a, tree := readArchitecture(t), imported(t)
	for pkg := range tree {
		require.Contains(t, a.order, pkg, "docs/architecture.md does not list the package")
	}
	for i, pkg := range a.order {
		require.Contains(t, tree, pkg, "docs/architecture.md lists a package that is not there")
		for _, name := range tree[pkg] {
			if own, ours := strings.CutPrefix(name, module+"/"); ours {
				require.Contains(t, a.order[:i], own, "%s imports upwards: the table lists %s below it", pkg, own)
			}
		}
	}
}

// worldly is what the core does not import: it has no clock, file, network,
// lock, log or random number.
var worldly = []string{"time", "os", "net", "sync", "context", "log", "math/rand"}

// stray says why a package must not import something from outside the module;
// "" if it may.
func (a architecture) stray(pkg, name string) string {
	if strings.HasPrefix(name, module) {
		return ""
	}
	if !strings.Contains(strings.Split(name, "/")[0], ".") {
		if a.core[pkg] && slices.ContainsFunc(worldly, func(w string) bool {
			return name == w ||
				strings.HasPrefix(name, w+"/")
		}) {
			return "the core is pure: no clock, file, network, lock, log or random number"
		}
		return ""
	}
	for prefix, where := range a.libraries {
		if strings.HasPrefix(name, prefix) && slices.ContainsFunc(where,
			func(w string) bool { return pkg == w || strings.HasPrefix(pkg, w+"/") }) {
			return ""
		}
	}
	return "docs/architecture.md has no place for this library there"
}

// Libraries stay where docs/architecture.md says, and the core stays pure.
func TestLibrariesStayInTheirPlace(t *testing.T) {
	a := readArchitecture(t)
	used := map[string]bool{}
	for pkg, imports := range imported(t) {
		for _, name := range imports {
			require.Empty(t, a.stray(pkg, name), "%s imports %s", pkg, name)
			for prefix := range a.libraries {
				used[prefix] = used[prefix] || strings.HasPrefix(name, prefix)
			}
		}
	}
	for prefix := range a.libraries {
		require.True(t, used[prefix], "docs/architecture.md lists a library that nothing imports: %s", prefix)
	}
}

// The rules above can fail.
func TestStraysAreNoticed(t *testing.T) {
	a := readArchitecture(t)
	for _, c := range []struct{ pkg, name, why string }{
		{"buffer", "time", "pure"},
		{"buffer/mmu", "math/rand/v2", "pure"},
		{"buffer", "google.golang.org/grpc", "no place"},
		{"topology", "go.yaml.in/yaml/v3", "no place"},
		{"backend/sim", "github.com/openconfig/ygot/ygot", "no place"},
	} {
		require.Contains(t, a.stray(c.pkg, c.name), c.why, "%+v", c)
	}
	require.Empty(t, a.stray("backend/gnmi", "google.golang.org/grpc"))
	require.Empty(t, a.stray("buffer", "fmt"))
}

// Every verb of the command has a file of its name, with its sub-verbs.
func TestOneFilePerVerb(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("internal", "cli", "*", "*.go"))
	require.NoError(t, err)
	verbs := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasSuffix(f.Name.Name, "Command") {
				continue
			}
			verb := strings.TrimSuffix(f.Name.Name, "Command")
			verbs++
			name := strings.TrimSuffix(filepath.Base(path), ".go")
			require.True(t, strings.HasPrefix(strings.ToLower(verb), name), "%s stands in %s", f.Name.Name, path)
		}
	}
	require.Greater(t, verbs, 14)
}

// The modules have the same versions of what both require. Otherwise all that depends on it is compiled twice.
func TestModulesHaveTheSameVersions(t *testing.T) {
	versions := func(file string) map[string]string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		out := map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(text), -1) {
			out[m[1]] = m[2]
		}
		require.Greater(t, len(out), 30, file)
		return out
	}
	ours, theirs := versions("go.mod"), versions(filepath.Join("interop", "go.mod"))
	for module, version := range ours {
		if other, there := theirs[module]; there {
			require.Equal(t, version, other, "%s: go get it in the module that is behind", module)
		}
	}
}
