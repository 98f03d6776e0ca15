// Package topologies reads many topologies: the files of a list and of folders, or JSON Lines. They come in batches in
// their order, so that workers in parallel answer for them and memory does not grow with their number.
package topologies

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cellwarden/cellwarden/capacity/sweep"
)

// Batch is some topologies for one worker: one at a time would cost more to hand over than to plan.
type Batch struct {
	First int // number of the first, from 1
	Names []string
	Texts [][]byte
	Errs  []error // why a text could not be read
}

// Bounds of a batch and of a line.
const (
	batchLines = 32
	batchBytes = 256 << 10
	mostLine   = 4 << 20 // a topology of buffer.MaxPorts ports in entries of their own is shorter
)

// Source gives the topologies of a shard in batches. The numbers of a shard are not consecutive, so a batch of one has
// one topology.
type Source struct {
	Next func() (Batch, bool)
	Err  error // why it ended, after Next has returned false

	seen hash.Hash // of the names of all files, or of all lines, also those of other shards; nil: of no shard
}

// newSource returns a source without topologies.
func newSource(shard sweep.Shard) *Source {
	if shard.Whole() {
		return &Source{}
	}
	return &Source{seen: sha256.New()}
}

// saw adds a name or a line to what all shards have in common.
func (s *Source) saw(text []byte) {
	if s.seen != nil {
		// Lengths keep "ab", "c" apart from "a", "bc".
		_, _ = fmt.Fprintf(s.seen, "%d:", len(text))
		_, _ = s.seen.Write(text)
	}
}

// Question returns a text that is the same for all shards of the same topologies, after Next has returned false: a hash
// of the lines, or of the names of the files.
func (s *Source) Question() []byte {
	if s.seen == nil {
		return nil
	}
	return s.seen.Sum(nil)
}

// OfFiles returns the topologies of files, which read reads.
func OfFiles(files []string, shard sweep.Shard, read func(file string) ([]byte, error)) *Source {
	n, s := 0, newSource(shard)
	for _, file := range files {
		s.saw([]byte(file))
	}
	s.Next = func() (Batch, bool) {
		for n++; n <= len(files); n++ {
			if shard.Has(n) {
				text, err := read(files[n-1])
				return Batch{n, files[n-1 : n], [][]byte{text}, []error{err}}, true
			}
		}
		return Batch{}, false
	}
	return s
}

// IsFolder tells whether a path is that of a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Files lists files; of a folder, those whose names end in .yaml, .yml or .json, sorted.
func Files(paths []string) (out []string, err error) {
	for _, path := range paths {
		if !IsFolder(path) {
			out = append(out, path)
			continue
		}
		before := len(out)
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
				out = append(out, file)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(out) == before {
			return nil, fmt.Errorf("%s: no file with the ending .yaml, .yml or .json (want a folder with topologies)",
				path)
		}
	}
	return out, nil
}

// OfLines returns the topologies of the lines of a text, which has this name in complaints. An empty line is a topology
// without a key, which its reader refuses.
func OfLines(name string, in io.Reader, shard sweep.Shard) *Source {
	s, r, n := newSource(shard), bufio.NewReaderSize(in, 64<<10), 0
	s.Next = func() (b Batch, more bool) {
		size := 0
		for len(b.Texts) < batchLines && size < batchBytes {
			line, long, err := readLine(r)
			if errors.Is(err, io.EOF) && len(line) == 0 && !long {
				break
			}
			if err != nil && !errors.Is(err, io.EOF) {
				s.Err = fmt.Errorf("%s: %w", name, err)
				break
			}
			n++
			s.saw(line)
			if !shard.Has(n) {
				continue
			}
			if len(b.Texts) == 0 {
				b.First = n
			}
			size += len(line)
			b.add(fmt.Sprintf("%s, line %d", name, n), line, long)
			if !shard.Whole() {
				break
			}
		}
		return b, len(b.Texts) > 0
	}
	return s
}

// add adds a topology to a batch.
func (b *Batch) add(name string, text []byte, long bool) {
	var err error
	if long {
		err = fmt.Errorf("%s: longer than %d bytes (want a topology as JSON on one line)", name, mostLine)
	}
	b.Names, b.Texts, b.Errs = append(b.Names, name), append(b.Texts, text), append(b.Errs, err)
}

// readLine reads a line of its own memory, without its end. Of a line that is too long nothing is kept.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > mostLine {
			line, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}
