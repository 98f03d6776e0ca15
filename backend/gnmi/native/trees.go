package native

import (
	"fmt"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/nos"
)

// Trees is what a switch had when it was read: a tree of JSON for each path
// that was read, with the names of modules taken off.
type Trees []branch

type branch struct {
	path []nos.Elem
	raw  bool // names are as they are: there are no modules
	tree any  // nil: there is nothing
}

// at returns what is at a path; nil: nothing. A path outside what was read panics: languages read what they write.
func (r Trees) at(path []nos.Elem) any {
	for _, b := range r {
		if len(path) >= len(b.path) && slices.Equal(path[:len(b.path)], b.path) {
			return descend(b.tree, path[len(b.path):])
		}
	}
	panic("native: " + nos.Text(path) + " was not read")
}

// descend follows the elements of a path into a tree.
func descend(tree any, path []nos.Elem) any {
	for _, e := range path {
		tree = jsontree.Child(tree, e.Name, e.Key, e.Value)
	}
	return tree
}

// names is what the names of members are. Those of raw values are keys of a database.
func names(raw bool) jsontree.Names {
	if raw {
		return jsontree.Keys
	}
	return jsontree.Models
}

// parse reads a value of JSON, with the modules of names taken off.
func parse(data []byte, raw bool) (any, error) {
	v, err := jsontree.Decode(data)
	return names(raw).Unqualified(v), err
}

// absorb reads an answer to Get into the tree of what was asked for.
func absorb(path []nos.Elem, raw bool, answer *gpb.GetResponse) (branch, error) {
	b := branch{path: path, raw: raw}
	for where, v := range jsontree.Updates(answer.GetNotification()) {
		value, err := jsontree.Leaf(v)
		if err == nil {
			err = b.put(where, names(raw).Unqualified(value))
		}
		if err != nil {
			return b, fmt.Errorf("%s: %w", pathText(where), err)
		}
	}
	if object, ok := b.tree.(map[string]any); ok && len(object) == 0 {
		b.tree = nil
	}
	return b, nil
}

// put puts a value that a switch gave for a path into the tree. The path is
// that of the tree, one beneath it, or one above: then the value is unwrapped.
func (b *branch) put(where []*gpb.PathElem, value any) error {
	for i, e := range b.path {
		if i < len(where) {
			name := where[i].GetName() // SONiC's, too, may have a module: sonic-db:CONFIG_DB
			if name != e.Name && jsontree.Local(name) != e.Name || e.Key != "" && where[i].GetKey()[e.Key] != e.Value {
				return nil // beside what was asked for
			}
			continue
		}
		value = descend(value, b.path[i:i+1])
	}
	if len(where) <= len(b.path) {
		if last := b.path[len(b.path)-1]; last.Key == "" {
			value, _ = names(b.raw).Unwrap(value, last.Name)
		}
		b.tree = jsontree.Merge(b.tree, value)
		return nil
	}
	value, err := names(b.raw).Nest(where[len(b.path):], value)
	if err != nil {
		return err
	}
	b.tree = jsontree.Merge(b.tree, value)
	return nil
}

func pathText(path []*gpb.PathElem) string {
	return nos.Text(grouped.Each(path, func(e *gpb.PathElem) nos.Elem { return nos.Elem{Name: e.GetName()} }))
}
