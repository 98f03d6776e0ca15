package internal_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/jsontree"
)

func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := jsontree.Decode([]byte(text))
	require.NoError(t, err)
	return jsontree.Models.Unqualified(v)
}

func printed(t testing.TB, tree any) string {
	t.Helper()
	text, err := json.Marshal(tree)
	require.NoError(t, err)
	return string(text)
}

// Leaves are compared by value, and what a tree has besides does not matter.
func TestJsontreeContains(t *testing.T) {
	for _, c := range []struct {
		have, want string
		yes        bool
	}{
		{`{"a":1,"b":2}`, `{"a":"1"}`, true},
		{`{"a":"01 "}`, `{"a":1}`, true},
		{`{"a":1e3}`, `{"a":"1000"}`, true},
		{`{"a":1.5}`, `{"a":1}`, false},
		{`{"a":18446744073709551615}`, `{"a":"18446744073709551615"}`, true},
		{`{"m:a":{"n:b":true}}`, `{"a":{"b":true}}`, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":{}}`, `{"a":"x"}`, false},
		{`{"a":"x"}`, `{"a":{}}`, false},
		{`[{"name":"b"},{"name":"a","v":1}]`, `[{"name":"a"}]`, true},
		{`[{"name":"b"}]`, `[{"name":"a"}]`, false},
		{`{}`, `[]`, false},
		{`""`, `""`, true},
		{`null`, `""`, false},
		{`"18"`, `18`, true},
	} {
		require.Equal(t, c.yes, jsontree.Contains(decoded(t, c.have), decoded(t, c.want)), "%+v", c)
	}
}

// One value, all of it, and not too deep.
func TestJsontreeDecode(t *testing.T) {
	for text, want := range map[string]string{
		``:                         "unexpected end of JSON input",
		`{`:                        "unexpected end of JSON input",
		`{} {}`:                    "invalid character '{' after top-level value",
		`{}]`:                      "invalid character ']' after top-level value",
		strings.Repeat("[", 20000): "exceeded max depth",
	} {
		_, err := jsontree.Decode([]byte(text))
		require.ErrorContains(t, err, want, "%.20s", text)
	}
	v, err := jsontree.Decode([]byte(` 18446744073709551615 `))
	require.NoError(t, err)
	require.Equal(t, json.Number("18446744073709551615"), v)
}

func TestJsontreeNames(t *testing.T) {
	require.Equal(t, "qos", jsontree.Local("openconfig-qos:qos"))
	require.Equal(t, "qos", jsontree.Local("qos"))
	require.Equal(t, "Ethernet0|fc00::1", jsontree.Keys.Local("Ethernet0|fc00::1"), "a key of a database")
	tree := `{"a:x":1,"b:x":[{"b:y":2}],"z":3}`
	require.Equal(t, `{"x":[{"y":2}],"z":3}`, printed(t, decoded(t, tree)), "the member that sorts last")
	v, err := jsontree.Decode([]byte(tree))
	require.NoError(t, err)
	require.JSONEq(t, tree, printed(t, jsontree.Keys.Unqualified(v)))
}

func TestJsontreeUnwrap(t *testing.T) {
	for _, c := range []struct {
		names      jsontree.Names
		tree, want string
	}{
		{jsontree.Models, `{"openconfig-qos:qos":{"a":1}}`, `{"a":1}`},
		{jsontree.Models, `{"qos":null}`, `null`},
		{jsontree.Models, `{"qos":{},"b":1}`, `{"qos":{},"b":1}`},
		{jsontree.Models, `{"interfaces":{}}`, `{"interfaces":{}}`},
		{jsontree.Models, `[]`, `[]`},
		{jsontree.Keys, `{"qos":{"a":1}}`, `{"qos":{"a":1}}`},
	} {
		v, err := jsontree.Decode([]byte(c.tree))
		require.NoError(t, err)
		inner, wrapped := c.names.Unwrap(v, "openconfig-qos:qos")
		require.JSONEq(t, c.want, printed(t, inner))
		require.Equal(t, c.tree != c.want, wrapped, c.tree)
	}
}

// A member of an object has the form of RFC 7951; a value of its own may have any.
func TestJsontreeIntegers(t *testing.T) {
	number := func(s string) any { return json.Number(s) }
	for _, c := range []struct {
		tree     any
		bits     int
		strict   bool // it is read as RFC 7951 has it
		either   bool // it is read in any form
		unsigned bool
		want     int64
	}{
		{number("7"), 32, true, true, true, 7},
		{"7", 32, false, true, true, 7},
		{"7", 64, true, true, true, 7},
		{number("7"), 64, false, true, true, 7},
		{number("7.0"), 8, true, true, true, 7},
		{number("1e3"), 16, true, true, true, 1000},
		{number("1e3"), 8, false, false, true, 0},
		{number("256"), 8, false, false, true, 0},
		{number("7.5"), 32, false, false, true, 0},
		{number("-7"), 32, false, false, true, 0},
		{number("-7"), 32, true, true, false, -7},
		{number("-1.28e2"), 8, true, true, false, -128},
		{number("128"), 8, false, false, false, 0},
		{number("1e300"), 64, false, false, false, 0},
		{"x", 64, false, false, true, 0},
		{true, 8, false, false, true, 0},
		{nil, 8, false, false, true, 0},
	} {
		for form, want := range map[jsontree.Form]bool{jsontree.RFC7951: c.strict, jsontree.AnyForm: c.either} {
			var n int64
			var ok bool
			if c.unsigned {
				var u uint64
				u, ok = jsontree.Uint(c.tree, c.bits, form)
				n = int64(u)
			} else {
				n, ok = jsontree.Int(c.tree, c.bits, form)
			}
			require.Equal(t, want, ok, "%+v %v", c, form)
			if ok {
				require.Equal(t, c.want, n, "%+v", c)
			}
		}
	}
	n, ok := jsontree.Uint("18446744073709551615", 64, jsontree.RFC7951)
	require.True(t, ok)
	require.Equal(t, uint64(math.MaxUint64), n)
}

func TestJsontreeLeaf(t *testing.T) {
	for _, c := range []struct {
		value *gpb.TypedValue
		want  any
	}{
		{&gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: "x"}}, "x"},
		{&gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: 7}}, json.Number("7")},
		{&gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: -7}}, json.Number("-7")},
		{&gpb.TypedValue{Value: &gpb.TypedValue_BoolVal{BoolVal: true}}, true},
		{&gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"7"`)}}, "7"},
		{&gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte(`7`)}}, json.Number("7")},
	} {
		have, err := jsontree.Leaf(c.value)
		require.NoError(t, err)
		require.Equal(t, c.want, have)
	}
	_, err := jsontree.Leaf(&gpb.TypedValue{Value: &gpb.TypedValue_BytesVal{}})
	require.ErrorIs(t, err, jsontree.ErrNoLeaf)
	_, err = jsontree.Leaf(&gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{}})
	require.ErrorIs(t, err, jsontree.ErrNoJSON)
	require.NotErrorIs(t, err, jsontree.ErrNoLeaf)
	_, err = jsontree.Tree(&gpb.TypedValue{Value: &gpb.TypedValue_BoolVal{BoolVal: true}})
	require.ErrorIs(t, err, jsontree.ErrNoJSON)
	_, err = jsontree.Tree(nil)
	require.ErrorIs(t, err, jsontree.ErrNoJSON)
}

// Entries without known keys are the same if the leaves that both have are equal.
func TestJsontreeMerge(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		{`{"a":1}`, `{"a":2}`, `{"a":2}`},
		{`{"a":1}`, `null`, `{"a":1}`},
		{`{"l":[{"id":1,"x":{"y":1}}]}`, `{"l":[{"id":"1","x":{"z":2}}]}`, `{"l":[{"id":"1","x":{"y":1,"z":2}}]}`},
		{`[{"id":1}]`, `[{"id":2}]`, `[{"id":1},{"id":2}]`},
		{`[{"id":1}]`, `[{"name":"b"}]`, `[{"id":1},{"name":"b"}]`},
		{`[1]`, `[1]`, `[1,1]`},
		{`[]`, `{"a":1}`, `{"a":1}`},
	} {
		require.JSONEq(t, c[2], printed(t, jsontree.Merge(decoded(t, c[0]), decoded(t, c[1]))), "%v", c)
	}
}

func TestJsontreeNestRefusesLongPaths(t *testing.T) {
	path := make([]*gpb.PathElem, jsontree.MaxElems)
	for i := range path {
		path[i] = &gpb.PathElem{Name: "a"}
	}
	_, err := jsontree.Models.Nest(path, true)
	require.NoError(t, err)
	_, err = jsontree.Models.Nest(append(path, path[0]), true)
	require.EqualError(t, err, "33 elements: want at most 32")
}

// Whatever a switch answers is a tree or is refused. A tree contains itself, merging it
// into nothing changes nothing, and what is nested at a path is found there.
func FuzzJsontreeTree(f *testing.F) {
	f.Add([]byte(`{"a":[{"id":1,"v":[true]},{"id":"2"}],"m:b":null}`), "interface", "interface-id", "Ethernet1/1")
	f.Add([]byte(`{"Ethernet0|3-4":{"profile":"x"}}`), "CONFIG_DB", "", "")
	f.Add([]byte(`{"x:":1,":y":2,"x:y:z":3}`), "m:qos", "k", "")
	f.Add([]byte(`[1e3,"1000",18446744073709551615]`), "", ":", " ")
	f.Add([]byte(`{"qos":{"qos":{}}}`), "qos", "qos", "qos")
	f.Fuzz(func(t *testing.T, text []byte, name, key, value string) {
		if _, err := jsontree.Decode(text); err != nil {
			require.False(t, json.Valid(text))
			return
		}
		for _, names := range []jsontree.Names{jsontree.Models, jsontree.Keys} {
			again, err := jsontree.Decode(text)
			require.NoError(t, err)
			tree := names.Unqualified(again)
			require.True(t, jsontree.Contains(tree, tree))
			require.Equal(t, tree, jsontree.Merge(nil, tree))
			inner, wrapped := names.Unwrap(tree, name)
			require.Equal(t, !wrapped, len(printed(t, inner)) == len(printed(t, tree)))

			e := &gpb.PathElem{Name: name}
			if key != "" {
				e.Key = map[string]string{key: value}
			}
			leaf := map[string]any{"here": "there"}
			nested, err := names.Nest([]*gpb.PathElem{e}, leaf)
			require.NoError(t, err)
			if key == "" || key != "here" && value != "" && jsontree.Text(value) == value {
				require.True(t, jsontree.Contains(jsontree.Child(nested, names.Local(name), key, value), leaf))
			}
			printed(t, jsontree.Merge(jsontree.Merge(nested, tree), tree)) // any two trees can be merged
		}
	})
}
