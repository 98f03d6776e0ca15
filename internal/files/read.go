package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Read reads an input. Its error names the file, and nothing of its content.
func Read(ctx context.Context, path string) ([]byte, error) { return New().Read(ctx, path) }

// ReadAtMost is Read with another limit on the length.
func ReadAtMost(ctx context.Context, path string, most int64) ([]byte, error) {
	return New().readAs(ctx, path, most, anywhere{path})
}

// Read reads an input and remembers it, so that no output replaces it.
func (s *Set) Read(ctx context.Context, path string) ([]byte, error) {
	return s.readAs(ctx, path, maxBytes, anywhere{path})
}

// Open opens an input that is read as it comes, whatever its length, and remembers it, so that no output replaces it.
func (s *Set) Open(path string) (*os.File, error) {
	f, _, err := s.open(path, anywhere{path})
	return f, err
}

// In returns a function that reads inputs as Read does, and refuses those that are not in the folder or below it.
// Symbolic links may not lead out of it either; an absolute one is refused, wherever it leads.
func (s *Set) In(ctx context.Context, folder string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		at, err := below(folder, path)
		if err != nil {
			return nil, outside(path, folder)
		}
		data, err := s.readAs(ctx, path, maxBytes, within{root, at})
		if isEscape(err) {
			err = outside(path, folder)
		}
		return data, err
	}
}

func outside(path, folder string) error {
	return fmt.Errorf("%s: %w %s", fielderr.Line(path), ErrOutside, fielderr.Line(folder))
}

// below returns the path of a file relative to a folder.
func below(folder, path string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	at, err := filepath.Rel(folder, path)
	if err == nil && !filepath.IsLocal(at) {
		err = ErrOutside
	}
	return at, err
}

// isEscape tells whether os.Root refused a path. Its error has no name of its own: it is the one that is not among the
// system's.
func isEscape(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && path.Err.Error() == "path escapes from parent"
}

// place opens a file. Stat comes before Open because the opening of a device may have an effect.
type place interface {
	Stat() (fs.FileInfo, error)
	Open() (*os.File, error)
}

// anywhere is a path of the machine.
type anywhere struct{ path string }

func (a anywhere) Stat() (fs.FileInfo, error) { return os.Stat(a.path) }
func (a anywhere) Open() (*os.File, error)    { return os.OpenFile(a.path, os.O_RDONLY|atOnce, 0) }

// within is a path below a folder.
type within struct {
	root *os.Root
	path string
}

func (w within) Stat() (fs.FileInfo, error) { return w.root.Stat(w.path) }
func (w within) Open() (*os.File, error)    { return w.root.OpenFile(w.path, os.O_RDONLY|atOnce, 0) }

// readAs reads an input at its place.
func (s *Set) readAs(ctx context.Context, path string, most int64, at place) ([]byte, error) {
	f, info, err := s.open(path, at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > most {
		return nil, fmt.Errorf("%s: %w: %d bytes: want at most %d", fielderr.Line(path), errLong, info.Size(), most)
	}
	return readAll(ctx, path, f, most, info.Size())
}

// open opens an input at its place.
func (s *Set) open(path string, at place) (*os.File, fs.FileInfo, error) {
	info, err := at.Stat()
	if err != nil {
		return nil, nil, unopened(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, notRegular(path, info)
	}
	f, err := at.Open()
	if err != nil {
		return nil, nil, unopened(path, err)
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // another file may have got the name
		err = notRegular(path, info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	s.mu.Lock()
	s.inputs = append(s.inputs, info)
	s.mu.Unlock()
	return f, info, nil
}

// unopened returns the system's error with the name that the file was asked for by.
func unopened(path string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return &fs.PathError{Op: "open", Path: fielderr.Line(path), Err: err}
}

func notRegular(path string, info fs.FileInfo) error {
	return fmt.Errorf("%s is %s: %w, or - for standard input", fielderr.Line(path), kind(info.Mode()), ErrKind)
}

// ReadStream reads a stream such as standard input, of at most maxBytes. It returns when the context ends, also while
// the stream has nothing to read.
func ReadStream(ctx context.Context, name string, r io.Reader) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := readAll(ctx, name, r, maxBytes, 0)
		done <- result{data, err}
	}()
	select {
	case res := <-done:
		return res.data, res.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", fielderr.Line(name), context.Cause(ctx))
	}
}

// readAll reads until the end, a piece at a time. A file of /proc has the size 0 and content, and a file may grow while
// it is read.
func readAll(ctx context.Context, name string, r io.Reader, most, size int64) ([]byte, error) {
	const piece = 64 << 10
	data := make([]byte, 0, min(size, most)+512)
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", fielderr.Line(name), context.Cause(ctx))
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):min(cap(data), len(data)+piece)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			return nil, fmt.Errorf("%s: %w: want at most %d bytes", fielderr.Line(name), errLong, most)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

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
