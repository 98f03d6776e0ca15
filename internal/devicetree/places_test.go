package devicetree_test

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// moved returns the files of smallFolder, with some of them in the folder of the platform.
func moved(is func(name string) bool) map[string]string {
	out := map[string]string{}
	for name, text := range smallFolder {
		if is(path.Base(name)) {
			name = path.Join(path.Dir(path.Dir(name)), path.Base(name))
		}
		out[name] = text
	}
	return out
}

// TestTemplatesOfThePlatform: templates in the folder of the platform are audited as those of the hwskus in it that
// have none. The findings are those of the same files in the folder of the hwsku, and a note says where a switch looks.
func TestTemplatesOfThePlatform(t *testing.T) {
	effort.SkipShort(t, "it renders several folders")
	in := t.TempDir()
	writeFolder(t, in, smallFolder)
	want := codes(auditAll(t, in, devicetree.Options{})[0].Findings)
	require.NotEmpty(t, want)
	for name, is := range map[string]func(string) bool{
		"all but the ports and the table": func(file string) bool { return strings.HasSuffix(file, ".j2") },
		"all but the ports":               func(file string) bool { return file != "port_config.ini" },
		"the templates alone":             func(file string) bool { return strings.HasSuffix(file, ".json.j2") },
	} {
		root := t.TempDir()
		writeFolder(t, root, moved(is))
		results := auditAll(t, root, devicetree.Options{})
		require.Len(t, results, 1, name)
		require.Equal(t, "Acme-4", results[0].Folder.SKU, name)
		require.Equal(t, sorted(want), sorted(codes(results[0].Findings)), name)
		notes := ofTemplates(results[0].Findings)
		require.Len(t, notes, 1, name)
		require.Equal(t, finding.Note, notes[0].Severity)
		require.Contains(t, notes[0].Message, "the templates are in the folder of the platform")
	}
}

// TestAPlatformIsNoSKU: a platform whose hwskus have templates of their own is not audited beside them.
func TestAPlatformIsNoSKU(t *testing.T) {
	root := t.TempDir()
	writeFolder(t, root, smallFolder)
	writeFolder(t, root, map[string]string{path.Dir(sku) + "/buffers.json.j2": "no JSON"})
	tree, below, err := devicetree.Open(root)
	require.NoError(t, err)
	defer tree.Close()
	folders, _, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	require.Len(t, folders, 1)
	require.Empty(t, folders[0].Above)
	require.Equal(t, sku, folders[0].Path)
}

// TestWithoutBuildTemplates: what all folders include is not there. That is said once, and is no mistake of theirs.
func TestWithoutBuildTemplates(t *testing.T) {
	effort.SkipShort(t, "it renders several folders")
	root := t.TempDir()
	for _, folder := range []string{sku, sku + "-B", sku + "-B/BALANCED"} {
		writeFolder(t, root, map[string]string{folder + "/buffers.json.j2": "{% include 'buffers_config.j2' %}",
			folder + "/qos.json.j2": "{% include 'qos_config.j2' %}", folder + "/port_config.ini": "Ethernet0 1,2,3,4\n"})
	}
	var found []finding.Finding
	for _, r := range auditAll(t, root, devicetree.Options{}) {
		found = append(found, ofTemplates(r.Findings)...)
	}
	require.Len(t, found, 1)
	require.False(t, found[0].Certain)
	require.Contains(t, found[0].Message, root)
	require.Contains(t, found[0].Message, "files/build_templates")

	writeFolder(t, root, map[string]string{"files/build_templates/README": ""})
	certain := 0
	for _, r := range auditAll(t, root, devicetree.Options{}) {
		for _, f := range ofTemplates(r.Findings) {
			if f.Certain {
				certain++
			}
		}
	}
	require.Equal(t, 8, certain, "with the folder, each template that is not in it is a mistake")
}

// TestANestedFolderByItself: the profile of a hwsku is audited when it alone is named, with the ports of the hwsku.
func TestANestedFolderByItself(t *testing.T) {
	effort.SkipShort(t, "it starts an interpreter")
	root := t.TempDir()
	files := map[string]string{}
	for name, text := range smallFolder {
		if path.Base(name) != "port_config.ini" {
			name = path.Join(path.Dir(name), "BALANCED", path.Base(name))
		}
		files[name] = text
	}
	writeFolder(t, root, files)
	results := auditAll(t, path.Join(root, sku, "BALANCED"), devicetree.Options{})
	require.Len(t, results, 1)
	require.Equal(t, "BALANCED", results[0].Folder.Part)
	require.Equal(t, "tomahawk", results[0].Chip.Name)
	require.Empty(t, ofTemplates(results[0].Findings))
	require.Len(t, results[0].Configurations[0].Result.Switch.Ports, 2)
}

// ofTemplates lists the findings about templates.
func ofTemplates(found []finding.Finding) (out []finding.Finding) {
	for _, f := range found {
		if f.Code == "render-error" || f.Code == "render-not-json" {
			out = append(out, f)
		}
	}
	return out
}
