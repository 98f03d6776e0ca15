package devicetree_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/treetest"
)

// sample is an expected result of SONiC's own tests (src/sonic-config-engine/tests/test_j2files.py): the folder, the
// template and the minigraph that it is of.
type sample struct{ expected, folder, template, minigraph string }

// samples lists all expected results of buffers and QoS. Those named no-config and pch-config are of no test of SONiC:
// their folder is inferred.
func samples() []sample {
	const (
		b, d, q = "buffers.json.j2", "buffers_dynamic.json.j2", "qos.json.j2"
		a7050   = "arista/x86_64-arista_7050_qx32s/Arista-7050-QX-32S"
		cx3     = "arista/x86_64-arista_7050cx3_32s/Arista-7050CX3-32S-D48C8"
		a7260   = "arista/x86_64-arista_7260cx3_64/Arista-7260CX3-"
		x6      = "arista/x86_64-arista_7060x6_64pe_b/Arista-7060X6-64PE-"
		nh      = "nexthop/x86_64-nexthop_5010-r0/NH-5010-F-O64"
		sn4600c = "mellanox/x86_64-mlnx_msn4600c-r0/Mellanox-SN4600C-"
		sn4700  = "mellanox/x86_64-mlnx_msn4700-r0/Mellanox-SN4700-O28"
		lc      = "arista/x86_64-arista_7800r3"
		nokia   = "nokia/x86_64-nokia_ixr7250e_36x400g-r0/Nokia-IXR7250E-36x"
		off     = "-remap-disabled"
	)
	all := []sample{
		{"qos-arista7050", a7050, q, "arista-7050-t0"},
		{"qos-arista7050-t0-storage-backend", a7050, q, "arista-7050-t0-storage-backend"},
		{"qos-dell9332", "dell/x86_64-dellemc_z9332f_d1508-r0/DellEMC-Z9332f-O32", q, "dell-9332-t1"},
		{"qos-dell6100", "dell/x86_64-dell_s6100_c2538-r0/Force10-S6100", q, "dell-6100-t0"},
		{"buffers-dell6100", "dell/x86_64-dell_s6100_c2538-r0/Force10-S6100", b, "dell-6100-t0"},
		{"qos-arista7260", a7260 + "C64", q, "arista-7260-t1-minigraph" + off},
		{"qos-arista7060x6", "arista/x86_64-arista_7060x6_16pe_384c_b/Arista-7060X6-16PE-384C-B-O128S2", q,
			"arista-7060x6-t0"},
		{"qos-arista7260-t0", a7260 + "D92C16", q, "arista-7260-t0"},
		{"buffer-arista7260-t0", a7260 + "D92C16", b, "arista-7260-t0"},
		{"buffer-arista7060-t0", "arista/x86_64-arista_7060_cx32s/Arista-7060CX-32S-D48C8", b, "arista-7060-t0"},
		{"buffers-mellanox2410", "mellanox/x86_64-mlnx_msn2410-r0/ACS-MSN2410", b, "mellanox-2410-t1"},
		{"buffers-mellanox2410-dynamic", "mellanox/x86_64-mlnx_msn2410-r0/ACS-MSN2410", d, "mellanox-2410-t1"},
		{"buffer-lt2-p32o64", x6 + "P32O64", b, "lt2-p32o64"},
		{"buffer-ft2-p64", x6 + "P64", b, "ft2-p64"},
		{"buffer-frh-b-o128", x6 + "B-O128", b, "frh-b-o128"},
		{"buffer-urh-nh5010", nh, b, "urh-nh5010"},
		{"buffer-lrh-nh5010", nh, b, "lrh-nh5010"},
		{"qos-arista7800r3-48cq2-lc", lc + "_48cq2_lc/Arista-7800R3-48CQ2-C48", q, "arista-7800r3-48cq2-lc-t2"},
		{"buffer-arista7800r3-48cq2-lc", lc + "_48cq2_lc/Arista-7800R3-48CQ2-C48", b, "arista-7800r3-48cq2-lc-t2"},
		{"qos-arista7800r3-48cqm2-lc", lc + "_48cqm2_lc/Arista-7800R3-48CQM2-C48", q, "arista-7800r3-48cqm2-lc-t2"},
		{"buffer-arista7800r3-48cqm2-lc", lc + "_48cqm2_lc/Arista-7800R3-48CQM2-C48", b, "arista-7800r3-48cqm2-lc-t2"},
		{"qos-arista7800r3a-36dm2-c36-lc", lc + "a_36dm2_lc/Arista-7800R3A-36DM2-C36/0", q,
			"arista-7800r3a-36dm2-c36-lc-t2"},
		{"buffer-arista7800r3a-36dm2-c36-lc", lc + "a_36dm2_lc/Arista-7800R3A-36DM2-C36/0", b,
			"arista-7800r3a-36dm2-c36-lc-t2"},
		{"qos-arista7800r3a-36dm2-d36-lc", lc + "a_36dm2_lc/Arista-7800R3A-36DM2-D36/0", q,
			"arista-7800r3a-36dm2-d36-lc-t2"},
		{"buffer-arista7800r3a-36dm2-d36-lc", lc + "a_36dm2_lc/Arista-7800R3A-36DM2-D36/0", b,
			"arista-7800r3a-36dm2-d36-lc-t2"},
		{"qos-nokia-ixr7250e-36x100g", nokia + "100G/0", q, "nokia-ixr7250e-36x100g-t2"},
		{"buffer-nokia-ixr7250e-36x100g", nokia + "100G/0", b, "nokia-ixr7250e-36x100g-t2"},
		{"qos-nokia-ixr7250e-36x400g", nokia + "400G/0", q, "nokia-ixr7250e-36x400g-t2"},
		{"buffer-nokia-ixr7250e-36x400g", nokia + "400G/0", b, "nokia-ixr7250e-36x400g-t2"},
		{"qos-no-config", nokia + "400G/0", q, "no-config-lc-t2"},
		{"buffer-no-config", nokia + "400G/0", b, "no-config-lc-t2"},
		{"qos-pch-config", nokia + "400G/0", q, "pch-lc-t2"},
		{"buffer-pch-config", nokia + "400G/0", b, "pch-lc-t2"},
		{"qos-mellanox4700-o28-t1-smartswitch", sn4700, q, "mellanox-4700-t1-minigraph-smartswitch"},
		{"qos-mellanox4700-o28-t1-smartswitch_dyn", sn4700, q, "mellanox-4700-t1-minigraph-smartswitch"},
	}
	// With the remapping of tunnels, and without.
	for _, s := range []sample{
		{"qos-arista7050cx3-dualtor", cx3, q, "arista-7050cx3-dualtor"},
		{"buffer-arista7050cx3-dualtor", cx3, b, "arista-7050cx3-dualtor"},
		{"qos-arista7260-dualtor", a7260 + "D108C8", q, "arista-7260-dualtor"},
		{"buffer-arista7260-dualtor", a7260 + "D108C8", b, "arista-7260-dualtor"},
		{"qos-arista7260-t1", a7260 + "C64", q, "arista-7260-t1"},
		{"buffer-arista7260-t1", a7260 + "C64", b, "arista-7260-t1"},
		{"qos-mellanox4600c-c64", sn4600c + "C64", q, "mellanox-4600c-t1"},
		{"buffers-mellanox4600c-t1", sn4600c + "C64", b, "mellanox-4600c-t1"},
		{"buffers-mellanox4600c-t1-dynamic", sn4600c + "C64", d, "mellanox-4600c-t1"},
		{"qos-mellanox4600c-d48c40-t0", sn4600c + "D48C40", q, "mellanox-4600c-t0"},
		{"buffers-mellanox4600c-t0", sn4600c + "D48C40", b, "mellanox-4600c-t0"},
		{"buffers-mellanox4600c-t0-dynamic", sn4600c + "D48C40", d, "mellanox-4600c-t0"},
	} {
		all = append(all, s, sample{s.expected + off, s.folder, s.template, s.minigraph + "-minigraph" + off})
	}
	return all
}

