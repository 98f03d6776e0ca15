package server

import (
	"fmt"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

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
