package server

import (
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/jsontree"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// root is the schema of the whole tree.
var root = oc.SchemaTree["Root"]

// node is a place in the schema, and the path that led there.
type node struct {
	path         *gpb.Path
	entry        *yang.Entry
	severalMatch bool // a key is left out or is *, so that several data nodes match
}

// maxElems is the longest path that is looked up; the models are 12 deep.
const maxElems = 64

// elements joins a path to its prefix.
func elements(prefix, path *gpb.Path) ([]*gpb.PathElem, error) {
	if err := checkOrigin(prefix, path); err != nil {
		return nil, err
	}
	if isStringPath(prefix) || isStringPath(path) {
		return nil, status.Error(codes.InvalidArgument, "paths of strings, as before gNMI 0.4.0: this switch reads elem")
	}
	if n := len(prefix.GetElem()) + len(path.GetElem()); n > maxElems {
		return nil, status.Errorf(codes.InvalidArgument, "a path of %d elements: accepted: at most %d", n, maxElems)
	}
	return slices.Concat(prefix.GetElem(), path.GetElem()), nil
}

// isStringPath tells whether a path is there only in the form before gNMI 0.4.0. Some
// clients, gnmi_cli among them, send both forms: then elem is read.
func isStringPath(p *gpb.Path) bool {
	//lint:ignore SA1019 it is looked at only to say that it is not read
	return len(p.GetElement()) > 0 && len(p.GetElem()) == 0
}

// findNode joins a path to its prefix and looks it up in the schema. Data need not
// be there.
func findNode(prefix, path *gpb.Path) (node, error) {
	elems, err := elements(prefix, path)
	if err != nil {
		return node{}, err
	}
	n := node{&gpb.Path{}, root, false}
	for _, e := range elems {
		if n, err = n.child(jsontree.Local(e.GetName()), e.GetKey()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// child is the node of a name below n.
func (n node) child(name string, keys map[string]string) (node, error) {
	down := node{&gpb.Path{Elem: append(slices.Clip(n.path.Elem), &gpb.PathElem{Name: name, Key: keys})}, n.entry.Dir[name], n.severalMatch}
	if down.entry == nil {
		return down, status.Errorf(codes.NotFound, "%s: this switch has no such node", down)
	}
	return down, down.checkKeys(keys)
}

// checkOrigin accepts openconfig, said once or not at all.
func checkOrigin(prefix, path *gpb.Path) error {
	for _, o := range []string{prefix.GetOrigin(), path.GetOrigin()} {
		if o != "" && o != "openconfig" {
			return status.Errorf(codes.InvalidArgument, "origin %q: this switch has openconfig only", o)
		}
	}
	if prefix.GetOrigin() != "" && path.GetOrigin() != "" {
		return status.Error(codes.InvalidArgument, "origin in the prefix and in a path: accepted: in one of them")
	}
	return nil
}

// checkKeys compares the keys of the last element with the schema's.
func (n *node) checkKeys(given map[string]string) error {
	var known []string
	if n.entry.IsList() {
		known = strings.Fields(n.entry.Key)
	}
	for key := range given {
		if !slices.Contains(known, key) {
			return status.Errorf(codes.InvalidArgument, "%s: key %q: accepted: %q", *n, key, known)
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
	s, err := ygot.PathToString(n.path)
	if err != nil {
		return n.path.String()
	}
	return s
}

// isLeaf tells whether the node holds a value and no other nodes.
func (n node) isLeaf() bool { return n.entry.IsLeaf() || n.entry.IsLeafList() }

// comparePaths orders the paths of data, so that answers have an order.
func comparePaths(a, b *gpb.Path) int {
	return strings.Compare(node{path: a}.String(), node{path: b}.String())
}
