package hwsku_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/hwsku"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

const acme = "device/acme/x86_64-acme_th5_64x800g-r0/Acme-TH5-O62X2Y4"

// planOf plans a topology.
func planOf(t testing.TB, text string) nos.Plan {
	t.Helper()
	in, err := topology.Parse("switch.yaml", []byte(text), nil)
	require.NoError(t, err)
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, p.Err())
	return nos.Plan{Intent: in, Layout: p.Layout()}
}

// th5 is the topology of testdata.
func th5(t testing.TB) string {
	text, err := os.ReadFile("testdata/th5.yaml")
	require.NoError(t, err)
	return string(text)
}

// both are the topologies of most tests.
var both = hwsku.Options{Topologies: []string{"t0", "t1"}}

// The files of a folder, as testdata has them. Its tables, as CONFIG_DB, are testdata/config_db.json.
func TestFolder(t *testing.T) {
	f, err := hwsku.Of(planOf(t, th5(t)), both)
	require.NoError(t, err)
	var names []string
	for _, file := range append(f.Files, nos.File{Name: "config_db.json", Content: nos.JSON(f.Tables)}) {
		names = append(names, file.Name)
		at := filepath.Join("testdata", "folder", file.Name)
		if *rewrite {
			require.NoError(t, os.WriteFile(at, file.Content, 0o600))
		}
		want, err := os.ReadFile(at)
		require.NoError(t, err)
		require.Equal(t, string(want), string(file.Content), file.Name)
	}
	require.Equal(t, []string{"buffers.json.j2", "buffers_defaults_t0.j2", "buffers_defaults_t1.j2",
		"buffers_defaults_objects.j2", "qos.json.j2", "pg_profile_lookup.ini", "config_db.json"}, names)
	require.Equal(t, []string{"the size of ingress_lossless_pool, 166743380, includes headroom and minima, which is " +
		"inferred for tomahawk5; render --dialect sonic without --hwsku writes the shared cells alone, 110618524, which is " +
		"never too much for the memory. In the topology pool.size, size_includes_headroom and size_includes_reserved decide " +
		"for both"}, f.Notes)
	// For a running switch the size is the other one, and its note names both.
	require.Contains(t, strings.Join(sonic.Options{}.Render(planOf(t, th5(t))).Notes, "\n"),
		"the size of ingress_lossless_pool, 110618524, covers only the shared cells, which is never too much for the memory; "+
			"that SONiC's size includes headroom and minima is inferred for tomahawk5, and render --hwsku writes 166743380.")
}

// placed writes a folder into a tree with templates of our own, with other lines of port_config.ini in place of its own.
func placed(t *testing.T, f *hwsku.Folder, ports string) (into string) {
	t.Helper()
	at := treeWith(t, "testdata/tree/files/build_templates")
	copyPorts(t, "testdata/tree", at, acme)
	into = filepath.Join(at, filepath.FromSlash(acme))
	if ports != "" {
		require.NoError(t, os.WriteFile(filepath.Join(into, "port_config.ini"), []byte(ports), 0o600))
	}
	for _, file := range f.Files {
		require.NoError(t, os.WriteFile(filepath.Join(into, file.Name), file.Content, 0o600))
	}
	return into
}

// rendered renders a folder in such a tree.
func rendered(t *testing.T, f *hwsku.Folder, ports string) []hwsku.Rendered {
	t.Helper()
	return renderedAt(t, placed(t, f, ports))
}

func renderedAt(t *testing.T, folder string) []hwsku.Rendered {
	t.Helper()
	r, err := hwsku.Render(t.Context(), folder, []string{"t0", "t1"})
	if errors.Is(err, hwsku.ErrNotRendered) {
		t.Skip(err)
	}
	require.NoError(t, err)
	require.Len(t, r, 2)
	return r
}

// once is the folder of th5, rendered once for the tests that look at what it renders to.
var once struct {
	sync.Once
	rendered []hwsku.Rendered
}

func renderedUsual(t *testing.T, f *hwsku.Folder) []hwsku.Rendered {
	t.Helper()
	once.Do(func() { once.rendered = rendered(t, f, "") })
	if once.rendered == nil {
		t.Skip(hwsku.ErrNotRendered)
	}
	return once.rendered
}