// The expected results of SONiC's own tests are those of this package.
func TestSamplesOfSONiC(t *testing.T) {
	root, err := filepath.EvalSymlinks(treetest.Root(t))
	require.NoError(t, err)
	r, err := devicetree.StartRenderer(t.Context())
	require.NoError(t, err)
	defer r.Close()
	contexts := minigraphs(t, root)
	require.Len(t, samples(), 59)
	for _, s := range samples() {
		request := devicetree.Request{Root: root, Folder: "device/" + s.folder, Template: s.template, Context: contexts(s)}
		if s.expected == "buffers-dell6100" { // its minigraph names a profile: sonic-cfggen copies the files of it
			request.Root = withProfile(t, root, s.folder, "RDMA-CENTRIC")
		}
		got := rendered(t, r, request)
		text, err := os.ReadFile(filepath.Join(root, "src/sonic-config-engine/tests/sample_output/py3",
			s.expected+".json"))
		require.NoError(t, err)
		var want map[string]any
		require.NoError(t, json.Unmarshal(text, &want), s.expected)
		if buffers := smart[s.expected]; buffers != "" { // both templates at once; other tables are not compared
			request.Template = buffers
			maps.Copy(got, rendered(t, r, request))
			maps.DeleteFunc(got, func(name string, _ any) bool { return want[name] == nil })
		}
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), s.expected)
		for name := range want {
			require.True(t, reflect.DeepEqual(want[name], got[name]), "%s: %s", s.expected, name)
		}
	}
}

