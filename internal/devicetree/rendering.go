package devicetree

import (
	"iter"
	"slices"
)

// Rendering is what a switch of a folder has in CONFIG_DB for one variant: documents that together are the tables.
type Rendering struct {
	Folder  Folder
	Variant Variant
	Dynamic bool // of buffers_dynamic.json.j2, for a switch whose buffer_model is dynamic

	Ports    Ports
	PortsErr error // what is wrong in the files of the ports

	// Documents are the rendered templates of the folder, buffers before QoS. Each is the JSON of some tables, or an
	// error.
	Documents []Document
}

// Configurations renders all templates of folders for the wanted ones of their variants (nil: all), in their order:
// one configuration for each variant with the buffers of the traditional model, and one with those of the dynamic
// model where the folder has them. A template is rendered once for each variant, and may be a document of two
// configurations. An error ends the sequence: that of the context, or of an interpreter that does not start.
func (r *Renderer) Configurations(tree *Tree, folders []Folder, wanted func(Variant) bool) iter.Seq2[Rendering, error] {
	return func(yield func(Rendering, error) bool) {
		var waiting []Rendering // those whose requests are on the way, without documents
		requests := func(yield func(Request) bool) {
			for i := range folders {
				f := &folders[i]
				ports, err := tree.Ports(r.ctx, f)
				for _, v := range f.Variants(ports) {
					if wanted != nil && !wanted(v) {
						continue
					}
					waiting = append(waiting, Rendering{Folder: *f, Variant: v, Ports: ports, PortsErr: err})
					text := f.Context(ports, v)
					for _, template := range f.Templates {
						if !yield(Request{Root: tree.Path, Folder: f.Path, Above: f.Above, Template: template, Context: text}) {
							return
						}
					}
				}
			}
		}
		var documents []Document
		for result, err := range r.All(requests) {
			if err != nil {
				yield(Rendering{}, err)
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
func (c Rendering) with(documents []Document) []Rendering {
	but := func(template string) []Document {
		return slices.DeleteFunc(slices.Clone(documents), func(d Document) bool { return d.Request.Template == template })
	}
	static, dynamic := c, c
	static.Documents, dynamic.Documents, dynamic.Dynamic = but(BuffersDynamic), but(Buffers), true
	switch {
	case !c.Folder.Has(BuffersDynamic):
		return []Rendering{static}
	case !c.Folder.Has(Buffers):
		return []Rendering{dynamic}
	}
	return []Rendering{static, dynamic}
}
