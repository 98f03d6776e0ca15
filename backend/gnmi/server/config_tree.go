package server

import (
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// copyTree returns a deep copy of a tree.
func copyTree(tree *oc.Root) (*oc.Root, error) {
	out, err := ygot.DeepCopy(tree)
	if err != nil {
		return nil, internalError(err)
	}
	return out.(*oc.Root), nil
}

// getNodes returns what a tree has at a path, which may have wildcards for keys.
func getNodes(tree *oc.Root, path *gpb.Path) ([]*ytypes.TreeNode, error) {
	return ytypes.GetNode(root(), tree, path,
		&ytypes.GetHandleWildcards{}, &ytypes.GetPartialKeyMatch{}, &ytypes.GetTolerateNil{})
}
