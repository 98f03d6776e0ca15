package server

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ygot"
)

// Subscribe and Get in PROTO send leaves: they are collected from the structs of a tree, each
// with its path, and written as updates.

// leaf is a leaf of the tree with its value.
type leaf struct {
	path *gpb.Path
	text string // the path as text, by which leaves are sorted; empty if not needed
	data any    // as the struct of the tree has it
}

// leavesOf lists the leaves below a struct that have values, sorted by path. The order makes answers equal for equal
// trees, and lets two sets be compared in one pass.
func leavesOf(tree ygot.GoStruct, at *gpb.Path) []leaf {
	var out []leaf
	collect(reflect.ValueOf(tree), at.GetElem(), pathText(at.GetElem()), &out)
	slices.SortFunc(out, func(a, b leaf) int { return cmp.Compare(a.text, b.text) })
	return out
}

// collect appends the leaves below a struct. text is the path of the struct. Fields without the tag "path" are none
// of the models.
func collect(v reflect.Value, at []*gpb.PathElem, text string, out *[]leaf) {
	names := pathsOf(v.Type().Elem())
	for i := range names {
		name, value := names[i], v.Elem().Field(i)
		if name == "" || value.IsZero() {
			continue
		}
		switch {
		case value.Kind() == reflect.Pointer && value.Type().Elem().Kind() == reflect.Struct:
			collect(value, childPath(at, name, nil), text+"/"+name, out)
		case value.Kind() == reflect.Map:
			for _, entry := range value.Seq2() {
				keys := keysOf(entry)
				collect(entry, childPath(at, name, keys), text+"/"+name+keysText(keys), out)
			}
		default:
			*out = append(*out, leaf{&gpb.Path{Elem: childPath(at, name, nil)}, text + "/" + name, value.Interface()})
		}
	}
}

// pathText is a path as text, as gnmi-path-strings.md of openconfig/reference has it. ygot.PathToString gives the
// same for the paths of data, and takes ten times as long.
func pathText(path []*gpb.PathElem) string {
	var b strings.Builder
	for _, e := range path {
		b.WriteByte('/')
		b.WriteString(e.GetName())
		b.WriteString(keysText(e.GetKey()))
	}
	return b.String()
}

// keysText is the keys of an element as text, in the order of their names.
func keysText(keys map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		b.WriteByte('[')
		b.WriteString(name)
		b.WriteByte('=')
		_, _ = keyEscapes.WriteString(&b, keys[name]) // a Builder does not fail
		b.WriteByte(']')
	}
	return b.String()
}

// keyEscapes escapes the value of a key. ygot escapes = too, and reads both.
var keyEscapes = strings.NewReplacer(`\`, `\\`, `]`, `\]`, `=`, `\=`)

// pathsOf returns the names of a struct's fields in the models.
func pathsOf(t reflect.Type) []string {
	if known, there := paths.Load(t); there {
		return known.([]string)
	}
	var out []string
	for field := range t.Fields() {
		out = append(out, field.Tag.Get("path"))
	}
	paths.Store(t, out)
	return out
}

// paths has the paths of the fields of each struct. They are read from the tags once.
var paths sync.Map // results of pathsOf by type

// keysMatch tells whether the keys of an entry match those of a query. A key that the query leaves out matches any,
// as * does.
func keysMatch(keys, asked map[string]string) bool {
	for name, want := range asked {
		if want != "*" && keys[name] != want {
			return false
		}
	}
	return true
}

// childPath returns a path with one more element. The slice is clipped, so that two children of one node do not write
// into the same array.
func childPath(at []*gpb.PathElem, name string, keys map[string]string) []*gpb.PathElem {
	return append(slices.Clip(at), &gpb.PathElem{Name: name, Key: keys})
}

// keysOf returns the keys of a list entry. In a tree that was checked, every entry has
// its keys.
func keysOf(entry reflect.Value) map[string]string {
	keys, err := ygot.PathKeyFromStruct(entry)
	if err != nil {
		return nil
	}
	return keys
}

// schema is the node of the leaf in the schema.
func (l *leaf) schema() *yang.Entry {
	e := root()
	for _, elem := range l.path.GetElem() {
		e = e.Dir[elem.GetName()]
	}
	return e
}
