package devicetree_test

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"

	"github.com/cellwarden/cellwarden/internal/revision"
)

var rewrite = flag.Bool("rewrite", false, "write the numbers of testdata/tree.json")

// wholeTree is what the audit of a whole tree gave.
type wholeTree struct {
	Commit         string     `json:"commit"`
	Folders        int        `json:"folders"`
	Configurations int        `json:"configurations"`
	Codes          []treeCode `json:"codes"`
}

// treeCode counts the findings of a code. Certain are the errors and warnings that are certain.
type treeCode struct {
	Code      finding.Code `json:"code"`
	Errors    int          `json:"errors"`
	Warnings  int          `json:"warnings"`
	Notes     int          `json:"notes"`
	Certain   int          `json:"certain"`
	Folders   int          `json:"folders"`
	Judgement []string     `json:"judgement"` // of people who looked at them; the lines of a sentence
}

// TestAuditWholeTree audits all of sonic-buildimage's device files at one commit, and compares the number of findings
// of each code with those that docs/audit.md shows. It takes about a minute of processor time.
func TestAuditWholeTree(t *testing.T) {
	if os.Getenv(history) == "" {
		t.Skip(history + " names no clone of sonic-buildimage with its history")
	}
	data, err := os.ReadFile("testdata/tree.json")
	require.NoError(t, err)
	var want wholeTree
	require.NoError(t, json.Unmarshal(data, &want))
	got, found := auditTree(t, want.Commit)
	for i := range got.Codes {
		if j := slices.IndexFunc(want.Codes, func(c treeCode) bool { return c.Code == got.Codes[i].Code }); j >= 0 {
			got.Codes[i].Judgement = want.Codes[j].Judgement
		}
	}
	if *rewrite {
		text, err := json.MarshalIndent(got, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("testdata/tree.json", append(text, '\n'), 0o600))
	} else {
		require.Equal(t, want, got)
	}
	comeOut(t, found)
	areJudged(t, found)
}

// auditTree audits all folders of a revision.
func auditTree(t *testing.T, rev string) (out wholeTree, found []finding.Finding) {
	t.Helper()
	ctx := t.Context()
	whole, err := revision.Open(ctx, temporary, os.Getenv(history), rev)
	if errors.Is(err, revision.ErrNoRevision) {
		t.Skip(err)
	}
	require.NoError(t, err)
	defer whole.Close()
	tree, below, err := devicetree.Open(whole.Path)
	require.NoError(t, err)
	defer tree.Close()
	folders, _, err := tree.Folders(ctx, below)
	require.NoError(t, err)
	out = wholeTree{Commit: rev, Folders: len(folders)}
	for r, err := range devicetree.Audit(ctx, tree, folders, devicetree.Options{}) {
		if errors.Is(err, devicetree.ErrNoPython) {
			t.Skip(err)
		}
		require.NoError(t, err)
		require.Zero(t, r.Rest)
		out.Configurations += len(r.Configurations)
		found = append(found, r.Findings...)
	}
	out.Codes = counted(found)
	return out, found
}

// counted counts findings by code, in the order of the registry.
func counted(found []finding.Finding) (out []treeCode) {
	for _, m := range audit.Codes().All() {
		c, folders := treeCode{Code: m.Code}, map[string]bool{}
		for _, f := range found {
			if f.Code != m.Code {
				continue
			}
			switch f.Severity {
			case finding.Error:
				c.Errors++
			case finding.Warning:
				c.Warnings++
			default:
				c.Notes++
			}
			if f.Certain && f.Severity != finding.Note {
				c.Certain++
			}
			at := f.Folder
			if at == "" { // a headroom table, that several folders may have
				at = f.File
			}
			folders[at] = true
		}
		if c.Folders = len(slices.Collect(maps.Keys(folders))); c.Folders > 0 {
			out = append(out, c)
		}
	}
	return out
}

// comeOut requires the findings that are known of public discussions.
func comeOut(t *testing.T, found []finding.Finding) {
	t.Helper()
	for code, folder := range map[finding.Code]string{"pool-over-chip": "Juniper-QFX5200-32C-S",
		"pool-plus-xoff-over-chip": "NH-4210-F-O256"} {
		require.True(t, slices.ContainsFunc(found, func(f finding.Finding) bool {
			return f.Code == code && f.Severity != finding.Note && strings.HasSuffix(f.Folder, "/"+folder)
		}), "%s of %s", code, folder)
	}
}
