package docs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/treetest"
)

// The parts of sonic-findings.md that are made of the data of internal/devicetree: what audit says of the commits that
// were replayed, and the issues that are open.
const (
	replayBegin = "<!-- replay: made by go test ./docs -rewrite -->\n"
	replayEnd   = "<!-- replay end -->"
	openBegin   = "<!-- open: made by go test ./docs -rewrite -->\n"
	openEnd     = "<!-- open end -->"
)

// TestReplayed compares the table of the commits with what TestReplay of internal/devicetree found.
func TestReplayed(t *testing.T) {
	data, err := os.ReadFile("../internal/devicetree/testdata/replay.tsv")
	require.NoError(t, err)
	var rows strings.Builder
	var mends, brings, both, silent, allMended, allBrought int
	count := func(text string) (n int) {
		for part := range strings.SplitSeq(text, ", ") {
			if _, number, found := strings.Cut(part, " "); found {
				one, err := strconv.Atoi(number)
				require.NoError(t, err)
				n += one
			}
		}
		return n
	}
	commits := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		require.Len(t, f, 9, line)
		commits++
		mended, brought := count(f[7]), count(f[8])
		allMended, allBrought = allMended+mended, allBrought+brought
		switch {
		case mended > 0 && brought > 0:
			both++
		case mended > 0:
			mends++
		case brought > 0:
			brings++
		default:
			silent++
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s | %s | %s |\n", f[1], pullText(f[2], f[0]), audited(f[3], f[4]),
			sides(f[5]), sides(f[6]), f[7], f[8])
	}
	text := fmt.Sprintf("\n%d commits: %d bring findings in, %d mend some, %d do both, and %d change none. Together they "+
		"bring in %d errors and warnings, and mend %d.\n\n", commits, brings, mends, both, silent, allBrought, allMended) +
		"| date | pull request | folders | before | after | mended | brought in |\n|---|---|---|---|---|---|---|\n" +
		rows.String() + "\n"
	keepPart(t, "sonic-findings.md", replayBegin, text, replayEnd)
}

func pullText(number, commit string) string {
	if number == "-" {
		return commit
	}
	return number
}

func audited(folders, drawn string) string {
	if folders == drawn {
		return folders
	}
	return drawn + " of " + folders
}

// sides writes errors, certain errors and warnings.
func sides(text string) string {
	n := strings.Fields(text)
	return fmt.Sprintf("%s (%s) %s", n[0], n[1], n[2])
}

// TestOpenIssues compares the issues with the data that the test of the same name in internal/devicetree finds in the
// tree.
func TestOpenIssues(t *testing.T) {
	data, err := os.ReadFile("../internal/devicetree/testdata/open.json")
	require.NoError(t, err)
	var issues []struct {
		Title, Code, Consequence, Repair, Checked string
		Places                                    []struct{ At, Value string }
	}
	require.NoError(t, json.Unmarshal(data, &issues))
	var b strings.Builder
	for i, issue := range issues {
		fmt.Fprintf(&b, "\n### %d. %s\n\n", i+1, issue.Title)
		var places []string
		for _, p := range issue.Places {
			places = append(places, fmt.Sprintf("%s  %s", p.At, p.Value))
		}
		require.NotEmpty(t, places)
		require.Len(t, slices.Compact(slices.Clone(places)), len(places))
		for _, p := range places {
			b.WriteString("    " + p + "\n")
		}
		b.WriteString("\n" + wrapped("- Consequence: "+issue.Consequence))
		b.WriteString(wrapped("- Repair: " + issue.Repair))
		b.WriteString(wrapped(fmt.Sprintf("- Found by [%s](audit.md#%[1]s). By hand: %s.", issue.Code, issue.Checked)))
	}
	keepPart(t, "sonic-findings.md", openBegin, b.String()+"\n", openEnd)
}

// TestSonicCommands runs the commands of sonic.md: those of a folder in a checkout of sonic-buildimage if there is one,
// and not those that need a switch, a revision or an hour.
func TestSonicCommands(t *testing.T) {
	page, err := os.ReadFile("sonic.md")
	require.NoError(t, err)
	bin, dir := command(t), t.TempDir()
	const files = "../internal/hwsku/testdata/"
	for name, from := range map[string]string{"leaf.yaml": files + "th5.yaml", "topology.yaml": files + "th5.yaml",
		"pg_profile_lookup.ini": files + "folder/pg_profile_lookup.ini", "config_db.json": files + "folder/config_db.json"} {
		data, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "sonic-buildimage"), os.DirFS(files+"tree")))
	python := false
	if r, err := devicetree.StartRenderer(t.Context()); err == nil {
		r.Close()
		python = true
	}
	tree := os.Getenv(treetest.Variable)
	ran := map[string]bool{}
	for line := range strings.Lines(strings.ReplaceAll(string(page), " \\\n", " ")) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "    cellwarden ") {
			continue
		}
		ofTree := strings.Contains(line, " device/")
		if words[1] == "apply" || words[1] == "drift" || slices.Contains(words, "--since") ||
			slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--slack") }) ||
			ofTree && tree == "" || !python && slices.Contains(words, "--samples") {
			continue
		}
		c := exec.CommandContext(t.Context(), bin, words[1:]...)
		if c.Dir = dir; ofTree {
			c.Dir = tree
		}
		text, err := c.CombinedOutput()
		if words[1] != "audit" || c.ProcessState.ExitCode() != cli.ExitLint {
			require.NoError(t, err, "%s%s", line, text)
		}
		ran[words[1]] = true
	}
	for _, verb := range []string{"headroom", "plan", "render"} {
		require.True(t, ran[verb], verb)
	}
}
