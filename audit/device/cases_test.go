package device_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	Silent []struct {
		Commit, Path string
		BringsIn     []audit.Code `json:"brings_in"` // what the change brings in itself
	}
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

// auditedAt audits a folder of a revision, and renders nothing else.
func auditedAt(t *testing.T, trees map[string]*revision.Tree, rev, path string) ([]audit.Finding, error) {
	t.Helper()
	ctx := context.Background()
	if trees[rev] == nil {
		tree, err := revision.Open(ctx, os.Getenv(history), rev)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { require.NoError(t, tree.Close()) })
		trees[rev] = tree
	}
	tree, below, err := hwsku.Open(trees[rev].Path + "/" + path)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	folders, _, err := tree.Folders(ctx, below)
	if err != nil {
		return nil, err
	}
	folders = slices.DeleteFunc(folders, func(f hwsku.Folder) bool { return f.Path != path })
	for r, err := range device.Audit(ctx, tree, folders, device.Options{}) {
		if errors.Is(err, render.ErrNoPython) {
			t.Skip(err)
		}
		if err != nil {
			return nil, err
		}
		return r.Findings, nil
	}
	return nil, nil
}

// TestFindsWhatWasMended audits the parent and the commit of changes that mended a mistake: the finding is there before,
// and gone after. Changes that mended nothing visible change no finding but for what they bring in.
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
	trees := map[string]*revision.Tree{}
	at := func(rev, path string) []audit.Finding {
		found, err := auditedAt(t, trees, rev, path)
		if err != nil {
			t.Errorf("%s %s: %v", rev, path, err)
		}
		return found
	}
	for _, c := range all.Mended {
		name := fmt.Sprintf("%.8s %s %s", c.Commit, c.Path, c.Code)
		before, after := at(c.Parent, c.Path), at(c.Commit, c.Path)
		for i := range c.Found {
			if e := &c.Found[i]; !e.in(before, c.Code) {
				t.Errorf("%s: not found before: %+v in\n%s", name, *e, listed(before, c.Code))
			} else if e.in(after, c.Code) && !slices.ContainsFunc(c.Left, func(l expected) bool { return fmt.Sprint(l) == fmt.Sprint(*e) }) {
				t.Errorf("%s: still found: %+v in\n%s", name, *e, listed(after, c.Code))
			}
		}
		for i := range c.Left {
			if e := &c.Left[i]; !e.in(after, c.Code) {
				t.Errorf("%s: not left: %+v in\n%s", name, *e, listed(after, c.Code))
			}
		}
	}
	for _, c := range all.Silent {
		name := fmt.Sprintf("%.8s %s", c.Commit, c.Path)
		before, after := serious(at(c.Commit+"^", c.Path)), serious(at(c.Commit, c.Path))
		for code := range before {
			if !after[code] {
				t.Errorf("%s: mends %s", name, code)
			}
		}
		for code := range after {
			if !before[code] && !slices.Contains(c.BringsIn, code) {
				t.Errorf("%s: brings in %s", name, code)
			}
		}
		for _, code := range c.BringsIn {
			if before[code] || !after[code] {
				t.Errorf("%s: %s: before %v, after %v; it is brought in", name, code, before[code], after[code])
			}
		}
	}
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
