package render

import (
	"context"
	"iter"
	"slices"

	"github.com/cellwarden/cellwarden/audit/hwsku"
)

// Configuration is what a switch of a folder has in CONFIG_DB for one variant: documents that together are the tables.
type Configuration struct {
	Folder  hwsku.Folder
	Variant hwsku.Variant
	Dynamic bool // of buffers_dynamic.json.j2, for a switch whose buffer_model is dynamic

	Ports    hwsku.Ports
	PortsErr error // what is wrong in the files of the ports

	// Documents are the rendered templates of the folder, buffers before QoS. Each is the JSON of some tables, or an
	// error.
	Documents []Result
}

// Configurations renders all templates of folders for all their variants, in their order: one configuration for each
// variant with the buffers of the traditional model, and one with those of the dynamic model where the folder has them.
// A template is rendered once for each variant, and may be a document of two configurations. An error ends the
// sequence: that of the context, or of an interpreter that does not start.
func (r *Renderer) Configurations(tree *hwsku.Tree, folders []hwsku.Folder) iter.Seq2[Configuration, error] {
	return r.Some(tree, folders, func(hwsku.Variant) bool { return true })
}

// Some is Configurations of some variants.
func (r *Renderer) Some(tree *hwsku.Tree, folders []hwsku.Folder,
	wanted func(hwsku.Variant) bool) iter.Seq2[Configuration, error] {
	return func(yield func(Configuration, error) bool) {
		var waiting []Configuration // those whose requests are on the way, without documents
		requests := func(yield func(Request) bool) {
			for i := range folders {
				f := &folders[i]
				ports, err := tree.Ports(r.ctx, f)
				for _, v := range f.Variants(ports) {
					if !wanted(v) {
						continue
					}
					waiting = append(waiting, Configuration{Folder: *f, Variant: v, Ports: ports, PortsErr: err})
					text := f.Context(ports, v)
					for _, template := range f.Templates {
						if !yield(Request{Root: tree.Path, Folder: f.Path, Template: template, Context: text}) {
							return
						}
					}
				}
			}
		}
		var documents []Result
		for result, err := range r.All(requests) {
			if err != nil {
				yield(Configuration{}, err)
				return
			}
			documents = append(documents, result)
			c := waiting[0]
			if len(documents) < len(c.Folder.Templates) {
				continue
			}
			waiting = waiting[1:]
			for _, whole := range c.with(documents) {
				if !yield(whole, nil) {
					return
				}
			}
			documents = nil
		}
	}
}

// with returns the configurations that the documents of a variant make.
func (c Configuration) with(documents []Result) []Configuration {
	but := func(template string) []Result {
		return slices.DeleteFunc(slices.Clone(documents), func(d Result) bool { return d.Request.Template == template })
	}
	static, dynamic := c, c
	static.Documents, dynamic.Documents, dynamic.Dynamic = but(hwsku.BuffersDynamic), but(hwsku.Buffers), true
	switch {
	case !c.Folder.Has(hwsku.BuffersDynamic):
		return []Configuration{static}
	case !c.Folder.Has(hwsku.Buffers):
		return []Configuration{dynamic}
	}
	return []Configuration{static, dynamic}
}

// Folder renders one folder: Configurations with an interpreter of its own.
func Folder(ctx context.Context, tree *hwsku.Tree, f hwsku.Folder) ([]Configuration, error) {
	r, err := Start(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []Configuration
	for c, err := range r.Configurations(tree, []hwsku.Folder{f}) {
		if err != nil {
			return out, err
		}
		out = append(out, c)
	}
	return out, nil
}
