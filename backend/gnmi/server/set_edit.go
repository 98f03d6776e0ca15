package server

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// A Set edits a copy of the configuration with ytypes. Three things are done here because
// ytypes does not do them well: errors that name the path in the data, plain JSON, and
// values with lists in lists, which it reads in exponential time.

// editor edits a tree. A lenient one leaves out the values that are not in the models: ytypes would refuse a whole
// value for one of them. A path that is not in the models is refused by every one.
type editor struct {
	tree    *oc.Root
	lenient bool
	unknown []ignoredConfig // what was left out
}

// editTree makes the operations of a Set, in the order that gNMI prescribes.
// After an error the tree is of no use. The results are in the order of the operations, and repeat the paths as the
// client sent them (gNMI 3.4.2).
func (e *editor) editTree(req *gpb.SetRequest) ([]*gpb.UpdateResult, error) {
	var done []*gpb.UpdateResult
	note := func(path *gpb.Path, op gpb.UpdateResult_Operation) {
		done = append(done, &gpb.UpdateResult{Path: path, Op: op})
	}
	for _, path := range req.GetDelete() {
		if err := removeAll(e.tree, req.GetPrefix(), path); err != nil {
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
		remove(e.tree, n)
		if err := e.assign(n, u.GetVal()); err != nil {
			return nil, err
		}
		note(u.GetPath(), gpb.UpdateResult_REPLACE)
	}
	for _, u := range req.GetUpdate() {
		n, err := writable(req.GetPrefix(), u.GetPath())
		if err != nil {
			return nil, err
		}
		if err := e.add(n, u.GetVal()); err != nil {
			return nil, err
		}
		note(u.GetPath(), gpb.UpdateResult_UPDATE)
	}
	return done, nil
}

// writable finds the one node of configuration at a path. The path of a whole list has no
// keys in its last element. A key that is left out, or *, would make one value many: the specification has wildcards
// in deletions alone.
func writable(prefix, path *gpb.Path) (node, error) {
	n, err := findNode(prefix, path)
	if err != nil {
		return n, setError(n, err)
	}
	several := n.severalMatch
	if n.isList() {
		above := n.path.GetElem()[:len(n.path.GetElem())-1]
		up, _ := findNode(nil, &gpb.Path{Elem: above}) // it was found on the way to n
		several = up.severalMatch
	}
	switch {
	case several:
		return n, n.errorf(codes.InvalidArgument, "want a path with every key and no wildcard, or a whole list")
	case n.entry.ReadOnly():
		return n, n.errorf(codes.InvalidArgument, "state can be read only")
	}
	return n, nil
}

// setError is the error of a Set for a path that was not found. A path that the models do not
// have is NOT_FOUND in a Set (gNMI 3.4.7), and UNIMPLEMENTED elsewhere.
func setError(n node, err error) error {
	code := status.Code(err)
	if code == codes.Unimplemented {
		code = codes.NotFound
	}
	if n.path == nil {
		return status.Error(code, status.Convert(err).Message())
	}
	// The path is known so far: the error names it.
	return errorWithDetails(code, status.Convert(err).Message(), []violation{{path: n.String()}})
}

// removeAll deletes what is at a path, which may have wildcards and lack keys: then it is
// everything that matches. It is no error if there is nothing (gNMI 3.4.6). A path with wildcards may match state,
// too, which is then passed over; one that matches nothing but state is refused.
func removeAll(tree *oc.Root, prefix, path *gpb.Path) error {
	nodes, err := expandWildcards(prefix, path)
	if err != nil {
		n, _ := findNode(prefix, path)
		return setError(n, err)
	}
	config := slices.DeleteFunc(slices.Clone(nodes), func(n node) bool { return n.entry.ReadOnly() })
	if len(config) == 0 {
		return nodes[0].errorf(codes.InvalidArgument, "state can be read only")
	}
	for _, n := range config {
		remove(tree, n)
	}
	return nil
}

// remove deletes what is at a node.
func remove(tree *oc.Root, n node) { removeMatches(reflect.ValueOf(tree), n.path.GetElem()) }

// removeMatches deletes what a query matches below a struct. An empty query, or the end of one, removes everything
// that is left to see. Keys that are left out match every entry.
func removeMatches(v reflect.Value, query []*gpb.PathElem) {
	for field, value := range v.Elem().Fields() {
		if value.IsZero() || len(query) > 0 && field.Tag.Get("path") != query[0].GetName() {
			continue
		}
		isLast := len(query) <= 1
		switch {
		case value.Kind() == reflect.Map && len(query) > 0 && !(isLast && len(query[0].GetKey()) == 0):
			for key, entry := range value.Seq2() {
				switch {
				case !keysMatch(keysOf(entry), query[0].GetKey()):
				case isLast:
					value.SetMapIndex(key, reflect.Value{})
				default:
					removeMatches(entry, query[1:])
				}
			}
		case !isLast && util.IsTypeStructPtr(field.Type):
			removeMatches(value, query[1:])
		case isLast:
			value.SetZero()
		}
	}
}

// add is assign for an update. An update of a leaf-list adds to its values, because its path
// is the one of a collection (gNMI 3.4.4). A value that is there already is not added a second time, because the
// values of a leaf-list differ.
func (e *editor) add(n node, v *gpb.TypedValue) error {
	var before reflect.Value
	if n.entry.IsLeafList() {
		if found, err := getNodes(e.tree, n.path); err == nil && len(found) == 1 && !isAbsent(found[0].Data) {
			before = reflect.ValueOf(found[0].Data)
		}
	}
	if err := e.assign(n, v); err != nil || !before.IsValid() {
		return err
	}
	found, err := getNodes(e.tree, n.path)
	if err != nil || len(found) != 1 {
		return internalError(err)
	}
	after := reflect.ValueOf(found[0].Data)
	joined := reflect.MakeSlice(before.Type(), 0, before.Len()+after.Len())
	seen := map[any]bool{}
	for _, list := range []reflect.Value{before, after} {
		for i := range list.Len() {
			if item := list.Index(i); !seen[item.Interface()] {
				seen[item.Interface()] = true
				joined = reflect.Append(joined, item)
			}
		}
	}
	parent, _, err := ytypes.GetOrCreateNode(root(), e.tree, &gpb.Path{Elem: n.path.GetElem()[:len(n.path.GetElem())-1]})
	if err != nil {
		return internalError(err)
	}
	fieldOf(reflect.ValueOf(parent).Elem(), n.entry.Name).Set(joined)
	return nil
}

// assign merges a value into what is at a path. JSON is checked by jsonReader first. A scalar of gNMI goes to ytypes
// as it is.
func (e *editor) assign(n node, v *gpb.TypedValue) error {
	r, tree := jsonReader{node: n, drops: e.lenient}, e.tree
	var value any
	var err error
	switch v.GetValue().(type) {
	case *gpb.TypedValue_JsonIetfVal:
		value, err = r.decode(v.GetJsonIetfVal())
	case *gpb.TypedValue_JsonVal:
		r.plain = true
		value, err = r.decode(v.GetJsonVal())
	case nil:
		return n.errorf(codes.InvalidArgument, "no value")
	case *gpb.TypedValue_AsciiVal, *gpb.TypedValue_ProtoBytes, *gpb.TypedValue_AnyVal:
		const accepted = "this switch reads json_ietf_val, json_val and scalars"
		return n.errorf(codes.Unimplemented, "a value as %T: %s", v.GetValue(), accepted)
	default:
		if !n.isLeaf() {
			return n.errorf(codes.InvalidArgument, "a container takes json_ietf_val or json_val, not %T", v.GetValue())
		}
		return n.setLeaf(tree, v)
	}
	e.unknown = append(e.unknown, r.dropped...)
	switch {
	case err != nil:
		return err
	case n.isLeaf():
		// ytypes reads a leaf from a TypedValue only: the value was decoded to be checked.
		text, err := json.Marshal(value)
		if err != nil {
			return n.invalid(err)
		}
		return n.setLeaf(tree, &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: text}})
	case n.isList():
		return n.assignList(tree, value)
	}
	return n.assignStruct(tree, value)
}

