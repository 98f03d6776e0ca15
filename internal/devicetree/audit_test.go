package devicetree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// writeFolder writes files below a folder.
func writeFolder(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// sku is the folder of a switch of our own, with small templates that need no others.
const sku = "device/acme/x86_64-juniper_qfx5200-r0/Acme-4"

// smallFolder are the files of sku. The pool is one of Tomahawk 2, and the chip is a Tomahawk.
var smallFolder = map[string]string{
	sku + "/port_config.ini":        "# name lanes speed\nEthernet0 1,2,3,4 100000\nEthernet4 5,6,7,8 100000\n",
	sku + "/pg_profile_lookup.ini":  "100000 40m 1248 2288 165568 0 2288\n",
	sku + "/buffers_defaults_t0.j2": "",
	sku + "/buffers.json.j2": `{
  "CABLE_LENGTH": {"AZURE": { {%- for p in PORT %}"{{ p }}": "40m"{% if not loop.last %},{% endif %}{% endfor -%} }},
  "BUFFER_POOL": {
    "ingress_lossless_pool": {"size": "33329088", "xoff": "7827456", "type": "ingress", "mode": "dynamic"},
    "egress_lossless_pool": {"size": "15982720", "type": "egress", "mode": "static"}
  },
  "BUFFER_PROFILE": {"egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "15982720"}},
  "BUFFER_QUEUE": {"Ethernet0,Ethernet4|3": {"profile": "egress_lossless_profile"}}
}
`,
	sku + "/qos.json.j2": `{"PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3"}}}`,
}

// auditAll audits a tree; the test is skipped where Jinja is not installed.
func auditAll(t *testing.T, root string, o devicetree.Options) []*devicetree.Result {
	t.Helper()
	ctx := context.Background()
	tree, below, err := devicetree.Open(root)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	folders, _, err := tree.Folders(ctx, below)
	require.NoError(t, err)
	var out []*devicetree.Result
	for r, err := range devicetree.Audit(ctx, tree, folders, o) {
		if errors.Is(err, devicetree.ErrNoPython) {
			t.Skip(err)
		}
		require.NoError(t, err)
		out = append(out, r)
	}
	return out
}

// codes lists the findings as texts.
func codes(found []finding.Finding) []string {
	var out []string
	for _, f := range found {
		if f.Severity != finding.Note {
			out = append(out, fmt.Sprintf("%s %s:%d %s", f.Code, filepath.Base(f.File), f.Line, f.Topology))
		}
	}
	return out
}

func ExampleAudit() {
	tree, below, err := devicetree.Open("testdata/tree")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tree.Close()
	folders, _, err := tree.Folders(context.Background(), below)
	fmt.Println(len(folders), err)
	// Output: 2 <nil>
}

// TestAuditsAFolder renders a folder and finds what is wrong with it, once for all its variants.
func TestAuditsAFolder(t *testing.T) {
	root := t.TempDir()
	writeFolder(t, root, smallFolder)
	done := 0
	results := auditAll(t, root, devicetree.Options{Progress: func(n, whole int) { done = n; require.Equal(t, 1, whole) }})
	require.Len(t, results, 1)
	require.Equal(t, 1, done)
	r := results[0]
	require.Equal(t, "tomahawk", r.Chip.Name)
	require.Len(t, r.Configurations, 3, "t0, t0 with neighbours, and the default")
	require.Equal(t, []string{"egress-lossless-below-ingress buffers.json.j2:5 t0", "pool-over-chip buffers.json.j2:4 t0",
		"pool-plus-xoff-over-chip buffers.json.j2:4 t0", "pool-size-other-chip buffers.json.j2:4 t0"},
		sorted(codes(r.Findings)))
	what := r.Configurations[0].Result.What()
	require.Equal(t, "100G", what.Lossless[0].Speed)
	require.Equal(t, "pg_lossless_100000_40m_profile", what.Lossless[0].Profile)
}

// TestWhatDoesNotRenderIsAFinding is about templates that have an error, and text that is no JSON: the other document
// of the folder is audited all the same.
func TestWhatDoesNotRenderIsAFinding(t *testing.T) {
	effort.SkipShort(t, "it renders many templates")
	for name, c := range map[string]struct{ text, code string }{
		"an error":  {"{% endmacro %}", "render-error"},
		"no JSON":   {`{"BUFFER_POOL": {"a": {"size": "1",}}}`, "render-not-json"},
		"a missing": {"{% include 'none.j2' %}", "render-error"},
		"a bomb":    {"{% for i in range(10**9) %}{{ 'a' * 10**9 }}{% endfor %}", "render-error"},
		"too long":  {"{}" + strings.Repeat(" ", 1<<20), "render-error"},
	} {
		root := t.TempDir()
		writeFolder(t, root, smallFolder)
		writeFolder(t, root, map[string]string{sku + "/buffers.json.j2": c.text})
		results := auditAll(t, root,
			devicetree.Options{Wanted: func(v devicetree.Variant) bool { return v.Topology.Name == "t0" }})
		found := codes(results[0].Findings)
		require.NotEmpty(t, found, name)
		require.True(t, strings.HasPrefix(found[0], c.code), "%s: %s", name, found)
		first := results[0].Findings[slices.IndexFunc(results[0].Findings, func(f finding.Finding) bool {
			return string(f.Code) == c.code
		})]
		if name != "a missing" { // that is not certain without the templates of the build
			require.Equal(t, name != "too long", first.Certain, "what only a bound stops is not certain: %v", first)
		}
		require.Equal(t, uint16(1<<3), results[0].Configurations[0].Result.Switch.Ports[0].PFC, name)
	}
}

// TestOnlyASwitchWithoutATypeNeedsIt: what fails for the default variant alone is a note.
func TestOnlyASwitchWithoutATypeNeedsIt(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	root := t.TempDir()
	writeFolder(t, root, smallFolder)
	writeFolder(t, root, map[string]string{sku + "/qos.json.j2": `{"A": {"B": {"t": "{{ DEVICE_METADATA.localhost.type.x }}",
		"u": "{{ DEVICE_METADATA['localhost']['type'].lower() }}"}}}`})
	var found []string
	for _, f := range auditAll(t, root, devicetree.Options{})[0].Findings {
		if f.Code == "render-error" {
			found = append(found, fmt.Sprint(f.Topology, " ", f.Severity, " ", f.Certain, " ", f.Message))
		}
	}
	require.Equal(t, []string{"def note false 'dict object' has no attribute 'type'; only a switch without a type " +
		"needs it"},
		found)
}

// TestALinkToNothingIsAFinding is about a template that is a link whose target is not there.
func TestALinkToNothingIsAFinding(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	root := t.TempDir()
	writeFolder(t, root, smallFolder)
	at := filepath.Join(root, filepath.FromSlash(sku+"/qos.json.j2"))
	require.NoError(t, os.Remove(at))
	require.NoError(t, os.Symlink("../../common/qos.json", at))
	results := auditAll(t, root,
		devicetree.Options{Wanted: func(v devicetree.Variant) bool { return v.Topology.Name == "t0" }})
	require.Contains(t, codes(results[0].Findings), "render-error qos.json.j2:0 t0")
}

// TestManyFoldersWithOneTable: what is wrong with a table that many folders have links to is listed once; what a folder
// makes of it, for each of them.
func TestManyFoldersWithOneTable(t *testing.T) {
	effort.SkipShort(t, "it renders many folders")
	root := t.TempDir()
	writeFolder(t, root, smallFolder)
	row := "100000 300m 1248 2288 165568 0 2288\n100000 40m 1248 2288 185568 0 2288\n"
	writeFolder(t, root, map[string]string{sku + "/pg_profile_lookup.ini": row})
	require.NoError(t, os.Symlink("Acme-4", filepath.Join(root, filepath.FromSlash(sku+"-B"))))
	perFolder, perTable := map[string]int{}, 0
	for _, r := range auditAll(t, root, devicetree.Options{}) {
		for _, f := range r.Findings {
			switch f.Code {
			case "xoff-shrinks-with-length":
				perTable++
				require.Empty(t, f.Folder)
			case "pool-over-chip":
				perFolder[f.Folder]++
			}
		}
	}
	require.Equal(t, 1, perTable)
	require.Equal(t, map[string]int{sku: 1, sku + "-B": 1}, perFolder)
}

// TestNoTableIsOneFinding is about a switch with PFC and without a headroom table.
func TestNoTableIsOneFinding(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	root := t.TempDir()
	writeFolder(t, root, smallFolder)
	require.NoError(t, os.Remove(filepath.Join(root, filepath.FromSlash(sku+"/pg_profile_lookup.ini"))))
	results := auditAll(t, root, devicetree.Options{})
	n := 0
	for _, f := range results[0].Findings {
		if f.Code == "lossless-no-row" {
			n++
			require.Equal(t, "the switch has no headroom table: no row for 100G over 40m", f.Message)
			require.True(t, f.Certain)
		}
	}
	require.Equal(t, 1, n)
}

// TestIdentifiesByFiles is about a platform that is in no table: the files of the folder name the chip.
func TestIdentifiesByFiles(t *testing.T) {
	f := devicetree.Folder{Platform: "x86_64-acme_1-r0", SKU: "Acme-1",
		Hints: []devicetree.Hint{{Text: "broadcom", Source: "platform_asic"},
			{Text: "th5-acme.config.bcm", Source: "sai.profile"}}}
	chip := devicetree.Identify(f)
	require.Equal(t, "tomahawk5", chip.Name)
	require.Equal(t, "sai.profile names th5-acme.config.bcm", chip.How)
	f.Hints = nil
	require.False(t, func() bool { c := devicetree.Identify(f); return c.Known() }())
}

// sorted returns texts in order.
func sorted(texts []string) []string {
	out := append([]string{}, texts...)
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// TestFindingsNameTheTemplate: a finding has the line of the template that printed what it is about, also if a macro of
// another file did, and if the text is no JSON.
func TestFindingsNameTheTemplate(t *testing.T) {
	root := t.TempDir()
	writeFolder(t, root, map[string]string{
		sku + "/buffers_defaults_t0.j2": "{% macro pools() %}\n\"BUFFER_POOL\": {\n" +
			`  "ingress_lossless_pool": {"size": "33329088", "type": "ingress", "mode": "dynamic"}` + "\n}\n{% endmacro %}",
		sku + "/buffers.json.j2": "{% import 'buffers_defaults_t0.j2' as defs %}\n{\n{{ defs.pools() }}\n}",
		sku + "/qos.json.j2":     "{# a comment #}\n{\n{% if true %}\n\"a\": 1,,\n{% endif %}\n}",
	})
	r := auditAll(t, root, devicetree.Options{})[0]
	places := map[finding.Code]string{}
	for _, f := range r.Findings {
		if f.Template != "" {
			places[f.Code] = fmt.Sprintf("%s:%d %s:%d", filepath.Base(f.File), f.Line, f.Template, f.TemplateLine)
		}
	}
	require.Equal(t, "buffers.json.j2:3 "+sku+"/buffers_defaults_t0.j2:3", places["pool-over-chip"])
	require.Equal(t, "qos.json.j2:2 "+sku+"/qos.json.j2:4", places["render-not-json"])
}
