package server

import (
	"bytes"
	"encoding/json"
	"reflect"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/jsontree"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// A Set edits a copy of the configuration with ytypes. Three things are done here because
// ytypes does not do them well: errors that name the path in the data, plain JSON, and
// values with lists in lists, which it reads in exponential time.

// editTree makes the operations of a Set on a tree, in the order that gNMI prescribes.
// After an error the tree is of no use.
func editTree(tree *oc.Root, req *gpb.SetRequest) ([]*gpb.UpdateResult, error) {
	var done []*gpb.UpdateResult
	note := func(path *gpb.Path, op gpb.UpdateResult_Operation) {
		done = append(done, &gpb.UpdateResult{Path: path, Op: op})
	}
	for _, path := range req.GetDelete() {
		n, err := writable(req.GetPrefix(), path)
		if err != nil {
			return nil, err
		}
		if err := remove(tree, n); err != nil {
			return nil, err
		}
		note(path, gpb.UpdateResult_DELETE)
	}
	for _, u := range req.GetReplace() {
		n, err := writable(req.GetPrefix(), u.GetPath())
		if err != nil {
			return nil, err
		}
		// A replace is a deletion and an update of the same path.
		if err := remove(tree, n); err != nil {
			return nil, err
		}
		if err := assign(tree, n, u.GetVal()); err != nil {
			return nil, err
		}
		note(u.GetPath(), gpb.UpdateResult_REPLACE)
	}
	for _, u := range req.GetUpdate() {
		n, err := writable(req.GetPrefix(), u.GetPath())
		if err != nil {
			return nil, err
		}
		if err := assign(tree, n, u.GetVal()); err != nil {
			return nil, err
		}
		note(u.GetPath(), gpb.UpdateResult_UPDATE)
	}
	return done, nil
}

// writable finds the one node of configuration at a path.
func writable(prefix, path *gpb.Path) (node, error) {
	n, err := findNode(prefix, path)
	switch {
	case err != nil && n.path != nil: // the path is known so far: the error names it
		return n, errorWithDetails(status.Code(err), status.Convert(err).Message(), []violation{{path: n.String()}})
	case err != nil:
		return n, err
	case n.severalMatch:
		return n, n.errorf(codes.InvalidArgument, "accepted: a path with every key and no wildcard")
	case n.entry.ReadOnly():
		return n, n.errorf(codes.InvalidArgument, "state can be read only")
	}
	return n, nil
}

// remove deletes what is at a path. It is no error if there is nothing.
func remove(tree *oc.Root, n node) error {
	if err := ytypes.DeleteNode(root, tree, n.path); err != nil {
		return n.invalid(err)
	}
	return nil
}

// assign merges a value into what is at a path.
func assign(tree *oc.Root, n node, v *gpb.TypedValue) error {
	var value any
	var err error
	switch v.GetValue().(type) {
	case *gpb.TypedValue_JsonIetfVal:
		value, err = decode(v.GetJsonIetfVal(), nil)
	case *gpb.TypedValue_JsonVal:
		value, err = decode(v.GetJsonVal(), n.entry)
	case nil:
		return n.errorf(codes.InvalidArgument, "no value")
	case *gpb.TypedValue_AsciiVal, *gpb.TypedValue_ProtoBytes, *gpb.TypedValue_AnyVal:
		const accepted = "this switch reads json_ietf_val, json_val and scalars"
		return n.errorf(codes.Unimplemented, "a value as %T: %s", v.GetValue(), accepted)
	default:
		if !n.isLeaf() {
			return n.errorf(codes.InvalidArgument, "a container takes json_ietf_val or json_val, not %T", v.GetValue())
		}
		return n.set(tree, v)
	}
	switch {
	case err != nil:
		return n.invalid(err)
	case value == nil:
		return n.errorf(codes.InvalidArgument, "null: accepted: a value; to take one away, delete it")
	case n.isLeaf():
		// ytypes reads a leaf from a TypedValue only: the value was decoded to be checked.
		text, err := json.Marshal(value)
		if err != nil {
			return n.invalid(err)
		}
		return n.set(tree, &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: text}})
	}
	// What remains is a container, or an entry of a list.
	into, _, err := ytypes.GetOrCreateNode(root, tree, n.path)
	if err != nil {
		return n.invalid(err)
	}
	// ytypes reads an entry of a list twice if the list has it already, and so 2^n times
	// at the n-th nested list. So the value is read into an empty struct first.
	fresh := reflect.New(reflect.TypeOf(into).Elem())
	if err := ytypes.Unmarshal(n.entry, fresh.Interface(), value); err != nil {
		if bad := n.invalidValues(value); len(bad) > 0 {
			return violationsError(codes.InvalidArgument, bad)
		}
		return n.invalid(err)
	}
	overlay(reflect.ValueOf(into).Elem(), fresh.Elem())
	return nil
}

// overlay puts the fields of a struct into another one. Fields that only the other one
// has stay.
func overlay(to, from reflect.Value) {
	for i := range from.NumField() {
		value, at := from.Field(i), to.Field(i)
		switch {
		case value.IsZero():
		case at.IsZero():
			at.Set(value)
		case value.Kind() == reflect.Map:
			for key, entry := range value.Seq2() {
				if there := at.MapIndex(key); there.IsValid() {
					overlay(there.Elem(), entry.Elem())
				} else {
					at.SetMapIndex(key, entry)
				}
			}
		case value.Kind() == reflect.Pointer && value.Elem().Kind() == reflect.Struct:
			overlay(at.Elem(), value.Elem())
		default: // a leaf, or a leaf-list, which is replaced as a whole
			at.Set(value)
		}
	}
}

// decode reads a JSON value of a Set, for ytypes. In the JSON of RFC 7951 a number of 64
// bits is a string. In plain JSON it is a number: given the schema, decode turns it into a
// string. It does not use [jsontree.Decode], because its errors have the texts of
// encoding/json's decoder, which tests of clients may compare.
func decode(text []byte, plain *yang.Entry) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, status.Error(codes.InvalidArgument, "more than one JSON value")
	}
	return numbers(v, plain)
}

// numbers replaces every number of a JSON value by the type that ytypes reads.
func numbers(v any, e *yang.Entry) (_ any, err error) {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			var child *yang.Entry
			if e != nil {
				child = e.Dir[jsontree.Local(name)]
			}
			if v[name], err = numbers(v[name], child); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = numbers(v[i], e); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if e != nil && e.Type != nil && (e.Type.Kind == yang.Yuint64 || e.Type.Kind == yang.Yint64) {
			return v.String(), nil
		}
		return v.Float64() // exact for the integers of at most 32 bits that are left
	}
	return v, nil
}
