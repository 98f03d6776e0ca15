package devicetree_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"
)

// replayed is what an audit says of a commit: the findings that it mends and those that it brings in, by code. A code
// with an exclamation mark counts those that are certain.
type replayed struct {
	commit, date, pull string
	folders, audited   int // that depend on a changed file, and how many of them are audited
	before, after      tally
	mended, brought    map[string]int
}

// tally counts the findings of the folders that a commit changes, each once.
type tally struct{ errors, certain, warnings int }

// The commits that are replayed: those since 2025 that change templates or headroom tables of folders, or the templates
// that all folders share.
const (
	replaySince = "2025-01-01"
	replayUntil = "086b03bd"
)

var replayPaths = []string{"device/*/*/*/buffers*.j2", "device/*/*/*/*/buffers*.j2", "device/*/*/*/pg_profile_lookup.ini",
	"device/*/*/*/*/pg_profile_lookup.ini", "device/*/*/*/qos*.j2", "device/common/profiles",
	"files/build_templates/buffers_config.j2", "files/build_templates/qos_config.j2"}

// For a commit that changes SONiC's shared templates, which all folders include, so many folders are audited beside
// those in which it changes files; of these at most mostReplayed.
const (
	sharedReplayed = 8
	mostReplayed   = 24
)

const replayFile = "testdata/replay.tsv"

// TestReplay audits what each of these commits changes, before it and after it. testdata/replay.tsv has what was found;
// its source is sonic-buildimage, from its history.
func TestReplay(t *testing.T) {
	if os.Getenv(history) == "" {
		t.Skip(history + " names no clone of sonic-buildimage with its history")
	}
	r, err := devicetree.StartRenderer(t.Context())
	require.NoError(t, err)
	defer func() { r.Close() }()
	want, err := os.ReadFile(replayFile)
	require.NoError(t, err)
	all, rows := commits(t), replayedRows(string(want))
	for i, c := range all {
		if row := rows[c.commit[:12]]; row != "" && i < *replayFrom {
			continue
		}
		c.replay(t, r)
		rows[c.commit[:12]] = c.String() + "\n"
		if *rewrite {
			require.NoError(t, os.WriteFile(replayFile, []byte(replayText(all, rows)), 0o600))
		}
	}
	if !*rewrite {
		require.Equal(t, string(want), replayText(all, rows))
	}
}

// replayFrom leaves out the commits before it, whose rows stand: a replay of all is long, and can be stopped and gone on
// with.
var replayFrom = flag.Int("replay-from", 0, "replay this commit and those after it; the first is 0")

// replayedRows are the rows of a file by commit.
func replayedRows(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		commit, _, _ := strings.Cut(line, "\t")
		out[commit] = line
	}
	return out
}

// replayText is a file with the rows of these commits.
func replayText(all []*replayed, rows map[string]string) string {
	var out strings.Builder
	out.WriteString("# commit, date, pull request, folders, of them audited; errors, of them certain, and warnings before and after; " +
		"mended, brought in (by code; ! are certain)\n")
	for _, c := range all {
		out.WriteString(rows[c.commit[:12]])
	}
	return out.String()
}

var pullNumber = regexp.MustCompile(`\(#(\d+)\)$`)

// commits lists the commits, the oldest first.
func commits(t *testing.T) (out []*replayed) {
	t.Helper()
	args := append([]string{"log", replayUntil, "--since=" + replaySince, "--no-merges", "--reverse", "--format=%H %cs %s",
		"--"}, replayPaths...)
	for line := range strings.Lines(gitText(t, args...)) {
		hash, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		date, subject, _ := strings.Cut(rest, " ")
		c := &replayed{commit: hash, date: date, pull: "-", mended: map[string]int{}, brought: map[string]int{}}
		if found := pullNumber.FindStringSubmatch(subject); found != nil {
			c.pull = found[1]
		}
		out = append(out, c)
	}
	return out
}

func gitText(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", os.Getenv(history)}, args...)...).Output()
	require.NoError(t, err, args)
	return string(out)
}

