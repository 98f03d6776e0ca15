package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi/jsontree"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// What is here is asked only about a Set that is refused already: ygot says that
// something is wrong, often by the path of the schema, and this finds out where.

// invalidValues lists what cannot be read of a JSON value for a node, with whole paths.
// The value is as decode returns it.
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
	return []violation{{n.String(), "accepted: a JSON object, or a list of them for a list"}}
}

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

func (n node) invalidMembers(object map[string]any) (bad []violation) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		down, err := n.child(jsontree.Local(name), nil)
		if down.entry == nil || err != nil {
			bad = append(bad, violation{down.String(), "this switch has no such node"})
			continue
		}
		bad = append(bad, down.invalidValues(object[name])...)
	}
	return bad
}

// invalidEntries takes the keys of each entry from the entry itself.
func (n node) invalidEntries(list []any) (bad []violation) {
	for _, entry := range list {
		object, isObject := entry.(map[string]any)
		if !isObject {
			bad = append(bad, violation{n.String(), "accepted: a list of JSON objects"})
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
		at.path = &gpb.Path{Elem: append(slices.Clip(n.path.Elem[:last]), &gpb.PathElem{Name: n.path.Elem[last].GetName(), Key: keys})}
		for key := range strings.FieldsSeq(n.entry.Key) {
			if _, there := keys[key]; !there {
				bad = append(bad, violation{at.String(), "no " + key + ": accepted: an entry with its key"})
				object = nil
			}
		}
		bad = append(bad, at.invalidMembers(object)...)
	}
	return bad
}