// A folder renders to the CONFIG_DB of its plan, and a change of it is found.
func TestRender(t *testing.T) {
	p := planOf(t, th5(t))
	f, err := hwsku.Of(p, both)
	require.NoError(t, err)
	all := renderedUsual(t, f)
	for _, r := range all {
		require.Empty(t, f.Differences(r), r.Topology)
		require.Contains(t, f.PullRequest(p, acme, "th5.yaml", hwsku.Measured{Rendered: all}), "- "+r.Topology+": the folder, rendered as "+
			"sonic-cfggen does, gives the CONFIG_DB of the plan: 68 ports, 13 tables equal")
	}
	f.Tables["BUFFER_PG"]["Ethernet0|0"]["profile"] = "other"
	delete(f.Tables["WRED_PROFILE"], "AZURE_LOSSLESS")
	differ := f.Differences(all[0])
	require.Len(t, differ, 2)
	require.Equal(t, "BUFFER_PG|Ethernet0|0: {profile ingress_lossy_profile}, and the plan has {profile other}", differ[0])
	require.Contains(t, differ[1], "and the plan has nothing")
	require.Contains(t, f.PullRequest(p, acme, "th5.yaml", hwsku.Measured{Rendered: all}), "differs from the plan in 2 entries")
	require.Contains(t, f.PullRequest(p, acme, "th5.yaml", hwsku.Measured{NotRendered: hwsku.ErrNotRendered}),
		"- the folder is not rendered")
}

// What a folder renders to is audited and imported, and the topology of the import is a plan with the same CONFIG_DB and
// the same renderings, byte for byte.
func TestComesBack(t *testing.T) {
	without := strings.NewReplacer("pool: {shared_headroom_ratio: 2}\n", "")
	for name, text := range map[string]string{
		// Size and xoff together are above the memory: the folder says that size has xoff in it.
		"shared headroom": th5(t),
		"own headroom":    without.Replace(th5(t)),
		"size given":      strings.Replace(th5(t), "shared_headroom_ratio: 2", "size: 99999800B, shared_headroom_ratio: 2", 1),
		"static limit, minima": strings.Replace(without.Replace(th5(t)), "alpha: 1}", "reserved: 2032B, static_limit: 1MB}",
			1),
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "shared headroom" {
				t.Skip("it renders a folder twice")
			}
			p := planOf(t, text)
			f, err := hwsku.Of(p, both)
			require.NoError(t, err)
			into := placed(t, f, "")
			before := renderedAt(t, into)
			found, err := f.Audit(t.Context(), into, p.Intent.Chip)
			require.NoError(t, err)
			require.Empty(t, found)
			require.Contains(t, f.PullRequest(p, into, "th5.yaml", hwsku.Measured{}), "`cellwarden audit "+into+
				" --chip tomahawk5`: nothing found")

			back, err := hwsku.Of(importedOf(t, into, p.Intent.Chip), both)
			require.NoError(t, err)
			require.Equal(t, string(nos.JSON(f.Tables)), string(nos.JSON(back.Tables)))
			require.Equal(t, before, renderedAt(t, placed(t, back, "")))
		})
	}
}

// importedOf plans what a folder says for t0.
func importedOf(t *testing.T, folder string, chip buffer.Chip) nos.Plan {
	t.Helper()
	tree, below, err := devicetree.Open(folder)
	require.NoError(t, err)
	defer tree.Close()
	folders, _, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	o := devicetree.Options{Chip: audit.Named(chip, "test"), Wanted: func(v devicetree.Variant) bool {
		return !v.Neighbours && v.Topology.Name == "t0"
	}}
	var out nos.Plan
	for r, err := range devicetree.Audit(t.Context(), tree, folders, o) {
		require.NoError(t, err)
		require.Len(t, r.Configurations, 1)
		imported, err := intent.Of(r.Configurations[0].Result)
		require.NoError(t, err)
		require.Empty(t, imported.Differences)
		// The topology of an import is a text.
		w, err := topology.Write(imported.Intent)
		require.NoError(t, err)
		out = planOf(t, string(w.Topology))
	}
	return out
}

// broken are the lines of port_config.ini with one port divided into eight of 100G.
func broken(t *testing.T, port string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "tree", acme, "port_config.ini"))
	require.NoError(t, err)
	var out []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] != port {
			out = append(out, line)
			continue
		}
		first, err := strconv.Atoi(strings.TrimPrefix(port, "Ethernet"))
		require.NoError(t, err)
		for n, lane := range strings.Split(fields[1], ",") {
			out = append(out, fmt.Sprintf("Ethernet%d %s %s-%d %s 100000\n", first+n, lane, fields[2], n, fields[3]))
		}
	}
	return strings.Join(out, "")
}

// headroomOf is the headroom of all groups of a plan.
func headroomOf(p nos.Plan) (sum, own int64) {
	for _, port := range p.Ports() {
		for _, g := range port.Groups {
			sum, own = sum+int64(g.Headroom), own+int64(g.Reserved)
		}
	}
	return sum, own
}

