package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Output is a file that is being written. It has its name after [Set.Commit].
type Output struct {
	*os.File        // what is written to: a file beside the name, or the pipe or device itself
	path     string // the name
	folder   fs.FileInfo
	force    bool
	direct   bool // a pipe or a device: nothing is there that could be kept
	done     bool
}

// Create begins an output. An existing file is replaced only with force. A symbolic link is not followed; nor is a
// folder or a disk written to. A pipe and a character device, such as /dev/null or a terminal, are written to directly.
func (s *Set) Create(path string, force bool) (*Output, error) {
	if path == "-" {
		return nil, errors.New("-: want the name of a file: standard output has the report")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &Output{path: path, force: force}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, unopened(path, err)
	}
	o.folder = folder
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case err == nil:
		if o.direct, err = direct(path, info); err == nil {
			err = s.replaceable(o, force)
		}
	}
	if err == nil {
		err = s.free(o)
	}
	if err != nil {
		return nil, err
	}
	if o.direct {
		o.File, err = os.OpenFile(path, os.O_WRONLY|atOnce, 0)
	} else {
		o.File, err = temporary(filepath.Dir(path), info)
	}
	if err != nil {
		return nil, err
	}
	s.outputs = append(s.outputs, o)
	return o, nil
}

// direct tells whether a file that exists is written to directly, or refuses it.
func direct(path string, info fs.FileInfo) (bool, error) {
	m := info.Mode()
	if m&fs.ModeSymlink != 0 { // /dev/stdout is one
		if to, err := os.Stat(path); err == nil && !to.Mode().IsRegular() {
			m = to.Mode()
		}
	}
	switch {
	case m.IsRegular():
		return false, nil
	case m&fs.ModeCharDevice != 0, m&fs.ModeNamedPipe != 0:
		return true, nil
	}
	return false, fmt.Errorf("%s is %s: %w", fielderr.Line(path), kind(m), ErrKind)
}

// replaceable refuses a file that exists and must stay.
func (s *Set) replaceable(o *Output, force bool) error {
	info, err := os.Stat(o.path)
	if err != nil {
		return err
	}
	for _, in := range s.inputs {
		if os.SameFile(in, info) {
			return fmt.Errorf("%s: %w: it is an input of this command: want another file", fielderr.Line(o.path), ErrUsed)
		}
	}
	if o.direct && isNull(info) {
		return nil
	}
	for _, other := range s.streams {
		if os.SameFile(other, info) {
			return fmt.Errorf("%s: %w: it is the standard output of this command: want another file",
				fielderr.Line(o.path), ErrUsed)
		}
	}
	if !o.direct && !force {
		return fmt.Errorf("%s: %w: want a new file, or --force", fielderr.Line(o.path), errExists)
	}
	return nil
}

// free refuses a name that another output has. The letters' case is no difference, as some file systems have none.
func (s *Set) free(o *Output) error {
	for _, other := range s.outputs {
		same := os.SameFile(other.folder, o.folder) && strings.EqualFold(filepath.Base(other.path), filepath.Base(o.path))
		if !same {
			a, err1 := os.Stat(other.path)
			b, err2 := os.Stat(o.path)
			same = err1 == nil && err2 == nil && os.SameFile(a, b)
			same = same && !(o.direct && isNull(b))
		} else if o.direct {
			b, err := os.Stat(o.path)
			same = err != nil || !isNull(b)
		}
		if same {
			return fmt.Errorf("%s: %w: it is another output of this command: want a file for each",
				fielderr.Line(o.path), ErrUsed)
		}
	}
	return nil
}

// temporary makes a file in a folder, with the permissions of the file that it will replace.
func temporary(folder string, old fs.FileInfo) (*os.File, error) {
	perm := fs.FileMode(0o666) // less the user's mask
	for n := 0; ; n++ {
		name := filepath.Join(folder, fmt.Sprintf(".cellwarden-%d-%d.tmp", os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) && n < 10_000 {
			continue
		}
		if err == nil && old != nil {
			err = f.Chmod(old.Mode().Perm())
		}
		return f, err
	}
}

// Temporary makes a temporary folder. Commit and Discard remove it with all that is in it.
func (s *Set) Temporary(pattern string) (string, error) {
	s.mu.Lock() // a folder that is not noted yet is not removed
	defer s.mu.Unlock()
	name, err := os.MkdirTemp("", pattern)
	if err == nil {
		s.folders = append(s.folders, name)
	}
	return name, err
}

// Commit gives all outputs their names. After an error some may not have theirs; their files are removed.
func (s *Set) Commit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var bad []error
	for _, o := range s.outputs {
		if !o.done {
			bad = append(bad, o.Close())
		}
	}
	err := errors.Join(bad...)
	for _, o := range s.outputs {
		if err == nil && !o.done {
			err = o.place()
		}
	}
	s.discard()
	return err
}

// place gives an output its name.
func (o *Output) place() error {
	if o.direct {
		o.done = true
		return nil
	}
	var err error
	if o.force {
		err = os.Rename(o.Name(), o.path)
	} else if err = os.Link(o.Name(), o.path); err == nil {
		err = os.Remove(o.Name()) // a link is made only if the name is free
	} else if _, there := os.Lstat(o.path); errors.Is(there, fs.ErrNotExist) {
		err = os.Rename(o.Name(), o.path) // a file system without links
	}
	o.done = err == nil
	return err
}

// mostTries bounds the attempts to remove a folder.
const mostTries = 100

// Discard removes the outputs that do not have their names yet, and the temporary folders. What was there before stays.
func (s *Set) Discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.discard()
}

func (s *Set) discard() {
	for _, name := range s.folders {
		for range mostTries { // a goroutine that was not stopped may still write into it
			if os.RemoveAll(name) == nil {
				break
			}
		}
	}
	s.folders = nil
	for _, o := range s.outputs {
		if o.done {
			continue
		}
		o.done = true
		o.Close()
		if !o.direct {
			os.Remove(o.Name())
		}
	}
}
