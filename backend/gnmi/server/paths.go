package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// Paths of requests are found in the schema first. That gives errors that name the wrong
// element, and tells apart a path without data from a path that the models do not have.

// root returns the schema of the whole tree.
func root() *yang.Entry { return oc.SchemaTree()["Root"] }

// node is a node of the schema, and the path that led to it.
type node struct {
	path         *gpb.Path
	entry        *yang.Entry
	severalMatch bool // a key is left out or is *: several nodes of data may match
}

// The bounds of a path. The models are 12 deep and have one key for each list, and a name is
// not longer than a line of text. Longer paths would cost time under the lock of a Set, and
// an error that repeats them would not fit into the trailer of an answer.
const (
	maxElems = 64   // elements of a path
	maxKeys  = 8    // keys of an element
	maxName  = 1024 // bytes of the name of an element, of the name of a key, and of its value
)

// elements joins a path to its prefix. The error is INVALID_ARGUMENT, or UNIMPLEMENTED for an origin that this switch
// does not have.
func elements(prefix, path *gpb.Path) ([]*gpb.PathElem, error) {
	if err := checkOrigin(prefix, path); err != nil {
		return nil, err
	}
	if isStringPath(prefix) || isStringPath(path) {
		return nil, status.Error(codes.InvalidArgument, "paths of strings, as before gNMI 0.4.0: this switch reads elem")
	}
	// The name of a target belongs to the prefix (gNMI 2.2.2.1).
	if path.GetTarget() != "" {
		return nil, status.Error(codes.InvalidArgument, "target in a path: want it in the prefix")
	}
	// An answer repeats the name of the target in each of its messages.
	if n := len(prefix.GetTarget()); n > maxName {
		return nil, status.Errorf(codes.InvalidArgument, "a target of %d bytes: want at most %d", n, maxName)
	}
	if n := len(prefix.GetElem()) + len(path.GetElem()); n > maxElems {
		return nil, status.Errorf(codes.InvalidArgument, "a path of %d elements: want at most %d", n, maxElems)
	}
	elems := slices.Concat(prefix.GetElem(), path.GetElem())
	for _, e := range elems {
		if err := checkElement(e); err != nil {
			return nil, err
		}
	}
	return elems, nil
}

// checkElement refuses an element that is not well-formed, or too long.
func checkElement(e *gpb.PathElem) error {
	switch {
	case e.GetName() == "":
		return status.Error(codes.InvalidArgument, "a path with an element without a name")
	case len(e.GetName()) > maxName:
		return status.Errorf(codes.InvalidArgument, "%s: an element with a name of %d bytes: want at most %d",
			shortened(e.GetName()), len(e.GetName()), maxName)
	case len(e.GetKey()) > maxKeys:
		return status.Errorf(codes.InvalidArgument, "%s: an element with %d keys: want at most %d", e.GetName(),
			len(e.GetKey()), maxKeys)
	}
	for key, value := range e.GetKey() {
		if n := max(len(key), len(value)); n > maxName {
			return status.Errorf(codes.InvalidArgument, "%s[%s=%s]: a key of %d bytes: want at most %d", e.GetName(),
				shortened(key), shortened(value), n, maxName)
		}
	}
	return nil
}

// isStringPath tells whether a path has only the form from before gNMI 0.4.0. Some
// clients, such as gnmi_cli, send both forms: then elem is read.
func isStringPath(p *gpb.Path) bool {
	//lint:ignore SA1019 it is looked at only to say that it is not read
	return len(p.GetElement()) > 0 && len(p.GetElem()) == 0
}

