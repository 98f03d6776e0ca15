package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// repository is one of a pull request: its first commit has a switch in order, its work tree one whose pool is larger
// than the chip.
func repository(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	git := func(args ...string) {
		c := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		text, err := c.CombinedOutput()
		require.NoError(t, err, string(text))
	}
	write := func(size string) {
		config := `{"DEVICE_METADATA": {"localhost": {"hwsku": "A", "platform": "x86_64-arista_7060_cx32s"}},
			"BUFFER_POOL": {"ingress_lossless_pool": {"size": "` + size + `", "type": "ingress", "mode": "dynamic"}}}`
		require.NoError(t, os.WriteFile(filepath.Join(root, "config_db.json"), []byte(config), 0o600))
	}
	write("10875072")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "a pool")
	write("33329088")
	return root
}

// step is one of action.yml.
type step struct {
	Name, ID, If, Uses, Run, Shell string
	With, Env                      map[string]string
}

// TestAction runs the steps of action.yml as a runner does, but for those of other actions and the build.
func TestAction(t *testing.T) {
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("install " + tool)
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "action.yml"))
	require.NoError(t, err)
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Using string
			Steps []step
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &action))
	require.Equal(t, "composite", action.Runs.Using)

	root, runner := repository(t), t.TempDir()
	in := func(name string) string { return filepath.Join(runner, name) }
	read := func(name string) string {
		text, err := os.ReadFile(in(name))
		require.NoError(t, err)
		return string(text)
	}
	command, err := exec.LookPath("cellwarden")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(in("cellwarden-bin"), 0o755))
	require.NoError(t, os.Symlink(command, in("cellwarden-bin/cellwarden")))
	gh := "#!/bin/sh\nfor last; do :; done\n{ echo \"$GH_TOKEN $*\"; cat \"$last\"; } >" + in("gh") + "\n"
	require.NoError(t, os.WriteFile(in("cellwarden-bin/gh"), []byte(gh), 0o700))

	// run runs the job with these inputs and returns the exit code of its first step that fails.
	run := func(inputs map[string]string) int {
		values := map[string]string{
			"github.event.pull_request.base.sha": "HEAD", "github.event.pull_request.number": "7", "github.token": "secret",
		}
		expand := func(s string) string {
			for name, value := range values {
				s = strings.ReplaceAll(s, "${{ "+name+" }}", value)
			}
			require.NotContains(t, s, "${{")
			return s
		}
		for name, input := range action.Inputs {
			value, given := inputs[name]
			if !given {
				value = expand(input.Default)
			}
			values["inputs."+name] = value
		}
		failed := 0
		for _, s := range action.Runs.Steps {
			switch {
			case s.Uses != "" || s.Name == "build" || failed != 0:
				continue
			case strings.HasPrefix(s.If, "inputs.") && values[strings.Fields(s.If)[0]] != "true":
				continue
			}
			require.NotContains(t, s.Run, "${{", "an input is no part of a script: it could be one itself")
			c := exec.CommandContext(t.Context(), s.Shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
			c.Dir = root
			c.Env = append(os.Environ(), "RUNNER_TEMP="+runner, "GITHUB_OUTPUT="+in("output"), "GITHUB_REPOSITORY=a/b",
				"GITHUB_STEP_SUMMARY="+in("summary"), "PATH="+in("cellwarden-bin")+":"+os.Getenv("PATH"))
			for name, value := range s.Env {
				c.Env = append(c.Env, name+"="+expand(value))
			}
			out, err := c.CombinedOutput()
			if err != nil {
				t.Log(string(out))
				failed = c.ProcessState.ExitCode()
			}
			if output, err := os.ReadFile(in("output")); err == nil && s.ID != "" {
				for line := range strings.Lines(string(output)) {
					name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
					values["steps."+s.ID+".outputs."+name] = value
				}
			}
		}
		return failed
	}

	// The pull request brings in a pool that is larger than the chip: a finding on its line, and the cells that are left.
	require.Equal(t, cli.ExitLint, run(map[string]string{"slack": "608", "comment": "true"}))
	require.Contains(t, read("cellwarden.sarif"), `"ruleId": "pool-over-chip"`)
	require.Contains(t, read("cellwarden.sarif"), `"startLine": 2`)
	require.Contains(t, read("summary"), "FINDINGS: 1 error (1 certain)")
	require.Contains(t, read("summary"), "if the SDK takes 608 more cells")
	require.True(t, strings.HasPrefix(read("gh"), "secret pr comment 7 --repo a/b "), read("gh"))
	require.Contains(t, read("gh"), read("cellwarden.md"))

	// What fails the job is said by fail-on and a baseline; what cannot be audited is no success.
	require.Zero(t, run(map[string]string{"fail-on": "never"}))
	require.Equal(t, cli.ExitUsage, run(map[string]string{"since": "nonsense"}))
	require.Equal(t, cli.ExitUsage, run(map[string]string{"path": "absent; exit 0"}))
	require.Equal(t, cli.ExitUsage, run(map[string]string{"fail-on": `"; exit 0; "`}))
	t.Chdir(root)
	code, _, bad := cellwarden(t, "audit", ".", "--fail-on", "never", "--write-baseline", in("accepted"))
	require.Zero(t, code, bad)
	require.Zero(t, run(map[string]string{"since": "", "baseline": in("accepted")}))
}

// TestPreCommitHook runs the hook as pre-commit does.
func TestPreCommitHook(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("install git")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	var hooks []struct {
		Entry string
		Args  []string
	}
	require.NoError(t, yaml.Unmarshal(text, &hooks))
	require.Len(t, hooks, 1)
	words := append(strings.Fields(hooks[0].Entry), hooks[0].Args...)
	t.Chdir(repository(t))
	code, out, bad := cellwarden(t, words[1:]...)
	require.Equal(t, cli.ExitLint, code, bad)
	require.Contains(t, out, "pool-over-chip")
	require.NoError(t, exec.Command("git", "checkout", "--quiet", ".").Run())
	code, out, bad = cellwarden(t, words[1:]...)
	require.Zero(t, code, bad)
	require.Contains(t, out, "NOTHING FOUND")
}
