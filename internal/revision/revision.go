package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tree is a folder with the files of a revision.
type Tree struct {
	Path   string // the folder; it is removed by Close
	Commit string // the hash of the commit
}

// Bounds of a revision. What an audit reads of the tree of 2026-08 is 4 thousand files, and 14 MB.
const (
	mostFiles = 100_000
	mostBytes = 256 << 20
	mostFile  = 16 << 20
)

// ErrNoRevision says that a repository has no such commit.
var ErrNoRevision = errors.New("no such revision")

// Open writes a revision of the repository that a folder is in into the folder that a function makes, which has to be
// empty. A process that ends without Close, on a signal, can remove that folder. The folder of the repository is the
// one that device is in, which may be below the top of the repository, or a bare repository. Below are the folders that
// will be audited, such as device/arista: the result has what their audit reads. Without any it has all folders. Close
// removes the result.
func Open(ctx context.Context, folder func() (string, error), dir, rev string, below ...string) (*Tree, error) {
	commit, err := resolve(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	t := &Tree{Commit: commit}
	entries, err := list(ctx, dir, t.Commit)
	if err != nil {
		return nil, err
	}
	if len(below) > 0 {
		if entries, err = reduce(ctx, dir, entries, below); err != nil {
			return nil, err
		}
	}
	contents, err := read(ctx, dir, entries)
	if err != nil {
		return nil, err
	}
	if t.Path, err = folder(); err != nil {
		return nil, err
	}
	if err := t.write(ctx, entries, contents); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// resolve returns the hash of the commit that a name means.
func resolve(ctx context.Context, dir, rev string) (string, error) {
	if rev == "" {
		return "", fmt.Errorf("%s: %w: the name is empty", dir, ErrNoRevision)
	}
	hash, err := git(ctx, dir, nil, maxHash, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, ErrNoGit) {
			return "", err
		}
		// With --quiet git says nothing of a name that it does not know: what it says is another error.
		if strings.HasSuffix(err.Error(), ": ") {
			return "", fmt.Errorf("%s: %.200q: %w (want a commit, a branch or a tag)", dir, rev, ErrNoRevision)
		}
		return "", fmt.Errorf("%s: %.200q: %w: %w", dir, rev, ErrNoRevision, err)
	}
	return strings.TrimSpace(string(hash)), nil
}

// reduce returns the entries that the audit of some folders reads. Where links lead to is in the repository.
func reduce(ctx context.Context, dir string, entries []entry, below []string) ([]entry, error) {
	links := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !e.link })
	contents, err := read(ctx, dir, links)
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for i, link := range links {
		targets[link.path] = string(contents[i])
	}
	return part(ctx, entries, targets, below)
}

// Close removes the folder.
func (t *Tree) Close() error { return os.RemoveAll(t.Path) }

// entry is a file or a symbolic link of a revision.
type entry struct {
	path string
	hash string
	size int
	link bool
}

// readNames are the names of the files that an audit reads; patterns of path.Match.
var readNames = []string{"*.j2", "*.ini", "hwsku.json", "platform.json", "platform_asic", "sai.profile", "default_sku"}

// isRead tells whether an audit reads a file of this name. It follows every link, so that links are kept whatever their
// names are.
func isRead(name string) bool {
	return slices.ContainsFunc(readNames, func(pattern string) bool {
		ok, _ := path.Match(pattern, path.Base(name))
		return ok
	})
}

// folders are those that an audit reads.
var folders = []string{"device", "files/build_templates"}

// list returns what a commit has of the files that an audit reads.
func list(ctx context.Context, dir, commit string) ([]entry, error) {
	args := append([]string{"ls-tree", "-r", "-z", "-l", commit, "--"}, folders...)
	text, err := git(ctx, dir, nil, maxList, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return entriesOf(text)
}

// entriesOf reads the output of git ls-tree -l -z: "mode type hash size\tpath" and a zero byte.
func entriesOf(text []byte) ([]entry, error) {
	var out []entry
	total := 0
	for _, line := range names(text) {
		head, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 {
			return nil, fmt.Errorf("git ls-tree: %.100q: want mode, type, hash, size and path", line)
		}
		if fields[1] != "blob" { // a submodule
			continue
		}
		e := entry{path: name, hash: fields[2], link: fields[0] == "120000"}
		if !e.link && !isRead(name) {
			continue
		}
		var err error
		// git prints BAD for the size of an object that is missing.
		if e.size, err = strconv.Atoi(fields[3]); err != nil || e.size < 0 {
			return nil, fmt.Errorf("%.200q: the repository does not have its content", name)
		}
		if !accepted(name) {
			return nil, fmt.Errorf("%.200q: want a path in the tree, without .git", name)
		}
		if e.link && e.size > mostPath {
			return nil, fmt.Errorf("%.200q: a symbolic link to a name of %d bytes: want at most %d", name, e.size, mostPath)
		}
		if total += e.size; e.size > mostFile || total > mostBytes || len(out) == mostFiles {
			return nil, fmt.Errorf("%.200q: want at most %d files of %d bytes, %d bytes together", name, mostFiles,
				mostFile, mostBytes)
		}
		out = append(out, e)
	}
	return out, nil
}

// mostPath is PATH_MAX of Linux without the zero byte: a longer path, and a link to one, can be opened nowhere.
const mostPath = 4095

// accepted tells whether a path may be written: it is below the folder, and no part of it has a meaning for git.
func accepted(name string) bool {
	if len(name) > mostPath {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return filepath.IsLocal(filepath.FromSlash(name))
}

// write writes the files, and then the links, so that no file is written through a link. A link that leaves the folder
// is written too: who reads the folder follows no such link, and says so.
func (t *Tree) write(ctx context.Context, entries []entry, contents [][]byte) error {
	root, err := os.OpenRoot(t.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, links := range []bool{false, true} {
		for i, e := range entries {
			if e.link != links {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			name := filepath.FromSlash(e.path)
			if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				return err
			}
			if e.link {
				err = root.Symlink(string(contents[i]), name)
			} else {
				err = root.WriteFile(name, contents[i], 0o600)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Patch changes the folder by a patch, in the form of git diff or git format-patch. Only the files that an audit reads
// are changed; the rest of the patch is left out. The error says which part does not apply.
func (t *Tree) Patch(ctx context.Context, patch []byte) error {
	if len(patch) > mostFile {
		return fmt.Errorf("patch: want at most %d bytes", mostFile)
	}
	args := []string{"apply", "--whitespace=nowarn"}
	for _, folder := range folders {
		for _, name := range readNames {
			args = append(args, "--include="+folder+"/*"+strings.TrimPrefix(name, "*"))
		}
	}
	if _, err := git(ctx, t.Path, patch, maxHash, append(args, "-")...); err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	return nil
}

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
