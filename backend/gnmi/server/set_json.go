package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/internal/jsonscan"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// A JSON value of a Set is read in two steps. The first step is here: it checks what ytypes reads as
// something else than it says, and brings the numbers into the types that ytypes takes.
// ytypes then checks names and types.
//
// 	json_ietf_val   RFC 7951: integers of 64 bits are strings, and all other integers are numbers
// 	json_val        the same, and integers of 64 bits may also be numbers
//
// Both may have the names of modules before the names of nodes.

// decode reads a JSON value. The result is for ytypes alone: its 64-bit integers are strings, whatever the client sent.
func (r *jsonReader) decode(text []byte) (any, error) {
	v, err := jsontree.Decode(text)
	if err != nil {
		return nil, r.node.invalid(err)
	}
	if name := repeatedName(text); name != "" {
		return nil, r.node.errorf(codes.InvalidArgument, "the member %q twice in one object", shortened(name))
	}
	v = r.read(v)
	if len(r.bad) > 0 {
		return nil, violationsError(codes.InvalidArgument, r.bad)
	}
	return v, nil
}

// invalidValues lists what ytypes cannot read in a value that decode has returned. It runs only for a Set that ytypes
// has refused, whose error often names only the path in the schema. The result may be empty all the same: that error
// is then the answer.
func (n node) invalidValues(value any) []violation {
	r := jsonReader{node: n, refused: true}
	r.read(value)
	return r.bad
}

// place is where a value is. Its path is made for errors only: going down makes one small value, because nearly all
// places are right.
type place struct {
	up   *place
	name string            // the last element of the path
	keys map[string]string // of that element; nil: none
}

// below is the place of a member.
func (p *place) below(name string) *place { return &place{up: p, name: name} }

// path is the path of the place; of no place, the root.
func (p *place) path() []*gpb.PathElem {
	if p == nil {
		return nil
	}
	return childPath(p.up.path(), p.name, p.keys)
}

// jsonReader reads the JSON value of a node with its schema.
type jsonReader struct {
	node    node
	plain   bool // it is a json_val
	refused bool // also what ytypes refuses by itself is a mistake
	drops   bool // what the models do not have is left out
	dropped []ignoredConfig
	bad     []violation
}

// read reads the value.
func (r *jsonReader) read(v any) any {
	n := r.node
	var at *place
	for _, e := range n.path.GetElem() {
		at = &place{at, e.GetName(), e.GetKey()}
	}
	if _, isList := v.([]any); isList && !n.isLeaf() && !n.isList() {
		return r.value(v, n.entry, at)
	}
	return r.member(v, n.entry, at)
}

// refuse notes a mistake at a place, and goes on: a client learns all mistakes of a value at once.
func (r *jsonReader) refuse(at *place, format string, args ...any) any {
	r.bad = append(r.bad, violation{node{path: &gpb.Path{Elem: at.path()}}.String(), fmt.Sprintf(format, args...)})
	return nil
}

// ytypes notes a mistake that ytypes refuses too, with an error that may not have its path.
func (r *jsonReader) ytypes(at *place, format string, args ...any) {
	if r.refused {
		r.refuse(at, format, args...)
	}
}

// value reads a container or an entry. A name that stands once with its
// module and once without is refused, as one of both would be lost.
func (r *jsonReader) value(v any, e *yang.Entry, at *place) any {
	object, isObject := v.(map[string]any)
	if !isObject {
		r.ytypes(at, "want a JSON object, or a list of them for a list")
		return v
	}
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		local := jsontree.Local(name)
		child := e.Dir[local]
		if r.drops && (child == nil || !inModule(child, name)) {
			delete(object, name)
			// Without keys: a test suite that writes many entries is told once.
			below := schemaText(at.below(name).path()[len(r.node.path.GetElem()):])
			r.dropped = append(r.dropped, ignoredConfig{notStored, r.node.String() + below, "no such node"})
			continue
		}
		if child == nil {
			r.ytypes(at.below(name), "this switch has no such node")
			continue
		}
		below := at.below(local)
		if other, twice := seen[local]; twice {
			r.refuse(below, "%s and %s: want one of them", other, name)
			continue
		}
		seen[local] = name
		if !inModule(child, name) {
			r.refuse(at.below(name), "this switch has no such node")
			continue
		}
		object[name] = r.member(object[name], child, below)
	}
	return object
}

// member reads the value of a node, such as a member of an object. A leaf that has a list where none belongs is read as
// well, and refused by ytypes.
func (r *jsonReader) member(v any, e *yang.Entry, at *place) any {
	list, isList := v.([]any)
	switch {
	case v == nil:
		return r.refuse(at, "null: want a value; to take one away, delete it")
	case e.IsLeaf() || e.IsLeafList():
		return r.leaf(v, e, at)
	case isList:
		return r.entries(list, e, at)
	default:
		return r.value(v, e, at)
	}
}

