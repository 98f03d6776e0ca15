package cellwarden_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The ceilings keep what a reader must hold in the head from growing. A change that
// exceeds one makes room first. Where a figure has fallen, its ceiling follows it.
const (
	mostPackages      = 50   // packages that another module can import
	mostNames         = 1400 // exported top-level names of these packages
	mostFiles         = 45   // files of one package
	mostCommandLines  = 1000 // lines of cmd/cellwarden
	mostVerbLines     = 2450 // lines of one package of verbs
	mostFabricLines   = 9000 // lines of fabrics, with their documents, that are neither comments nor blank
	mostIdentifyLines = 3600 // the same of the packages of identify
	mostUpwardVerbs   = 5    // arrows that run up between the files of all packages of verbs
	mostUpwardFabric  = 5    // the same of the simulator
	mostFunctionLines = 100  // lines of a function
	mostLongLines     = 85   // lines of the module of more than 120 characters; new ones have none
)

// sources are the files of a package without tests and generated code.
type sources struct {
	name  string // of the package: "main" is a program
	files map[string]*ast.File
	lines int
	// comments are those of the lines that hold a comment alone. Nobody saves a sentence to stay beneath a ceiling.
	comments int
	blank    int
	code     map[string]int // lines of each file that are neither
	long     int            // lines of more than 120 characters, of which a tab is one
	set      *token.FileSet
}

// readSources returns the packages of the module, by folder.
func readSources(t *testing.T) map[string]*sources {
	t.Helper()
	out, err := parsed()
	require.NoError(t, err)
	return out
}

// parsed are the packages, for all tests.
var parsed = sync.OnceValues(func() (map[string]*sources, error) {
	out := map[string]*sources{}
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
		text, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(text, []byte("//go:build ignore")) ||
			bytes.Contains(text[:min(len(text), 400)], []byte("Code generated")) {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		s := out[dir]
		if s == nil {
			s = &sources{files: map[string]*ast.File{}, code: map[string]int{}, set: token.NewFileSet()}
			out[dir] = s
		}
		file, err := parser.ParseFile(s.set, path, text, 0)
		if err != nil {
			return err
		}
		s.name = file.Name.Name
		s.files[filepath.Base(path)] = file
		for line := range bytes.Lines(text) {
			s.lines++
			switch text := bytes.TrimSpace(line); {
			case len(text) == 0:
				s.blank++
			case bytes.HasPrefix(text, []byte("//")):
				s.comments++
			default:
				s.code[filepath.Base(path)]++
			}
			if utf8.RuneCount(bytes.TrimRight(line, "\n")) > 120 {
				s.long++
			}
		}
		return nil
	})
	return out, err
})

// public tells whether another module can import the package in a folder.
func (s *sources) public(dir string) bool {
	return s.name != "main" && !strings.Contains("/"+dir+"/", "/internal/")
}

// declared are the top-level names of a file, without methods.
func declared(file *ast.File) (out []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out = append(out, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					out = append(out, spec.Name.Name)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						out = append(out, n.Name)
					}
				}
			}
		}
	}
	return out
}

// arrows tells which files of a package use top-level names of which others.
func (s *sources) arrows() map[string]map[string]bool {
	home := map[string]string{}
	for name, file := range s.files {
		for _, n := range declared(file) {
			home[n] = name
		}
	}
	out := map[string]map[string]bool{}
	for name, file := range s.files {
		out[name] = map[string]bool{}
		for _, id := range file.Unresolved {
			if to, there := home[id.Name]; there && to != name {
				out[name][to] = true
			}
		}
	}
	return out
}

