package devicetree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/files"
)

// mostLinks bounds the links on the way to a file, as Linux does.
const mostLinks = 40

// Real returns the name that a file or folder of the tree has without symbolic links.
func (t *Tree) Real(name string) (string, error) {
	real, _, err := t.resolve(name)
	return real, err
}

// resolve returns the name without symbolic links, and the links on the way.
func (t *Tree) resolve(name string) (real string, links []string, err error) {
	rest := strings.Split(path.Clean(name), "/")
	for len(rest) > 0 {
		at := path.Join(real, rest[0])
		rest = rest[1:]
		if at == ".." || strings.HasPrefix(at, "../") {
			return "", links, fmt.Errorf("%s: %w %s", fielderr.Line(name), files.ErrOutside, fielderr.Line(t.Path))
		}
		to, err := os.Readlink(filepath.Join(t.Path, filepath.FromSlash(at)))
		switch {
		case err != nil: // a file, a folder, or nothing
			if _, err := os.Lstat(filepath.Join(t.Path, filepath.FromSlash(at))); err != nil {
				return "", links, err
			}
			real = at
		case filepath.IsAbs(to) || len(links) == mostLinks:
			return "", links, fmt.Errorf("%s: %w %s", fielderr.Line(name), files.ErrOutside, fielderr.Line(t.Path))
		default:
			links = append(links, at)
			rest = append(strings.Split(filepath.ToSlash(to), "/"), rest...)
		}
	}
	return real, links, nil
}

// DependsOn tells whether what a folder gives depends on one of some files, which are names below the tree. A file that
// is no longer there counts too.
func (t *Tree) DependsOn(f *Folder, names []string) bool {
	changed := map[string]bool{}
	for _, name := range names {
		if strings.HasPrefix(name, buildTemplates+"/") {
			return true
		}
		changed[path.Clean(name)] = true
	}
	for _, place := range []string{f.Path, f.sku(), f.Above} {
		if place == "" {
			continue
		}
		if t.passes(place, changed) || t.inside(place, changed) {
			return true
		}
	}
	return f.Platform != "" && (t.passes(path.Join(f.platform(), platformJSON), changed) ||
		t.passes(path.Join(f.platform(), platformASIC), changed))
}

// passes tells whether one of the changed files is a file, or a link on the way to it.
func (t *Tree) passes(name string, changed map[string]bool) bool {
	real, links, _ := t.resolve(name)
	return slices.ContainsFunc(append(links, name, real), func(at string) bool { return changed[at] })
}

// inside tells whether one of the changed files is or was in a folder, or is what a link in it leads to.
func (t *Tree) inside(folder string, changed map[string]bool) bool {
	real, _, _ := t.resolve(folder)
	for name := range changed {
		if in := path.Dir(name); in == folder || in == real {
			return true
		}
	}
	entries, err := t.root.List(folder)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type()&os.ModeSymlink != 0 && t.passes(path.Join(folder, e.Name()), changed)
	})
}

// Touched is the folders that a change of files can bring findings into, or take them out of.
type Touched struct {
	Before, After []Folder // that depend on a changed file, in the two trees
	// AllBefore and All count all folders of the trees, those that do not depend on a changed file included.
	AllBefore, All int
}

// Affected returns the folders below a path that depend on a changed file, in the tree before the change or in the tree
// after it. Package finding tells then what is new: audit both, and compare with [finding.Since].
func Affected(ctx context.Context, before, after *Tree, below string, changed []string) (Touched, error) {
	var sides [2][]Folder
	depends := map[string]bool{}
	for i, t := range []*Tree{before, after} {
		folders, _, err := t.Folders(ctx, below)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder may be new, or gone
			return Touched{}, err
		}
		for j := range folders {
			if t.DependsOn(&folders[j], changed) {
				depends[folders[j].Path] = true
			}
		}
		sides[i] = folders
	}
	out := Touched{AllBefore: len(sides[0]), All: len(sides[1])}
	unaffected := func(f Folder) bool { return !depends[f.Path] }
	out.Before, out.After = slices.DeleteFunc(sides[0], unaffected), slices.DeleteFunc(sides[1], unaffected)
	return out, nil
}