// replay audits folders before the commit and after it.
func (c *replayed) replay(t *testing.T, r *devicetree.Renderer) {
	t.Helper()
	paths := c.paths(t)
	before, after := findingsIn(t, c.commit+"^", paths, r), findingsIn(t, c.commit, paths, r)
	c.before, c.after = tallied(before), tallied(after)
	brought, _, _ := finding.Since(before, after)
	mended, _, _ := finding.Since(after, before)
	count(c.brought, brought)
	count(c.mended, mended)
}

// paths are the folders that are audited: those in which the commit changes a file, and some of all folders for shared
// templates. Folders that have links to a changed file are not among them.
func (c *replayed) paths(t *testing.T) []string {
	t.Helper()
	places, shared := map[string]bool{}, false
	for name := range strings.Lines(gitText(t, "diff", "--name-only", "--no-renames", c.commit+"^", c.commit)) {
		name = strings.TrimSpace(name)
		parts := strings.Split(name, "/")
		if strings.HasPrefix(name, "files/build_templates/") || strings.HasPrefix(name, "device/common/") {
			shared = true
		} else if parts[0] == "device" && len(parts) > 4 {
			places[path.Dir(name)] = true
		}
	}
	out := sampled(slices.Sorted(maps.Keys(places)), mostReplayed)
	c.folders = len(places)
	if shared {
		all := map[string]bool{}
		for name := range strings.Lines(gitText(t, "ls-tree", "-r", "--name-only", c.commit, "device")) {
			if folder, template := path.Split(strings.TrimSpace(name)); template == devicetree.Buffers {
				all[strings.TrimSuffix(folder, "/")] = true
			}
		}
		c.folders = len(all)
		out = append(out, sampled(slices.Sorted(maps.Keys(all)), sharedReplayed)...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	c.audited = len(out)
	return out
}

// sampled are so many of some names, at equal distances.
func sampled(names []string, most int) (out []string) {
	n := min(most, len(names))
	for i := range n {
		out = append(out, names[i*len(names)/n])
	}
	return out
}

// findingsIn are the errors and the warnings of folders at a revision.
func findingsIn(t *testing.T, rev string, paths []string, r *devicetree.Renderer) (out []finding.Finding) {
	t.Helper()
	there := map[string]bool{}
	for name := range strings.Lines(gitText(t, append([]string{"ls-tree", "--name-only", rev, "--"}, paths...)...)) {
		there[strings.TrimSpace(name)] = true
	}
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !there[p] })
	if len(paths) == 0 {
		return nil
	}
	for _, found := range audited(t, rev, paths, r) {
		out = append(out, found...)
	}
	return slices.DeleteFunc(out, func(f finding.Finding) bool { return f.Severity == finding.Note })
}

func tallied(all []finding.Finding) (out tally) {
	seen := map[string]bool{}
	for i := range all {
		f := &all[i]
		switch {
		case seen[f.Key()]:
			continue
		case f.Severity == finding.Warning:
			out.warnings++
		case f.Certain:
			out.errors, out.certain = out.errors+1, out.certain+1
		default:
			out.errors++
		}
		seen[f.Key()] = true
	}
	return out
}

func (t tally) String() string { return fmt.Sprintf("%d %d %d", t.errors, t.certain, t.warnings) }

// count counts findings by code, each once.
func count(into map[string]int, all []finding.Finding) {
	seen := map[string]bool{}
	for _, f := range all {
		if key := f.Key(); !seen[key] {
			seen[key] = true
			code := string(f.Code)
			if f.Certain {
				code += "!"
			}
			into[code]++
		}
	}
}

func (c *replayed) String() string {
	codes := func(counts map[string]int) string {
		var out []string
		for _, code := range slices.Sorted(maps.Keys(counts)) {
			out = append(out, fmt.Sprintf("%s %d", code, counts[code]))
		}
		if len(out) == 0 {
			return "-"
		}
		return strings.Join(out, ", ")
	}
	return strings.Join([]string{c.commit[:12], c.date, c.pull, fmt.Sprint(c.folders), fmt.Sprint(c.audited), c.before.String(),
		c.after.String(), codes(c.mended), codes(c.brought)},
		"\t")
}
