package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/dialect"
)

// Reading is what a switch had when it was read: a tree of JSON for each path
// that was read, with the names of modules taken off.
type Reading []branch

type branch struct {
	path []dialect.Elem
	raw  bool // names are as they are: there are no modules
	tree any  // nil: there is nothing
}

// at returns what is at a path; nil: nothing. A path outside what was read
// panics: languages read what they write.
func (r Reading) at(path []dialect.Elem) any {
	for _, b := range r {
		if len(path) >= len(b.path) && slices.Equal(path[:len(b.path)], b.path) {
			return descend(b.tree, path[len(b.path):])
		}
	}
	panic("native: " + dialect.Text(path) + " was not read")
}

// descend follows the elements of a path into a tree.
func descend(tree any, path []dialect.Elem) any {
	for _, e := range path {
		object, ok := tree.(map[string]any)
		if !ok {
			return nil
		}
		if tree = object[e.Name]; e.Key != "" {
			tree = entry(tree, e)
		}
	}
	return tree
}

// entry is the entry of a list that has a key; nil: none.
func entry(list any, e dialect.Elem) any {
	entries, _ := list.([]any)
	for _, item := range entries {
		if object, ok := item.(map[string]any); ok && e.Value != "" && text(object[e.Key]) == e.Value {
			return item
		}
	}
	return nil
}

// text is a value of JSON as a text. RFC 7951 writes some numbers as texts, and
// CONFIG_DB all.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// same compares two leaves: numbers by value, whether written as texts or not.
func same(a, b any) bool {
	x, y := text(a), text(b)
	if x == y {
		return true
	}
	n, bad := strconv.ParseInt(x, 10, 64)
	m, worse := strconv.ParseInt(y, 10, 64)
	return bad == nil && worse == nil && n == m
}

// contains tells whether what a switch holds has all of a value: every member
// of its objects, every entry of its lists.
func contains(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		for name, v := range want {
			if inner, there := object[name]; !there || !contains(inner, v) {
				return false
			}
		}
		return ok
	case []any:
		list, ok := have.([]any)
		for _, v := range want {
			if !slices.ContainsFunc(list, func(item any) bool { return contains(item, v) }) {
				return false
			}
		}
		return ok
	case nil:
		return have == nil
	}
	switch have.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return same(have, want)
}

// parse reads a value of JSON.
func parse(data []byte, raw bool) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("more than one value")
	}
	if raw {
		return v, nil
	}
	return unqualified(v), nil
}

// unqualified takes the names of modules off the members of objects: what
// stands before the first colon, if it is a name of YANG.
func unqualified(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			out[local(name)] = unqualified(inner)
		}
		return out
	case []any:
		for i := range v {
			v[i] = unqualified(v[i])
		}
	}
	return v
}

// local is a name without its module.
func local(name string) string {
	module, rest, qualified := strings.Cut(name, ":")
	if !qualified || rest == "" || module == "" || strings.ContainsAny(module, " |/") {
		return name
	}
	return rest
}

// absorb reads an answer to Get into the tree of what was asked for.
func absorb(path []dialect.Elem, raw bool, answer *gpb.GetResponse) (branch, error) {
	b := branch{path: path, raw: raw}
	for _, n := range answer.GetNotification() {
		for _, u := range n.GetUpdate() {
			where := slices.Concat(n.GetPrefix().GetElem(), u.GetPath().GetElem())
			value, err := valueOf(u.GetVal(), raw)
			if err == nil {
				err = b.put(where, value)
			}
			if err != nil {
				return b, fmt.Errorf("%s: %w", pathText(where), err)
			}
		}
	}
	if object, ok := b.tree.(map[string]any); ok && len(object) == 0 {
		b.tree = nil
	}
	return b, nil
}

// valueOf is a value as it would be in JSON.
func valueOf(v *gpb.TypedValue, raw bool) (any, error) {
	switch v := v.GetValue().(type) {
	case *gpb.TypedValue_JsonIetfVal:
		return parse(v.JsonIetfVal, raw)
	case *gpb.TypedValue_JsonVal:
		return parse(v.JsonVal, raw)
	case *gpb.TypedValue_StringVal:
		return v.StringVal, nil
	case *gpb.TypedValue_UintVal:
		return json.Number(strconv.FormatUint(v.UintVal, 10)), nil
	case *gpb.TypedValue_IntVal:
		return json.Number(strconv.FormatInt(v.IntVal, 10)), nil
	case *gpb.TypedValue_BoolVal:
		return v.BoolVal, nil
	}
	return nil, fmt.Errorf("no JSON, though JSON_IETF was asked for")
}

// put puts a value that a switch gave for a path into the tree. The path is
// that of the tree, one beneath it, or one above: then the value is unwrapped.
func (b *branch) put(where []*gpb.PathElem, value any) error {
	for i, e := range b.path {
		if i < len(where) {
			if local(where[i].GetName()) != e.Name || e.Key != "" && where[i].GetKey()[e.Key] != e.Value {
				return nil // beside what was asked for
			}
			continue
		}
		value = descend(value, b.path[i:i+1])
	}
	if len(where) <= len(b.path) {
		// Some switches repeat the container's own name in the value.
		last := b.path[len(b.path)-1].Name
		if object, ok := value.(map[string]any); ok && len(object) == 1 && !b.raw {
			if inner, wrapped := object[last].(map[string]any); wrapped && b.path[len(b.path)-1].Key == "" {
				value = inner
			}
		}
		b.tree = merged(b.tree, value)
		return nil
	}
	rest := where[len(b.path):]
	if len(rest) > deepest {
		return fmt.Errorf("%d elements: accepted: at most %d", len(rest), deepest)
	}
	for _, e := range slices.Backward(rest) {
		if len(e.GetKey()) > 0 {
			object := map[string]any{}
			for k, v := range e.GetKey() {
				object[k] = v
			}
			value = []any{merged(object, value)}
		}
		value = map[string]any{local(e.GetName()): value}
	}
	b.tree = merged(b.tree, value)
	return nil
}

// deepest bounds the path of a value beneath what was asked for.
const deepest = 32

// merged puts a tree into another. Entries of lists are kept apart unless their
// leaves agree.
func merged(into, from any) any {
	if into == nil {
		return from
	}
	switch from := from.(type) {
	case map[string]any:
		object, ok := into.(map[string]any)
		if !ok {
			return from
		}
		for name, v := range from {
			object[name] = merged(object[name], v)
		}
		return object
	case []any:
		list, ok := into.([]any)
		if !ok {
			return from
		}
		for _, item := range from {
			list = joined(list, item)
		}
		return list
	case nil:
		return into
	}
	return from
}

// joined puts an entry into a list: into the one with the same leaves, as far
// as both have them and have any in common.
func joined(list []any, item any) []any {
	for i := range list {
		if kin(list[i], item) {
			list[i] = merged(list[i], item)
			return list
		}
	}
	return append(list, item)
}

func kin(a, b any) bool {
	x, ok := a.(map[string]any)
	y, both := b.(map[string]any)
	common := 0
	for name, v := range x {
		w, there := y[name]
		if !there || text(v) == "" {
			continue
		}
		if !same(v, w) {
			return false
		}
		common++
	}
	return ok && both && common > 0
}

func pathText(path []*gpb.PathElem) string {
	var out []dialect.Elem
	for _, e := range path {
		out = append(out, dialect.Elem{Name: e.GetName()})
	}
	return dialect.Text(out)
}
