package library

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// python returns a Python that has these modules.
func python(t testing.TB, modules ...string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return name
		}
	}
	t.Skip("install python3 with " + strings.Join(modules, " and "))
	return ""
}

// wheel builds the wheel, installs it into a folder, and returns the environment of a program that uses it.
func wheel(t testing.TB, python string) []string {
	t.Helper()
	lib := filepath.Join(built(t), "lib", "libcellwarden.so")
	script := filepath.Join("..", "..", "python", "wheel.py")
	var wheels [2][]byte
	var path string
	for i := range wheels {
		path = run(t, "", nil, python, script, lib, "1.2.3", t.TempDir())[0]
		var err error
		wheels[i], err = os.ReadFile(path)
		require.NoError(t, err)
	}
	require.Equal(t, wheels[0], wheels[1], "two wheels of the same files are equal")
	folder := t.TempDir()
	if exec.Command(python, "-m", "pip", "--version").Run() == nil {
		run(t, "", nil, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile",
			"--root-user-action=ignore", "--target", folder, path)
	} else {
		run(t, "", nil, python, "-m", "zipfile", "-e", path, folder) // a wheel is an archive of its package
	}
	cellwarden := effort.Command(t, filepath.Join("..", ".."), "./cmd/cellwarden")
	return []string{"PYTHONPATH=" + folder, "CELLWARDEN=" + cellwarden, "PYTHONDONTWRITEBYTECODE=1", "CELLWARDEN_LIBRARY="}
}

// Python sees with single calls and with numpy arrays what the simulator sees, has the documents of the command and of
// the library, and an error of its own for each thing that can go wrong.
func TestPython(t *testing.T) {
	python := python(t, "numpy")
	env := wheel(t, python)
	path := example(t, "arista-7060cx-32s.yaml")
	r := simulate(t, path, 300*unit.Microsecond)
	got := run(t, r.input(0), env, python, filepath.Join("testdata", "use.py"), path, "Ethernet1/1")
	n := len(r.answers)
	require.Greater(t, len(got), 2*n)
	r.same(t, "Python", got[:n])
	r.same(t, "numpy", got[n:2*n])

	seen := map[string]string{}
	for _, line := range got[2*n:] {
		rest, ok := strings.CutPrefix(line, "=== ")
		require.True(t, ok, line)
		at := strings.IndexAny(rest, "[{\"")
		seen[strings.TrimSpace(rest[:at])] = rest[at:]
	}
	require.JSONEq(t, `[1, [1, -5, 0]]`, seen["wrong operation"])
	require.JSONEq(t, `{"range": "OutOfRange", "not held": "NotHeld", "closed": "Closed", "name": "OutOfRange",
		"changes": "QuestionRefused", "none": "QuestionRefused", "both": "QuestionRefused", "dtype": "QuestionRefused",
		"steps": "QuestionRefused", "readonly": "QuestionRefused", "plan": "QuestionRefused", "flag": "QuestionRefused"}`,
		seen["errors"])
	require.JSONEq(t, `[0, 0]`, seen["empty"])
	require.JSONEq(t, `["Forked", "Forked"]`, seen["forked"])
	require.JSONEq(t, `[false, "DoesNotFit"]`, seen["refused"])
	require.JSONEq(t, `"CommandMissing"`, seen["no command"])

	cellwarden := effort.Command(t, filepath.Join("..", ".."), "./cmd/cellwarden")
	require.JSONEq(t, strings.Join(run(t, "", nil, cellwarden, "plan", "-o", "json", path), "\n"), seen["plan"])
	require.JSONEq(t, explainedBy(t, cellwarden, path, "Ethernet1/1"), seen["explain"])
	require.JSONEq(t, planned(t, path), seen["mmu plan"])
}

// explainedBy is the command's document of a port's headroom.
func explainedBy(t *testing.T, cellwarden, path, port string) string {
	t.Helper()
	return strings.Join(run(t, "", nil, cellwarden, "explain", "-o", "json", path, port, "headroom"), "\n")
}

