package revision

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Changed lists the files that differ between a revision and the work tree of a folder, below the folder: those that an
// audit reads, and files that the revision does not have. Files that git ignores are not among them.
//
// The files of the work tree are compared as bytes, by the hash that git gives them. git diff would pass them through
// the clean filters that the repository names, which are programs. A file that a filter or a conversion of line ends
// changes counts as changed therefore, and is audited.
func Changed(ctx context.Context, dir, rev string) ([]string, error) {
	commit, err := resolve(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	entries, err := list(ctx, dir, commit)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []string
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !unchanged(root, e) {
			out = append(out, e.path)
		}
	}
	args := append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--"}, folders...)
	unknown, err := git(ctx, dir, nil, maxList, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return append(out, names(unknown)...), nil
}

// unchanged tells whether the work tree has the bytes of an entry. A file that cannot be read is changed.
func unchanged(root *os.Root, e entry) bool {
	name := filepath.FromSlash(e.path)
	info, err := root.Lstat(name)
	if err != nil {
		return false
	}
	sum := sha1.New() // or, where the names of objects have 64 digits, SHA-256
	if len(e.hash) == 2*sha256.Size {
		sum = sha256.New()
	}
	if e.link {
		to, err := root.Readlink(name)
		fmt.Fprintf(sum, "blob %d\x00%s", len(to), to)
		return err == nil && hex.EncodeToString(sum.Sum(nil)) == e.hash
	}
	if info.Mode()&fs.ModeType != 0 || info.Size() != int64(e.size) {
		return false
	}
	file, err := root.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	fmt.Fprintf(sum, "blob %d\x00", e.size)
	n, err := io.Copy(sum, io.LimitReader(file, int64(e.size)+1))
	return err == nil && n == int64(e.size) && hex.EncodeToString(sum.Sum(nil)) == e.hash
}

// Differences lists the files and links that differ between two folders, or are in one of them alone.
func Differences(before, after *Tree) ([]string, error) {
	in, err := before.all()
	if err != nil {
		return nil, err
	}
	out, err := after.all()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(in, func(name string, content []byte) bool {
		same := out[name] != nil && bytes.Equal(content, out[name])
		if same {
			delete(out, name)
		}
		return same
	})
	maps.Copy(in, out)
	return slices.Sorted(maps.Keys(in)), nil
}

// all returns the contents of the files, and the targets of the links.
func (t *Tree) all() (map[string][]byte, error) {
	root, err := os.OpenRoot(t.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := map[string][]byte{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := root.Readlink(filepath.FromSlash(name))
			out[name] = []byte("link " + to)
			return err
		}
		text, err := root.ReadFile(filepath.FromSlash(name))
		out[name] = append([]byte("file "), text...)
		return err
	})
	return out, err
}