// smart are the expected results of QoS and buffers together, with the template of buffers.
var smart = map[string]string{"qos-mellanox4700-o28-t1-smartswitch": "buffers.json.j2",
	"qos-mellanox4700-o28-t1-smartswitch_dyn": "buffers_dynamic.json.j2"}

func rendered(t *testing.T, r *devicetree.Renderer, request devicetree.Request) map[string]any {
	t.Helper()
	result, err := r.Render(request)
	require.NoError(t, err)
	require.Nil(t, result.Err)
	var tables map[string]any
	require.NoError(t, json.Unmarshal([]byte(result.Text), &tables))
	return tables
}

// withProfile returns a tree of one folder, with the files of one of its profiles in the place of its own.
func withProfile(t *testing.T, root, folder, profile string) string {
	t.Helper()
	out, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, place := range [][2]string{{"files/build_templates", "files/build_templates"},
		{"device/" + folder, "device/" + folder}, {"device/" + folder + "/" + profile, "device/" + folder}} {
		require.NoError(t, os.MkdirAll(filepath.Join(out, place[1]), 0o777))
		templates, err := filepath.Glob(filepath.Join(root, place[0], "*.j2"))
		require.NoError(t, err)
		for _, name := range templates {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(out, place[1], filepath.Base(name)), text, 0o666))
		}
	}
	return out
}

// minigraphs returns a function that reads the minigraph of a sample with SONiC's own reader.
func minigraphs(t *testing.T, root string) func(sample) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", "-B", "testdata/minigraph.py", root)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	// Its standard error has warnings about the minigraphs.
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	return func(s sample) []byte {
		graph := "sample-" + s.minigraph
		if !strings.Contains(graph, "-minigraph") {
			graph += "-minigraph"
		}
		files := []any{filepath.Join(root, "src/sonic-config-engine/tests", graph+".xml"),
			filepath.Join(root, "device", s.folder, "port_config.ini"), nil, nil}
		if strings.Contains(s.minigraph, "smartswitch") {
			files[1] = filepath.Join(root, "device", s.folder, "../platform.json")
			files[2] = filepath.Join(root, "device", s.folder, "hwsku.json")
		}
		if strings.Contains(s.expected, "-config") {
			files[3] = "asic0"
		}
		line, err := json.Marshal(files)
		require.NoError(t, err)
		_, err = in.Write(append(line, '\n'))
		require.NoError(t, err)
		text, err := lines.ReadBytes('\n')
		require.NoError(t, err, s.expected)
		return text
	}
}
