package interop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openconfig/gnmic/pkg/api"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// node is a node of containerlab or netlab.
type node struct {
	Cmd   string
	Ports []string
	Clab  struct{ Cmd string }
}

// readYAML reads a file of the lab.
func readYAML(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "contrib", "lab", name))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, to), name)
}

// TestLab starts the switches of the lab with the commands of its file, as processes on loopback, and plays the commands
// of its README, whose comments have the exit code, if it is not 0, and what is printed. gnmic's library subscribes to
// the paths of gnmic.yml.
func TestLab(t *testing.T) {
	var lab struct {
		Topology struct{ Nodes map[string]node }
	}
	readYAML(t, "cellwarden.clab.yml", &lab)
	var netlab struct{ Nodes map[string]node }
	readYAML(t, "topology.yml", &netlab)
	var collector struct {
		Targets       map[string]struct{ Address string }
		Subscriptions map[string]struct{ Paths []string }
	}
	readYAML(t, "gnmic.yml", &collector)

	page, err := os.ReadFile(filepath.Join("..", "contrib", "lab", "README.md"))
	require.NoError(t, err)
	dir := readmeDir(t)
	work := filepath.Join(dir, "contrib", "lab")
	require.NoError(t, os.MkdirAll(work, 0o755))
	text := string(page)
	for _, name := range []string{"leaf1", "leaf2"} {
		n, address := lab.Topology.Nodes[name], free(t)
		require.Equal(t, n.Cmd, netlab.Nodes[name].Clab.Cmd, "both labs have one switch")
		require.Len(t, n.Ports, 1)
		outside, inside, _ := strings.Cut(n.Ports[0], ":")
		require.Contains(t, n.Cmd, "--listen :"+inside+" ")
		require.Equal(t, "clab-cellwarden-"+name+":"+inside, collector.Targets[name].Address)
		runs(t, dir, "cellwarden "+strings.Replace(n.Cmd, ":"+inside, address, 1))
		require.NoError(t, reachable(address))
		require.Contains(t, text, "127.0.0.1:"+outside)
		text = strings.ReplaceAll(text, "127.0.0.1:"+outside, address)

		c, err := api.NewTarget(api.Name(name), api.Address(address), api.Insecure(true))
		require.NoError(t, err)
		require.NoError(t, c.CreateGNMIClient(t.Context()))
		for _, path := range collector.Subscriptions["queues"].Paths {
			once, err := api.NewSubscribeRequest(api.SubscriptionListModeONCE(), api.EncodingJSON_IETF(),
				api.Subscription(api.Path(path)))
			require.NoError(t, err)
			_, err = c.SubscribeOnce(t.Context(), once)
			require.NoError(t, err, path)
		}
		require.NoError(t, c.Close())
	}
	typed := 0
	for line := range strings.Lines(text) {
		command, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    ")
		if !is || strings.HasPrefix(command, "skopeo ") || strings.HasPrefix(command, "containerlab ") {
			continue
		}
		typed++
		command, comment, _ := strings.Cut(command, " # ")
		typeAndLook(t, work, command, comment)
	}
	require.Equal(t, 9, typed)
	written, err := os.ReadFile(filepath.Join(work, "watch.prom"))
	require.NoError(t, err)
	require.Contains(t, string(written), "cellwarden_headroom_granted_bytes{")
}

// TestLabMetrics finds each metric of gnmic that the dashboard names in the models that a switch serves: gnmic makes
// names of the elements of a path.
func TestLabMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "contrib", "grafana", "cellwarden.json"))
	require.NoError(t, err)
	var any map[string]any
	require.NoError(t, json.Unmarshal(text, &any))
	schema, err := oc.Schema()
	require.NoError(t, err)
	names := regexp.MustCompile(`\b(?:qos|interfaces)_[a-z_]+`).FindAllString(string(text), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		require.True(t, isLeaf(schema.RootSchema(), name), name)
	}
}

// isLeaf tells whether a name is that of a leaf beneath an entry.
func isLeaf(e *yang.Entry, name string) bool {
	for child, below := range e.Dir {
		rest, is := strings.CutPrefix(name, strings.ReplaceAll(child, "-", "_"))
		if is && rest == "" && below.IsLeaf() || is && strings.HasPrefix(rest, "_") && isLeaf(below, rest[1:]) {
			return true
		}
	}
	return false
}
