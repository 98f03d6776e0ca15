package server

import (
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// copyTree copies a tree.
func copyTree(tree *oc.Root) (*oc.Root, error) {
	out, err := ygot.DeepCopy(tree)
	if err != nil {
		return nil, internalError(err)
	}
	return out.(*oc.Root), nil
}
