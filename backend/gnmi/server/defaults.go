package server

import (
	"reflect"
	"sync"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ytypes"
)

// A leaf that is not configured may have a default in the models. The default is in use if the list
// entry exists that the leaf is in (RFC 7950, section 7.6.1), and then it is read as a value
// (gNMI 3.3.4 and 3.5.2.4). The configuration that is stored has no defaults: a leaf that is
// not there and a leaf with its default mean the same.

// addDefaults writes the defaults that are in use into the config containers of a struct. inEntry tells whether it is
// in an entry of a list. A container without a value is made only if a leaf in it, and not in a list below it, has a
// default in use.
func addDefaults(v reflect.Value, e *yang.Entry, inEntry bool) {
	for field, value := range v.Elem().Fields() {
		child := e.Dir[field.Tag.Get("path")]
		own, has := defaulted()[child]
		switch {
		case !has:
		case value.Kind() == reflect.Map:
			for _, item := range value.Seq2() {
				addDefaults(item, child, true)
			}
		case util.IsTypeStructPtr(field.Type):
			if value.IsNil() && inEntry && own {
				value.Set(reflect.New(field.Type.Elem()))
			}
			if !value.IsNil() {
				addDefaults(value, child, inEntry)
			}
		case value.IsZero() && inEntry:
			setDefaultLeaf(value, child.Default[0])
		}
	}
}

// defaulted returns the nodes of configuration with a default: true if it is outside the entries of
// lists below the node, else false.
var defaulted = sync.OnceValue(func() map[*yang.Entry]bool { return addDefaulted(root(), map[*yang.Entry]bool{}) })

// addDefaulted adds the nodes below a node, and the node. The result tells addDefaults which branches it can
// pass over.
func addDefaulted(e *yang.Entry, into map[*yang.Entry]bool) map[*yang.Entry]bool {
	if e.IsLeaf() && len(e.Default) > 0 {
		into[e] = true
	}
	for _, child := range e.Dir {
		if child.ReadOnly() {
			continue
		}
		addDefaulted(child, into)
		if own, has := into[child]; has {
			into[e] = into[e] || own && !child.IsList()
		}
	}
	return into
}

// setDefaultLeaf writes a default. The defaults of the models of this switch are booleans and
// unsigned integers; a test fails when a model brings another type.
func setDefaultLeaf(leaf reflect.Value, text string) {
	if leaf.Kind() != reflect.Pointer {
		return
	}
	if v, err := ytypes.StringToType(leaf.Type().Elem(), text); err == nil {
		leaf.Set(reflect.New(leaf.Type().Elem()))
		leaf.Elem().Set(v)
	}
}