// upward counts the arrows between the files of a package that run up, in the order of the files that the greedy rule
// of Eades, Lin and Smyth (1993) finds: a file stands above those that it uses, as far as that is possible.
func (s *sources) upward() int {
	arrows := s.arrows()
	left := map[string]bool{}
	for name := range arrows {
		left[name] = true
	}
	surplus := func(name string) (out, in int) {
		for to := range arrows[name] {
			if left[to] {
				out++
			}
		}
		for from := range left {
			if arrows[from][name] {
				in++
			}
		}
		return out, in
	}
	var above, below []string
	for len(left) > 0 {
		names := make([]string, 0, len(left))
		for name := range left {
			names = append(names, name)
		}
		sort.Strings(names)
		best, most, sink := "", -len(arrows)-1, ""
		for _, name := range names {
			out, in := surplus(name)
			if out == 0 {
				sink = name
				break
			}
			if in == 0 {
				out += len(arrows)
			}
			if out-in > most {
				best, most = name, out-in
			}
		}
		if sink != "" {
			below = append(below, sink)
			delete(left, sink)
			continue
		}
		above = append(above, best)
		delete(left, best)
	}
	slices.Reverse(below)
	at := map[string]int{}
	for i, name := range append(above, below...) {
		at[name] = i
	}
	count := 0
	for from, tos := range arrows {
		for to := range tos {
			if at[to] < at[from] {
				count++
			}
		}
	}
	return count
}

// forFabrics are the packages of which docs/fabric.md says how much code they are; the files of package report that
// begin with fabric are counted with them.
var forFabrics = regexp.MustCompile(`^(fabric(/.*)?|internal/(cabling|rollout|grouped|cli/(fabric|many|drawn)))$`)

// forIdentify are the packages of which docs/identify.md says how much code they are.
var forIdentify = regexp.MustCompile(`^internal/(identify|rules|cli/unknown)$`)

// The module stays small enough to hold in the head.
func TestCeilings(t *testing.T) {
	all := readSources(t)
	packages, names, verbs, upward, long, fabrics, identify := 0, 0, 0, 0, 0, 0, 0
	for dir, s := range all {
		long += s.long
		for name, lines := range s.code {
			if forFabrics.MatchString(dir) || dir == "report" && strings.HasPrefix(name, "fabric") {
				fabrics += lines
			}
		}
		if forIdentify.MatchString(dir) {
			identify += s.lines - s.comments - s.blank
		}
		require.LessOrEqual(t, len(s.files), mostFiles, "files of %s", dir)
		if strings.HasPrefix(dir, "internal/cli") {
			require.LessOrEqual(t, s.lines, mostVerbLines, "lines of %s", dir)
			verbs++
			upward += s.upward()
		}
		if !s.public(dir) {
			continue
		}
		packages++
		for _, file := range s.files {
			for _, n := range declared(file) {
				if token.IsExported(n) {
					names++
				}
			}
		}
	}
	fabric := all["backend/sim/fabric"].upward()
	t.Logf("%d public packages, %d exported names; verbs: %d packages, %d arrows run up; simulator: %d arrows run up; "+
		"%d lines are long; fabrics: %d lines, identify: %d lines", packages, names, verbs, upward, fabric, long, fabrics,
		identify)
	require.LessOrEqual(t, identify, mostIdentifyLines, "lines of packages for identify that are neither comments nor blank")
	require.LessOrEqual(t, fabrics, mostFabricLines, "lines of packages for fabrics that are neither comments nor blank")
	require.LessOrEqual(t, long, mostLongLines, "lines of more than 120 characters")
	require.LessOrEqual(t, packages, mostPackages, "public packages")
	require.LessOrEqual(t, names, mostNames, "exported names of public packages")
	require.LessOrEqual(t, all["cmd/cellwarden"].lines, mostCommandLines, "lines of cmd/cellwarden")
	require.LessOrEqual(t, upward, mostUpwardVerbs, "arrows that run up between files of verbs")
	require.LessOrEqual(t, fabric, mostUpwardFabric, "arrows that run up between files of the simulator")
}

// Functions fit on a screen; tables may be longer.
func TestFunctionsAreShort(t *testing.T) {
	for dir, s := range readSources(t) {
		for _, file := range s.files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				lines := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
				require.LessOrEqual(t, lines, mostFunctionLines, "%s: %s", dir, f.Name.Name)
			}
		}
	}
}
