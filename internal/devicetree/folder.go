package devicetree

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// The templates of a folder that make CONFIG_DB. A switch uses either of the first two: buffers_dynamic.json.j2 where
// buffer_model is dynamic.
const (
	Buffers        = "buffers.json.j2"
	BuffersDynamic = "buffers_dynamic.json.j2"
	QoS            = "qos.json.j2"
)

// The other files of a folder.
const (
	lookupTable  = "pg_profile_lookup.ini"
	portConfig   = "port_config.ini"
	hwskuJSON    = "hwsku.json"
	platformJSON = "platform.json"
	saiProfile   = "sai.profile"
	platformASIC = "platform_asic"
)

// Folder is the folder of a hwsku: what is in it, by names below the tree.
type Folder struct {
	Path     string // the folder itself
	Vendor   string // arista; empty for a folder that is not below device
	Platform string // x86_64-arista_7060_cx32s
	SKU      string // Arista-7060CX-32S-C32
	// Part is what follows the SKU: the number of a chip in a switch with several, or the name of a profile that the
	// folder of the SKU has links to (BALANCED).
	Part string

	// Above is the folder of the platform, if the templates are there and the folder of the SKU has none; else "".
	Above      string
	Templates  []string   // those of Buffers, BuffersDynamic and QoS that are there
	Topologies []Topology // those that the folder has definitions for; if it has none, t0 and t1
	Lookup     string     // the headroom table, pg_profile_lookup.ini, or ""
	ASICType   string     // content of platform_asic, such as broadcom, or ""
	Hints      []Hint     // what says which chip it is for
	// DropOverMax says whether sai.profile has SAI_DROP_OVER_MAX_VALUE_LIST=307200; absent: there is no such file.
	DropOverMax unit.Optional[bool]
}

// Hint is a text that says something about the chip, and the file that has it.
type Hint struct{ Text, Source string }

// String returns the path.
func (f Folder) String() string { return f.Path }

// Has tells whether the folder has a template.
func (f *Folder) Has(template string) bool { return slices.Contains(f.Templates, template) }

// platform returns the folder of the platform, empty where it is not known.
func (f *Folder) platform() string {
	if f.Platform == "" {
		return ""
	}
	return path.Join("device", f.Vendor, f.Platform)
}

// sku returns the folder of the SKU, which is above that of a part.
func (f *Folder) sku() string {
	if f.Part == "" {
		return f.Path
	}
	return path.Dir(f.Path)
}

// Numbers of parts of the paths of a platform and of a hwsku: device/VENDOR/PLATFORM/HWSKU.
const (
	platformParts = 3
	skuParts      = 4
)

// folder returns a folder as a hwsku's, if it has a template. That of a platform is none: its templates are those of
// the hwskus in it that have none.
func (t *Tree) folder(ctx context.Context, name string, entries []fs.DirEntry) (Folder, bool) {
	f := Folder{Path: name}
	parts := strings.Split(name, "/")
	if parts[0] == "device" && len(parts) == platformParts {
		return f, false
	}
	if f.Templates = t.templates(name, entries); len(f.Templates) == 0 {
		if parts[0] != "device" || len(parts) != skuParts || !isSKU(entries) {
			return f, false
		}
		above, err := t.root.List(path.Dir(name))
		if f.Templates = t.templates(path.Dir(name), above); err != nil || len(f.Templates) == 0 {
			return f, false
		}
		f.Above = path.Dir(name)
		entries = append(slices.Clone(entries), above...)
	}
	for _, topology := range topologies() {
		if topology.Name != Default.Name && t.has(name, entries, topology.definitions()) {
			f.Topologies = append(f.Topologies, topology)
		}
	}
	if len(f.Topologies) == 0 { // its templates have all themselves, or are of QoS alone
		f.Topologies = topologies()[:2]
	}
	if len(parts) >= skuParts && parts[0] == "device" {
		f.Vendor, f.Platform, f.SKU, f.Part = parts[1], parts[2], parts[3], strings.Join(parts[4:], "/")
	}
	for _, at := range []string{f.Path, f.sku(), f.Above} { // the chips of a switch share the table of its SKU
		if f.Lookup == "" && at != "" && t.root.Has(path.Join(at, lookupTable)) {
			f.Lookup = path.Join(at, lookupTable)
		}
	}
	t.hints(ctx, &f)
	return f, true
}

