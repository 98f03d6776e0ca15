package devicetree_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/files"
)

// The folders of a small tree that is made up.
func ExampleOpen() {
	if err := list(context.Background(), "testdata/tree/device/acme"); err != nil {
		log.Fatal(err)
	}
	// Output:
	// device/acme/x86_64-acme_leaf-r0/Leaf-4x100
	//   templates [buffers.json.j2 buffers_dynamic.json.j2 qos.json.j2], 4 ports of port_config.ini
	//   rendered for [t0 t0 with neighbours t1 t1 with neighbours def]
	//   chip: broadcom (device/acme/x86_64-acme_leaf-r0/platform_asic)
	//   chip: th-acme-leaf-4x100.config.bcm (device/acme/x86_64-acme_leaf-r0/Leaf-4x100/sai.profile)
	// device/acme/x86_64-acme_leaf-r0/Leaf-8x50
	//   templates [qos.json.j2], 3 ports of platform.json
	//   rendered for [t0 t0 with neighbours t1 t1 with neighbours def]
	//   chip: broadcom (device/acme/x86_64-acme_leaf-r0/platform_asic)
}

func list(ctx context.Context, name string) error {
	tree, below, err := devicetree.Open(name)
	if err != nil {
		return err
	}
	defer tree.Close()
	folders, outside, err := tree.Folders(ctx, below)
	if err != nil || len(outside) > 0 {
		return fmt.Errorf("%w, links that leave the tree: %v", err, outside)
	}
	for _, f := range folders {
		ports, err := tree.Ports(ctx, &f)
		if err != nil {
			return err
		}
		fmt.Println(f)
		fmt.Printf("  templates %v, %d ports of %s\n", f.Templates, len(ports.Ports), filepath.Base(ports.File))
		fmt.Println("  rendered for", f.Variants(ports))
		for _, h := range f.Hints {
			fmt.Printf("  chip: %s (%s)\n", h.Text, h.Source)
		}
	}
	return nil
}

// writeTree makes a folder of files. A content that begins with "-> " makes a symbolic link.
func writeTree(t *testing.T, content map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range content {
		at := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o777))
		if len(text) > 3 && text[:3] == "-> " {
			require.NoError(t, os.Symlink(text[3:], at))
		} else {
			require.NoError(t, os.WriteFile(at, []byte(text), 0o666))
		}
	}
	return dir
}

func TestOpenFindsTheTree(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"whole/files/build_templates/qos_config.j2": "", "whole/device/v/p/s/qos.json.j2": "",
		"part/device/v/p/s/qos.json.j2": "", "alone/qos.json.j2": "", "file": "",
	})
	for name, want := range map[string][2]string{
		"whole": {"whole", "."}, "whole/device/v": {"whole", "device/v"},
		"whole/device/v/p/s": {"whole", "device/v/p/s"},
		"part/device/v/p/s":  {"part", "device/v/p/s"}, "part": {"part", "."}, "alone": {"alone", "."},
	} {
		tree, below, err := devicetree.Open(filepath.Join(dir, name))
		require.NoError(t, err, name)
		require.Equal(t, want, [2]string{filepath.Base(tree.Path), below}, name)
		folders, _, err := tree.Folders(t.Context(), below)
		require.NoError(t, err)
		require.Len(t, folders, 1, name)
		require.NoError(t, tree.Close())
	}
	_, _, err := devicetree.Open(filepath.Join(dir, "file"))
	require.ErrorIs(t, err, files.ErrNotFolder)
	_, _, err = devicetree.Open(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Links are followed inside the tree. One that leaves it is named, and nothing behind it is read; one that leads to a
// folder above ends.
func TestLinks(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"tree/files/build_templates/qos_config.j2":     "",
		"tree/device/common/profiles/th/b/qos.json.j2": "",
		"tree/device/v/p/s/qos.json.j2":                "-> ../../../common/profiles/th/b/qos.json.j2",
		"tree/device/v/p/s/buffers.json.j2":            "-> ../../../../../secret",
		"tree/device/v/p/s/pg_profile_lookup.ini":      "-> /etc/passwd",
		"tree/device/v/p/s/port_config.ini":            "-> ../../../../../secret",
		"tree/device/v/p/linked":                       "-> s",
		"tree/device/v/p/up":                           "-> ..",
		"tree/device/v/p/out":                          "-> ../../../../other",
		"tree/device/v/p/broken":                       "-> nothing",
		"secret":                                       "# name lanes\nroot 1",
		"other/p/qos.json.j2":                          "",
	})
	tree, below, err := devicetree.Open(filepath.Join(dir, "tree"))
	require.NoError(t, err)
	defer tree.Close()
	folders, outside, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	require.ErrorContains(t, errors.Join(outside...), "device/v/p/out: outside of the folder")
	require.ErrorContains(t, errors.Join(outside...), "device/v/p/s/buffers.json.j2: outside of the folder")
	names := map[string]devicetree.Folder{}
	for _, f := range folders {
		names[f.Path] = f
	}
	require.ElementsMatch(t, []string{"device/v/p/s", "device/v/p/linked"}, slices.Collect(maps.Keys(names)))
	f := names["device/v/p/s"]
	require.Equal(t, []string{devicetree.QoS}, f.Templates)
	require.Equal(t, []devicetree.Hint{{Text: "th", Source: "device/v/p/s/qos.json.j2"}}, f.Hints)
	require.Empty(t, f.Lookup)
	ports, err := tree.Ports(t.Context(), &f)
	require.NoError(t, err)
	require.Empty(t, ports.Ports)
	_, err = tree.Read(t.Context(), "device/v/p/s/port_config.ini")
	require.ErrorIs(t, err, files.ErrOutside)
}

