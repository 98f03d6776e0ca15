package devicetree

import (
	"context"
	"errors"
	"io/fs"
	"slices"
)

// Change is the folders that a change of files can bring findings into, or take them out of.
type Change struct {
	Before, After []Folder // that depend on a changed file, in the two trees
	// AllBefore and All count all folders of the trees, those that do not depend on a changed file included.
	AllBefore, All int
}

// Affected returns the folders below a path that depend on a changed file, in the tree before the change or in the tree
// after it. Package finding tells then what is new: audit both, and compare with [finding.Since].
func Affected(ctx context.Context, before, after *Tree, below string, changed []string) (Change, error) {
	var sides [2][]Folder
	depends := map[string]bool{}
	for i, t := range []*Tree{before, after} {
		folders, _, err := t.Folders(ctx, below)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder may be new, or gone
			return Change{}, err
		}
		for j := range folders {
			if t.DependsOn(&folders[j], changed) {
				depends[folders[j].Path] = true
			}
		}
		sides[i] = folders
	}
	out := Change{AllBefore: len(sides[0]), All: len(sides[1])}
	unaffected := func(f Folder) bool { return !depends[f.Path] }
	out.Before, out.After = slices.DeleteFunc(sides[0], unaffected), slices.DeleteFunc(sides[1], unaffected)
	return out, nil
}
