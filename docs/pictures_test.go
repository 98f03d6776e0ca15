package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/topology"
)

// The pictures that cellwarden draws itself. Those that need a plot library are drawn in interop/pictures.

// TestPictureOfReport draws the pictures of the page that `cellwarden plan -o html` writes for a switch with three
// lengths of cable.
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

// TestPictureOfCredits checks that the picture of links.md is what the command draws.
func TestPictureOfCredits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credits.svg")
	cellwarden(t, "headroom", "--compare", "--with", "cbfc", "--frame", "4096B", "--lossless-mtu", "4096B", "--plot", file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	keep(t, "pictures/credits.svg", string(data))
}
