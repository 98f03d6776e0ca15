package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// These functions run only for a Set that is refused already: the error of ygot often
// names only the path in the schema, and they find the paths in the data.

// invalidValues lists what cannot be read in a JSON value for a node, with complete
// paths. The value is as decode returns it. The result may be empty although ytypes has refused the value: its own
// error is then the answer.
func (n node) invalidValues(value any) []violation {
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	switch {
	case n.isLeaf():
		return n.invalidLeaf(value)
	case isObject:
		return n.invalidMembers(object)
	case isList && n.entry.IsList():
		return n.invalidEntries(list)
	}
	return []violation{{n.String(), "want a JSON object, or a list of them for a list"}}
}

// invalidLeaf tries to write the value into an empty tree, and takes the error of that: the types of the leaf, its
// range and its enumeration are ygot's matter, and the empty tree keeps other values out of the error.
func (n node) invalidLeaf(value any) []violation {
	text, err := json.Marshal(value)
	if err == nil {
		err = n.put(&oc.Root{}, &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: text}})
	}
	if err == nil {
		return nil
	}
	return []violation{{n.String(), plainError(err)}}
}

// invalidMembers checks the members of an object, in the order of their names. A name may have a module before it.
// One of another module is no node of this switch.
func (n node) invalidMembers(object map[string]any) (bad []violation) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		down, err := n.child(name, nil)
		if down.entry == nil || err != nil {
			bad = append(bad, violation{down.String(), "this switch has no such node"})
			continue
		}
		bad = append(bad, down.invalidValues(object[name])...)
	}
	return bad
}

// invalidEntries checks the entries of a list. The keys of an entry are among its
// members (RFC 7951, 5.4). An entry without one of its keys is named, and its other members are not checked, because
// their paths could not be written.
func (n node) invalidEntries(list []any) (bad []violation) {
	for _, entry := range list {
		object, isObject := entry.(map[string]any)
		if !isObject {
			bad = append(bad, violation{n.String(), "want a list of JSON objects"})
			continue
		}
		keys := map[string]string{}
		for name, v := range object {
			if isKey(n.entry, jsontree.Local(name)) {
				keys[jsontree.Local(name)] = fmt.Sprint(v)
			}
		}
		last := len(n.path.GetElem()) - 1
		at := n
		elem := &gpb.PathElem{Name: n.path.Elem[last].GetName(), Key: keys}
		at.path = &gpb.Path{Elem: append(slices.Clip(n.path.Elem[:last]), elem)}
		for key := range strings.FieldsSeq(n.entry.Key) {
			if _, there := keys[key]; !there {
				bad = append(bad, violation{at.String(), "no " + key + ": want an entry with its key"})
				object = nil
			}
		}
		bad = append(bad, at.invalidMembers(object)...)
	}
	return bad
}
