package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// This file runs what docs/scale.md prints: the same bytes as one run, whatever splits the work.

// block returns the first block of a language in the document that has a text in it.
func block(t *testing.T, language, has string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "scale.md"))
	require.NoError(t, err)
	for _, part := range strings.Split(string(text), "```"+language+"\n")[1:] {
		if body, _, _ := strings.Cut(part, "```"); strings.Contains(body, has) {
			return body
		}
	}
	t.Fatalf("docs/scale.md has no %s with %s", language, has)
	return ""
}

// someFleet makes a folder with topologies of which some do not fit and one is none, and returns it with what one run
// answers.
func someFleet(t *testing.T) (dir, answers string) {
	t.Helper()
	dir = t.TempDir()
	lines := strings.SplitAfter(fleetLines(40), "\n")
	lines[7] = strings.Replace(lines[7], `"57m"`, `"40km"`, 1)
	lines[11] = "{}\n"
	text := strings.Join(lines, "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "switches.jsonl"), []byte(text), 0o666))
	var out, bad bytes.Buffer
	code := run(t.Context(), []string{"plan", "--lines", "-"}, strings.NewReader(text), &out, &bad)
	require.Equal(t, cli.ExitNoFit, code, "%s", bad.String())
	require.Equal(t, "40 topologies: 38 fit, 1 does not, 1 cannot be planned\n", strings.Replace(bad.String(), "1 do not",
		"1 does not", 1))
	return dir, out.String()
}

// shell runs a script in a folder. The command that TestMain makes is on the path.
func shell(t *testing.T, dir, script string, env ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, "sh", "-c", script)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", script, out)
}

// answered compares answers.jsonl with the answers of one run.
func answered(t *testing.T, dir, want string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "answers.jsonl"))
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func needsShell(t *testing.T) {
	t.Helper()
	effort.SkipShort(t, "runs the command in processes of its own: run without -short")
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
}

func TestScaleByGNUParallel(t *testing.T) {
	needsShell(t)
	if version, err := exec.Command("parallel", "--version").Output(); err != nil ||
		!bytes.HasPrefix(version, []byte("GNU parallel")) {
		t.Skip("no GNU parallel: install it to run this test")
	}
	dir, want := someFleet(t)
	shell(t, dir, block(t, "sh", "parallel"))
	answered(t, dir, want)
}

func TestScaleBySlurm(t *testing.T) {
	needsShell(t)
	script := block(t, "sh", "#SBATCH")
	require.Contains(t, script, "#SBATCH --array=0-7\n")
	require.True(t, strings.HasPrefix(script, "#!/bin/sh\n"))
	dir, want := someFleet(t)
	for i := range 8 {
		shell(t, dir, script, fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", i))
	}
	shell(t, dir, "cellwarden sweep --merge part-*.jsonl > answers.jsonl")
	answered(t, dir, want)
	require.NoError(t, os.Remove(filepath.Join(dir, "switches.jsonl")))
	c := exec.Command("sh", "-c", script)
	c.Dir, c.Env = dir, append(os.Environ(), "SLURM_ARRAY_TASK_ID=0")
	require.Error(t, c.Run(), "a file that is not there is no answer")
}

// The manifest is read with the keys of batch/v1 that it may have, and its command runs with the folder of the test in
// place of the volume.
func TestScaleByKubernetes(t *testing.T) {
	needsShell(t)
	r := document.New("docs/scale.md")
	root := r.Parse([]byte(block(t, "yaml", "kind: Job")))
	require.NotNil(t, root, "%v", r.Err())
	job := root.Fields("apiVersion", "kind", "metadata", "spec")
	require.Equal(t, "batch/v1", job["apiVersion"].Text())
	require.Equal(t, "Job", job["kind"].Text())
	require.NotEmpty(t, job["metadata"].Fields("name")["name"].Text())
	spec := job["spec"].Fields("completionMode", "completions", "parallelism", "template")
	require.Equal(t, "Indexed", spec["completionMode"].Text())
	n := spec["completions"].Integer(1, 1000)
	require.Equal(t, n, spec["parallelism"].Integer(1, 1000))
	pod := spec["template"].Fields("spec")["spec"].Fields("restartPolicy", "containers", "volumes")
	require.Equal(t, "Never", pod["restartPolicy"].Text())
	require.Len(t, pod["containers"].Items(), 1)
	container := pod["containers"].Items()[0].Fields("name", "image", "command", "volumeMounts")
	mount := container["volumeMounts"].Items()[0].Fields("name", "mountPath")
	volume := pod["volumes"].Items()[0].Fields("name", "persistentVolumeClaim")
	require.Equal(t, volume["name"].Text(), mount["name"].Text())
	require.NotEmpty(t, volume["persistentVolumeClaim"].Fields("claimName")["claimName"].Text())
	require.NoError(t, r.Err())

	command := container["command"].Items()
	require.Len(t, command, 3)
	require.Equal(t, []string{"/bin/sh", "-c"}, []string{command[0].Text(), command[1].Text()})
	require.Contains(t, command[2].Text(), fmt.Sprintf(`"$JOB_COMPLETION_INDEX/%d"`, n))
	dir, want := someFleet(t)
	script := strings.ReplaceAll(command[2].Text(), mount["mountPath"].Text()+"/", dir+"/")
	for i := range n {
		shell(t, dir, script, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i))
	}
	shell(t, dir, "cellwarden sweep --merge part-*.jsonl > answers.jsonl")
	answered(t, dir, want)
}
