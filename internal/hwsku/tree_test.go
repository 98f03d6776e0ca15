package hwsku_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/hwsku"
	"github.com/cellwarden/cellwarden/internal/treetest"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata, then read the diff")

// All shipped folders with a static template: imported, written as folders with what the configuration has beside the
// plan, and rendered by SONiC's own templates. testdata/shipped.tsv lists what comes back otherwise; docs/sonic.md has
// the counts.
func TestShippedFolders(t *testing.T) {
	tree := treetest.Open(t)
	var mutex sync.Mutex
	var list []string
	counts := map[string]int{}
	t.Run("parts", func(t *testing.T) {
		for part := range slices.Chunk(tree.Folders, partFolders) {
			t.Run(part[0].Path, func(t *testing.T) {
				t.Parallel()
				writtenFolders(t, tree, part, func(of, first string, what ...string) {
					mutex.Lock()
					defer mutex.Unlock()
					counts[strings.Join(what, ", ")]++
					if what[1] != equal {
						list = append(list, strings.Join([]string{of, what[0], what[1], first[:min(len(first), 200)]}, "\t"))
					}
				})
			})
		}
	})
	slices.Sort(list)
	text := []byte(strings.Join(list, "\n") + "\n")
	t.Log(counts)
	if *rewrite {
		require.NoError(t, os.WriteFile(shipped, text, 0o600))
	}
	if tree.Measured {
		want, err := os.ReadFile(shipped)
		require.NoError(t, err)
		require.Equal(t, string(want), string(text))
		for _, row := range figures {
			for i, what := range outcomes {
				require.Equal(t, row.counts[i], counts[row.whole+", "+what], "%s, %s", row.whole, what)
			}
		}
	}
}

// partFolders are folders that share interpreters: the time of each is bounded, and a machine can be busy.
const partFolders = 20

// writtenFolders writes what some folders say as folders, and tells of each what became of it: how well a topology
// expresses it, and whether it comes back.
func writtenFolders(t *testing.T, tree treetest.Tree, part []devicetree.Folder, tell func(of, first string, what ...string)) {
	t.Helper()
	r, err := devicetree.StartRenderer(t.Context())
	require.NoError(t, err)
	defer func() { r.Close() }()
	static := devicetree.Options{Wanted: func(v devicetree.Variant) bool {
		return !v.Neighbours && v.Topology != devicetree.Default
	}}
	for f, err := range devicetree.Audit(t.Context(), tree.Tree, part, static) {
		require.NoError(t, err)
		for i := range f.Configurations {
			c := &f.Configurations[i]
			imported, err := intent.Of(c.Result)
			if c.Dynamic || !f.Folder.Has(devicetree.Buffers) || err != nil {
				continue
			}
			whole := "expressed"
			if len(imported.Differences) > 0 {
				whole = "not wholly expressed"
			}
			what, first := written(t, r, tree, f.Folder, c, imported)
			tell(f.Folder.Path+"\t"+c.Variant.Topology.Name, first, whole, what)
		}
	}
}

// figures are the counts of docs/sonic.md: what becomes of the folders, by whether a topology expresses their
// configurations.
var figures = []struct {
	whole, says string
	counts      [3]int // in the order of outcomes
}{
	{"expressed", "that a topology expresses", [3]int{181, 32, 14}},
	{"not wholly expressed", "that it does not wholly express", [3]int{227, 126, 15}},
}

var outcomes = [3]string{equal, different, refused}

// The table of docs/sonic.md has the figures, and testdata the folders that they count.
func TestFigures(t *testing.T) {
	page, err := os.ReadFile("../../docs/sonic.md")
	require.NoError(t, err)
	list, err := os.ReadFile(shipped)
	require.NoError(t, err)
	for _, row := range figures {
		var line strings.Builder
		line.WriteString(fmt.Sprintf("| %d %s |", row.counts[0]+row.counts[1]+row.counts[2], row.says))
		for i, n := range row.counts {
			line.WriteString(strings.TrimSuffix(fmt.Sprintf(" %d", n), " 0") + " |")
			if outcomes[i] != equal {
				require.Equal(t, n, strings.Count(string(list), "\t"+row.whole+"\t"+outcomes[i]+"\t"), outcomes[i])
			}
		}
		require.Contains(t, string(page), line.String())
	}
}

// What becomes of a folder.
const (
	equal     = "equal"
	different = "different"
	refused   = "refused"
)

const shipped = "testdata/shipped.tsv"

