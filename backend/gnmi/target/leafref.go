package target

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// validate checks the types and references of a configuration. ygot's check of
// references takes longer than the rest of a Set: it walks for every reference
// to all that it may point at. So references are looked at here, and by ygot
// only if one dangles or is of a kind that is not known here: ygot says what is
// refused, and with which words.
func validate(tree *oc.Root) error {
	if !sound(tree) {
		return tree.Validate()
	}
	return tree.Validate(&ytypes.LeafrefOptions{IgnoreMissingData: true})
}

// sound tells whether every reference points at something that is there. False
// may also mean that this is not known.
func sound(tree *oc.Root) bool {
	c := checker{there: map[pointed]map[any]bool{}}
	return c.check(reflect.ValueOf(tree), references())
}

// references is where references stand in the models, or nil if one of them is
// not like those that are known here.
var references = sync.OnceValue(func() *referring {
	r, known := referringOf(reflect.TypeFor[oc.Root](), root)
	if !known {
		return nil
	}
	return r
})

// referring is a type of struct that has references in it or below.
type referring struct {
	leaves []reference
	below  []descent
}

// reference is a leaf that has to be the value of another one.
type reference struct {
	index int
	up    int // from the struct of the leaf, or fromRoot
	path  []string
}

const fromRoot = -1

// descent is a container or a list.
type descent struct {
	index int
	*referring
}

// referringOf looks for references in a type, and tells whether all are known.
func referringOf(t reflect.Type, e *yang.Entry) (*referring, bool) {
	r := &referring{}
	for i, name := range pathsOf(t) {
		entry, field := e.Dir[name], t.Field(i)
		switch {
		case entry == nil:
			return nil, false
		case entry.IsContainer() || entry.IsList():
			down := field.Type.Elem()
			if entry.IsList() && field.Type.Kind() == reflect.Map {
				down = down.Elem()
			}
			if down.Kind() != reflect.Struct {
				return nil, false
			}
			below, known := referringOf(down, entry)
			if !known {
				return nil, false
			}
			if len(below.leaves)+len(below.below) > 0 {
				r.below = append(r.below, descent{i, below})
			}
		case util.IsLeafRef(entry) && !entry.IsLeafList():
			if name == "interface" || name == "subinterface" {
				if e.Parent != nil && e.Parent.Name == "interface-ref" {
					continue // is not checked: see valid
				}
			}
			ref, known := referenceOf(i, entry.Type.Path)
			if !known || field.Type.Kind() != reflect.Pointer && !field.Type.Implements(reflect.TypeFor[ygot.GoEnum]()) {
				return nil, false
			}
			r.leaves = append(r.leaves, ref)
		}
	}
	return r, true
}

// referenceOf reads the path of a reference. One that picks entries of a list
// is not known.
func referenceOf(index int, path string) (reference, bool) {
	if strings.ContainsAny(path, "[(") {
		return reference{}, false
	}
	r := reference{index: index, up: fromRoot}
	if rest, absolute := strings.CutPrefix(path, "/"); absolute {
		path = rest
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == ".." {
			r.up++
			continue
		}
		r.path = append(r.path, name[strings.IndexByte(name, ':')+1:])
	}
	return r, true
}

// checker follows references.
type checker struct {
	above []reflect.Value // the structs from the root to here
	there map[pointed]map[any]bool
}

// pointed is what references of one kind point at.
type pointed struct {
	base any // the struct where the path begins
	path string
}

// check tells whether the references in a struct and below it hold.
func (c *checker) check(v reflect.Value, r *referring) bool {
	if r == nil {
		return false
	}
	c.above = append(c.above, v)
	defer func() { c.above = c.above[:len(c.above)-1] }()
	for _, ref := range r.leaves {
		if leaf := v.Elem().Field(ref.index); !leaf.IsZero() && !c.holds(reflect.Indirect(leaf), ref) {
			return false
		}
	}
	for _, d := range r.below {
		value := v.Elem().Field(d.index)
		switch {
		case value.IsNil():
		case value.Kind() == reflect.Map:
			for _, entry := range value.Seq2() {
				if !c.check(entry, d.referring) {
					return false
				}
			}
		case !c.check(value, d.referring):
			return false
		}
	}
	return true
}

// holds tells whether a value is one of those that it may be.
func (c *checker) holds(value reflect.Value, ref reference) bool {
	base := c.above[0]
	if ref.up != fromRoot {
		base = c.above[len(c.above)-1-ref.up]
	}
	if ref.up == 0 { // a key, of which there is one: ../config/name
		for v := range values(base, ref.path) {
			return v.Equal(value)
		}
		return false
	}
	at := pointed{base.Interface(), strings.Join(ref.path, "/")}
	all, known := c.there[at]
	if !known {
		all = map[any]bool{}
		for v := range values(base, ref.path) {
			all[v.Interface()] = true
		}
		c.there[at] = all
	}
	return all[value.Interface()]
}

// values yields the leaves at a path below a struct.
func values(v reflect.Value, path []string) func(func(reflect.Value) bool) {
	return func(yield func(reflect.Value) bool) { follow(v, path, yield) }
}

// follow returns false when no more is wanted.
func follow(v reflect.Value, path []string, yield func(reflect.Value) bool) bool {
	field := v.Elem().Field(slices.Index(pathsOf(v.Type().Elem()), path[0]))
	switch {
	case field.IsZero():
		return true
	case len(path) == 1:
		return yield(reflect.Indirect(field)) // a pointer, or an enumeration
	case field.Kind() == reflect.Map:
		for _, entry := range field.Seq2() {
			if !follow(entry, path[1:], yield) {
				return false
			}
		}
		return true
	}
	return follow(field, path[1:], yield)
}