// A breakout changes the pools: the shared headroom in proportion to the headroom of the ports, in whole cells. The
// ports of a breakout have the cable, the groups and the queues of the port that they were.
func TestBreakout(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	p := planOf(t, th5(t))
	f, err := hwsku.Of(p, both)
	require.NoError(t, err)
	after := planOf(t, strings.Replace(th5(t), `  - {name: Ethernet0, speed: 800G, cable: 5m}`,
		`  - {range: "Ethernet0-7", speed: 100G, cable: 5m}`, 1))
	old, _ := headroomOf(p)
	now, _ := headroomOf(after)
	require.NotEqual(t, old, now)
	pool := f.Tables["BUFFER_POOL"]["ingress_lossless_pool"]
	xoff, err := strconv.ParseInt(pool["xoff"], 10, 64)
	require.NoError(t, err)
	cell := int64(p.Intent.Chip.Cell)
	want := (xoff*now + old*cell - 1) / (old * cell) * cell
	r := rendered(t, f, broken(t, "Ethernet0"))[0].Tables
	require.Equal(t, strconv.FormatInt(want, 10), r["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"])
	require.Equal(t, pool["size"], r["BUFFER_POOL"]["ingress_lossless_pool"]["size"], "it includes the headroom")
	require.Equal(t, "5m", r["CABLE_LENGTH"]["AZURE"]["Ethernet7"])
	require.Equal(t, r["QUEUE"]["Ethernet8|3"], r["QUEUE"]["Ethernet7|3"])
	require.NotEmpty(t, r["QUEUE"]["Ethernet7|3"])
	require.Len(t, r["CABLE_LENGTH"]["AZURE"], 75)
}

