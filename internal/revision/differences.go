package revision

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

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
