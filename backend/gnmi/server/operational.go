package server

import (
	"reflect"
	"slices"
	"strings"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
)

// isOperational tells whether a leaf is state that is not configured, such as a counter:
// it is in a state container, and the config container beside it has no leaf with the same
// place and name. names are those between the state container and the leaf: state has containers of its own, such as
// counters.
func isOperational(leaf *yang.Entry) bool {
	var names []string
	for e := leaf; e != nil; e = e.Parent {
		if e.Name == "state" && e.IsContainer() && e.Parent != nil {
			at := e.Parent.Dir["config"]
			for _, name := range names {
				if at == nil {
					break
				}
				at = at.Dir[name]
			}
			return at == nil
		}
		names = append([]string{e.Name}, names...)
	}
	return false
}

// Get and Subscribe select leaves by type: CONFIG, STATE, OPERATIONAL. The tree has
// containers of both kinds, and the selection removes leaves from a copy of it.

// keepLeaves removes all leaves from a tree but those of one kind, the containers and
// lists above them, and the keys of these lists.
func keepLeaves(tree ygot.GoStruct, kind func(*yang.Entry) bool) {
	keepBelow(reflect.ValueOf(tree), root(), kind)
}

// keepBelow is keepLeaves for a struct, and tells whether anything is left of it. It walks the fields of the generated
// struct beside the schema, because only the schema says which leaf is state. A container or an entry without any leaf
// left is removed, so that an answer has no empty objects.
func keepBelow(v reflect.Value, e *yang.Entry, kind func(*yang.Entry) bool) bool {
	var left bool
	for field, value := range v.Elem().Fields() {
		name := field.Tag.Get("path")
		switch entry := e.Dir[name]; {
		case value.IsZero():
		case util.IsTypeStructPtr(field.Type):
			if keepBelow(value, entry, kind) {
				left = true
			} else {
				value.SetZero()
			}
		case value.Kind() == reflect.Map:
			for key, item := range value.Seq2() {
				if keepBelow(item, entry, kind) {
					left = true
				} else {
					value.SetMapIndex(key, reflect.Value{})
				}
			}
		case kind(entry):
			left = true
		case !isKey(e, name): // without its keys an entry could not be named
			value.SetZero()
		}
	}
	return left
}

// isKey tells whether a leaf is a key of a list.
func isKey(list *yang.Entry, name string) bool {
	return list.IsList() && slices.Contains(strings.Fields(list.Key), name)
}