// ports reads the ports of a folder with these files.
func ports(t *testing.T, content map[string]string) (devicetree.Ports, error) {
	t.Helper()
	whole := map[string]string{"device/v/p/s/qos.json.j2": ""}
	for name, text := range content {
		whole["device/v/p/"+name] = text
	}
	tree, below, err := devicetree.Open(writeTree(t, whole))
	require.NoError(t, err)
	defer tree.Close()
	folders, _, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	return tree.Ports(t.Context(), &folders[0])
}

func TestPortConfig(t *testing.T) {
	p, err := ports(t, map[string]string{"s/port_config.ini": "# a comment\n# name lanes speed role\n" +
		"Ethernet0 1,2 50000\n\nEthernet-Rec0 3 10000 Rec\nEthernet2 4 fast\nEthernet0 5 25000\n"})
	require.NoError(t, err)
	require.Equal(t, `{"Ethernet0":{"lanes":"5","speed":"25000","alias":"Ethernet0"},`+
		`"Ethernet-Rec0":{"lanes":"3","speed":"10000","role":"Rec","alias":"Ethernet-Rec0"},`+
		`"Ethernet2":{"lanes":"4","speed":"fast","alias":"Ethernet2"}}`, string(p.JSON()))
	require.Equal(t, 7, p.Ports[0].Line)
	require.True(t, p.Ports[1].Internal())
	_, err = ports(t, map[string]string{"s/port_config.ini": "# name lanes\nEthernet0 1 2"})
	require.EqualError(t, err, "device/v/p/s/port_config.ini line 2: 3 columns: want 2: name lanes")
}

