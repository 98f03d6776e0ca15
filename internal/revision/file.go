package revision

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a file of a revision.
type File struct {
	Path string // in the work tree, with the links on the way followed
	Data []byte
}

// ReadFile reads a file of a revision by the path that it has, or had, in a work tree. The folder of the file has to be
// there. A link is followed. A file that the revision does not have is [fs.ErrNotExist].
func ReadFile(ctx context.Context, rev, name string) (File, error) {
	for range mostLinks {
		dir, base := filepath.Split(name)
		dir, err := filepath.EvalSymlinks(filepath.Clean(dir))
		if err != nil {
			return File{}, err
		}
		e, err := lookup(ctx, dir, rev, base)
		if err != nil {
			return File{}, err
		}
		contents, err := read(ctx, dir, []entry{e})
		if err != nil {
			return File{}, err
		}
		name = filepath.Join(dir, base)
		if !e.link {
			return File{name, contents[0]}, nil
		}
		if name, err = follow(ctx, dir, string(contents[0])); err != nil {
			return File{}, err
		}
	}
	return File{}, fmt.Errorf("%s: more than %d links: %w", name, mostLinks, fs.ErrNotExist)
}

// lookup returns the entry of a file in a folder.
func lookup(ctx context.Context, dir, rev, base string) (entry, error) {
	commit, err := resolveIn(ctx, dir, rev)
	if err != nil {
		return entry{}, err
	}
	text, err := git(ctx, dir, nil, maxList, "ls-tree", "-z", "-l", commit, "--", base)
	if err != nil {
		return entry{}, fmt.Errorf("%s: %w", dir, err)
	}
	head, name, _ := strings.Cut(strings.TrimSuffix(string(text), "\x00"), "\t")
	fields := strings.Fields(head)
	if len(fields) != 4 || fields[1] != "blob" || name != base {
		return entry{}, fmt.Errorf("%s of %s: %w", filepath.Join(dir, base), rev, fs.ErrNotExist)
	}
	size, err := strconv.Atoi(fields[3])
	if err != nil || size < 0 || size > mostFile {
		return entry{}, fmt.Errorf("%s of %s: %s bytes: want at most %d, in the repository",
			filepath.Join(dir, base), rev, fields[3], mostFile)
	}
	return entry{path: base, hash: fields[2], size: size, link: fields[0] == "120000"}, nil
}

// Names lists the files and the links that a revision has below a folder of the work tree, by their paths there.
func Names(ctx context.Context, rev, dir string) ([]string, error) {
	commit, err := resolveIn(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	text, err := git(ctx, dir, nil, maxList, "ls-tree", "-r", "-z", "--name-only", commit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	out := names(text)
	for i, name := range out {
		out[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	slices.Sort(out)
	return out, nil
}

// names divides what git prints with -z.
func names(text []byte) []string {
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}

// resolveIn returns the hash of a revision of the repository that a folder is in. A folder that is not there is
// [fs.ErrNotExist].
func resolveIn(ctx context.Context, dir, rev string) (string, error) {
	if !isFolder(dir) {
		return "", fmt.Errorf("%s: no folder: %w", dir, fs.ErrNotExist)
	}
	return resolve(ctx, dir, rev)
}

// follow returns the file that a link in a folder leads to. A link that leaves the repository leads to nothing.
func follow(ctx context.Context, dir, to string) (string, error) {
	name := filepath.Join(dir, filepath.FromSlash(to))
	if top := topOf(ctx, dir); path.IsAbs(to) || top == "" || top != topOf(ctx, filepath.Dir(name)) {
		return "", fmt.Errorf("%s: a link out of the repository: %w", dir, fs.ErrNotExist)
	}
	return name, nil
}

// topOf returns the folder of the work tree that a folder is in; empty: it is in none.
func topOf(ctx context.Context, dir string) string {
	if !isFolder(dir) {
		return ""
	}
	text, err := git(ctx, dir, nil, maxList, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
