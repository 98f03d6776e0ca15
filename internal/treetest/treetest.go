// Package treetest opens a checkout of sonic-buildimage for tests over all of its device files. The environment
// variable SONIC_BUILDIMAGE names it; without it such a test is skipped.
package treetest

import (
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"
)

// Variable names a checkout of sonic-buildimage, with device, files/build_templates and src/sonic-config-engine, or a
// folder in it.
const Variable = "SONIC_BUILDIMAGE"

// Revision begins the commit whose counts the tests know.
const Revision = "086b03bd"

// Tree is a checkout.
type Tree struct {
	*devicetree.Tree
	Folders []devicetree.Folder
	// Measured says that the checkout is of Revision. The counts of another one are not known.
	Measured bool
}

// Root returns the folder of the checkout, and skips the test without one.
func Root(t *testing.T) string {
	t.Helper()
	root := os.Getenv(Variable)
	if root == "" {
		t.Skip("set " + Variable + " to a checkout of github.com/sonic-net/sonic-buildimage: device, " +
			"files/build_templates and src/sonic-config-engine")
	}
	return root
}

// Open opens the checkout until the test ends, and skips the test without one.
func Open(t *testing.T) Tree {
	t.Helper()
	root := Root(t)
	tree, below, err := devicetree.Open(root)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	folders, outside, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	require.Empty(t, outside)
	head, _ := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "HEAD").Output()
	return Tree{tree, folders, IsMeasured(string(head))}
}

// Audit audits the folders in parts, each by an interpreter of its own: the time of one is bounded, and a machine can be
// busy.
func (t Tree) Audit(test *testing.T, o devicetree.Options) iter.Seq2[*devicetree.Result, error] {
	return func(yield func(*devicetree.Result, error) bool) {
		for part := range slices.Chunk(t.Folders, 20) {
			for f, err := range devicetree.Audit(test.Context(), t.Tree, part, o) {
				if !yield(f, err) {
					return
				}
			}
		}
	}
}

// IsMeasured tells whether a commit is that of Revision.
func IsMeasured(commit string) bool { return strings.HasPrefix(commit, Revision) }
