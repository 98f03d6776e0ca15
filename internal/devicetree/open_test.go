package devicetree_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/treetest"
)

// openIssue is a mistake that is still in the tree at treetest.Revision, as an issue for its maintainers. The page
// docs/sonic-findings.md is made of them.
type openIssue struct {
	Title  string
	Code   finding.Code
	Folder string // that is audited
	Says   string // a part of the finding
	Places []struct{ At, Value string }

	Consequence, Repair, Checked string
}

// Each issue has its values on its lines, and an audit of its folder finds it.
func TestOpenIssues(t *testing.T) {
	tree := treetest.Open(t)
	if !tree.Measured {
		t.Skip("the issues are those of " + treetest.Revision)
	}
	data, err := os.ReadFile("testdata/open.json")
	require.NoError(t, err)
	var issues []openIssue
	require.NoError(t, json.Unmarshal(data, &issues))
	r, err := devicetree.StartRenderer(t.Context())
	require.NoError(t, err)
	defer func() { r.Close() }()
	for _, issue := range issues {
		require.NotEmpty(t, issue.Places)
		for _, p := range issue.Places {
			name, line, _ := strings.Cut(p.At, ":")
			n, err := strconv.Atoi(line)
			require.NoError(t, err)
			text, err := os.ReadFile(filepath.Join(tree.Path, filepath.FromSlash(name)))
			require.NoError(t, err)
			require.Equal(t, p.Value, strings.Join(strings.Fields(strings.Split(string(text), "\n")[n-1]), " "), p.At)
		}
		i := slices.IndexFunc(tree.Folders, func(f devicetree.Folder) bool { return f.Path == issue.Folder })
		require.NotEqual(t, -1, i, issue.Folder)
		for found, err := range devicetree.Audit(t.Context(), tree.Tree, tree.Folders[i:i+1],
			devicetree.Options{Renderer: r}) {
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(found.Findings, func(f finding.Finding) bool {
				return f.Code == issue.Code && f.Severity != finding.Note &&
					strings.Contains(f.Object+" "+f.Message, issue.Says)
			}), "%s: %s", issue.Folder, issue.Code)
		}
	}
}
