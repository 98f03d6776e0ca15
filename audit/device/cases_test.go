package device_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/device"
	"github.com/cellwarden/cellwarden/audit/hwsku"
	"github.com/cellwarden/cellwarden/audit/render"
	"github.com/cellwarden/cellwarden/audit/revision"
)

// history names a clone of sonic-buildimage with its history.
const history = "SONIC_BUILDIMAGE"

// cases are mistakes that were made and mended in public, and changes that mended nothing that an audit can see.
type cases struct {
	Mended []mended
	Silent []silent
}

// silent is a change that changes no finding but for what it brings in.
type silent struct {
	Commit, Path string
	BringsIn     []audit.Code `json:"brings_in"`
}

// mended is a mistake that is found in the parent, and not in the commit.
type mended struct {
	Commit, Parent, Path string
	Code                 audit.Code
	Found                []expected
	Left                 []expected // that the change left
}

// expected is a part of a finding.
type expected struct {
	Topology, Object string
	Words            []string
	Bytes            []int64
	Queue            *int
}

// in tells whether one of the findings is the expected one.
func (e *expected) in(found []audit.Finding, code audit.Code) bool {
	return slices.ContainsFunc(found, func(f audit.Finding) bool {
		text := f.Object + " " + f.Message + " " + f.Numbers()
		switch {
		case f.Code != code, e.Topology != "" && f.Topology != e.Topology, e.Object != "" && f.Object != e.Object:
			return false
		case e.Queue != nil && !slices.Contains(strings.Split(strings.TrimPrefix(f.Object, "queue "), ", "),
			strconv.Itoa(*e.Queue)):
			return false
		}
		for _, w := range e.Words {
			if !strings.Contains(text, w) {
				return false
			}
		}
		numbers := regexp.MustCompile(`[0-9]+`).FindAllString(text, -1)
		for _, n := range e.Bytes { // a product of a float may be one byte less
			if !slices.Contains(numbers, fmt.Sprint(n)) && !slices.Contains(numbers, fmt.Sprint(n+1)) {
				return false
			}
		}
		return true
	})
}

// revisions keeps the last revisions as folders.
type revisions struct {
	names []string
	trees []*revision.Tree
}

// close removes all but the last folders.
func (r *revisions) close(t *testing.T, keep int) {
	for len(r.trees) > keep {
		require.NoError(t, r.trees[0].Close())
		r.names, r.trees = r.names[1:], r.trees[1:]
	}
}

// at returns the folder of a revision.
func (r *revisions) at(t *testing.T, rev string) *revision.Tree {
	if i := slices.Index(r.names, rev); i >= 0 {
		return r.trees[i]
	}
	r.close(t, 3)
	tree, err := revision.Open(t.Context(), os.Getenv(history), rev)
	require.NoError(t, err)
	r.names, r.trees = append(r.names, rev), append(r.trees, tree)
	return tree
}

// audited audits a folder of a revision, and renders nothing else.
func (r *revisions) audited(t *testing.T, rev, path string) []audit.Finding {
	t.Helper()
	ctx := t.Context()
	tree, below, err := hwsku.Open(r.at(t, rev).Path + "/" + path)
	require.NoError(t, err)
	defer tree.Close()
	folders, _, err := tree.Folders(ctx, below)
	require.NoError(t, err)
	folders = slices.DeleteFunc(folders, func(f hwsku.Folder) bool { return f.Path != path })
	for r, err := range device.Audit(ctx, tree, folders, device.Options{}) {
		if errors.Is(err, render.ErrNoPython) {
			t.Skip(err)
		}
		require.NoError(t, err)
		return r.Findings
	}
	return nil
}

// TestFindsWhatWasMended audits the parent and the commit of changes that mended a mistake: the finding is there
// before, and gone after. Changes that mended nothing visible change no finding but for what they bring in.
func TestFindsWhatWasMended(t *testing.T) {
	if os.Getenv(history) == "" {
		t.Skip(history + " names no clone of sonic-buildimage with its history")
	}
	data, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var all cases
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all.Mended, 96)
	require.Len(t, all.Silent, 36)
	slices.SortStableFunc(all.Mended, func(a, b mended) int { return strings.Compare(a.Commit, b.Commit) })
	trees := &revisions{}
	t.Cleanup(func() { trees.close(t, 0) })
	for _, c := range all.Mended {
		t.Run(fmt.Sprintf("%.8s/%s/%s", c.Commit, c.Code, path.Base(c.Path)), func(t *testing.T) { c.test(t, trees) })
	}
	for _, c := range all.Silent {
		t.Run(fmt.Sprintf("%.8s/silent/%s", c.Commit, path.Base(c.Path)), func(t *testing.T) { c.test(t, trees) })
	}
}

// test audits the parent and the commit.
func (c *mended) test(t *testing.T, trees *revisions) {
	before, after := trees.audited(t, c.Parent, c.Path), trees.audited(t, c.Commit, c.Path)
	for i := range c.Found {
		e := &c.Found[i]
		left := slices.ContainsFunc(c.Left, func(l expected) bool { return l.String() == e.String() })
		if !e.in(before, c.Code) {
			t.Errorf("not found before: %v in\n%s", e, listed(before, c.Code))
		} else if e.in(after, c.Code) && !left {
			t.Errorf("still found: %v in\n%s", e, listed(after, c.Code))
		}
	}
	for i := range c.Left {
		if e := &c.Left[i]; !e.in(after, c.Code) {
			t.Errorf("not left: %v in\n%s", e, listed(after, c.Code))
		}
	}
}

// test audits the commit and the one before.
func (c *silent) test(t *testing.T, trees *revisions) {
	before, after := serious(trees.audited(t, c.Commit+"^", c.Path)), serious(trees.audited(t, c.Commit, c.Path))
	for code := range before {
		if !after[code] {
			t.Errorf("mends %s", code)
		}
	}
	for code := range after {
		if !before[code] && !slices.Contains(c.BringsIn, code) {
			t.Errorf("brings in %s", code)
		}
	}
	for _, code := range c.BringsIn {
		if before[code] || !after[code] {
			t.Errorf("%s: before %v, after %v; it is brought in", code, before[code], after[code])
		}
	}
}

// String prints what is expected.
func (e expected) String() string {
	queue := ""
	if e.Queue != nil {
		queue = fmt.Sprint(" queue ", *e.Queue)
	}
	return fmt.Sprint(e.Topology, " ", e.Object, " ", e.Words, e.Bytes, queue)
}

// serious lists the codes of errors and warnings.
func serious(found []audit.Finding) map[audit.Code]bool {
	out := map[audit.Code]bool{}
	for _, f := range found {
		if f.Severity != audit.Note {
			out[f.Code] = true
		}
	}
	return out
}

// listed prints the findings with a code.
func listed(found []audit.Finding, code audit.Code) string {
	var out []string
	for _, f := range found {
		if f.Code == code {
			out = append(out, fmt.Sprintf("  %s %s: %s", f.Topology, f.Object, f.Message))
		}
	}
	return strings.Join(out[:min(len(out), 6)], "\n")
}
