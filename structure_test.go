package cellwarden_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/cellwarden/cellwarden/"

// layers says which packages of this module each package may import. A package
// that is not listed fails the test: a new one has to find its place first.
var layers = map[string][]string{
	"":                              {},
	"asic":                          {"buffer", "cells", "thresholds", "unit"},
	"asic/behaviour":                {"buffer/mmu", "cells", "internal/complain", "internal/exact", "thresholds", "unit"},
	"backend":                       {"buffer"},
	"backend/backendtest":           {"backend", "buffer", "pg"},
	"backend/drift":                 {"backend", "buffer"},
	"backend/fleet":                 {},
	"backend/gnmi":                  {"backend", "backend/gnmi/profile", "backend/gnmi/qos", "buffer", "cells", "internal/complain"},
	"backend/gnmi/jsontree":         {},
	"backend/gnmi/metrics":          {"backend", "buffer"},
	"backend/gnmi/native":           {"backend", "backend/drift", "backend/gnmi", "backend/gnmi/jsontree", "backend/journal", "buffer", "dialect", "dialect/eos", "dialect/junos", "dialect/sonic", "dialect/srlinux"},
	"backend/gnmi/native/sonictest": {},
	"backend/gnmi/oc":               {},
	"backend/gnmi/profile":          {"buffer"},
	"backend/gnmi/qos":              {"backend/gnmi/jsontree", "backend/gnmi/oc", "backend/gnmi/profile", "buffer", "cells", "internal/complain", "pg", "unit"},
	"backend/gnmi/server":           {"backend", "backend/gnmi/jsontree", "backend/gnmi/oc", "backend/gnmi/qos", "buffer", "cells", "internal/complain", "pg", "unit"},
	"backend/journal":               {"backend", "buffer", "cells"},
	"backend/sim":                   {"asic/behaviour", "backend", "backend/sim/fabric", "buffer", "buffer/mmu", "cells", "pfc", "pg", "thresholds", "thresholds/ecn", "unit"},
	"backend/sim/fabric":            {"buffer/mmu", "cells", "diagnosis", "pfc", "thresholds/ecn", "unit"},
	"backend/sim/peer":              {"backend/sim/fabric", "pfc", "unit"},
	"backend/sim/plot":              {"unit"},
	"backend/sim/scenario":          {"asic/behaviour", "backend/sim", "backend/sim/fabric", "backend/sim/plot", "buffer", "buffer/mmu", "cells", "diagnosis", "internal/document", "pfc", "thresholds", "thresholds/ecn", "thresholds/method", "topology", "unit"},
	"backend/traffic":               {"backend/gnmi/qos", "backend/gnmi/server", "backend/sim", "backend/sim/fabric", "buffer", "pg", "unit"},
	"buffer":                        {"cells", "internal/complain", "pg", "thresholds", "thresholds/ecn", "unit"},
	"buffer/mmu":                    {"cells", "internal/complain", "pg", "thresholds", "unit"},
	"cells":                         {"unit"},
	"cmd/cellwarden":                {"*"},
	"diagnosis":                     {"internal/complain", "pfc", "unit"},
	"dialect":                       {"buffer", "cells", "pg", "thresholds", "unit"},
	"dialect/driver":                {"buffer"},
	"dialect/eos":                   {"buffer", "dialect"},
	"dialect/junos":                 {"buffer", "dialect"},
	"dialect/nxos":                  {"buffer"},
	"dialect/sonic":                 {"buffer", "dialect", "pg", "thresholds", "thresholds/method", "unit"},
	"dialect/srlinux":               {"buffer", "dialect"},
	"docs":                          {},
	"examples/apply":                {"*"},
	"examples/controller":           {"*"},
	"examples/credits":              {"*"},
	"examples/plan":                 {"*"},
	"examples/refusal":              {"*"},
	"examples/verify":               {"*"},
	"internal/complain":             {},
	"internal/document":             {"internal/complain"},
	"internal/exact":                {},
	"internal/golden":               {"asic/behaviour", "buffer", "buffer/mmu", "cells", "pg", "thresholds", "thresholds/ecn", "thresholds/table", "unit"},
	"pfc":                           {"unit"},
	"pg":                            {"cells", "pfc", "thresholds", "unit"},
	"report":                        {"buffer", "cells", "thresholds", "unit"},
	"thresholds":                    {"cells", "internal/complain", "internal/exact", "pfc", "unit"},
	"thresholds/ecn":                {"cells", "internal/complain", "thresholds", "unit"},
	"thresholds/method":             {"cells", "internal/complain", "internal/exact", "pfc", "thresholds", "thresholds/table", "unit"},
	"thresholds/table":              {"cells", "internal/complain", "internal/exact", "thresholds", "unit"},
	"topology":                      {"asic", "buffer", "buffer/mmu", "cells", "internal/document", "pg", "thresholds", "thresholds/ecn", "thresholds/method", "thresholds/table", "unit"},
	"unit":                          {},
}

