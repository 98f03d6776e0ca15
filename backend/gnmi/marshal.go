package gnmi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/openconfig/ygot/ygot"
)

// marshal writes a struct as the JSON of RFC 7951 with the names of modules, as
// ygot.Marshal7951 does, but straight from the struct: ygot makes a tree of
// maps and has that written, read and written again, which takes longer than
// all else that a client does in a push.
func marshal(s ygot.GoStruct) ([]byte, error) {
	v := reflect.ValueOf(s)
	w := writingOf(v.Type().Elem(), "")
	if w == nil {
		return ygot.Marshal7951(s, &ygot.RFC7951JSONConfig{AppendModuleName: true})
	}
	return w.object(nil, v.Elem()), nil
}

// writing is how a type of struct is written.
type writing struct{ members []member }

// member is how a field is written.
type member struct {
	index int
	name  string // with its quotes and the colon
	leaf  func([]byte, reflect.Value) []byte
	down  *writing // of a container, or of the entries of a list
}

// writings are what writingOf returns, by type and module.
var writings sync.Map

type written struct {
	reflect.Type
	module string // of what the struct stands in; names of another are qualified
}

// writingOf returns how a type is written, or nil if it has leaves of types that
// are left to ygot.
func writingOf(t reflect.Type, module string) *writing {
	if known, there := writings.Load(written{t, module}); there {
		return known.(*writing)
	}
	w := compileWriting(t, module)
	writings.Store(written{t, module}, w)
	return w
}

func compileWriting(t reflect.Type, module string) *writing {
	w := &writing{}
	for field := range t.Fields() {
		m, own := member{index: field.Index[0], name: field.Tag.Get("path")}, field.Tag.Get("module")
		if own != module {
			m.name = own + ":" + m.name
		}
		switch down := field.Type; {
		case down.Kind() == reflect.Map && down.Key().Kind() != reflect.Struct:
			m.down = writingOf(down.Elem().Elem(), own)
		case down.Kind() == reflect.Pointer && down.Elem().Kind() == reflect.Struct:
			m.down = writingOf(down.Elem(), own)
		default:
			m.leaf = leafWriter(down)
		}
		if m.leaf == nil && m.down == nil {
			return nil
		}
		w.members = append(w.members, m)
	}
	slices.SortFunc(w.members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	for i := range w.members {
		w.members[i].name = strconv.Quote(w.members[i].name) + ":"
	}
	return w
}

// object appends a struct.
func (w *writing) object(out []byte, v reflect.Value) []byte {
	out = append(out, '{')
	begin := len(out)
	for _, m := range w.members {
		field := v.Field(m.index)
		if field.IsZero() || field.Kind() == reflect.Map && field.Len() == 0 {
			continue
		}
		before := len(out)
		if before > begin {
			out = append(out, ',')
		}
		out = append(out, m.name...)
		switch {
		case m.leaf != nil:
			out = m.leaf(out, field)
		case field.Kind() == reflect.Map:
			out = m.down.array(out, field)
		default:
			inner := len(out)
			if out = m.down.object(out, field.Elem()); len(out) == inner+len("{}") {
				out = out[:before] // a container of nothing is not there
			}
		}
	}
	return append(out, '}')
}

// array appends the entries of a list in the order of their keys.
func (w *writing) array(out []byte, list reflect.Value) []byte {
	keys := list.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(keyText(a), keyText(b)) })
	out = append(out, '[')
	for i, key := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = w.object(out, list.MapIndex(key).Elem())
	}
	return append(out, ']')
}

// keyText is a key as text, by which ygot orders entries: so 10 is before 9.
func keyText(key reflect.Value) string {
	if key.Kind() == reflect.String {
		return key.String()
	}
	if e, enum := key.Interface().(ygot.GoEnum); enum {
		d := e.ΛMap()[key.Type().Name()][key.Int()]
		if d.DefiningModule != "" {
			return d.DefiningModule + ":" + d.Name
		}
		return d.Name
	}
	return fmt.Sprint(key)
}

// leafWriter returns what appends leaves of a type, or nil.
func leafWriter(t reflect.Type) func([]byte, reflect.Value) []byte {
	if t.Implements(reflect.TypeFor[ygot.GoEnum]()) {
		all := reflect.Zero(t).Interface().(ygot.GoEnum).ΛMap()[t.Name()]
		return func(out []byte, v reflect.Value) []byte {
			e, known := all[v.Int()]
			switch {
			case !known:
				panic(fmt.Sprintf("%v has no value %d", t, v.Int()))
			case e.DefiningModule != "": // an identity
				return quote(out, e.DefiningModule+":"+e.Name)
			}
			return quote(out, e.Name)
		}
	}
	if t.Kind() == reflect.Slice && t.Elem().Name() == "uint8" { // not binary, which has a name of its own
		return listOfBytes
	}
	if t.Kind() != reflect.Pointer {
		return nil
	}
	switch t.Elem().Kind() {
	case reflect.String:
		return func(out []byte, v reflect.Value) []byte { return quote(out, v.Elem().String()) }
	case reflect.Bool:
		return func(out []byte, v reflect.Value) []byte { return strconv.AppendBool(out, v.Elem().Bool()) }
	case reflect.Uint64:
		return func(out []byte, v reflect.Value) []byte {
			return append(strconv.AppendUint(append(out, '"'), v.Elem().Uint(), 10), '"')
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return func(out []byte, v reflect.Value) []byte { return strconv.AppendUint(out, v.Elem().Uint(), 10) }
	case reflect.Int64:
		return func(out []byte, v reflect.Value) []byte {
			return append(strconv.AppendInt(append(out, '"'), v.Elem().Int(), 10), '"')
		}
	case reflect.Int8, reflect.Int16, reflect.Int32:
		return func(out []byte, v reflect.Value) []byte { return strconv.AppendInt(out, v.Elem().Int(), 10) }
	}
	return nil
}

// listOfBytes appends a leaf-list of numbers of eight bits.
func listOfBytes(out []byte, v reflect.Value) []byte {
	out = append(out, '[')
	for i := range v.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendUint(out, v.Index(i).Uint(), 10)
	}
	return append(out, ']')
}

// quote appends text as JSON.
func quote(out []byte, s string) []byte {
	for i := range len(s) {
		if b := s[i]; b < ' ' || b > '~' || b == '"' || b == '\\' || b == '<' || b == '>' || b == '&' {
			text, _ := json.Marshal(s) // text is never refused
			return append(out, text...)
		}
	}
	return append(append(append(out, '"'), s...), '"')
}
