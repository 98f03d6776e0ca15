package render_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit/hwsku"
	"github.com/cellwarden/cellwarden/audit/render"
)

// buildimage names a checkout of sonic-buildimage, with device and files/build_templates at least.
const buildimage = "SONIC_BUILDIMAGE"

// All device files of a checkout render, but for those that are known not to.
func TestWholeTree(t *testing.T) {
	at := os.Getenv(buildimage)
	if at == "" {
		t.Skip("set " + buildimage + " to a checkout of github.com/sonic-net/sonic-buildimage")
	}
	start := time.Now()
	tree, below, err := hwsku.Open(at)
	require.NoError(t, err)
	folders, _, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	t.Log(len(folders), time.Since(start))
	r, err := render.Start(t.Context())
	require.NoError(t, err)
	defer r.Close()
	counts := map[render.Kind]int{}
	plain, neigh := 0, 0
	seen := map[string]bool{}
	n := 0
	for c, err := range r.Configurations(tree, folders) {
		require.NoError(t, err)
		if c.PortsErr != nil && !seen[c.Folder.Path] {
			t.Log(c.PortsErr)
		}
		seen[c.Folder.Path] = true
		if c.Dynamic {
			c.Documents = c.Documents[:1]
		}
		for _, d := range c.Documents {
			n++
			if d.Err == nil {
				counts[""]++
			} else {
				counts[d.Err.Kind]++
				t.Log(c.Folder, c.Variant, d.Err.Kind, d.Err)
			}
			if c.Variant.Neighbours {
				neigh++
			} else {
				plain++
			}
		}
	}
	t.Log(n, plain, neigh, counts, time.Since(start))
}
