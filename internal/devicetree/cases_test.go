package devicetree_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"

	"github.com/cellwarden/cellwarden/internal/treetest"

	"github.com/cellwarden/cellwarden/internal/revision"
)

// history names a clone of sonic-buildimage with its history.
const history = treetest.Variable

// cases are mistakes that were made and mended in public, and changes that mended nothing that an audit can see.
type cases struct {
	Mended []mended
	Silent []silent
}

// silent is a change without a mistake: it changes no finding but for what it brings in, or mends.
type silent struct {
	Commit, Path string
	BringsIn     []finding.Code `json:"brings_in"`
	Mends        []finding.Code
	Why          []string // the findings are other ones than those of the comparison that the case is from
}

// mended is a mistake that is found in the parent, and not in the commit.
type mended struct {
	Commit, Parent, Path string
	Code                 finding.Code
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

// in returns the worst of the findings that are the expected one; nil: there is none.
func (e *expected) in(found []finding.Finding, code finding.Code) (worst *finding.Finding) {
	for i := range found {
		if f := &found[i]; f.Code == code && e.is(f) && (worst == nil || !lesser(f, worst)) {
			worst = f
		}
	}
	return worst
}

// lesser tells whether a finding is less bad than another one, or less certain.
func lesser(a, b *finding.Finding) bool {
	return !a.Severity.AtLeast(b.Severity) || !a.Certain && b.Certain
}

// is tells whether a finding is the expected one.
func (e *expected) is(f *finding.Finding) bool {
	text := f.Object + " " + f.Message + " " + f.Numbers()
	switch {
	case e.Topology != "" && f.Topology != e.Topology, e.Object != "" && f.Object != e.Object:
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
}

// revisions audits folders of revisions, each folder once.
type revisions struct {
	wanted map[string]map[string]bool              // folders by revision
	found  map[string]map[string][]finding.Finding // by revision and folder
}

// want notes that a folder of a revision is needed.
func (r *revisions) want(rev, path string) {
	if r.wanted[rev] == nil {
		r.wanted[rev] = map[string]bool{}
	}
	r.wanted[rev][path] = true
}

// at returns the findings of a folder of a revision. The first folder of a revision audits all that are needed.
func (r *revisions) at(t *testing.T, rev, path string, renderer *devicetree.Renderer) []finding.Finding {
	t.Helper()
	if r.found[rev] == nil {
		r.found[rev] = audited(t, rev, slices.Sorted(maps.Keys(r.wanted[rev])), renderer)
	}
	return r.found[rev][path]
}

// temporary makes the folder of a revision.
func temporary() (string, error) { return os.MkdirTemp("", "cellwarden-revision") }

// audited audits folders of a revision, and renders nothing else.
func audited(t *testing.T, rev string, paths []string, renderer *devicetree.Renderer) map[string][]finding.Finding {
	t.Helper()
	ctx := t.Context()
	part, err := revision.Open(ctx, temporary, os.Getenv(history), rev, paths...)
	require.NoError(t, err)
	defer part.Close()
	tree, _, err := devicetree.Open(part.Path)
	require.NoError(t, err)
	defer tree.Close()
	var folders []devicetree.Folder
	for _, path := range paths {
		some, _, err := tree.Folders(ctx, path)
		if errors.Is(err, fs.ErrNotExist) { // it has no files that an audit reads
			continue
		}
		require.NoError(t, err)
		folders = append(folders, slices.DeleteFunc(some, func(f devicetree.Folder) bool { return f.Path != path })...)
	}
	out := map[string][]finding.Finding{}
	for r, err := range devicetree.Audit(ctx, tree, folders, devicetree.Options{Renderer: renderer}) {
		require.NoError(t, err)
		out[r.Folder.Path] = r.Findings
	}
	return out
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
	renderer, err := devicetree.StartRenderer(t.Context())
	if errors.Is(err, devicetree.ErrNoPython) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(renderer.Close)
	trees := &revisions{map[string]map[string]bool{}, map[string]map[string][]finding.Finding{}}
	for _, c := range all.Mended {
		trees.want(c.Parent, c.Path)
		trees.want(c.Commit, c.Path)
	}
	for _, c := range all.Silent {
		trees.want(c.Commit+"^", c.Path)
		trees.want(c.Commit, c.Path)
	}
	for _, c := range all.Mended {
		t.Run(fmt.Sprintf("%.8s/%s/%s", c.Commit, c.Code, path.Base(c.Path)), func(t *testing.T) {
			c.compare(t, trees.at(t, c.Parent, c.Path, renderer), trees.at(t, c.Commit, c.Path, renderer))
		})
	}
	for _, c := range all.Silent {
		t.Run(fmt.Sprintf("%.8s/silent/%s", c.Commit, path.Base(c.Path)), func(t *testing.T) {
			c.compare(t, serious(trees.at(t, c.Commit+"^", c.Path, renderer)),
				serious(trees.at(t, c.Commit, c.Path, renderer)))
		})
	}
}

// compare compares the findings of the parent and of the commit. What was certain may still be suspected: a switch
// whose table was missing has one, and the cables of made-up neighbours have no row in it.
func (c *mended) compare(t *testing.T, before, after []finding.Finding) {
	for i := range c.Found {
		e := &c.Found[i]
		left := slices.ContainsFunc(c.Left, func(l expected) bool { return l.String() == e.String() })
		was, is := e.in(before, c.Code), e.in(after, c.Code)
		if was == nil {
			t.Errorf("not found before: %v in\n%s", e, listed(before, c.Code))
		} else if is != nil && !left && !lesser(is, was) {
			t.Errorf("still found: %v in\n%s", e, listed(after, c.Code))
		}
	}
	for i := range c.Left {
		if e := &c.Left[i]; e.in(after, c.Code) == nil {
			t.Errorf("not left: %v in\n%s", e, listed(after, c.Code))
		}
	}
}

// compare compares the errors and warnings of the parent and of the commit, by code and topology.
func (c *silent) compare(t *testing.T, before, after map[place]bool) {
	mends, bringsIn := map[finding.Code]bool{}, map[finding.Code]bool{}
	for at := range before {
		if !after[at] && !anywhere(after, at.code) {
			mends[at.code] = true
		}
	}
	for at := range after {
		if !before[at] {
			bringsIn[at.code] = true
		}
	}
	require.ElementsMatch(t, c.Mends, slices.Collect(maps.Keys(mends)), "mends")
	require.ElementsMatch(t, c.BringsIn, slices.Collect(maps.Keys(bringsIn)), "brings in")
}

// place is where a code is found.
type place struct {
	code     finding.Code
	topology string
}

// anywhere tells whether a code is found for any topology.
func anywhere(found map[place]bool, code finding.Code) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(p place) bool { return p.code == code })
}

// String prints what is expected.
func (e expected) String() string {
	queue := ""
	if e.Queue != nil {
		queue = fmt.Sprint(" queue ", *e.Queue)
	}
	return fmt.Sprint(e.Topology, " ", e.Object, " ", e.Words, e.Bytes, queue)
}

// serious lists the places of errors and warnings.
func serious(found []finding.Finding) map[place]bool {
	out := map[place]bool{}
	for _, f := range found {
		if f.Severity != finding.Note {
			out[place{f.Code, f.Topology}] = true
		}
	}
	return out
}

// listed prints the findings with a code.
func listed(found []finding.Finding, code finding.Code) string {
	var out []string
	for _, f := range found {
		if f.Code == code {
			out = append(out, fmt.Sprintf("  %s %s: %s", f.Topology, f.Object, f.Message))
		}
	}
	return strings.Join(out[:min(len(out), 6)], "\n")
}
