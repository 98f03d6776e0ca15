package audit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// alone makes the codes fire that need no configuration, more than one, or a text that is none.
var alone = map[finding.Code]func(*testing.T) []finding.Finding{
	"duplicate-key": func(t *testing.T) []finding.Finding {
		return document(t, `{"BUFFER_POOL": {"a": {"size": "1"}, "a": {"size": "2"}}}`)
	},
	"not-config-db": func(t *testing.T) []finding.Finding { return document(t, `{"BUFFER_POOL": {"b": 5}}`) },
	"row-unreadable": func(*testing.T) []finding.Finding {
		rows, bad := table.Scan("pg_profile_lookup.ini", strings.NewReader(lookup+"100000 40m 1248 2288 many 0 2288\n"))
		return table.Lint(rows, bad, 0)
	},
	"table-unknown": func(t *testing.T) []finding.Finding {
		s := base().source(t, "")
		s.NoTable = false
		return audit.Run(s).Findings
	},
	"peer-cable":      func(t *testing.T) []finding.Finding { return peer(t, "CABLE_LENGTH|AZURE|Ethernet8=5m") },
	"peer-priorities": func(t *testing.T) []finding.Finding { return peer(t, "PORT_QOS_MAP|Ethernet8|pfc_enable=3") },
	"peer-speed":      func(t *testing.T) []finding.Finding { return peer(t, "PORT|Ethernet8|speed=40000") },
	// What templates say is found by package internal/devicetree, and its tests make it fire.
	"render-error":    func(*testing.T) []finding.Finding { return rendering("render-error") },
	"render-not-json": func(*testing.T) []finding.Finding { return rendering("render-not-json") },
	"comment-refused": func(*testing.T) []finding.Finding { return rendering("comment-refused") },
}

// document audits a text.
func document(t *testing.T, text string) []finding.Finding {
	t.Helper()
	read, err := sonic.System.Read("f", []byte(text), audit.Chip{})
	require.NoError(t, err)
	return audit.Run(audit.Source{File: "f", Reading: read}).Findings
}

// peer compares the base with a switch that differs from it, at the other end of one link.
func peer(t *testing.T, edit string) []finding.Finding {
	t.Helper()
	here, there := base(), base()
	here.set(t, "DEVICE_NEIGHBOR|Ethernet0|name=leaf2", "DEVICE_NEIGHBOR|Ethernet0|port=Ethernet8")
	there.set(t, "DEVICE_METADATA|localhost|hostname=leaf2", edit)
	links, why, found := audit.Peers(audit.Run(here.source(t, lookup)), audit.Run(there.source(t, lookup)))
	require.Equal(t, 1, links)
	require.Empty(t, why)
	return found
}

func rendering(code finding.Code) []finding.Finding {
	return []finding.Finding{audit.Codes().New(code, finding.Place{File: "f"}, "qos.json.j2", "no template")}
}

// TestEveryCodeFires compares the registry with the tests: every code has a configuration in which it is found.
func TestEveryCodeFires(t *testing.T) {
	fires := map[finding.Code]bool{}
	for _, m := range mistakes { // TestFindsEachMistake finds them
		fires[m.code] = true
	}
	for code, find := range alone {
		require.False(t, fires[code], code)
		found := of(find(t), code)
		require.Len(t, found, 1, code)
		require.Equal(t, audit.Codes().About(code).Repair, found[0].Repair, code)
		fires[code] = true
	}
	for code := range ofSystems { // TestEverySystemCodeFires finds them
		require.False(t, fires[code], code)
		fires[code] = true
	}
	var codes []string
	for code := range fires {
		codes = append(codes, string(code))
	}
	slices.Sort(codes)
	require.Equal(t, audit.Codes().Codes(), codes)
}

// raisers are the functions whose argument is a code where it is a text, with the index of the argument.
var raisers = map[string]int{"Code": 0, "Find": 0, "FindAt": 0, "FindAtPort": 0, "New": 0, "add": 0, "note": 0,
	"suspect": 0, "missing": 0, "addRow": 0, "fault": 0, "tooShort": 3}

