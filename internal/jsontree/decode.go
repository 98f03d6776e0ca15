package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

var (
	// ErrNoJSON says that a value is not JSON where a tree was expected.
	ErrNoJSON = errors.New("no JSON, though JSON_IETF was asked for")
	// ErrNoLeaf is the ErrNoJSON of a value that is no scalar either, such as bytes.
	ErrNoLeaf = fmt.Errorf("%w", ErrNoJSON)
)

// Decode reads one JSON value. Numbers keep their digits. It refuses text with more
// than one value, and values that are nested more than 10000 deep.
func Decode(text []byte) (any, error) {
	if !json.Valid(text) {
		return nil, json.Unmarshal(text, new(any)) // which says why not
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	err := decoder.Decode(&v)
	return v, err
}

// Tree returns the tree of a value that is JSON. For any other value, also for one
// without content, the error is ErrNoJSON.
func Tree(v *gpb.TypedValue) (any, error) {
	text := slices.Concat(v.GetJsonIetfVal(), v.GetJsonVal()) // a value is one of the two, or neither
	if len(text) == 0 {
		return nil, ErrNoJSON
	}
	return Decode(text)
}

// Leaf returns the tree of a value that is JSON or one of gNMI's scalars: a string, an integer, or a boolean. Many
// switches send each leaf as a scalar even where JSON was asked for. For any other value the error is ErrNoLeaf.
func Leaf(v *gpb.TypedValue) (any, error) {
	switch v := v.GetValue().(type) {
	case *gpb.TypedValue_StringVal:
		return v.StringVal, nil
	case *gpb.TypedValue_UintVal:
		return json.Number(strconv.FormatUint(v.UintVal, 10)), nil
	case *gpb.TypedValue_IntVal:
		return json.Number(strconv.FormatInt(v.IntVal, 10)), nil
	case *gpb.TypedValue_BoolVal:
		return v.BoolVal, nil
	case *gpb.TypedValue_JsonIetfVal, *gpb.TypedValue_JsonVal:
		return Tree(&gpb.TypedValue{Value: v})
	default:
		return nil, ErrNoLeaf
	}
}