// assignList merges the entries of a list, as a value of the container that has the list. An empty list changes
// nothing, since a merge takes nothing away.
func (n node) assignList(tree *oc.Root, value any) error {
	if _, isList := value.([]any); !isList {
		return n.errorf(codes.InvalidArgument, "want a JSON list, because the path has no keys")
	}
	above := n.path.GetElem()[:len(n.path.GetElem())-1]
	up, err := findNode(nil, &gpb.Path{Elem: above})
	if err != nil {
		return internalError(err)
	}
	return up.assignStruct(tree, map[string]any{n.entry.Name: value})
}

// assignStruct merges a container, or an entry of a list. A value that ytypes refuses is looked through a second
// time, for the paths of all mistakes in it.
func (n node) assignStruct(tree *oc.Root, value any) error {
	into, _, err := ytypes.GetOrCreateNode(root(), tree, n.path)
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
	// An entry without any content stays without its key in config, and is refused for that:
	// a replace must not delete the keys of an entry (gNMI 3.4.4).
	if members, ok := value.(map[string]any); ok && len(members) == 0 && n.entry.IsList() {
		return nil
	}
	return n.writeKeys(tree)
}

// writeKeys writes the keys of the entries on the way to a node into the config containers of
// these entries. The key leaf of an entry in OpenConfig refers to the leaf of the same name in
// config, so that an entry without it is not valid. Exactly one entry is expected, because a Set has no wildcards
// outside of deletions.
func (n node) writeKeys(tree *oc.Root) error {
	elems := n.path.GetElem()
	for i, e := range elems {
		if len(e.GetKey()) == 0 {
			continue
		}
		found, err := getNodes(tree, &gpb.Path{Elem: elems[:i+1]})
		if err != nil || len(found) != 1 {
			return n.invalid(errors.Join(err, errNoEntry))
		}
		entry := reflect.ValueOf(found[0].Data)
		for name := range e.GetKey() {
			writeKey(entry, name)
		}
	}
	return nil
}