func TestPlatform(t *testing.T) {
	const platform = `{"interfaces": {
"Ethernet0": {"index": "1,1,1,1", "lanes": "1,2,3,4", "breakout_modes":
  {"1x100G[40G]": ["a"], "2x50G(2)+1x40G(2)": ["b", "c", "d"]}},
"Ethernet4": {"index": "2,2", "lanes": "5,6", "breakout_modes": {"1x50G": ["e"]}}}}`
	p, err := ports(t, map[string]string{"platform.json": platform, "s/port_config.ini": "",
		"s/hwsku.json": `{"interfaces": {"Ethernet4": {"default_brkout_mode": "1x50G", "autoneg": "on"},
			"Ethernet0": {"default_brkout_mode": "1x100G[40G]", "role": "Dpc"}}}`})
	require.NoError(t, err)
	require.Equal(t, `{"Ethernet0":{"alias":"a","lanes":"1,2,3,4","speed":"100000","index":"1","subport":"0",`+
		`"role":"Dpc"},"Ethernet4":{"alias":"e","lanes":"5,6","speed":"50000","index":"2","subport":"0",`+
		`"autoneg":"on"}}`, string(p.JSON()))
	require.Equal(t, 4, p.Ports[1].Line)

	// A mode that the platform does not have: the ports are those of port_config.ini, and the error says why.
	p, err = ports(t, map[string]string{"platform.json": platform, "s/port_config.ini": "Ethernet9 1",
		"s/hwsku.json": "{\n\"interfaces\": {\"Ethernet0\": {\"default_brkout_mode\": \"4x25G\"}}}"})
	require.ErrorContains(t, err, "device/v/p/platform.json line 2, device/v/p/s/hwsku.json line 2: Ethernet0: "+
		`default_brkout_mode is "4x25G", which the platform does not have: want 1x100G[40G] 2x50G(2)+1x40G(2)`)
	require.Equal(t, "Ethernet9", p.Ports[0].Name)

	_, err = ports(t, map[string]string{"platform.json": "{\"interfaces\": {\"a\": 1\n,}}", "s/hwsku.json": "{}"})
	require.ErrorContains(t, err, "device/v/p/platform.json:2: no JSON: invalid character")
	_, err = ports(t, map[string]string{"platform.json": "{\n\"interfaces\": \"a\"}", "s/hwsku.json": "{}"})
	require.EqualError(t, err, `device/v/p/platform.json:2: interfaces is "a": want an object`)

	// Aliases are a list.
	_, err = ports(t, map[string]string{"platform.json": strings.Replace(platform, `["a"]`, `"a"`, 1),
		"s/hwsku.json": `{"interfaces": {"Ethernet0": {"default_brkout_mode": "1x100G[40G]"}}}`})
	require.EqualError(t, err, "device/v/p/platform.json line 2, device/v/p/s/hwsku.json line 1: Ethernet0: "+
		`breakout_modes 1x100G[40G] is "a": want a list with the alias of each port, such as ["Eth1"]`)
}

// A folder depends on its files, on what its links lead to, and on the links on the way.
func TestDependsOn(t *testing.T) {
	tree, below, err := devicetree.Open(writeTree(t, map[string]string{
		"files/build_templates/qos_config.j2": "", "device/v/p/platform.json": "", "device/v/p/installer.conf": "",
		"device/v/p/s/qos.json.j2": "-> ../t/qos.json.j2", "device/v/p/t/qos.json.j2": "-> ../link/qos.json.j2",
		"device/v/p/link": "-> u", "device/v/p/u/qos.json.j2": "", "device/v/p/u/other.j2": "",
		"device/v/p/s/a/qos.json.j2": "",
	}))
	require.NoError(t, err)
	defer tree.Close()
	folders, _, err := tree.Folders(t.Context(), below)
	require.NoError(t, err)
	dependents := func(names ...string) (out []string) {
		for i := range folders {
			if tree.DependsOn(&folders[i], names) {
				out = append(out, strings.TrimPrefix(folders[i].Path, "device/v/p/"))
			}
		}
		return out
	}
	require.Empty(t, dependents("device/v/p/installer.conf", "src/a.py", "device/v/p/x/qos.json.j2"))
	require.Equal(t, []string{"link", "s", "s/a", "t", "u"}, dependents("files/build_templates/qos_config.j2"))
	require.Equal(t, []string{"link", "s", "s/a", "t", "u"}, dependents("device/v/p/platform.json"))
	require.Equal(t, []string{"link", "s", "s/a", "t", "u"}, dependents("device/v/p/u/qos.json.j2"))
	require.Equal(t, []string{"link", "u"}, dependents("device/v/p/u/was.j2"))
	require.Equal(t, []string{"link", "s", "s/a", "t"}, dependents("device/v/p/link"))
	require.Equal(t, []string{"s", "s/a", "t"}, dependents("device/v/p/t/qos.json.j2"))
	require.Equal(t, []string{"s", "s/a"}, dependents("device/v/p/s/qos.json.j2"))
	require.Equal(t, []string{"s/a"}, dependents("device/v/p/s/a/qos.json.j2"))
}
