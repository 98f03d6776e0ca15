package jsontree

import (
	"maps"
	"slices"
	"strings"
)

// Names is what the names in a tree and in a path are.
type Names int

// The names.
const (
	// Models are names of YANG, some of them with their module in front: RFC 7951 puts
	// it before the names at the top of a value, and wherever a node belongs to another
	// module than its parent; gNMI allows it in paths. Names of YANG have no colon.
	Models Names = iota
	// Keys are keys of a database without modules, such as SONiC's CONFIG_DB. A colon
	// is a part of the key, as in an IPv6 address.
	Keys
)

// Local returns a name of YANG without its module: openconfig-qos:qos is qos.
func Local(name string) string { return name[strings.IndexByte(name, ':')+1:] }

// Local returns a name without its module, if names have one.
func (n Names) Local(name string) string {
	if n == Keys {
		return name
	}
	return Local(name)
}

// Unqualified returns a tree in which every name of a member is local. Of two members that have the same local name,
// the one that sorts last stays. It reuses the lists of the tree that it is given.
func (n Names) Unqualified(tree any) any {
	if n == Keys {
		return tree
	}
	switch v := tree.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out[Local(name)] = n.Unqualified(v[name])
		}
		return out
	case []any:
		for i := range v {
			v[i] = n.Unqualified(v[i])
		}
	}
	return tree
}

// Unwrap returns the value of a container without a repetition of the container's own name: some switches answer a Get
// of /qos with {"openconfig-qos:qos": {...}} where {...} is the value. Any other tree is returned as it is, and wrapped
// is false. In a database, where any key may be any member, nothing is unwrapped.
func (n Names) Unwrap(tree any, container string) (inner any, wrapped bool) {
	members, ok := tree.(map[string]any)
	if !ok || len(members) != 1 || n == Keys {
		return tree, false
	}
	for name, inner := range members {
		if Local(name) == Local(container) {
			return inner, true
		}
	}
	return tree, false
}
