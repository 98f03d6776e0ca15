package server

import (
	"reflect"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
)

// State is measured in a tree with the device's names. These functions copy it into the tree
// that the client knows.

// copyState copies the measured values and counters of a tree that has the device's names
// into the client's tree: the leaves of state containers that differ from config. n are
// the client's names by those of the device.
func (n clientNames) copyState(onto, from reflect.Value, e *yang.Entry) {
	for field, value := range from.Elem().Fields() {
		entry, to := e.Dir[field.Tag.Get("path")], onto.Elem().FieldByName(field.Name)
		switch {
		case entry == nil || value.IsZero():
		case entry.Name == "state" && entry.IsContainer():
			// What config says is in the client's tree already, with the client's names.
			copyDifferingLeaves(to, value, from.Elem().FieldByName("Config"))
		case util.IsTypeStructPtr(field.Type):
			if to.IsNil() {
				to.Set(reflect.New(field.Type.Elem()))
			}
			n.copyState(to, value, entry)
		case value.Kind() == reflect.Map:
			n.copyListState(to, value, entry)
		}
	}
}

// copyListState is copyState for a list. It adds entries for ports and queues that have
// counters only. Such an entry gets its keys and no config, because nobody has configured it.
func (n clientNames) copyListState(onto, from reflect.Value, e *yang.Entry) {
	if onto.IsNil() {
		onto.Set(reflect.MakeMap(onto.Type()))
	}
	names := n.ofList(e)
	for key, item := range from.Seq2() {
		name, given := names[key.String()]
		if given {
			key = reflect.ValueOf(name)
		}
		if !onto.MapIndex(key).IsValid() {
			entry := reflect.New(item.Type().Elem())
			for field, value := range item.Elem().Fields() {
				if isKey(e, field.Tag.Get("path")) {
					entry.Elem().FieldByName(field.Name).Set(value)
				}
			}
			if given {
				setKey(entry, e.Key, name)
			}
			onto.SetMapIndex(key, entry)
		}
		n.copyState(onto.MapIndex(key), item, e)
	}
}

// copyDifferingLeaves copies the leaves of a state container that differ from the config
// container beside it, and removes those that config alone has. A leaf that both have with one value is in the
// client's tree by mirrorConfig already, under the client's names.
func copyDifferingLeaves(to, state, config reflect.Value) {
	for field, value := range state.Elem().Fields() {
		if util.IsTypeStructPtr(field.Type) {
			if !value.IsNil() {
				allocated(to).FieldByName(field.Name).Set(value)
			}
			continue
		}
		asked := reflect.Zero(field.Type)
		if config.IsValid() && !config.IsNil() {
			if same := config.Elem().FieldByName(field.Name); same.IsValid() && same.Type() == field.Type {
				asked = same
			}
		}
		if !reflect.DeepEqual(value.Interface(), asked.Interface()) {
			allocated(to).FieldByName(field.Name).Set(value)
		}
	}
}

// allocated returns the struct that a pointer points at, and makes it if need be.
func allocated(to reflect.Value) reflect.Value {
	if to.IsNil() {
		to.Set(reflect.New(to.Type().Elem()))
	}
	return to.Elem()
}

// renamePath returns a path with other names for its queues and ports. A text that is no
// path of the models stays as it is. Keys without another name stay, also those of other lists.
func (n clientNames) renamePath(path string) string {
	p, err := ygot.StringToStructuredPath(path)
	if err != nil {
		return path
	}
	at := root()
	for _, e := range p.Elem {
		if at = at.Dir[e.Name]; at == nil {
			return path
		}
		if to, ok := n.ofList(at)[e.Key[at.Key]]; ok {
			e.Key[at.Key] = to
		}
	}
	return node{path: p}.String()
}
