package qos

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// leafSetter writes leaves into fields of one Go type.
type leafSetter struct {
	// set writes a leaf of a tree, and tells whether the type can hold it. Into a leaf-list it appends an element.
	set     func(into reflect.Value, leaf any, form jsontree.Form) bool
	accepts string // what set accepts, for errors
}

// newLeafSetter makes the setter of a type of field. It panics at a type that none of the readable leaves has.
func newLeafSetter(t reflect.Type) *leafSetter {
	if t.Implements(reflect.TypeFor[ygot.GoEnum]()) {
		return enumSetter(t)
	}
	switch {
	case t.Kind() == reflect.Slice:
		return elementSetter(t.Elem())
	case t.Kind() != reflect.Pointer:
	case t.Elem().Kind() == reflect.String:
		return &leafSetter{setPlain[string], "text"}
	case t.Elem().Kind() == reflect.Bool:
		return &leafSetter{setPlain[bool], "true or false"}
	case reflect.Zero(t.Elem()).CanUint():
		bits := t.Elem().Bits()
		return &leafSetter{setNumber(jsontree.Uint, reflect.Value.SetUint),
			fmt.Sprintf("a whole number of %d bits without a sign%s", bits, inQuotes(t.Elem()))}
	case reflect.Zero(t.Elem()).CanInt():
		return &leafSetter{setNumber(jsontree.Int, reflect.Value.SetInt),
			fmt.Sprintf("a whole number of %d bits%s", t.Elem().Bits(), inQuotes(t.Elem()))}
	}
	panic("no leaf of type " + t.String() + " was read before")
}

// inQuotes says how RFC 7951 writes integers of a type.
func inQuotes(t reflect.Type) string {
	if t.Bits() == 64 {
		return ", in quotes"
	}
	return ""
}

// setPlain writes a string or a boolean.
func setPlain[T any](into reflect.Value, leaf any, _ jsontree.Form) bool {
	v, ok := leaf.(T)
	if ok {
		into.Set(reflect.ValueOf(&v))
	}
	return ok
}

// setNumber writes an integer, with a sign or without.
func setNumber[N any](read func(any, int, jsontree.Form) (N, bool),
	write func(reflect.Value, N)) func(reflect.Value, any, jsontree.Form) bool {
	return func(into reflect.Value, leaf any, form jsontree.Form) bool {
		t := into.Type().Elem()
		n, ok := read(leaf, t.Bits(), form)
		if ok {
			p := reflect.New(t)
			write(p.Elem(), n)
			into.Set(p)
		}
		return ok
	}
}

// elementSetter appends elements to a leaf-list.
func elementSetter(t reflect.Type) *leafSetter {
	one := newLeafSetter(reflect.PointerTo(t))
	set := func(into reflect.Value, leaf any, form jsontree.Form) bool {
		element := reflect.New(reflect.PointerTo(t)).Elem()
		if !one.set(element, leaf, form) {
			return false
		}
		into.Set(reflect.Append(into, element.Elem()))
		return true
	}
	return &leafSetter{set, "an array, each " + one.accepts}
}

// enumSetter writes values of an enumeration, or identities, by their names, with the module or without.
func enumSetter(t reflect.Type) *leafSetter {
	values, names := map[string]int64{}, []string{}
	all := reflect.Zero(t).Interface().(ygot.GoEnum).ΛMap()[t.Name()]
	for _, n := range slices.Sorted(maps.Keys(all)) { // 0, which is unset, is not among them
		values[all[n].Name] = n
		names = append(names, all[n].Name)
	}
	set := func(into reflect.Value, leaf any, _ jsontree.Form) bool {
		name, ok := leaf.(string)
		n, known := values[jsontree.Local(name)]
		if ok && known {
			into.SetInt(n)
		}
		return ok && known
	}
	return &leafSetter{set, strings.Join(names, ", ")}
}
