package qos

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/openconfig/ygot/ygot"
)

// scalar is the value of a leaf as it came. RFC 7951 writes integers of 64 bits
// as text and others as numbers. A leaf that has an update of its own comes as
// the switch likes, signed or not, text or not: what is meant is clear, so that
// each is read as the other.
type scalar struct {
	kind   scalarKind
	text   string // of text, and a number as it is written
	truth  bool
	strict bool // it is a member of an object: integers are as RFC 7951 has them
}

// integer tells whether this may be an integer of so many bits.
func (v scalar) integer(bits int) bool {
	switch {
	case !v.strict:
		return v.kind == numeric || v.kind == textual
	case bits == 64:
		return v.kind == textual
	default:
		return v.kind == numeric
	}
}

type scalarKind int

const (
	neither scalarKind = iota // an object or an array
	textual
	numeric
	boolean
)

// scalarOf is a JSON value as a scalar.
func scalarOf(v any) scalar {
	switch v := v.(type) {
	case string:
		return scalar{kind: textual, text: v}
	case json.Number:
		return scalar{kind: numeric, text: string(v)}
	case bool:
		return scalar{kind: boolean, truth: v}
	}
	return scalar{}
}

// String prints it as JSON does.
func (v scalar) String() string {
	switch v.kind {
	case textual:
		return strconv.Quote(v.text)
	case boolean:
		return strconv.FormatBool(v.truth)
	}
	return v.text
}

// setter makes what writes scalars into fields of a type, and tells whether it
// could; and says what that accepts. It panics at a type that no leaf of
// cellwarden's has: who wants such a leaf teaches it.
func setter(t reflect.Type) (set func(reflect.Value, scalar) bool, accepts string) {
	if t.Implements(reflect.TypeFor[ygot.GoEnum]()) {
		return setEnum(t)
	}
	switch {
	case t.Kind() == reflect.Slice:
		return setElement(t.Elem())
	case t.Kind() != reflect.Pointer:
	case t.Elem().Kind() == reflect.String:
		return func(to reflect.Value, v scalar) bool {
			if v.kind == textual {
				s := v.text
				to.Set(reflect.ValueOf(&s))
			}
			return v.kind == textual
		}, "text"
	case t.Elem().Kind() == reflect.Bool:
		return func(to reflect.Value, v scalar) bool {
			if v.kind == boolean {
				to.Set(reflect.ValueOf(&v.truth))
			}
			return v.kind == boolean
		}, "true or false"
	case reflect.Zero(t.Elem()).CanUint():
		return setUint(t.Elem()), fmt.Sprintf("a whole number of %d bits without a sign%s", t.Elem().Bits(), quoted(t.Elem()))
	case reflect.Zero(t.Elem()).CanInt():
		return setInt(t.Elem()), fmt.Sprintf("a whole number of %d bits%s", t.Elem().Bits(), quoted(t.Elem()))
	}
	panic("no leaf of type " + t.String() + " was read before")
}

// quoted says how RFC 7951 writes an integer.
func quoted(t reflect.Type) string {
	if t.Bits() == 64 {
		return ", in quotes"
	}
	return ""
}

// setUint reads integers without a sign. One that JSON writes with a fraction
// of zeros or with an exponent is an integer, too.
func setUint(t reflect.Type) func(reflect.Value, scalar) bool {
	return func(to reflect.Value, v scalar) bool {
		if !v.integer(t.Bits()) {
			return false
		}
		n, err := strconv.ParseUint(v.text, 10, t.Bits())
		if err != nil && v.kind == numeric {
			f, bad := strconv.ParseFloat(v.text, 64)
			if n = uint64(f); bad == nil && f >= 0 && f < 1<<53 && float64(n) == f && !reflect.Zero(t).OverflowUint(n) {
				err = nil
			}
		}
		if err != nil {
			return false
		}
		p := reflect.New(t)
		p.Elem().SetUint(n)
		to.Set(p)
		return true
	}
}

// setInt is setUint for integers with a sign.
func setInt(t reflect.Type) func(reflect.Value, scalar) bool {
	return func(to reflect.Value, v scalar) bool {
		if !v.integer(t.Bits()) {
			return false
		}
		n, err := strconv.ParseInt(v.text, 10, t.Bits())
		if err != nil && v.kind == numeric {
			f, bad := strconv.ParseFloat(v.text, 64)
			if n = int64(f); bad == nil && f > -1<<53 && f < 1<<53 && float64(n) == f && !reflect.Zero(t).OverflowInt(n) {
				err = nil
			}
		}
		if err != nil {
			return false
		}
		p := reflect.New(t)
		p.Elem().SetInt(n)
		to.Set(p)
		return true
	}
}

// setElement appends to a leaf-list.
func setElement(t reflect.Type) (func(reflect.Value, scalar) bool, string) {
	one, takes := setter(reflect.PointerTo(t))
	return func(to reflect.Value, v scalar) bool {
		element := reflect.New(reflect.PointerTo(t)).Elem()
		if !one(element, v) {
			return false
		}
		to.Set(reflect.Append(to, element.Elem()))
		return true
	}, "an array, each " + takes
}

// setEnum reads the names of an enumeration or of identities, with their module
// or without.
func setEnum(t reflect.Type) (func(reflect.Value, scalar) bool, string) {
	values, names := map[string]int64{}, []string{}
	all := reflect.Zero(t).Interface().(ygot.GoEnum).ΛMap()[t.Name()]
	for _, n := range slices.Sorted(maps.Keys(all)) { // 0, which is unset, is not among them
		values[all[n].Name] = n
		names = append(names, all[n].Name)
	}
	return func(to reflect.Value, v scalar) bool {
		n, known := values[local(v.text)]
		if v.kind == textual && known {
			to.SetInt(n)
		}
		return v.kind == textual && known
	}, strings.Join(names, ", ")
}
