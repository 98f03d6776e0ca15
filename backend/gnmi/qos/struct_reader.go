package qos

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// Answers of switches are read into the structs of package oc by reflection: the table of
// readable leaves is compiled once into readers for the structs on the way to them.

// ygot can read an answer into the structs of package oc, too, but it reads all of it and takes most of the time of a
// push. The readers here visit only what is readable. A test compares the two.

// rootReader reads what is readable into an oc.Root.
var rootReader = sync.OnceValue(func() *structReader { return compile(readable) })

// structReader is what is read into one type of struct: its fields by their names in
// the models. What an answer has besides is passed over.
type structReader struct {
	fields map[string]*fieldReader
	key    *fieldReader // the key of a list's entry; nil: the struct is no entry
}

// fieldReader is what is read into one field of a struct: a container, a list, a leaf or a leaf-list.
type fieldReader struct {
	name  string
	index int
	down  *structReader // of a container, or of the entries of a list
	entry reflect.Type  // of a list: the struct of its entries
	leaf  *leafSetter   // of a leaf or a leaf-list
}

// compile finds the containers in the structs. It panics at one that the models do not
// have: that is a mistake in the table, not an input.
func compile(containers []container) *structReader {
	top := &structReader{fields: map[string]*fieldReader{}}
	for _, c := range containers {
		s, t := top, reflect.TypeFor[oc.Root]()
		for _, e := range ygot.MustStringToPath(c.path).GetElem() {
			f := s.add(t, e.GetName())
			if t = t.Field(f.index).Type.Elem(); f.entry != nil {
				t = f.entry
			}
			if f.down == nil {
				f.down = &structReader{fields: map[string]*fieldReader{}}
			}
			if len(e.GetKey()) > 1 {
				panic(c.path + ": no list of several keys was read before")
			}
			for key := range e.GetKey() {
				f.down.key = f.down.add(t, key)
			}
			s = f.down
		}
		for _, name := range c.leaves {
			s.add(t, name)
		}
	}
	return top
}

// add finds the field with a name of the models, once.
func (s *structReader) add(t reflect.Type, name string) *fieldReader {
	if f, there := s.fields[name]; there {
		return f
	}
	for sf := range t.Fields() {
		if sf.Tag.Get("path") != name {
			continue
		}
		f := &fieldReader{name: name, index: sf.Index[0]}
		switch {
		case sf.Type.Kind() == reflect.Map:
			f.entry = sf.Type.Elem().Elem()
		case sf.Type.Kind() != reflect.Pointer || sf.Type.Elem().Kind() != reflect.Struct:
			f.leaf = newLeafSetter(sf.Type)
		}
		s.fields[name] = f
		return f
	}
	panic(fmt.Sprintf("%v has no field for %s", t, name))
}

// readUpdate reads one value of an answer, at a path below the struct.
func (s *structReader) readUpdate(path []*gpb.PathElem, v *gpb.TypedValue, into reflect.Value) error {
	if len(path) == 0 {
		tree, err := jsontree.Tree(v)
		if err != nil {
			return unreadable(err)
		}
		return s.readObject(tree, into, formOf(v))
	}
	// What is not readable is passed over, also at the end of a longer path.
	e := path[0]
	f, known := s.fields[jsontree.Local(e.GetName())]
	if !known {
		return nil
	}
	at := into.Field(f.index)
	switch {
	case f.leaf != nil && len(path) == 1:
		return f.within(f.readLeafUpdate(v, at))
	case f.leaf != nil:
		return f.within(&readError{text: "a leaf: want nothing below it"})
	case f.entry == nil:
		return f.within(f.down.readUpdate(path[1:], v, allocated(at)))
	case len(path) == 1 && len(e.GetKey()) == 0: // a whole list
		tree, err := jsontree.Tree(v)
		if err != nil {
			return f.within(unreadable(err))
		}
		return f.readList(tree, at, formOf(v))
	}
	entry, err := f.entryOf(e.GetKey(), at)
	if err != nil {
		return f.within(err)
	}
	return below(&gpb.PathElem{Name: f.name, Key: e.GetKey()}, f.down.readUpdate(path[1:], v, entry))
}

