package qos

import (
	"reflect"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// ParseNotifications reads what is wanted of an answer into a tree. Whatever else the answer
// holds, and what the models do not have, is passed over.
func ParseNotifications(notes []*gpb.Notification) (*oc.Root, error) {
	root := &oc.Root{}
	into := reflect.ValueOf(root).Elem()
	for _, n := range notes {
		for _, u := range n.GetUpdate() {
			path := u.GetPath().GetElem()
			if p := n.GetPrefix().GetElem(); len(p) > 0 {
				path = slices.Concat(p, path)
			}
			if err := merge(into, path, u.GetVal()); err != nil {
				return nil, err
			}
		}
	}
	return root, nil
}

// merge puts one value of an answer into the tree. Some switches repeat in the
// value of /qos that it is qos.
func merge(root reflect.Value, path []*gpb.PathElem, v *gpb.TypedValue) error {
	if len(path) == 1 && wrapped(path[0].GetName(), v) {
		path = nil
	}
	return reading.update(path, v, root)
}

// wrapped tells whether the value of a container is an object of nothing but
// the container itself.
func wrapped(name string, v *gpb.TypedValue) bool {
	value, err := inside(v)
	members, is := value.(map[string]any)
	if err != nil || !is || len(members) != 1 {
		return false
	}
	for member := range members {
		return local(member) == local(name)
	}
	return false
}
