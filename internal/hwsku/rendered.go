package hwsku

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Rendered is what a folder gives a switch of one topology, whose ports have no neighbours.
type Rendered struct {
	Topology string
	Texts    map[string]string // of the templates, as sonic-cfggen prints them
	Tables   sonic.Database    // those of Tables
}

// ErrNotRendered says that a folder cannot be rendered where it is: there is no files/build_templates above it, no file
// of ports in it, or no python3 with jinja2.
var ErrNotRendered = errors.New("the folder is not rendered")

// placed opens the tree that a folder is in. The caller closes it.
func placed(ctx context.Context, folder string) (*devicetree.Tree, []devicetree.Folder, error) {
	tree, below, err := devicetree.Open(folder)
	if err != nil {
		return nil, nil, err
	}
	found, _, err := tree.Folders(ctx, below)
	found = slices.DeleteFunc(found, func(f devicetree.Folder) bool { return f.Path != below })
	if err == nil && (below == "." || len(found) == 0) {
		err = fmt.Errorf("%w: want it in a tree of sonic-buildimage, which has files/build_templates, at "+
			"device/VENDOR/PLATFORM/HWSKU", ErrNotRendered)
	}
	if err != nil {
		return nil, nil, errors.Join(err, tree.Close())
	}
	return tree, found, nil
}

// Audit returns what an audit finds in the folder, which Render has rendered, for all topologies of its files.
func (f *Folder) Audit(ctx context.Context, folder string, chip buffer.Chip) (out []finding.Finding, err error) {
	tree, found, err := placed(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	o := devicetree.Options{Chip: audit.Named(chip, "the chip of the topology")}
	f.unnamed = devicetree.Identify(found[0]).Name != chip.Name
	for r, err := range devicetree.Audit(ctx, tree, found, o) {
		if err != nil {
			return nil, err
		}
		out = append(out, r.Findings...)
	}
	return out, nil
}

// Render renders a folder as sonic-cfggen does, for the topologies.
func Render(ctx context.Context, folder string, topologies []string) ([]Rendered, error) {
	tree, found, err := placed(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	r, err := devicetree.StartRenderer(ctx)
	if errors.Is(err, devicetree.ErrNoPython) {
		return nil, fmt.Errorf("%w: %w", ErrNotRendered, err)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return RenderBy(r, tree, found, topologies)
}

// RenderBy is Render by a process that renders several folders.
func RenderBy(r *devicetree.Renderer, tree *devicetree.Tree, found []devicetree.Folder,
	topologies []string) ([]Rendered, error) {
	var out []Rendered
	for c, err := range r.Configurations(tree, found, func(v devicetree.Variant) bool {
		return !v.Neighbours && slices.Contains(topologies, v.Topology.Name)
	}) {
		switch {
		case err != nil:
			return nil, err
		case c.PortsErr != nil:
			return nil, c.PortsErr
		case len(c.Ports.Ports) == 0:
			return nil, fmt.Errorf("%w: %s has no port_config.ini and no hwsku.json", ErrNotRendered, found[0].Path)
		case c.Dynamic:
			continue
		}
		one := Rendered{Topology: c.Variant.Topology.Name, Texts: map[string]string{}, Tables: sonic.Database{}}
		for _, d := range c.Documents {
			if d.Err != nil {
				return nil, d.Err
			}
			one.Texts[d.Request.Template] = d.Text
			var whole map[string]json.RawMessage
			if err := json.Unmarshal([]byte(d.Text), &whole); err != nil {
				return nil, fmt.Errorf("%s: %w", d.Request.File(), err)
			}
			for _, name := range slices.Sorted(maps.Keys(whole)) {
				if one.Tables[name], err = sonic.ReadTable(whole[name]); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", d.Request.File(), name, err)
				}
			}
		}
		ports, err := sonic.ReadTable(c.Ports.JSON())
		if err != nil {
			return nil, fmt.Errorf("%s: PORT: %w", found[0].Path, err)
		}
		one.Tables["PORT"] = ports
		out = append(out, one)
	}
	return out, nil
}

// Differences lists what a rendering has otherwise than the plan: entries that are missing, entries of ports that the
// plan does not have, and fields.
func (f *Folder) Differences(r Rendered) []string {
	var out []string
	for _, name := range Tables() {
		planned, has := f.Tables[name], r.Tables[name]
		keys := maps.Clone(has)
		if keys == nil {
			keys = sonic.Table{}
		}
		maps.Copy(keys, planned)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if want, is := planned[key], has[key]; !maps.Equal(want, is) {
				out = append(out, fmt.Sprintf("%s|%s: %v, and the plan has %v", name, key, entryText(is), entryText(want)))
			}
		}
	}
	return out
}

func entryText(e sonic.Entry) string {
	if e == nil {
		return "nothing"
	}
	var fields []string
	for _, f := range slices.Sorted(maps.Keys(e)) {
		fields = append(fields, f+" "+e[f])
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// SampleName is the name of a rendered template among the sample outputs of sonic-config-engine.
func SampleName(folder, template, topology string) string {
	return fmt.Sprintf("%s-%s-%s.json", strings.TrimSuffix(template, ".json.j2"), strings.ToLower(filepath.Base(folder)),
		topology)
}