// templates lists the templates of a folder.
func (t *Tree) templates(name string, entries []fs.DirEntry) (out []string) {
	for _, template := range []string{Buffers, BuffersDynamic, QoS} {
		if t.has(name, entries, template) {
			out = append(out, template)
		}
	}
	return out
}

// has tells whether a folder has a file, or a link that leads to nothing in the tree: it does not render.
func (t *Tree) has(name string, entries []fs.DirEntry, file string) bool {
	at := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == file })
	if at < 0 || entries[at].Type()&fs.ModeSymlink == 0 {
		return at >= 0
	}
	_, err := t.Real(path.Join(name, file))
	return !errors.Is(err, files.ErrOutside) // of these the walk tells
}

// isSKU tells whether a folder without templates is that of a hwsku.
func isSKU(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{portConfig, hwskuJSON, saiProfile, lookupTable}, e.Name())
	})
}

// hints reads what says which chip a folder is for.
func (t *Tree) hints(ctx context.Context, f *Folder) {
	if f.Platform != "" {
		at := path.Join(f.platform(), platformASIC)
		if data, err := t.Read(ctx, at); err == nil && len(data) < 100 {
			f.ASICType = strings.TrimSpace(string(data))
			f.Hints = append(f.Hints, Hint{f.ASICType, at})
		}
	}
	for _, template := range f.Templates {
		real, err := t.Real(path.Join(cmp.Or(f.Above, f.Path), template))
		if rest, common := strings.CutPrefix(real, "device/common/profiles/"); err == nil && common {
			chip, _, _ := strings.Cut(rest, "/")
			f.Hints = append(f.Hints, Hint{chip, path.Join(f.Path, template)})
			break
		}
	}
	at := path.Join(f.sku(), saiProfile)
	data, err := t.Read(ctx, at)
	if err != nil {
		return
	}
	f.DropOverMax = unit.Given(false)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch value = strings.TrimSpace(value); strings.TrimSpace(key) {
		case "SAI_INIT_CONFIG_FILE":
			f.Hints = append(f.Hints, Hint{path.Base(value), at})
		case "SAI_DROP_OVER_MAX_VALUE_LIST":
			f.DropOverMax = unit.Given(value == "307200")
		}
	}
}

// Topology is the place of a switch in a network, for which a folder has definitions.
type Topology struct {
	Name string // t0; the file of its definitions is buffers_defaults_t0.j2
	Type string // the type in DEVICE_METADATA that selects it; empty for none
	// Up and Down are the types of the neighbours that a rendering with neighbours has, one on every second port of
	// each speed. Both may be the same.
	Up, Down string
}

// Default is the rendering without a type: the templates then take the topology that they name as their default, and
// def where they name none.
var Default = Topology{Name: "def"}

// topologies returns the topologies of buffers_config.j2, with the types of device that select them there. Other types
// select the same files (a BackEndToRRouter those of t0). The neighbours are those that buffers_config.j2 has cable
// lengths for in the same site; it has lengths of 80 km to regional hubs too, which only some tables have rows for.
func topologies() []Topology {
	return []Topology{
		{"t0", "ToRRouter", "LeafRouter", "Server"},
		{"t1", "LeafRouter", "SpineRouter", "ToRRouter"},
		{"t2", "SpineRouter", "LeafRouter", "LeafRouter"},
		{"lt2", "LowerSpineRouter", "UpperSpineRouter", "LeafRouter"},
		{"ft2", "FabricSpineRouter", "LowerSpineRouter", "LowerSpineRouter"},
		Default,
	}
}

// TopologyNames are the names of the topologies.
func TopologyNames() []string {
	return grouped.Each(topologies(), func(t Topology) string { return t.Name })
}

func (t Topology) definitions() string { return fmt.Sprintf("buffers_defaults_%s.j2", t.Name) }