// readObject reads an object into a struct. null is an empty object.
func (s *structReader) readObject(tree any, into reflect.Value, form jsontree.Form) error {
	members, ok := tree.(map[string]any)
	if !ok && tree != nil {
		return notAccepted(jsonText(tree), "an object")
	}
	for _, name := range slices.SortedFunc(maps.Keys(members), s.keyFirst) {
		f, known := s.fields[jsontree.Local(name)]
		if !known {
			continue
		}
		if err := f.readMember(members[name], into.Field(f.index), form); err != nil {
			return err
		}
	}
	return nil
}

// keyFirst orders the names of members: the key of an entry comes first, because the
// path of an error about another member names it.
func (s *structReader) keyFirst(a, b string) int {
	if s.key != nil && jsontree.Local(a) != jsontree.Local(b) {
		switch s.key.name {
		case jsontree.Local(a):
			return -1
		case jsontree.Local(b):
			return 1
		}
	}
	return strings.Compare(a, b)
}

// formOf is the form of the integers in a value: that of RFC 7951, or any in plain JSON, for
// which gNMI has no rule (specification, section 2.3.1).
func formOf(v *gpb.TypedValue) jsontree.Form {
	if _, plain := v.GetValue().(*gpb.TypedValue_JsonVal); plain {
		return jsontree.AnyForm
	}
	return jsontree.RFC7951
}

// readMember reads a member of an object into its field.
func (f *fieldReader) readMember(tree any, into reflect.Value, form jsontree.Form) error {
	switch {
	case f.entry != nil:
		return f.readList(tree, into, form)
	case f.down != nil:
		return f.within(f.down.readObject(tree, allocated(into), form))
	case tree == nil:
		return nil
	case into.Kind() == reflect.Slice:
		return f.within(f.readLeafList(tree, into, form))
	}
	return f.within(f.readLeaf(tree, into, form))
}

// readLeaf reads a leaf, or an element of a leaf-list.
func (f *fieldReader) readLeaf(tree any, into reflect.Value, form jsontree.Form) error {
	if !f.leaf.set(into, tree, form) {
		return notAccepted(jsonText(tree), f.leaf.accepts)
	}
	return nil
}

// readLeafList reads a leaf-list. It replaces one that was read before.
func (f *fieldReader) readLeafList(tree any, into reflect.Value, form jsontree.Form) error {
	list, ok := tree.([]any)
	if !ok {
		return notAccepted(jsonText(tree), f.leaf.accepts)
	}
	into.SetZero()
	for _, element := range list {
		if err := f.readLeaf(element, into, form); err != nil {
			return err
		}
	}
	return nil
}

// readLeafUpdate reads a leaf or a leaf-list that is a value of its own.
func (f *fieldReader) readLeafUpdate(v *gpb.TypedValue, into reflect.Value) error {
	if list := v.GetLeaflistVal(); list != nil && into.Kind() == reflect.Slice {
		into.SetZero()
		for _, element := range list.GetElement() {
			if err := f.readLeafValue(element, into); err != nil {
				return err
			}
		}
		return nil
	}
	return f.readLeafValue(v, into)
}

// readLeafValue reads a leaf, or an element of a leaf-list, in any form that the switch chose.
func (f *fieldReader) readLeafValue(v *gpb.TypedValue, into reflect.Value) error {
	tree, err := jsontree.Leaf(v)
	switch {
	case errors.Is(err, jsontree.ErrNoLeaf):
		return &readError{text: fmt.Sprintf("a value as %T: want %s", v.GetValue(), f.leaf.accepts)}
	case err != nil || tree == nil:
		return unreadable(err)
	}
	if _, list := tree.([]any); list && into.Kind() == reflect.Slice {
		return f.readLeafList(tree, into, jsontree.AnyForm)
	}
	return f.readLeaf(tree, into, jsontree.AnyForm)
}

// readList reads the entries of a list. Entries that were read before stay.
func (f *fieldReader) readList(tree any, into reflect.Value, form jsontree.Form) error {
	list, ok := tree.([]any)
	if !ok && tree != nil {
		return f.within(notAccepted(jsonText(tree), "an array"))
	}
	if ok && into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for _, element := range list {
		if err := f.readEntry(element, into, form); err != nil {
			return err
		}
	}
	return nil
}

