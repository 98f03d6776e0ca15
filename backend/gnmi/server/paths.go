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

// Paths of requests are found in the schema first. That gives errors that name the wrong
// element, and tells apart a path without data from a path that the models do not have.

// root is the schema of the whole tree.
var root = oc.SchemaTree["Root"]

// node is a node of the schema, and the path that led to it.
type node struct {
	path         *gpb.Path
	entry        *yang.Entry
	severalMatch bool // a key is left out or is *: several nodes of data may match
}

// maxElems is the greatest number of elements in a path. The models are 12 deep.
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

// isStringPath tells whether a path has only the form from before gNMI 0.4.0. Some
// clients, such as gnmi_cli, send both forms: then elem is read.
func isStringPath(p *gpb.Path) bool {
	//lint:ignore SA1019 it is looked at only to say that it is not read
	return len(p.GetElement()) > 0 && len(p.GetElem()) == 0
}

// findNode joins a path to its prefix and finds its node in the schema, whether or not
// the tree has data there.
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

// child is the node with a name below n.
func (n node) child(name string, keys map[string]string) (node, error) {
	path := append(slices.Clip(n.path.Elem), &gpb.PathElem{Name: name, Key: keys})
	down := node{&gpb.Path{Elem: path}, n.entry.Dir[name], n.severalMatch}
	if down.entry == nil {
		return down, status.Errorf(codes.NotFound, "%s: this switch has no such node", down)
	}
	return down, down.checkKeys(keys)
}

// checkOrigin accepts the origin openconfig, in the prefix or in the path, or none.
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

// checkKeys compares the keys of the last element with those of the schema.
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

// isLeaf tells whether the node is a leaf or a leaf-list.
func (n node) isLeaf() bool { return n.entry.IsLeaf() || n.entry.IsLeafList() }

// comparePaths orders paths, so that answers have a fixed order.
func comparePaths(a, b *gpb.Path) int {
	return strings.Compare(node{path: a}.String(), node{path: b}.String())
}

// answerPrefix is the prefix of an answer. It names the target only, because the paths of
// updates are complete.
func answerPrefix(prefix *gpb.Path) *gpb.Path {
	return &gpb.Path{Origin: "openconfig", Target: prefix.GetTarget()}
}