// core is what embedders build: pure values and functions, the standard
// library alone, and of that nothing that touches the world.
var core = []string{"unit", "pfc", "cells", "internal/complain", "internal/exact", "thresholds", "thresholds/method", "thresholds/table", "thresholds/ecn", "pg", "buffer", "buffer/mmu", "asic", "asic/behaviour", "diagnosis", "dialect", "dialect/sonic", "dialect/srlinux", "dialect/junos", "dialect/eos", "dialect/nxos", "dialect/driver", "report"}

var worldly = []string{"time", "os", "net", "sync", "context", "log", "math/rand"}

// offline are the packages under backend/gnmi that read and write values, and know no
// connection.
var offline = []string{"backend/gnmi/jsontree", "backend/gnmi/oc", "backend/gnmi/profile", "backend/gnmi/qos"}

// libraries says where a library may be imported, by the beginning of its path.
var libraries = map[string][]string{
	"google.golang.org/":     {"backend/gnmi", "cmd/cellwarden", "examples/controller"},
	"github.com/openconfig/": {"backend/gnmi", "cmd/cellwarden"},
	"go.yaml.in/":            {"internal/document"},
	"github.com/gopacket/":   {"backend/sim/scenario"},
	"github.com/prometheus/": {"backend/gnmi/metrics"},
	"github.com/spf13/":      {"cmd/cellwarden"},
	"github.com/jedib0t/":    {"cmd/cellwarden"},
	"github.com/stretchr/":   {"backend/backendtest"},
}

// TestStructure reads the imports of every file that is not a test and names
// those that stray.
func TestStructure(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		if len(file.Comments) > 0 && file.Comments[0].List[0].Text == "//go:build ignore" {
			return nil
		}
		files++
		pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), ".")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			if why := stray(pkg, name); why != "" {
				t.Errorf("%s imports %s: %s", path, name, why)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 30, "the walk found the module")
}

// stray says why a package must not import another; "" if it may.
func stray(pkg, name string) string {
	allowed, known := layers[pkg]
	if !known {
		return "package " + pkg + " has no place in the structure"
	}
	if own, ours := strings.CutPrefix(name, module); ours {
		switch {
		case strings.HasPrefix(own, "cmd/") || strings.HasPrefix(own, "examples/"):
			return "nothing imports cmd or examples"
		case !slices.Contains(allowed, own) && !slices.Contains(allowed, "*"):
			return "imports run one way"
		}
		return ""
	}
	if !strings.Contains(strings.Split(name, "/")[0], ".") {
		return strayStandard(pkg, name)
	}
	if slices.Contains(offline, pkg) && strings.HasPrefix(name, "google.golang.org/grpc") {
		return "this package knows no connection"
	}
	for prefix, where := range libraries {
		if strings.HasPrefix(name, prefix) && slices.ContainsFunc(where, func(w string) bool { return pkg == w || strings.HasPrefix(pkg, w+"/") }) {
			return ""
		}
	}
	return "this library has no place there"
}

func strayStandard(pkg, name string) string {
	if !slices.Contains(core, pkg) {
		return ""
	}
	for _, w := range worldly {
		if name == w || strings.HasPrefix(name, w+"/") {
			return "the core is pure: no clock, file, network, lock, log or random number"
		}
	}
	return ""
}

// TestStructureNoticesStrays makes sure that the rules above can fail.
func TestStructureNoticesStrays(t *testing.T) {
	for _, c := range []struct{ pkg, name, why string }{
		{"cells", module + "buffer", "one way"},
		{"backend/sim", module + "backend/gnmi", "one way"},
		{"buffer", module + "asic", "one way"},
		{"buffer", "time", "pure"},
		{"buffer", "math/rand/v2", "pure"},
		{"buffer", "google.golang.org/grpc", "no place there"},
		{"topology", module + "cmd/cellwarden", "nothing imports cmd"},
		{"topology", "go.yaml.in/yaml/v3", "no place there"},
		{"util", "fmt", "no place in the structure"},
		{"backend/gnmi/qos", "google.golang.org/grpc", "no connection"},
	} {
		require.Contains(t, stray(c.pkg, c.name), c.why, "%+v", c)
	}
	require.Empty(t, stray("backend/gnmi/server", "google.golang.org/grpc"))
	require.Empty(t, stray("backend/gnmi/qos", "github.com/openconfig/ygot/ygot"))
	require.Empty(t, stray("buffer", "fmt"))
}