// errNoEntry says that ygot has made no entry of a list for a path, although the path names all of its keys.
var errNoEntry = errors.New("the entry could not be made")

// writeKey copies a key leaf of an entry to config, if config does not have it. A value that config has stays. If it
// is another one, the check of references refuses the key, which points at it.
func writeKey(entry reflect.Value, name string) {
	key, config := fieldOf(entry.Elem(), name), fieldOf(entry.Elem(), "config")
	if !key.IsValid() || !config.IsValid() {
		return
	}
	if leaf := fieldOf(allocated(config), name); leaf.IsValid() && leaf.IsZero() && leaf.Type() == key.Type() {
		leaf.Set(key)
	}
}

// fieldOf is the field of a struct with a name of the models; the zero Value if there is none.
func fieldOf(v reflect.Value, name string) reflect.Value {
	if i := slices.Index(pathsOf(v.Type()), name); i >= 0 {
		return v.Field(i)
	}
	return reflect.Value{}
}

// overlay puts the fields of a struct into another one. Fields that only the other one
// has stay. Both are structs of one type. Maps and pointers of from are put into to without a copy, as from is not
// used afterwards.
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

// allocated returns the struct that a pointer points at, and makes it if need be.
func allocated(to reflect.Value) reflect.Value {
	if to.IsNil() {
		to.Set(reflect.New(to.Type().Elem()))
	}
	return to.Elem()
}

// setLeaf writes a leaf, and the keys of the entries above it that it creates.
func (n node) setLeaf(tree *oc.Root, v *gpb.TypedValue) error {
	if err := n.put(tree, v); err != nil {
		return n.invalid(err)
	}
	return n.writeKeys(tree)
}

// put writes a leaf, with the error of ytypes. Command-line clients send int_val for everything
// that has digits: ytypes accepts it for an unsigned leaf if it is not negative.
func (n node) put(tree *oc.Root, v *gpb.TypedValue) error {
	return ytypes.SetNode(root(), tree, n.path, n.signed(v),
		&ytypes.InitMissingElements{}, &ytypes.TolerateJSONInconsistencies{})
}

// signed turns a uint_val for a signed leaf, which some clients send, into an int_val. A
// number that no int_val can hold stays, and is refused later.
func (n node) signed(v *gpb.TypedValue) *gpb.TypedValue {
	u, unsigned := v.GetValue().(*gpb.TypedValue_UintVal)
	if !unsigned || n.entry.Type == nil || u.UintVal > math.MaxInt64 {
		return v
	}
	switch n.entry.Type.Kind {
	case yang.Yint8, yang.Yint16, yang.Yint32, yang.Yint64:
		return &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: int64(u.UintVal)}}
	}
	return v
}

// plainError is the text of an error of ytypes without the names of Go structs. Other texts of ytypes are for people
// as they are.
func plainError(err error) string {
	text := status.Convert(err).Message()
	if _, after, found := strings.Cut(text, "; "); found && strings.HasPrefix(text, "failed to update struct field") {
		return after
	}
	return text
}

// invalid is the error for an operation at this path that cannot be made.
func (n node) invalid(err error) error {
	return n.errorf(codes.InvalidArgument, "%s", plainError(err))
}