// Without a shared headroom pool, and with minima, the pool is what the ports leave. It is exact on a chip with one
// slice.
func TestBreakoutOfDedicatedHeadroom(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	text := strings.NewReplacer("chip: tomahawk5", "chip: tomahawk2", "pool: {shared_headroom_ratio: 2}\n", "",
		"alpha: 1}", "alpha: 1, reserved: 2080B}").Replace(th5(t))
	text, _, _ = strings.Cut(text, "ports:")
	of := func(ports string) nos.Plan { return planOf(t, text+"ports:\n"+ports) }
	const rest = `  - {range: "Ethernet8-120/8", speed: 100G, cable: 40m}` + "\n"
	before := of("  - {name: Ethernet0, speed: 100G, cable: 5m}\n" + rest)
	after := of(`  - {range: "Ethernet0-6/2", speed: 25G, cable: 5m}` + "\n" + rest)
	f, err := hwsku.Of(before, both)
	require.NoError(t, err)
	var lines strings.Builder
	for _, port := range after.Ports() {
		n, err := strconv.Atoi(strings.TrimPrefix(port.Name, "Ethernet"))
		require.NoError(t, err)
		fmt.Fprintf(&lines, "%s %d %s %d %d\n", port.Name, n+1, port.Name, n, int64(port.Rate/unit.Mbps))
	}
	r := rendered(t, f, "# name lanes alias index speed\n"+lines.String())[0].Tables
	size, err := strconv.ParseInt(r["BUFFER_POOL"]["ingress_lossless_pool"]["size"], 10, 64)
	require.NoError(t, err)
	was, err := strconv.ParseInt(f.Tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"], 10, 64)
	require.NoError(t, err)
	sum, own := headroomOf(before)
	newSum, newOwn := headroomOf(after)
	require.NotEqual(t, own, newOwn)
	require.Equal(t, was+sum+own-newSum-newOwn, size)
	require.Empty(t, r["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"])
}

// Ports of the same speed and cable have other maps: they have a role of their own.
func TestRoles(t *testing.T) {
	text, _, _ := strings.Cut(th5(t), "ports:")
	p := planOf(t, text+`ports:
  - {range: "Ethernet0-24/8", speed: 400G, cable: 5m}
  - {range: "Ethernet32-56/8", speed: 400G, cable: 5m, classes: [lossy]}
  - {range: "Ethernet64-88/8", speed: 400G, cable: 5m}
`)
	f, err := hwsku.Of(p, both)
	require.NoError(t, err)
	objects := string(f.Files[3].Content)
	require.Contains(t, objects, "{%- set roles = [\n    [0, 31, '5m'],\n    [32, 63, '5m-2'],\n    [64, 65535, '5m']] %}")
	require.Contains(t, objects, "{%- set cables = {\n    '5m': '5m',\n    '5m-2': '5m'} %}")
	require.Empty(t, f.Tables["PORT_QOS_MAP"]["Ethernet32"]["pfc_enable"])
	require.Equal(t, "3,4", f.Tables["PORT_QOS_MAP"]["Ethernet64"]["pfc_enable"])
}

// What the templates cannot express is refused, with the reason.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		old, now string
		options  hwsku.Options
		says     string
	}{
		"name of another system": {"name: Ethernet0", "name: et-0/0/0", both, "port et-0/0/0: want a name of SONiC"},
		"measured delay": {"name: Ethernet0, speed: 800G, cable: 5m", "name: Ethernet0, speed: 800G, delay: 50ns", both,
			"port Ethernet0 has a measured delay, and no length of its cable"},
		"static limit": {"mtu: 4160B, alpha: 1/8", "mtu: 4160B, static_limit: 1MB", both, "have a static limit"},
		"two headrooms": {"rdma, priorities: [3, 4], lossless: true, mtu: 4160B, alpha: 1/8",
			"storage, priorities: [4], lossless: true, mtu: 9216B, alpha: 1/8}\n  - {name: rdma, priorities: [3], " +
				"lossless: true, mtu: 1024B, alpha: 1/8", both, "pg_profile_lookup.ini has one for a speed and a cable"},
		"NVIDIA alone":  {"chip: tomahawk5", "chip: spectrum-4", both, "want a configuration that has them"},
		"no topologies": {"", "", hwsku.Options{}, "want one or more, such as t0"},
		"several lists": {"", "", hwsku.Options{Topologies: []string{"t0"}, Current: sonic.Database{
			"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}, "OTHER": {"Ethernet8": "5m"}}}}, "want one list"},
		"another port": {"", "", hwsku.Options{Topologies: []string{"t0"}, Current: sonic.Database{
			"BUFFER_PG": {"Ethernet4|0": {"profile": "ingress_lossy_profile"}}}}, "want entries of the ports of the plan"},
		"another map of PFC": {"", "", hwsku.Options{Topologies: []string{"t0"}, Current: sonic.Database{
			"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"AZURE": {"2": "2"}}}}, "want the priorities 3 and 4"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := hwsku.Of(planOf(t, strings.Replace(th5(t), c.old, c.now, 1)), c.options)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// A configuration that is given decides what the plan does not have.
func TestCurrent(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	p := planOf(t, th5(t))
	usual, err := hwsku.Of(p, both)
	require.NoError(t, err)
	current := maps.Clone(usual.Tables)
	current["BUFFER_POOL"] = maps.Clone(current["BUFFER_POOL"])
	current["BUFFER_POOL"]["egress_lossless_pool"] = sonic.Entry{"size": "1000", "type": "egress", "mode": "static"}
	current["BUFFER_PORT_INGRESS_PROFILE_LIST"] = sonic.Table{}
	for _, port := range p.Ports() {
		current["BUFFER_PORT_INGRESS_PROFILE_LIST"][port.Name] = sonic.Entry{"profile_list": "ingress_lossy_profile"}
	}
	f, err := hwsku.Of(p, hwsku.Options{Current: current, Topologies: both.Topologies})
	require.NoError(t, err)
	require.Equal(t, "1000", f.Tables["BUFFER_POOL"]["egress_lossless_pool"]["size"])
	for _, r := range rendered(t, f, "") {
		require.Empty(t, f.Differences(r))
		require.Equal(t, "ingress_lossy_profile",
			r.Tables["BUFFER_PORT_INGRESS_PROFILE_LIST"]["Ethernet504"]["profile_list"])
	}
}

// The same plan has the same bytes.
func TestSameBytes(t *testing.T) {
	p := planOf(t, th5(t))
	first, err := hwsku.Of(p, both)
	require.NoError(t, err)
	_, end := effort.Seeds(5)
	for range end {
		next, err := hwsku.Of(p, both)
		require.NoError(t, err)
		require.True(t, slices.EqualFunc(first.Files, next.Files, func(a, b nos.File) bool {
			return a.Name == b.Name && bytes.Equal(a.Content, b.Content)
		}))
	}
}

// What a folder renders to is JSON without a table twice.
func TestTexts(t *testing.T) {
	f, err := hwsku.Of(planOf(t, th5(t)), both)
	require.NoError(t, err)
	for _, r := range renderedUsual(t, f) {
		for template, text := range r.Texts {
			require.True(t, json.Valid([]byte(text)), template)
			require.NotContains(t, text, "\n\n\n", template)
			require.Equal(t, "buffers-acme-th5-o62x2y4-t0.json", hwsku.SampleName(acme, "buffers.json.j2", "t0"))
		}
	}
}
