package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// rewrite rewrites the expected output in the scripts: go test ./cmd/cellwarden -rewrite
var rewrite = flag.Bool("rewrite", false, "rewrite what the scripts expect, then read the diff")

// homed runs the tests with a directory of their own for journals, not the user's.
type homed struct{ *testing.M }

func (m homed) Run() int {
	dir, err := os.MkdirTemp("", "cellwarden")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	homes = dir
	os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "none"))
	// The tests look for sentences, which a narrow screen folds. Tests of the width set their own.
	os.Setenv("COLUMNS", "1000")
	return m.M.Run()
}

// homes has the state directories of the tests that have made none for themselves.
var homes string

// ownHome gives each test, with its subtests, a state directory of its own: a push reads the journals of those before
// it, so that a directory of all tests costs the later ones more than what they test.
func ownHome(t *testing.T) {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	if filepath.Dir(os.Getenv("XDG_STATE_HOME")) == homes {
		require.NoError(t, os.Setenv("XDG_STATE_HOME", filepath.Join(homes, test)))
	}
}

func TestMain(m *testing.M) {
	testscript.Main(homed{m}, map[string]func(){
		"cellwarden": func() { os.Exit(process(command)) },
		"stubborn":   func() { os.Exit(process(stubborn)) },
	})
}

// TestScripts runs the command line as a user does. The scripts find the example topologies under $EXAMPLES, and
// exitcode N checks the last command's exit code.
func TestScripts(t *testing.T) {
	effort.SkipShort(t, "each command is a process that does one thing: run without -short")
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *rewrite,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("CAPTURES", filepath.Join(filepath.Dir(examples), "internal", "observed", "testdata"))
			e.Setenv("HWSKU", filepath.Join(filepath.Dir(examples), "internal", "hwsku", "testdata"))
			e.Setenv("READERS", filepath.Join(filepath.Dir(examples), "nos"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
			// The scripts look for sentences, which a narrow screen folds: screen.txtar has its own width.
			e.Setenv("COLUMNS", "1000")
			return nil
		},
		Condition: condition,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// condition tells whether a script's condition holds. jinja2: python3 has it.
func condition(name string) (bool, error) {
	if name != "jinja2" {
		return false, fmt.Errorf("condition %q: want jinja2", name)
	}
	r, err := devicetree.StartRenderer(context.Background())
	if err == nil {
		r.Close()
	}
	return err == nil, nil
}

// exits runs a command and requires its exit code: exits 3 cellwarden plan x.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG ...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = exitCodeOf(err)
	}
	if code != args[0] {
		ts.Fatalf("%v exits %s, not %s", args[1:], code, args[0])
	}
}
