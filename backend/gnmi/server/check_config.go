package server

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/jsontree"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// A configuration has to be valid by itself before it is translated: values in their ranges,
// keys that agree, references to what exists.

// checkConfig checks types and references. A lenient switch stores references to what
// does not exist, and returns them: clients that configure in several Sets send them,
// and some real switches accept them.
func (s *Server) checkConfig(tree *oc.Root) ([]ignoredConfig, error) {
	err := validateTree(tree)
	if err == nil || !s.opt.Lenient {
		return nil, err
	}
	tree, failure := copyTree(tree)
	if failure != nil {
		return nil, failure
	}
	removeContainers(tree, "InterfaceRef")
	if tree.Validate(&ytypes.LeafrefOptions{IgnoreMissingData: true}) != nil {
		return nil, err
	}
	var out []ignoredConfig
	for _, v := range invalidLeaves(tree) { // only references are left
		out = append(out, ignoredConfig{storedDangling, v.path, v.why})
	}
	return out, nil
}

// validateTree checks types and references. An interface-ref may name a port that
// /interfaces does not list, because ports exist without being configured.
func validateTree(tree *oc.Root) error {
	tree, err := copyTree(tree)
	if err != nil {
		return err
	}
	removeContainers(tree, "InterfaceRef")
	err = tree.Validate()
	if err == nil {
		return nil
	}
	if bad := invalidLeaves(tree); len(bad) > 0 {
		return violationsError(codes.InvalidArgument, bad)
	}
	return status.Error(codes.InvalidArgument, err.Error())
}

// invalidLeaves lists what is wrong with a tree that ygot refuses: entries whose key
// leaf differs from their key, values out of range, references to what does not exist.
// ygot's own error often names only the path in the schema.
func invalidLeaves(tree *oc.Root) []violation {
	// The path of a leaf in a misplaced entry would be wrong, so these come first.
	if bad := misplacedEntries(reflect.ValueOf(tree), nil); len(bad) > 0 {
		return bad
	}
	var bad []violation
	for _, l := range leavesOf(tree, &gpb.Path{}) {
		e := l.schema()
		if util.IsLeafRef(e) {
			if target := l.referenceTarget(e); !l.refersToValue(tree, target) {
				where, _ := ygot.PathToString(target)
				why := fmt.Sprintf("%q: accepted: a value that %s has", fmt.Sprint(dereferenced(l.data)), where)
				bad = append(bad, violation{l.text, why})
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
				keys, text := keysOf(entry.Interface()), fmt.Sprint(key.Interface())
				for leaf, value := range keys {
					if len(keys) > 1 || value == text {
						continue
					}
					elems := append(childPath(at, name, map[string]string{leaf: text}), &gpb.PathElem{Name: leaf})
					why := fmt.Sprintf("%q: accepted: %q, the key of the entry", value, text)
					bad = append(bad, violation{node{path: &gpb.Path{Elem: elems}}.String(), why})
				}
				bad = append(bad, misplacedEntries(entry, childPath(at, name, keys))...)
			}
		}
	}
	slices.SortFunc(bad, func(a, b violation) int { return strings.Compare(a.path, b.path) })
	return bad
}

// stateLeaves lists the leaves of a tree that can be read only.
func stateLeaves(tree *oc.Root) (bad []violation) {
	for _, l := range leavesOf(tree, &gpb.Path{}) {
		if l.schema().ReadOnly() {
			bad = append(bad, violation{l.text, "state can be read only"})
		}
	}
	return bad
}

// referenceTarget is the path of the leaves that a reference may point at. Predicates
// are left out, because no reference in these models needs one.
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

// refersToValue tells whether a leaf at the target has the value of the reference.
func (l leaf) refersToValue(tree *oc.Root, target *gpb.Path) bool {
	found, err := getNodes(tree, target)
	return err == nil && slices.ContainsFunc(found, func(n *ytypes.TreeNode) bool {
		return !isAbsent(n.Data) && reflect.DeepEqual(dereferenced(n.Data), dereferenced(l.data))
	})
}

// dereferenced is a value without the pointer to it.
func dereferenced(data any) any { return reflect.Indirect(reflect.ValueOf(data)).Interface() }
