package render_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit/hwsku"
	"github.com/cellwarden/cellwarden/audit/render"
)

// buildimage names a checkout of sonic-buildimage: device, files/build_templates and src/sonic-config-engine.
const buildimage = "SONIC_BUILDIMAGE"

// measured is the revision whose counts are known.
const measured = "086b03bd"

// What all device files give. The counts of the measured revision were found by another program too, with Jinja and
// without the sandbox.
func TestWholeTree(t *testing.T) {
	root := os.Getenv(buildimage)
	if root == "" {
		t.Skip("set " + buildimage + " to a checkout of github.com/sonic-net/sonic-buildimage")
	}
	tree, below, err := hwsku.Open(root)
	require.NoError(t, err)
	defer tree.Close()
	folders, outside, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	require.Empty(t, outside)
	r, err := render.Start(t.Context())
	require.NoError(t, err)
	defer r.Close()
	counts, templates, last := map[string]int{}, 0, ""
	for c, err := range r.Configurations(tree, folders) {
		require.NoError(t, err)
		if c.Folder.Path != last {
			last = c.Folder.Path
			templates += len(c.Folder.Templates)
		}
		if c.Dynamic && c.Folder.Has(hwsku.Buffers) { // its other documents were in the one before
			c.Documents = c.Documents[:1]
		}
		for i := range c.Documents {
			counts["all"]++
			counts[why(c.Documents[i].Err)]++
		}
	}
	head, _ := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "HEAD").Output()
	if !strings.HasPrefix(string(head), measured) {
		t.Logf("another revision than %s: %d folders, %v", measured, len(folders), counts)
		require.Greater(t, counts[""], counts["all"]*9/10)
		return
	}
	require.Len(t, folders, 513)
	require.Equal(t, 1011, templates)
	require.Equal(t, map[string]int{"all": 4641, "": 4563, "type": 20, "missing": 35, "not-json": 23}, counts)
}

// why puts the errors of today's templates into few kinds.
func why(e *render.Error) string {
	switch {
	case e == nil:
		return ""
	case strings.Contains(e.Message, "has no attribute 'type'"):
		return "type"
	case e.Kind == render.Missing, strings.Contains(e.Message, "'defs' is undefined"):
		return "missing"
	}
	return string(e.Kind)
}