// planned is the document of a topology's plan.
func planned(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	in, err := topology.Parse(path, text, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	document, err := json.Marshal(report.Plan(plan))
	require.NoError(t, err)
	return string(document)
}

// A C program has the documents byte by byte: of a plan, of a refusal, and of an explanation. It is the program of
// docs/c.md.
func TestDocumentsInC(t *testing.T) {
	ask := compiled(t, "ask.c")
	for name, code := range map[string]int{"arista-7060cx-32s.yaml": 0, "nh-4210.yaml": 3} {
		path := example(t, name)
		question, err := json.Marshal(map[string]string{"path": path})
		require.NoError(t, err)
		c := exec.CommandContext(t.Context(), ask, "plan")
		c.Stdin = strings.NewReader(string(question))
		out, _ := c.Output()
		require.Equal(t, code, c.ProcessState.ExitCode(), name)
		require.Equal(t, planned(t, path)+"\n", string(out))
	}
	path := example(t, "leaf-400g.yaml")
	question := func(port string) string {
		q, err := json.Marshal(map[string]any{"path": path, "port": port, "items": []string{"headroom"}})
		require.NoError(t, err)
		return string(q)
	}
	explained := run(t, question("Ethernet1"), nil, ask, "explain")[0]
	cellwarden := effort.Command(t, filepath.Join("..", ".."), "./cmd/cellwarden")
	require.JSONEq(t, explainedBy(t, cellwarden, path, "Ethernet1"), explained)

	c := exec.CommandContext(t.Context(), ask, "explain")
	c.Stdin = strings.NewReader(question("Ethernet9999"))
	out, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the question is refused\nport: ")

	program, err := os.ReadFile(filepath.Join("testdata", "ask.c"))
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "c.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), "```c\n"+string(program)+"```\n", "docs/c.md shows testdata/ask.c")
}

// The notebook runs as it is kept, without outputs, and has every chip of the catalogue: a curve that grows with the
// cable, or a reason why there is none.
func TestNotebook(t *testing.T) {
	python := python(t, "matplotlib")
	cellwarden := effort.Command(t, filepath.Join("..", ".."), "./cmd/cellwarden")
	env := []string{"CELLWARDEN=" + cellwarden, "PYTHONPATH=" + filepath.Join("..", "..", "python"),
		"PYTHONDONTWRITEBYTECODE=1"}
	var seen struct {
		Clean, Grows          bool
		Chips, Drawn, Missing []string
		Lines                 []int
	}
	out := run(t, "", env, python, filepath.Join("testdata", "notebook.py"),
		filepath.Join("..", "..", "python", "headroom.ipynb"))
	require.NoError(t, json.Unmarshal([]byte(out[0]), &seen))
	require.True(t, seen.Clean, "outputs are in the notebook: clear them")
	require.True(t, seen.Grows)
	require.ElementsMatch(t, seen.Chips, append(seen.Drawn, seen.Missing...))
	require.Greater(t, len(seen.Drawn), 30)
	for _, lines := range seen.Lines {
		require.Greater(t, lines, 5)
	}
}

// What docs/python.md shows runs.
func TestPythonPage(t *testing.T) {
	python := python(t, "numpy")
	env := wheel(t, python)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "python.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 3)
	folder := filepath.Dir(example(t, "leaf-400g.yaml"))
	require.NoError(t, os.Rename(filepath.Join(folder, "leaf-400g.yaml"), filepath.Join(folder, "leaf.yaml")))
	program := "import os, numpy\nos.chdir(" + strconv.Quote(folder) + ")\n" +
		strings.Replace(blocks[0][1], "\"Ethernet0\"", "\"Ethernet1\"", 1) + blocks[1][1] +
		"mmu = cellwarden.MMU('leaf.yaml')\nsenders = numpy.arange(100_000) % mmu.ports\nreceivers, sizes = 0, 4096\n" +
		blocks[2][1] + "print(len(signals) > 0, len(dropped) > 0, plan['fits'], longer['fits'])\n"
	out := run(t, "", env, python, "-c", program)
	require.Equal(t, "True True True", strings.Join(strings.Fields(out[len(out)-1])[:3], " "), out)
}