// entries reads the entries of a list. Two entries with one key are refused: which one counts
// is not said. The keys of an entry are among its members (RFC 7951, 5.4). The other members of an entry without one of
// its keys are passed over, because their paths could not be written.
func (r *jsonReader) entries(list []any, e *yang.Entry, at *place) any {
	seen := map[string]bool{}
	for i, item := range list {
		object, isObject := item.(map[string]any)
		if !isObject {
			r.ytypes(at, "want a list of JSON objects")
			continue
		}
		entry := *at
		entry.keys = map[string]string{}
		for name, v := range object {
			local, text := jsontree.Local(name), fmt.Sprint(v)
			switch {
			case !isKey(e, local):
			case len(text) > maxName:
				r.refuse(at, "a key of %d bytes: want at most %d", len(text), maxName)
			default:
				entry.keys[local] = text
			}
		}
		if key := keysText(entry.keys); key != "" {
			if seen[key] {
				r.refuse(&entry, "this entry a second time: want each key once")
			}
			seen[key] = true
		}
		if r.refused && !r.hasKeys(&entry, e) {
			continue
		}
		list[i] = r.value(object, e, &entry)
	}
	return list
}

// hasKeys tells whether an entry has all of its keys.
func (r *jsonReader) hasKeys(at *place, e *yang.Entry) bool {
	all := true
	for key := range strings.FieldsSeq(e.Key) {
		if _, there := at.keys[key]; !there {
			r.ytypes(at, "no %s: want an entry with its key", key)
			all = false
		}
	}
	return all
}

// leaf reads a leaf or a leaf-list. Types, ranges and enumerations are ytypes' matter.
func (r *jsonReader) leaf(v any, e *yang.Entry, at *place) any {
	if r.refused {
		r.tryLeaf(v, e, at)
		return v
	}
	switch v := v.(type) {
	case nil:
		return r.refuse(at, "null: want a value; to take one away, delete it")
	case []any:
		for i := range v {
			v[i] = r.leaf(v[i], e, at)
		}
		return v
	case string:
		if !identityInModule(e, v) {
			return r.refuse(at, "%q: an identity of another module", shortened(v))
		}
	case json.Number:
		return r.number(v, e, at)
	}
	return v
}

// tryLeaf writes the value into an empty tree, and takes the error of that: the empty tree keeps other values out of
// the error.
func (r *jsonReader) tryLeaf(v any, e *yang.Entry, at *place) {
	text, err := json.Marshal(v)
	if err == nil {
		n := node{path: &gpb.Path{Elem: at.path()}, entry: e}
		err = n.put(&oc.Root{}, &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: text}})
	}
	if err != nil {
		r.refuse(at, "%s", plainError(err))
	}
}

// number returns a number as ytypes takes it: a string for 64 bits, else a float64, which holds
// integers of up to 32 bits exactly.
func (r *jsonReader) number(v json.Number, e *yang.Entry, at *place) any {
	if resolved, err := util.ResolveIfLeafRef(e); err == nil {
		e = resolved
	}
	if e.Type != nil && (e.Type.Kind == yang.Yuint64 || e.Type.Kind == yang.Yint64) {
		if !r.plain {
			return r.refuse(at, "%s: want a string, because RFC 7951 quotes integers of 64 bits", v)
		}
		return v.String()
	}
	f, err := strconv.ParseFloat(v.String(), 64)
	// ytypes would cut the fraction. No leaf of the models has a type with a fraction.
	if err != nil || f != math.Trunc(f) {
		return r.refuse(at, "%s: want a whole number", shortened(v.String()))
	}
	return f
}

// repeatedName returns a name that an object of a JSON text has twice, or "". encoding/json would take the last of the
// two without a word, and RFC 7493 forbids them. The text was decoded before.
func repeatedName(text []byte) string {
	s := jsonscan.New(string(text))
	return repeatedNext(&s)
}

// repeatedNext is repeatedName of the next value.
func repeatedNext(s *jsonscan.Scanner) string {
	open := s.Next().Kind
	if open != '{' && open != '[' {
		return ""
	}
	names := map[string]bool{}
	for s.More() {
		if open == '{' {
			name := s.Next().Text
			if names[name] && name != "" {
				return name
			}
			names[name] = true
		}
		if name := repeatedNext(s); name != "" {
			return name
		}
	}
	s.Next() // the bracket that closes it
	return ""
}
