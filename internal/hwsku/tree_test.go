package hwsku_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// All shipped folders: imported, written as folders, and rendered by SONiC's own templates. What differs is counted by
// table.
func TestShippedFolders(t *testing.T) {
	tree := treetest.Open(t)
	at := treeWith(t, filepath.Join(treetest.Root(t), "files", "build_templates"))
	var said []string
	counts := map[string]int{}
	static := devicetree.Options{Wanted: func(v devicetree.Variant) bool {
		return !v.Neighbours && v.Topology != devicetree.Default
	}}
	for f, err := range devicetree.Audit(t.Context(), tree.Tree, tree.Folders, static) {
		require.NoError(t, err)
		if !f.Folder.Has(devicetree.Buffers) {
			continue
		}
		for i := range f.Configurations {
			c := &f.Configurations[i]
			if c.Dynamic {
				continue
			}
			imported, err := intent.Of(c.Result)
			if err != nil {
				counts["not imported"]++
				continue
			}
			counts["imported"]++
			name := fmt.Sprint(f.Folder.SKU, " ", c.Variant.Topology.Name)
			folder, err := hwsku.Of(nos.Plan{Intent: imported.Intent, Layout: imported.Plan.Layout()},
				hwsku.Options{Current: database(t, c.Tables), Topologies: []string{c.Variant.Topology.Name}})
			if err != nil {
				counts["refused"]++
				said = append(said, fmt.Sprintf("%s\trefused\t%v", name, firstLine(err)))
				continue
			}
			into := filepath.Join(at, filepath.FromSlash(f.Folder.Path))
			copyPorts(t, tree.Path, at, f.Folder.Path)
			for _, file := range folder.Files {
				require.NoError(t, os.WriteFile(filepath.Join(into, file.Name), file.Content, 0o600))
			}
			rendered, err := hwsku.Render(t.Context(), into, []string{c.Variant.Topology.Name})
			require.NoError(t, err, name)
			require.Len(t, rendered, 1, name)
			if differ := folder.Differences(rendered[0]); len(differ) > 0 {
				counts["WRONG"]++
				said = append(said, fmt.Sprintf("%s\tWRONG\t%d, first %s", name, len(differ), differ[0]))
				continue
			}
			if differ := otherwise(database(t, c.Tables), rendered[0].Tables); len(differ) > 0 {
				counts["different"]++
				said = append(said, fmt.Sprintf("%s\tdifferent\t%d, first %s", name, len(differ), differ[0]))
				continue
			}
			counts["equal"]++
		}
	}
	slices.Sort(said)
	t.Log(counts, "\n"+strings.Join(said, "\n"))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
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
