package target

import (
	"cmp"
	"reflect"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/protobuf/proto"
)

// leaf is a value of the tree and where it stands.
type leaf struct {
	path *gpb.Path
	text string // the path as text, by which leaves are ordered
	data any    // as the struct of the tree holds it
}

// leavesOf lists the leaves under a node that have values, in order.
func leavesOf(tree ygot.GoStruct, at *gpb.Path) []leaf {
	var out []leaf
	collect(reflect.ValueOf(tree), at.GetElem(), &out)
	slices.SortFunc(out, func(a, b leaf) int { return cmp.Compare(a.text, b.text) })
	return out
}

// collect descends into a struct of the tree.
func collect(v reflect.Value, at []*gpb.PathElem, out *[]leaf) {
	for field, value := range v.Elem().Fields() {
		name := field.Tag.Get("path")
		if name == "" || value.IsZero() {
			continue
		}
		switch {
		case util.IsTypeStructPtr(field.Type):
			collect(value, below(at, name, nil), out)
		case value.Kind() == reflect.Map:
			for _, entry := range value.Seq2() {
				collect(entry, below(at, name, keysOf(entry.Interface())), out)
			}
		default:
			path := &gpb.Path{Elem: below(at, name, nil)}
			*out = append(*out, leaf{path, node{path: path}.String(), value.Interface()})
		}
	}
}

// below is a path with one more element.
func below(at []*gpb.PathElem, name string, keys map[string]string) []*gpb.PathElem {
	return append(slices.Clip(at), &gpb.PathElem{Name: name, Key: keys})
}

// keysOf reads the keys of a list entry. An entry without keys is not in a tree
// that was checked.
func keysOf(entry any) map[string]string {
	list, ok := entry.(ygot.KeyHelperGoStruct)
	if !ok {
		return nil
	}
	keys, err := list.ΛListKeyMap()
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for name, v := range keys {
		out[name], _ = ygot.KeyValueAsString(v)
	}
	return out
}

// covered are the leaves that a query of several paths covers.
func covered(all []leaf, queries []*gpb.Path) []leaf {
	var out []leaf
	for _, l := range all {
		if slices.ContainsFunc(queries, func(q *gpb.Path) bool { return util.PathMatchesQuery(l.path, q) }) {
			out = append(out, l)
		}
	}
	return out
}

// encoded makes an update of each leaf.
func encoded(all []leaf, e gpb.Encoding) ([]*gpb.Update, error) {
	var out []*gpb.Update
	for _, l := range all {
		v, err := encode(l.data, e)
		if err != nil {
			return nil, err
		}
		out = append(out, &gpb.Update{Path: l.path, Val: v})
	}
	return out, nil
}

// split cuts updates into bundles of at most so many, and of at most so many
// bytes, whichever is less.
func split(all []*gpb.Update, most, size int) [][]*gpb.Update {
	var out [][]*gpb.Update
	for start, bytes, i := 0, 0, 0; i < len(all); i++ {
		if bytes += proto.Size(all[i]); i+1-start == most || bytes >= size || i+1 == len(all) {
			out = append(out, all[start:i+1])
			start, bytes = i+1, 0
		}
	}
	return out
}