// readEntry reads an entry of a list. An entry with the same key that was read before is added to.
func (f *fieldReader) readEntry(tree any, into reflect.Value, form jsontree.Form) error {
	entry := reflect.New(f.entry)
	if tree != nil {
		if err := f.down.readObject(tree, entry.Elem(), form); err != nil {
			return f.withinEntry(entry, err)
		}
	}
	key := entry.Elem().Field(f.down.key.index)
	if key.IsZero() {
		return f.within(notAccepted(jsonText(tree), "an object with a "+f.down.key.name))
	}
	if key.Kind() == reflect.Pointer {
		key = key.Elem()
	}
	there := into.MapIndex(key)
	if !there.IsValid() {
		into.SetMapIndex(key, entry)
		return nil
	}
	// A switch may send an entry in parts: the value is read again, into what is there.
	return f.withinEntry(there, f.down.readObject(tree, there.Elem(), form))
}

// entryOf finds or makes the entry of a list that a path names.
func (f *fieldReader) entryOf(keys map[string]string, into reflect.Value) (reflect.Value, error) {
	name := f.down.key
	text, there := keys[name.name]
	if !there || len(keys) != 1 {
		return reflect.Value{}, &readError{text: fmt.Sprintf("keys %v: want %s", keys, name.name)}
	}
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	// Most lists have strings as keys: then the entry is found without parsing the key.
	if key := reflect.ValueOf(text); into.Type().Key() == key.Type() {
		if there := into.MapIndex(key); there.IsValid() {
			return there.Elem(), nil
		}
	}
	entry := reflect.New(f.entry)
	at := entry.Elem().Field(name.index)
	if !name.leaf.set(at, text, jsontree.AnyForm) {
		return reflect.Value{}, name.within(notAccepted(text, name.leaf.accepts))
	}
	key := reflect.Indirect(at)
	if there := into.MapIndex(key); there.IsValid() {
		return there.Elem(), nil
	}
	into.SetMapIndex(key, entry)
	return entry.Elem(), nil
}

// within puts the field's name in front of the path of an error.
func (f *fieldReader) within(err error) error {
	if err == nil {
		return nil
	}
	return below(&gpb.PathElem{Name: f.name}, err)
}

// withinEntry is within for an entry of a list: with its key, if that was read.
func (f *fieldReader) withinEntry(entry reflect.Value, err error) error {
	if err == nil {
		return nil
	}
	e := &gpb.PathElem{Name: f.name}
	if key := entry.Elem().Field(f.down.key.index); !key.IsZero() {
		e.Key = map[string]string{f.down.key.name: fmt.Sprint(reflect.Indirect(key))}
	}
	return below(e, err)
}

// allocated returns the struct that a field points at, and makes it if need be.
func allocated(into reflect.Value) reflect.Value {
	if into.IsNil() {
		into.Set(reflect.New(into.Type().Elem()))
	}
	return into.Elem()
}

// readError is a value that cannot be read, and its path. The path grows at its front while the readers return.
type readError struct {
	path string
	text string
}

// Error prints the path and what is wrong.
func (e *readError) Error() string {
	if e.path == "" {
		return "/: " + e.text
	}
	return e.path + ": " + e.text
}

// unreadable makes a readError of another error, such as one of JSON.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return &readError{text: err.Error()}
}

// notAccepted names the value that was found in place of an accepted one. Long values are cut.
func notAccepted(have, accepted string) error {
	const most = 40
	if len(have) > most {
		have = have[:most] + "..."
	}
	return &readError{text: fmt.Sprintf("%s: want %s", have, accepted)}
}

// jsonText prints a tree as JSON.
func jsonText(tree any) string {
	text, _ := json.Marshal(tree) // it was read from JSON
	return string(text)
}

// below puts an element in front of the path of an error.
func below(e *gpb.PathElem, err error) error {
	read, ok := err.(*readError)
	if !ok {
		return err
	}
	step, bad := ygot.PathToString(&gpb.Path{Elem: []*gpb.PathElem{e}})
	if bad != nil { // a key that is empty, which YANG allows
		step = "/" + e.GetName()
	}
	return &readError{step + read.path, read.text}
}
