package devicetree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/treetest"
)

// What all device files give. The counts of the measured revision were found by another program too, with Jinja and
// without the sandbox.
func TestRenderWholeTree(t *testing.T) {
	tree := treetest.Open(t)
	r, err := devicetree.StartRenderer(t.Context())
	require.NoError(t, err)
	defer r.Close()
	counts, templates, last := map[string]int{}, 0, ""
	for c, err := range r.Configurations(tree.Tree, tree.Folders, nil) {
		require.NoError(t, err)
		if c.Folder.Path != last {
			last = c.Folder.Path
			templates += len(c.Folder.Templates)
		}
		if c.Dynamic && c.Folder.Has(devicetree.Buffers) { // its other documents were in the one before
			c.Documents = c.Documents[:1]
		}
		for i := range c.Documents {
			counts["all"]++
			counts[why(c.Documents[i].Err)]++
		}
	}
	if !tree.Measured {
		t.Logf("another revision than %s: %d folders, %v", treetest.Revision, len(tree.Folders), counts)
		require.Greater(t, counts[""], counts["all"]*9/10)
		return
	}
	require.Len(t, tree.Folders, 513)
	require.Equal(t, 1011, templates)
	require.Equal(t, map[string]int{"all": 4641, "": 4563, "type": 20, "missing": 35, "not-json": 23}, counts)
}

// why puts the errors of today's templates into few kinds.
func why(e *devicetree.Error) string {
	switch {
	case e == nil:
		return ""
	case strings.Contains(e.Message, "has no attribute 'type'"):
		return "type"
	case e.Kind == devicetree.Missing, strings.Contains(e.Message, "'defs' is undefined"):
		return "missing"
	}
	return string(e.Kind)
}
