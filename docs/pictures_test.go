package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/topology"
)

// TestPictureOfReport draws the pictures of the page that `cellwarden report` writes for a switch with three lengths of
// cable.
func TestPictureOfReport(t *testing.T) {
	file := filepath.Join("..", "examples", "tomahawk4-three-lengths.yaml")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	in, err := topology.Parse(file, data, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.Len(t, plan.Refusals, 6, "as README.md says")
	r := page.Report{Intent: in, Plan: plan, WhatIf: true}
	keep(t, "pictures/report.svg", r.Overview().File())
}

// cellwarden runs the command in the root of the repository and returns what it prints.
func cellwarden(t *testing.T, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"run", "./cmd/cellwarden"}, args...)...)
	c.Dir, c.Stderr = "..", os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	return out
}
