package revision

import (
	"context"
	"path"
	"slices"
	"strings"
)

// part returns the entries that the audit of some folders of a revision reads: all that is in them, the files that
// are directly in a folder above (platform.json is beside the folders of hwskus), the templates that all folders
// include, and whatever symbolic links on the way lead to. The targets are those of the links, by their paths.
func part(ctx context.Context, entries []entry, targets map[string]string, below []string) ([]entry, error) {
	w := wanted{ctx: ctx, targets: targets, children: map[string][]string{}, kept: map[string]bool{},
		folders: map[string]bool{}}
	for _, e := range entries {
		for at := e.path; at != "."; at = path.Dir(at) {
			parent := path.Dir(at)
			if w.folders[at] {
				break // it and the folders above it are known
			}
			w.children[parent] = append(w.children[parent], at)
			w.folders[at] = at != e.path
		}
	}
	for _, name := range append([]string{"files/build_templates"}, below...) {
		w.whole(path.Clean(name), true)
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !w.kept[e.path] }), ctx.Err()
}

// wanted collects the entries that are kept.
type wanted struct {
	ctx      context.Context     // nothing more is kept after its end
	targets  map[string]string   // of links
	children map[string][]string // of folders: files, links and folders
	folders  map[string]bool     // false: a file or a link
	kept     map[string]bool     // files, links and folders that were visited
	depth    int                 // links on the way to what is visited
}

// mostLinks bounds the links on the way to a file, as Linux does: links can lead to each other.
const mostLinks = 40

// whole keeps a file, or a folder with all that is in it. Beside says that the files beside it and beside the folders
// above it are kept too.
func (w *wanted) whole(name string, beside bool) {
	name = w.way(name, beside)
	if name == "" || w.kept[name] || w.ctx.Err() != nil {
		return
	}
	w.kept[name] = true
	if to, link := w.targets[name]; link {
		w.follow(name, to, "", false)
	}
	for _, child := range w.children[name] {
		w.whole(child, false)
	}
}

// way keeps the links among the folders above a name, and returns the name if none of them is a link; else the target
// is kept and the result is empty. It is empty, too, where a folder above is not in the revision: a link can name a
// path of two thousand folders, and no step of it may cost more than the folders that are there. Links to folders are
// not kept as files beside a folder: they are other hwskus.
func (w *wanted) way(name string, beside bool) string {
	parts := strings.Split(name, "/")
	for n := range parts {
		above := path.Join(parts[:n]...)
		if to, link := w.targets[above]; link {
			w.kept[above] = true
			w.follow(above, to, path.Join(parts[n:]...), beside)
			return ""
		}
		if n > 0 && !w.folders[above] {
			return ""
		}
		if !beside {
			continue
		}
		for _, child := range w.children[path.Clean(above)] {
			if to, link := w.targets[child]; !w.folders[child] && !(link && w.folders[path.Join(path.Dir(child), to)]) {
				w.whole(child, false)
			}
		}
	}
	return name
}

// follow keeps what a link leads to, or what is below it. A link that leaves the tree leads to nothing.
func (w *wanted) follow(link, to, rest string, beside bool) {
	if len(to) > mostPath {
		return
	}
	target := path.Join(path.Dir(link), to, rest)
	if len(target) > mostPath || w.depth == mostLinks || path.IsAbs(to) || target == "." || target == ".." ||
		strings.HasPrefix(target, "../") {
		return
	}
	w.depth++
	w.whole(target, beside)
	w.depth--
}
