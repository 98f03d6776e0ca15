package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/status"

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

// plainError is an error without the names of our structs before it.
func plainError(err error) string {
	text := status.Convert(err).Message()
	if _, after, found := strings.Cut(text, "; "); found && strings.HasPrefix(text, "failed to update struct field") {
		return after
	}
	return text
}

// invalidLeaves lists what is wrong with a tree that ygot does not accept: entries that
// are not where their keys say, values out of range, references to nothing.
func invalidLeaves(tree *oc.Root) []violation {
	if bad := misplacedEntries(reflect.ValueOf(tree), nil); len(bad) > 0 {
		return bad
	}
	var bad []violation
	for _, l := range leavesOf(tree, &gpb.Path{}) {
		e := l.schema()
		if util.IsLeafRef(e) {
			if target := l.referenceTarget(e); !l.refersToValue(tree, target) {
				where, _ := ygot.PathToString(target)
				bad = append(bad, violation{l.text, fmt.Sprintf("%q: accepted: a value that %s has", fmt.Sprint(dereferenced(l.data)), where)})
			}
			continue
		}
		for _, err := range ytypes.Validate(e, l.data) {
			bad = append(bad, violation{l.text, err.Error()})
		}
	}
	return bad
}

// misplacedEntries lists the entries of lists whose key leaf differs from their key.
func misplacedEntries(v reflect.Value, at []*gpb.PathElem) (bad []violation) {
	for field, value := range v.Elem().Fields() {
		name := field.Tag.Get("path")
		switch {
		case name == "" || value.IsZero():
		case util.IsTypeStructPtr(field.Type):
			bad = append(bad, misplacedEntries(value, childPath(at, name, nil))...)
		case value.Kind() == reflect.Map:
			for key, entry := range value.Seq2() {
				keys := keysOf(entry.Interface())
				if text := fmt.Sprint(key.Interface()); len(keys) == 1 && !slices.Contains(slices.Collect(maps.Values(keys)), text) {
					leaf := slices.Collect(maps.Keys(keys))[0]
					path := &gpb.Path{Elem: append(childPath(at, name, map[string]string{leaf: text}), &gpb.PathElem{Name: leaf})}
					bad = append(bad, violation{node{path: path}.String(), fmt.Sprintf("%q: accepted: %q, the key of the entry", keys[leaf], text)})
				}
				bad = append(bad, misplacedEntries(entry, childPath(at, name, keys))...)
			}
		}
	}
	slices.SortFunc(bad, func(a, b violation) int { return strings.Compare(a.path, b.path) })
	return bad
}

// schema is the leaf in the schema.
func (l leaf) schema() *yang.Entry {
	e := root
	for _, elem := range l.path.GetElem() {
		e = e.Dir[elem.GetName()]
	}
	return e
}

// referenceTarget is the path of the leaves that a reference may point at. Predicates are
// left out: none of the references that are checked has one.
func (l leaf) referenceTarget(e *yang.Entry) *gpb.Path {
	elems := slices.Clone(l.path.GetElem())
	if strings.HasPrefix(e.Type.Path, "/") {
		elems = nil
	}
	for step := range strings.SplitSeq(e.Type.Path, "/") {
		switch {
		case step == "":
		case step == ".." && len(elems) > 0:
			elems = elems[:len(elems)-1]
		default:
			name, _, _ := strings.Cut(jsontree.Local(step), "[")
			elems = append(elems, &gpb.PathElem{Name: name})
		}
	}
	return &gpb.Path{Elem: elems}
}

// refersToValue tells whether a reference points at something.
func (l leaf) refersToValue(tree *oc.Root, target *gpb.Path) bool {
	found, err := ytypes.GetNode(root, tree, target, &ytypes.GetHandleWildcards{}, &ytypes.GetPartialKeyMatch{}, &ytypes.GetTolerateNil{})
	return err == nil && slices.ContainsFunc(found, func(n *ytypes.TreeNode) bool {
		return !isAbsent(n.Data) && reflect.DeepEqual(dereferenced(n.Data), dereferenced(l.data))
	})
}

// dereferenced is a value without the pointer to it.
func dereferenced(data any) any { return reflect.Indirect(reflect.ValueOf(data)).Interface() }

// stateLeaves lists the leaves of a tree that can be read only.
func stateLeaves(tree *oc.Root) (bad []violation) {
	for _, l := range leavesOf(tree, &gpb.Path{}) {
		if l.schema().ReadOnly() {
			bad = append(bad, violation{l.text, "state can be read only"})
		}
	}
	return bad
}
