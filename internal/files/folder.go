package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Folder is a folder with many inputs. Symbolic links are followed inside it, and may not lead out of it. All names are
// below the folder, with slashes.
type Folder struct {
	path string
	root *os.Root
}

// OpenFolder opens a folder.
func OpenFolder(path string) (*Folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unopened(path, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: %w", fielderr.Line(path), ErrNotFolder)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unopened(path, err)
	}
	return &Folder{path, root}, nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Read reads a regular file of at most maxBytes.
func (f *Folder) Read(ctx context.Context, name string) ([]byte, error) {
	data, err := New().readAs(ctx, name, maxBytes, within{f.root, filepath.FromSlash(name)})
	return data, f.named(name, err)
}

// Has tells whether a regular file of this name, or a link to one inside the folder, is there.
func (f *Folder) Has(name string) bool {
	info, err := f.root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

// HasFolder tells whether a folder of this name, or a link to one inside the folder, is there. The error is an
// ErrOutside for a link that leads out of it.
func (f *Folder) HasFolder(name string) (bool, error) {
	info, err := f.root.Stat(filepath.FromSlash(name))
	if err = f.named(name, err); errors.Is(err, ErrOutside) {
		return false, err
	}
	return err == nil && info.IsDir(), nil
}

// List returns what is in a folder, in the order of the names.
func (f *Folder) List(name string) ([]fs.DirEntry, error) {
	d, err := f.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, f.named(name, err)
	}
	entries, err := d.ReadDir(-1)
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, f.named(name, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (f *Folder) named(name string, err error) error {
	if isEscape(err) {
		return outside(name, f.path)
	}
	return err
}
