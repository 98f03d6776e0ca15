package server

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// A configuration has to be valid by itself before it is translated: values in their ranges,
// keys that agree, references to nodes that exist. The check is of the whole configuration and not of the Set alone: a
// Set may delete a profile that an interface refers to, which the Set does not name.

// checkConfig checks types and references. It names all mistakes of the most basic kind at once, and not those that may
// follow from them. A lenient switch stores references to what
// does not exist, and returns them: clients that configure in several Sets send them,
// and some real switches accept them.
func (s *Server) checkConfig(tree *oc.Root) ([]ignoredConfig, error) {
	all := leavesOf(tree, &gpb.Path{})
	bad := stateLeaves(all)
	if len(bad) == 0 {
		bad = misplacedEntries(reflect.ValueOf(tree), nil) // before what names leaves: the path of one in it would be wrong
	}
	if len(bad) > 0 {
		return nil, violationsError(codes.InvalidArgument, bad)
	}
	err := validTypes(tree)
	if bad := reversedCurves(tree); err == nil && len(bad) > 0 {
		return nil, violationsError(codes.InvalidArgument, bad)
	}
	dangling := danglingReferences(all)
	switch {
	case err != nil:
		if bad := invalidLeaves(all); len(bad) > 0 {
			return nil, violationsError(codes.InvalidArgument, bad)
		}
		return nil, status.Error(codes.InvalidArgument, err.Error())
	case len(dangling) == 0:
		return nil, nil
	case !s.opt.Lenient:
		return nil, violationsError(codes.InvalidArgument, dangling)
	}
	return grouped.Each(dangling, func(v violation) ignoredConfig {
		return ignoredConfig{storedDangling, v.path, v.why}
	}), nil
}

// reversedCurves lists the curves of WRED that end before they begin. The models do not forbid them, and no
// queue could have one: they are refused also where no queue is bound to them.
func reversedCurves(tree *oc.Root) (bad []violation) {
	all := tree.GetQos().GetQueueManagementProfiles()
	if all == nil {
		return nil
	}
	for _, name := range sortedKeys(all.QueueManagementProfile) {
		c := all.QueueManagementProfile[name].GetWred().GetUniform().GetConfig()
		if c == nil {
			continue
		}
		at := pathText([]*gpb.PathElem{{Name: "qos"}, {Name: "queue-management-profiles"},
			{Name: "queue-management-profile", Key: map[string]string{"name": name}}}) + "/wred/uniform/config/"
		if c.MinThreshold != nil && c.MaxThreshold != nil && *c.MinThreshold > *c.MaxThreshold {
			bad = append(bad, violation{at + "min-threshold", fmt.Sprintf("%d: want at most max-threshold, %d",
				*c.MinThreshold, *c.MaxThreshold)})
		}
	}
	return bad
}

// validTypes checks everything but references. ygot would check these too, but it searches
// the tree anew for each: that takes seconds for some thousand profiles. Every failure of a leaf is in the error, but
// often without the keys of its path: see invalidLeaves.
func validTypes(tree *oc.Root) error {
	var errs util.Errors
	if tree.Qos != nil {
		errs = util.AppendErrs(errs, ytypes.Validate(root().Dir["qos"], tree.Qos))
	}
	if tree.Interfaces != nil {
		errs = util.AppendErrs(errs, ytypes.Validate(root().Dir["interfaces"], tree.Interfaces))
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// invalidLeaves lists the leaves that ygot refuses: ygot's own error often names only the
// path in the schema.
func invalidLeaves(all []leaf) (bad []violation) {
	for _, l := range all {
		for _, err := range ytypes.Validate(l.schema(), l.data) {
			bad = append(bad, violation{l.text, err.Error()})
		}
	}
	return bad
}

// danglingReferences lists the references to values that no leaf has. An interface-ref may
// name a port that /interfaces does not list, because ports exist without being configured. Values are compared as
// texts, because a reference and its target may have different Go types.
func danglingReferences(all []leaf) (bad []violation) {
	values := valuesOf(all)
	for _, l := range all {
		e := l.schema()
		if !util.IsLeafRef(e) || l.below("interface-ref") {
			continue
		}
		target := l.referenceTarget(e)
		if !values[target][valueText(l.data)] {
			why := fmt.Sprintf("%q: want a value that %s has", shortened(valueText(l.data)), target)
			bad = append(bad, violation{l.text, why})
		}
	}
	return bad
}

// valuesOf returns the values that leaves have: by the path of a leaf, and by its path without
// keys. A reference points at one of the two.
func valuesOf(all []leaf) map[string]map[string]bool {
	values := map[string]map[string]bool{}
	for _, l := range all {
		for _, at := range []string{l.text, schemaText(l.path.GetElem())} {
			if values[at] == nil {
				values[at] = map[string]bool{}
			}
			values[at][valueText(l.data)] = true
		}
	}
	return values
}

// valueText is the value of a leaf as text.
func valueText(data any) string { return fmt.Sprint(reflect.Indirect(reflect.ValueOf(data))) }

// schemaText is a path without keys.
func schemaText(path []*gpb.PathElem) string {
	return "/" + strings.Join(grouped.Each(path, (*gpb.PathElem).GetName), "/")
}

// below tells whether a leaf is below a container of this name.
func (l leaf) below(name string) bool {
	return slices.ContainsFunc(l.path.GetElem(), func(e *gpb.PathElem) bool { return e.GetName() == name })
}

// stateLeaves lists the leaves that can be read only: those of state containers.
func stateLeaves(all []leaf) (bad []violation) {
	for _, l := range all {
		if l.below("state") {
			bad = append(bad, violation{l.text, "state can be read only"})
		}
	}
	return bad
}

// misplacedEntries lists the entries of lists whose key leaf differs from their key. A list with several keys is
// passed over: the models of this switch have one key for each list, and the key of the Go map would have to be taken
// apart.
func misplacedEntries(v reflect.Value, at []*gpb.PathElem) (bad []violation) {
	for field, value := range v.Elem().Fields() {
		name := field.Tag.Get("path")
		switch {
		case name == "" || value.IsZero():
		case util.IsTypeStructPtr(field.Type):
			bad = append(bad, misplacedEntries(value, childPath(at, name, nil))...)
		case value.Kind() == reflect.Map:
			for key, entry := range value.Seq2() {
				keys, text := keysOf(entry), fmt.Sprint(key.Interface())
				if keys == nil {
					bad = append(bad, violation{pathText(childPath(at, name, nil)), text + ": want an entry with its key"})
					continue
				}
				for leaf, value := range keys {
					if len(keys) > 1 || value == text {
						continue
					}
					elems := append(childPath(at, name, map[string]string{leaf: text}), &gpb.PathElem{Name: leaf})
					why := fmt.Sprintf("%q: want %q, the key of the entry", value, text)
					bad = append(bad, violation{node{path: &gpb.Path{Elem: elems}}.String(), why})
				}
				bad = append(bad, misplacedEntries(entry, childPath(at, name, keys))...)
			}
		}
	}
	slices.SortFunc(bad, func(a, b violation) int { return strings.Compare(a.path, b.path) })
	return bad
}

// referenceTarget is the path of the leaves that a reference may point at: the text of one
// leaf where the reference stays in the entry that it is in, else a path without keys, because
// no reference in these models leads to another place. Predicates are left out for the same
// reason.
func (l leaf) referenceTarget(e *yang.Entry) string {
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
	return pathText(elems)
}
