package qos

import (
	"reflect"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// A switch may answer with one JSON value for all of /qos, with a value for each subtree, or
// with an update for each leaf. All of them give the same tree.

// ParseNotifications reads an answer to Get or Subscribe into a tree: the leaves that
// Decode and ReadSnapshot use. It passes over everything else in the answer, also what
// the models do not have. An error begins with the path of what cannot be read.
func ParseNotifications(notes []*gpb.Notification) (*oc.Root, error) {
	root := &oc.Root{}
	into := reflect.ValueOf(root).Elem()
	for path, v := range jsontree.Updates(notes) {
		if err := parseUpdate(path, v, into); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// parseUpdate reads one value of an answer. The value of a container at the root, /qos,
// may repeat the container's name.
func parseUpdate(path []*gpb.PathElem, v *gpb.TypedValue, root reflect.Value) error {
	if len(path) != 1 {
		return rootReader().readUpdate(path, v, root)
	}
	f, known := rootReader().fields[jsontree.Local(path[0].GetName())]
	if !known {
		return nil
	}
	tree, err := jsontree.Tree(v)
	if err != nil {
		return f.within(unreadable(err))
	}
	tree, _ = jsontree.Models.Unwrap(tree, path[0].GetName())
	return f.readMember(tree, root.Field(f.index), formOf(v))
}
