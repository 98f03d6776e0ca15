// Package files opens the files that a user, or another file, names. The author of a topology is not always the one who
// plans it, so a name is not trusted.
//
// An input is a regular file of at most maxBytes. A pipe, a device, a socket or a directory is refused at once: a
// read of them could block, never end, or have an effect. [Set.In] keeps the inputs below a folder, whatever their
// names and symbolic links say:
//
//	set := files.New()
//	data, err := set.Read(ctx, "leaf.yaml")
//	open := set.In(ctx, ".")
//	chip, err := open("chips/asic.yaml")
//
// [OpenFolder] is for a folder with many inputs.
//
// An output is written beside its name and gets the name when all outputs are complete, so that a command that fails
// leaves what was there. It never replaces an input or another output of the same command, and an existing file only if
// the user says so:
//
//	trace, err := set.Create("trace.csv", force)
//	fmt.Fprintln(trace, "time,event")
//	err = set.Commit()
package files

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// maxBytes is the longest input. The longest file of this kind that is known, the headroom table of a switch, has 4
// KiB.
const maxBytes = 16 << 20

var (
	// ErrKind says that a file is not a regular one.
	ErrKind = errors.New("want a regular file")
	// errLong says that an input is longer than accepted.
	errLong = errors.New("too long")
	// ErrOutside says that a file is not below the folder that inputs are confined to.
	ErrOutside = errors.New("outside of the folder")
	// errExists says that an output exists already.
	errExists = errors.New("it exists already")
	// ErrNotFolder says that a name is that of something else than a folder.
	ErrNotFolder = errors.New("want a folder")
	// ErrUsed says that an output is also an input, or another output, of the same command.
	ErrUsed = errors.New("used twice")
)

// Set is the files of one command. Several goroutines may use it.
type Set struct {
	mu      sync.Mutex
	inputs  []fs.FileInfo
	outputs []*Output
	streams []fs.FileInfo // what the command writes to beside its outputs, such as standard output
	folders []string      // temporary ones
}

// New returns a set without files.
func New() *Set { return &Set{} }

// Writes notes a file that the command writes by itself, such as standard output: no output may be the same.
func (s *Set) Writes(f *os.File) {
	if info, err := f.Stat(); err == nil && !isNull(info) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams = append(s.streams, info)
	}
}

// isNull tells whether a file takes everything and keeps nothing.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}

// kind names what a file is, for a complaint.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}
