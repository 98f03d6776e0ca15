package server

import (
	"encoding/json"
	"reflect"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// checkEncoding refuses encodings that this switch does not write. The encoding 0 is JSON, so that a request which
// names none gets that.
func checkEncoding(e gpb.Encoding) error {
	if !slices.Contains(encodings[:], e) {
		return status.Errorf(codes.Unimplemented, "encoding %v: this switch speaks JSON, JSON_IETF and PROTO", e)
	}
	return nil
}

// encode writes a node of the tree: a struct with its schema, or the value of a leaf, whose
// schema is not needed. PROTO can write leaves only.
func encode(data any, schema *yang.Entry, e gpb.Encoding) (*gpb.TypedValue, error) {
	switch e {
	case gpb.Encoding_PROTO:
		v, err := ygot.EncodeTypedValue(data, e)
		return v, internalError(err)
	case gpb.Encoding_JSON_IETF:
		text, err := ygot.Marshal7951(data, &ygot.RFC7951JSONConfig{AppendModuleName: true})
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: text}}, internalError(err)
	}
	// Plain JSON has the form of RFC 7951 without the names of modules, and with all integers as
	// numbers (gNMI 2.3.1), so that what Get answers can be set.
	switch v := data.(type) {
	case ygot.GoStruct:
		object, err := ygot.ConstructInternalJSON(v)
		if err != nil {
			return nil, internalError(err)
		}
		data = withLists(object, schema)
	case ygot.GoEnum:
		name, err := ygot.EnumName(v)
		if err != nil {
			return nil, internalError(err)
		}
		data = name
	default:
		data = leafList(data)
	}
	text, err := json.Marshal(data)
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: text}}, internalError(err)
}

// leafList returns the values of a leaf-list as a list, and any other leaf as it is: package json
// would write a list of bytes as one string.
func leafList(data any) any {
	v := reflect.ValueOf(data)
	if v.Kind() != reflect.Slice {
		return data
	}
	out := make([]any, v.Len())
	for i := range out {
		out[i] = v.Index(i).Interface()
	}
	return out
}

// withLists returns a JSON value of ygot's own form, in which a list is an object of its entries by key, with lists as
// arrays. The entries are in the order of their keys, so that the same configuration gives the same bytes.
func withLists(v any, e *yang.Entry) any {
	object, isObject := v.(map[string]any)
	if !isObject || e == nil {
		return v
	}
	for name, below := range object {
		child := e.Dir[name]
		entries, isList := below.(map[string]any)
		if child == nil || !child.IsList() || !isList {
			object[name] = withLists(below, child)
			continue
		}
		list := make([]any, 0, len(entries))
		for _, key := range sortedKeys(entries) {
			list = append(list, withLists(entries[key], child))
		}
		object[name] = list
	}
	return object
}

// internalError makes an error INTERNAL: the server itself is at fault, and the client can do nothing about it. A nil
// error stays nil.
func internalError(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codes.Internal, err.Error())
}

// isAbsent tells whether a field of a struct is not set: a nil pointer or map, or 0 for
// an enumeration. Leaves are pointers in ygot's structs, so that a leaf with the value 0 is not absent.
func isAbsent(data any) bool {
	v := reflect.ValueOf(data)
	return !v.IsValid() || v.IsZero()
}

// The number is a constant, because each shared leaf has an array with a place for each encoding: see shared.
const encodingCount = 3

// encodings are those that a Set may use, and that answers can have.
var encodings = [encodingCount]gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF, gpb.Encoding_PROTO}