// findNode joins a path to its prefix and finds its node in the schema, whether or not
// the tree has data there. A path that the models do not have is UNIMPLEMENTED, and one that
// is not well-formed INVALID_ARGUMENT (gNMI 3.3.4 and 3.5.2.4).
func findNode(prefix, path *gpb.Path) (node, error) {
	elems, err := elements(prefix, path)
	if err != nil {
		return node{}, err
	}
	n := node{&gpb.Path{}, root(), false}
	for _, e := range elems {
		if n, err = n.child(e.GetName(), e.GetKey()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// child is the node with a name below n. The name may have the name of its module. The node is returned with its path
// also if the schema has none, so that the error names it.
func (n node) child(name string, keys map[string]string) (node, error) {
	local := jsontree.Local(name)
	path := childPath(n.path.Elem, local, keys)
	down := node{&gpb.Path{Elem: path}, n.entry.Dir[local], n.severalMatch}
	if down.entry == nil || !inModule(down.entry, name) {
		path[len(path)-1].Name = name
		down.entry = nil
		return down, status.Errorf(codes.Unimplemented, "%s: this switch has no such node", down)
	}
	return down, down.checkKeys(keys)
}

// checkOrigin accepts the origin openconfig, in the prefix or in the path, or none. A path without an origin is one
// of these models, too.
func checkOrigin(prefix, path *gpb.Path) error {
	for _, o := range []string{prefix.GetOrigin(), path.GetOrigin()} {
		if o != "" && o != "openconfig" {
			return status.Errorf(codes.Unimplemented, "origin %q: this switch has openconfig only", shortened(o))
		}
	}
	if prefix.GetOrigin() != "" && path.GetOrigin() != "" {
		return status.Error(codes.InvalidArgument, "origin in the prefix and in a path: want it in one of them")
	}
	return nil
}

// checkKeys compares the keys of the last element with those of the schema. A list without one of its keys is a query
// of all its entries; whether that is accepted is for the caller.
func (n *node) checkKeys(given map[string]string) error {
	var known []string
	if n.entry.IsList() {
		known = strings.Fields(n.entry.Key)
	}
	for key := range given {
		if !slices.Contains(known, key) {
			return status.Errorf(codes.InvalidArgument, "%s: key %q: want %q", *n, shortened(key), known)
		}
	}
	for _, key := range known {
		if v, there := given[key]; !there || v == "*" {
			n.severalMatch = true
		}
	}
	return nil
}

// String prints the path.
func (n node) String() string {
	if len(n.path.GetElem()) == 0 {
		return "/"
	}
	return pathText(n.path.GetElem())
}

// isLeaf tells whether the node is a leaf or a leaf-list.
func (n node) isLeaf() bool { return n.entry.IsLeaf() || n.entry.IsLeafList() }

// isList tells whether the node is a whole list: the path has none of its keys.
func (n node) isList() bool {
	elems := n.path.GetElem()
	return n.entry.IsList() && len(elems) > 0 && len(elems[len(elems)-1].GetKey()) == 0
}

// answerPrefix is the prefix of an answer. It names the target only, because the paths of
// updates are complete.
func answerPrefix(prefix *gpb.Path) *gpb.Path {
	return &gpb.Path{Origin: "openconfig", Target: prefix.GetTarget()}
}

// A wildcard is matched in the schema and not in the data: a path that matches nothing today may match an entry that a
// client adds tomorrow, and a subscription has to report that entry. The paths that come out have no wildcards except
// in keys, which are matched in the data at each reading.

// expandWildcards is findNode for paths in which an element may be * (any name) or ...
// (any names, or none). It returns all nodes of the schema that match, at least one. Keys
// stay as they are.
func expandWildcards(prefix, path *gpb.Path) ([]node, error) {
	elems, err := elements(prefix, path)
	if err != nil {
		return nil, err
	}
	wildcard := func(e *gpb.PathElem) bool { return e.GetName() == "*" || e.GetName() == "..." }
	if !slices.ContainsFunc(elems, wildcard) {
		n, err := findNode(prefix, path)
		return []node{n}, err
	}
	elems = slices.CompactFunc(elems, func(a, b *gpb.PathElem) bool {
		return a.GetName() == "..." && b.GetName() == "..."
	})
	x := expansion{seen: map[string]bool{}}
	x.walk(node{&gpb.Path{}, root(), true}, elems)
	if len(x.out) == 0 {
		none := node{path: &gpb.Path{Elem: elems}}
		return nil, status.Errorf(codes.Unimplemented, "%s: nothing that this switch has matches", none)
	}
	return x.out, nil
}

// expansion collects the nodes that match, each once.
type expansion struct {
	seen map[string]bool // by node and number of remaining elements
	out  []node
}

// walk matches the rest of a path below a node. The schema is finite and no pair of node
// and rest is visited twice, so that it ends however many ... the path has. A branch in which the rest does not fit
// ends without an error: only a path that matches nowhere is one.
func (x *expansion) walk(n node, rest []*gpb.PathElem) {
	if key := fmt.Sprint(len(rest), n); x.seen[key] {
		return
	} else {
		x.seen[key] = true
	}
	if len(rest) == 0 {
		x.out = append(x.out, n)
		return
	}
	e, names := rest[0], []string{rest[0].GetName()}
	switch e.GetName() {
	case "...":
		x.walk(n, rest[1:])
		if len(rest) == 1 {
			return // what is below n comes with n
		}
		for _, name := range slices.Sorted(maps.Keys(n.entry.Dir)) {
			if down, err := n.child(name, nil); err == nil {
				x.walk(down, rest)
			}
		}
		return
	case "*":
		names = slices.Sorted(maps.Keys(n.entry.Dir))
	}
	for _, name := range names {
		if down, err := n.child(name, e.GetKey()); err == nil {
			x.walk(down, rest[1:])
		}
	}
}
