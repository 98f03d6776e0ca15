package server

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/protobuf/proto"
)

// Subscribers share what they are sent. One of them reads the switch, and those that wait meanwhile get the same
// leaves. A leaf that is as it was before is the same object in each reading, and a reading without a change is the
// earlier set itself. So a stream has a pointer to the set that it was sent last, and needs no memory for leaves,
// however many there are.

// leafSet are the leaves of the switch at one moment, sorted by the texts of their paths. It does not change.
type leafSet struct{ all []*shared }

// shared is a leaf of a set. updates are made when they are first needed, and by several subscribers at once at
// worst: both results are the same.
type shared struct {
	leaf
	counter bool                                 // state that is not configured
	updates [encodingCount]atomic.Pointer[sized] // of encodings, once one was asked for
}

// sized is an update and its length in bytes.
type sized struct {
	*gpb.Update
	bytes int
}

// update returns the update of a leaf, which all subscribers share: it must not be changed.
func (l *shared) update(e gpb.Encoding) (*sized, error) {
	at := &l.updates[slices.Index(encodings[:], e)]
	if u := at.Load(); u != nil {
		return u, nil
	}
	v, err := encode(l.data, nil, e)
	if err != nil {
		return nil, err
	}
	u := &sized{Update: &gpb.Update{Path: l.path, Val: v}}
	u.bytes = proto.Size(u.Update)
	at.Store(u)
	return u, nil
}

// reading is a set of leaves and when it was read. number orders readings by their begin. A caller that came before a
// reading began can use it, whenever it ends.
type reading struct {
	set     *leafSet
	number  int64     // of the reading: the first has 1
	changes int       // number of changes before it was read
	began   time.Time // it is of this moment, or later
}

// freshness is how new a set has to be.
type freshness struct {
	change bool          // a set that was read after the last change is enough
	age    time.Duration // or one that is not older; 0: it is read after it was asked for
}

// leaves returns the leaves of the switch, or those of its configuration, which is in memory. One caller reads at a
// time; the others wait, and share what was read for one of them if it is new enough. A caller whose context ends stops
// waiting.
func (s *Server) leaves(ctx context.Context, kind gpb.GetRequest_DataType, want freshness) (*leafSet, error) {
	asked := s.readings.Load()
	if err := lock(ctx, s.cacheLock); err != nil {
		return nil, err
	}
	defer unlock(s.cacheLock)
	// The number is read before the switch: a change during the read makes the next call read again.
	changes, now := s.watchers.changes(), s.opt.Clock.Now()
	if c := s.cached[kind]; c.set != nil && c.changes == changes &&
		(c.number > asked || want.change || want.age > 0 && now.Sub(c.began) <= want.age) {
		return c.set, nil
	}
	number := s.readings.Add(1)
	tree, err := s.tree(ctx, kind)
	if err != nil {
		return nil, err
	}
	set := s.cached[kind].set.next(leavesOf(tree, &gpb.Path{}))
	s.cached[kind] = reading{set, number, changes, now}
	return set, nil
}

// next returns the set with these leaves, which has those of s as they are where they are the same. A nil set has no
// leaves. Both are sorted by path, so that one pass over both compares them.
func (s *leafSet) next(leaves []leaf) *leafSet {
	var before []*shared
	if s != nil {
		before = s.all
	}
	out, kept := make([]*shared, len(leaves)), 0
	for i := range leaves {
		l := &leaves[i]
		for len(before) > 0 && before[0].text < l.text {
			before = before[1:]
		}
		if len(before) > 0 && before[0].text == l.text && l.equal(&before[0].leaf) {
			out[i] = before[0]
			kept++
		} else {
			out[i] = &shared{leaf: *l, counter: isOperational(l.schema())}
		}
	}
	if s != nil && kept == len(out) && kept == len(s.all) {
		return s
	}
	return &leafSet{out}
}

// equal tells whether two leaves of one path have the same value.
func (l *leaf) equal(other *leaf) bool { return reflect.DeepEqual(l.data, other.data) }

// since yields, in the order of their paths, each leaf of the set that an earlier one does not have with its value, and
// each leaf of the earlier set that is not in this one, which is gone. A nil set has no leaves.
func (s *leafSet) since(earlier *leafSet) iter.Seq2[*shared, bool] {
	return func(yield func(l *shared, gone bool) bool) {
		var before []*shared
		if earlier != nil {
			before = earlier.all
		}
		for _, l := range s.all {
			for ; len(before) > 0 && before[0].text < l.text; before = before[1:] {
				if !yield(before[0], true) {
					return
				}
			}
			there := len(before) > 0 && before[0].text == l.text
			if (!there || l != before[0] && !l.equal(&before[0].leaf)) && !yield(l, false) {
				return
			}
			if there {
				before = before[1:]
			}
		}
		for _, l := range before {
			if !yield(l, true) {
				return
			}
		}
	}
}

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
