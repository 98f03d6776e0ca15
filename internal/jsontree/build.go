package jsontree

import (
	"fmt"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Child returns the member of an object; nil if the tree has none. With a key it returns the entry of the list there
// whose leaf key has the value; no entry has an empty value.
func Child(tree any, name, key, value string) any {
	object, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	if key == "" {
		return object[name]
	}
	entries, _ := object[name].([]any)
	for _, entry := range entries {
		if leaves, ok := entry.(map[string]any); ok && value != "" && Text(leaves[key]) == value {
			return entry
		}
	}
	return nil
}

// MaxElems is the greatest number of elements in the path of a value below what was asked for. The models of switches
// are about 12 deep: a longer path is an error of the switch, and would cost memory and stack.
const MaxElems = 32

// Nest returns the tree with a value at a path: an object for each element, with the keys of a list's entry as its
// leaves. It refuses paths of more than MaxElems elements.
func (n Names) Nest(path []*gpb.PathElem, value any) (any, error) {
	if len(path) > MaxElems {
		return nil, fmt.Errorf("%d elements: want at most %d", len(path), MaxElems)
	}
	for _, e := range slices.Backward(path) {
		if len(e.GetKey()) > 0 {
			entry := map[string]any{}
			for key, v := range e.GetKey() {
				entry[key] = v
			}
			value = []any{Merge(entry, value)}
		}
		value = map[string]any{n.Local(e.GetName()): value}
	}
	return value, nil
}

// Merge puts a tree into another one and returns the result: members and entries are
// added, and a leaf that both have is the one of from. It reuses the tree into.
//
// Without models it is not known which leaves are the keys of a list. So an entry is merged into the first one with
// which it has leaves in common, if all of these are equal; otherwise it is added.
func Merge(into, from any) any {
	if into == nil {
		return from
	}
	switch from := from.(type) {
	case map[string]any:
		object, ok := into.(map[string]any)
		if !ok {
			return from
		}
		for name, v := range from {
			object[name] = Merge(object[name], v)
		}
		return object
	case []any:
		list, ok := into.([]any)
		if !ok {
			return from
		}
		for _, entry := range from {
			list = mergeEntry(list, entry)
		}
		return list
	case nil:
		return into
	}
	return from
}

func mergeEntry(list []any, entry any) []any {
	for i := range list {
		if sameEntry(list[i], entry) {
			list[i] = Merge(list[i], entry)
			return list
		}
	}
	return append(list, entry)
}

// sameEntry tells whether two entries of a list have leaves in common, and all of these are equal.
func sameEntry(a, b any) bool {
	x, ok := a.(map[string]any)
	y, both := b.(map[string]any)
	common := 0
	for name, v := range x {
		w, there := y[name]
		if !there || Text(v) == "" {
			continue
		}
		if !Equal(v, w) {
			return false
		}
		common++
	}
	return ok && both && common > 0
}