// raised returns the argument of a call that may be a code, or nil. A method of such a name with fewer than four
// arguments is another one.
func raised(call *ast.CallExpr) ast.Expr {
	name, least := "", 2
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name, least = f.Sel.Name, 4
	case *ast.Ident: // a closure
		name = f.Name
	}
	if at, is := raisers[name]; is && (len(call.Args) >= least || name == "Code") {
		return call.Args[at]
	}
	return nil
}

// TestCodesAreKnown: a code is a text where it is raised, and each of these texts has a meaning.
func TestCodesAreKnown(t *testing.T) {
	known, set := 0, token.NewFileSet()
	for files, codes := range map[string][]*finding.Registry{
		"*.go":                              {audit.Codes(), table.Codes()},
		"intent/*.go":                       {audit.Codes(), table.Codes()},
		"../nos/*/*.go":                     {audit.Codes(), table.Codes()},
		"../internal/devicetree/*.go":       {audit.Codes(), table.Codes()},
		"../internal/cli/audit/*.go":        {audit.Codes(), table.Codes()},
		"../thresholds/table/*.go":          {table.Codes()},
		"../dcbx/linkcheck/*.go":            {linkcheck.Codes()},
		"../diagnosis/*.go":                 {diagnosis.Codes()},
		"../backend/sim/verify_findings.go": {sim.Codes()},
	} {
		check := func(at ast.Expr) {
			text, is := at.(*ast.BasicLit)
			if !is || text.Kind != token.STRING {
				return
			}
			code, err := strconv.Unquote(text.Value)
			require.NoError(t, err)
			if strings.Contains(code, " ") {
				return // the text of a note
			}
			require.True(t, slices.ContainsFunc(codes, func(r *finding.Registry) bool { return r.Known(finding.Code(code)) }),
				"%v: %q", set.Position(at.Pos()), code)
			known++
		}
		names, err := filepath.Glob(files)
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					check(raised(n))
				case *ast.KeyValueExpr:
					if key, is := n.Key.(*ast.Ident); is && key.Name == "Code" {
						check(n.Value)
					}
				case *ast.BinaryExpr:
					if f, is := n.X.(*ast.SelectorExpr); is && f.Sel.Name == "Code" {
						check(n.Y)
					}
				}
				return true
			})
		}
	}
	require.Greater(t, known, 250)
}

// TestMeanings: every code says when it is found, what the switch does then, and what to do.
func TestMeanings(t *testing.T) {
	public := 0
	for _, m := range audit.Codes().All() {
		if !table.Codes().Known(m.Code) {
			public += len(m.Mistakes)
		}
		for _, text := range []string{m.Rule, m.Effect} {
			require.True(t, strings.HasSuffix(text, "."), "%s: %s", m.Code, text)
		}
		require.NotEmpty(t, m.Repair, m.Code)
		require.Contains(t, finding.Severities(), m.Severity)
	}
	text, err := os.ReadFile("codes.txt")
	require.NoError(t, err)
	require.Equal(t, strings.Count(string(text), "\n  mistake: "), public)
}

// TestPublicPools are pools that were published: those of Tomahawk 2 on a switch with a Tomahawk, and those of a
// Tomahawk 6 before and after a change whose reviewers asked whether they are for the worst case of all ports.
func TestPublicPools(t *testing.T) {
	for name, c := range map[string]struct {
		platform, size, xoff string
		code                 finding.Code
		severity             finding.Severity
		over                 string
	}{
		"QFX5200": {"x86_64-juniper_qfx5200-r0", "33329088", "7827456", "pool-over-chip", finding.Error, "16551808"},
		"NH-4210": {"x86_64-nexthop_4210-r0021", "258035400", "81553920", "pool-plus-xoff-over-chip", finding.Warning,
			"72392460"},
		"NH-4210 after 29565": {"x86_64-nexthop_4210-r0021", "249964680", "120825600", "pool-plus-xoff-over-chip",
			finding.Warning, "103593420"},
	} {
		d := base()
		d.set(t, "DEVICE_METADATA|localhost|platform="+c.platform, "BUFFER_POOL|ingress_lossless_pool|size="+c.size,
			"BUFFER_POOL|ingress_lossless_pool|xoff="+c.xoff)
		found := of(d.run(t, lookup), c.code)
		require.Len(t, found, 1, name)
		require.Equal(t, c.severity, found[0].Severity, name)
		require.Contains(t, found[0].Message, "by "+c.over+" bytes", name)
	}
}