// written is what becomes of a folder that is written for its plan, and the first difference, or the reason.
func written(t *testing.T, r *devicetree.Renderer, tree treetest.Tree, f devicetree.Folder, c *devicetree.Configuration,
	imported *intent.Import) (what, first string) {
	t.Helper()
	topology := c.Variant.Topology.Name
	folder, err := hwsku.Of(nos.Plan{Intent: imported.Intent, Layout: imported.Plan.Layout()},
		hwsku.Options{Current: database(t, c.Tables), Topologies: []string{topology}})
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return refused, line
	}
	at := treeWith(t, filepath.Join(tree.Path, "files", "build_templates")) // templates are not read twice
	into := filepath.Join(at, filepath.FromSlash(f.Path))
	copyPorts(t, tree.Path, at, f.Path)
	if strings.Count(f.Path, "/") > 3 { // a profile of a folder, such as BALANCED, has the ports of the folder
		copyPorts(t, tree.Path, at, filepath.Dir(f.Path))
	}
	for _, file := range folder.Files {
		require.NoError(t, os.WriteFile(filepath.Join(into, file.Name), file.Content, 0o600))
	}
	other, below, err := devicetree.Open(into)
	require.NoError(t, err)
	defer other.Close()
	folders, _, err := other.Folders(t.Context(), below)
	require.NoError(t, err)
	folders = slices.DeleteFunc(folders, func(other devicetree.Folder) bool { return other.Path != below })
	rendered, err := hwsku.RenderBy(r, other, folders, []string{topology})
	require.NoError(t, err, f.Path)
	require.Len(t, rendered, 1, f.Path)
	if len(rendered[0].Tables["PORT"]) == len(imported.Intent.Ports) { // the import may leave ports out
		require.Empty(t, folder.Differences(rendered[0]), f.Path)
	}
	if differ := otherwise(database(t, c.Tables), rendered[0].Tables); len(differ) > 0 {
		return different, fmt.Sprintf("%d entries: %s", len(differ), differ[0])
	}
	return equal, ""
}

// treeWith is an empty tree with SONiC's templates.
func treeWith(t *testing.T, templates string) string {
	t.Helper()
	at := t.TempDir()
	into := filepath.Join(at, "files", "build_templates")
	require.NoError(t, os.MkdirAll(into, 0o700))
	for _, name := range []string{"buffers_config.j2", "qos_config.j2"} {
		data, err := os.ReadFile(filepath.Join(templates, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(into, name), data, 0o600))
	}
	return at
}

// copyPorts copies the files of the ports of a folder.
func copyPorts(t *testing.T, from, to, folder string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(to, folder), 0o700))
	for _, name := range []string{folder + "/port_config.ini", folder + "/hwsku.json",
		filepath.Dir(folder) + "/platform.json", filepath.Dir(folder) + "/platform_asic"} {
		if data, err := os.ReadFile(filepath.Join(from, name)); err == nil {
			require.NoError(t, os.WriteFile(filepath.Join(to, name), data, 0o600))
		}
	}
}

// database reads the tables of a rendering as a switch does.
func database(t *testing.T, from *configdb.Database) sonic.Database {
	t.Helper()
	out := sonic.Database{}
	for _, table := range from.Tables {
		entries := map[string]map[string]string{}
		for _, e := range table.Entries {
			entries[e.Key] = map[string]string{}
			for _, f := range e.Fields {
				entries[e.Key][f.Name] = f.Value
			}
		}
		text, err := json.Marshal(entries)
		require.NoError(t, err)
		out[table.Name], err = sonic.ReadTable(text)
		require.NoError(t, err)
	}
	return out
}

// otherwise lists the entries that two configurations have otherwise, an entry of several ports as one of each.
func otherwise(a, b sonic.Database) (out []string) {
	for _, name := range hwsku.Tables() {
		x, y := apart(a[name]), apart(b[name])
		keys := maps.Clone(x)
		maps.Copy(keys, y)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !maps.Equal(x[key], y[key]) {
				out = append(out, fmt.Sprintf("%s|%s: %v, then %v", name, key, x[key], y[key]))
			}
		}
	}
	return out
}

// apart has an entry for each port and queue that the key of an entry names.
func apart(t sonic.Table) sonic.Table {
	out := sonic.Table{}
	for key, fields := range t {
		ports, rest, divided := strings.Cut(key, "|")
		for port := range strings.SplitSeq(ports, ",") {
			if divided {
				port += "|" + rest
			}
			out[port] = fields
		}
	}
	return out
}
