// Package document reads YAML and JSON documents that people write. It is the only package that knows YAML.
//
// A [Reader] reads one file. Its [Value]s know their line and their path, and refuse what is not accepted: a key that
// is unknown or given twice, text where a number belongs, a number out of its bounds. Nothing stops at the first fault:
// the reader goes on with zero values, and [Reader.Err] returns all complaints, each with the file, the line, the path,
// the value and what is accepted. A long value is cut. Of a document that is no mapping, nothing is repeated: it may be
// another file than its author was asked for, such as a key. [MaxBytes], maxValues, maxDepth and maxScalar bound
// what is read at all.
//
//	r := document.New(file)
//	if root := r.Parse(data); root != nil {
//		f := root.Fields("name", "units", "power")
//		root.Need(f, "name", "units")
//		rack.Name = f["name"].Text()
//		rack.Units = int(f["units"].Integer(1, 48))
//		rack.Power = document.Quantity(f["power"], unit.ParsePercent)
//	}
//	return rack, r.Err()
//
// The methods of a nil *Value return zero, so that a key that is not there needs no test.
//
// An [Override] puts a value into the document before it is read, for a question such as "what if this cable were 2 km
// long?". It is refused as the file's own value would be.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
)

// Whole is the path of the document itself, as messages show it.
const Whole = "document"

// Reader collects what is wrong with one file. The zero Reader is of no use: see [New].
type Reader struct {
	File string // as messages name it
	// Refused has the paths of the complaints that are kept, so that a later check does not complain a second time.
	Refused []string

	bad     fielderr.List // complaints, each once
	rest    int           // complaints that are counted and not kept
	refuse  int           // how often a value was refused
	seed    maphash.Seed
	seen    map[uint64]bool // hashes of all complaints; nil: none
	changes []Override      // that Parse makes before anything is read
	root    *node           // of the document; nil: it was not parsed, or refused as a whole
	lines   map[string]int  // of all values, by path; nil: not asked for
	free    []Value         // of the present block
	values  int             // that were made
}

// New returns a reader of a file; the name is used in messages alone.
func New(file string) *Reader { return &Reader{File: file} }

// Beside returns the path of a file that another file names. It is relative to that file and not to the working
// directory, so that a document works from everywhere.
func Beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// Err returns nil, or all complaints, one per line. Of more than [fielderr.MostShown] the others are counted.
func (r *Reader) Err() error {
	if r.rest == 0 {
		return r.bad.Err()
	}
	return append(slices.Clip(r.bad), fielderr.Rest(r.rest)).Err()
}

// Total returns the number of complaints.
func (r *Reader) Total() int { return r.bad.Total() + r.rest }

// Join records what another reader found wrong.
func (r *Reader) Join(err error) {
	for _, e := range fielderr.Split(err) {
		if rest, ok := e.(fielderr.Rest); ok {
			r.rest += int(rest)
		} else {
			r.keep(e)
		}
	}
}

// keep records a complaint, or counts it if there are many already.
func (r *Reader) keep(err error) {
	if len(r.bad) == fielderr.MostShown {
		r.rest++
		return
	}
	r.bad = append(r.bad, err)
}

// Complain records a complaint, once. What the file's author wrote is made printable.
func (r *Reader) Complain(line int, path, value, accepted string) {
	if r.add(line, path, value, accepted) {
		file, line := r.Where(line)
		r.keep(&fielderr.Located{File: file, Line: line,
			Err: listed{fielderr.Line(path), fielderr.Printable(value), fielderr.Printable(accepted)}})
	}
}

// Fail records a complaint that is a text of its own, once, as Complain does.
func (r *Reader) Fail(line int, path, text string) {
	if r.add(line, path, text, "") {
		file, line := r.Where(line)
		r.keep(&fielderr.Located{File: file, Line: line,
			Err: fielderr.Complaint{Path: fielderr.Line(path), Value: fielderr.Printable(text)}})
	}
}

// add counts a complaint, and tells whether it is a new one. A node with several aliases is read several times: its
// faults are recorded once.
func (r *Reader) add(line int, path, value, accepted string) bool {
	if r.refuse++; len(r.Refused) < fielderr.MostShown {
		r.Refused = append(r.Refused, path)
	}
	if r.seen == nil { // most documents have nothing to complain about
		r.seed, r.seen = maphash.MakeSeed(), map[uint64]bool{}
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	for _, part := range []string{strconv.Itoa(line), path, value, accepted} {
		h.WriteString(part)
		h.WriteByte(0)
	}
	id := h.Sum64()
	again := r.seen[id]
	r.seen[id] = true
	return !again
}

// listed is a complaint that prints as a line of a list.
type listed fielderr.Complaint

func (c listed) Error() string { return fielderr.Complaint(c).Listed() }

// Place records what a Validate found wrong with the values that were read, each complaint at the line of its path. A
// complaint without a path, or about one that was not read, is about the whole file.
func (r *Reader) Place(err error) {
	for _, e := range fielderr.Split(err) {
		line := 0
		if c, ok := e.(fielderr.Complaint); ok && c.Path != "" {
			line, _ = r.Line(c.Path)
		}
		file, line := r.Where(line)
		r.keep(&fielderr.Located{File: file, Line: line, Err: e})
	}
}

// Parse returns the document's root, or nil after a complaint. JSON is a subset of YAML.
func (r *Reader) Parse(data []byte) *Value {
	if why := tooLarge(data); why != "" {
		r.Fail(1, Whole, why)
		return nil
	}
	if len(r.changes) == 0 {
		if r.root = fromJSON(data); r.root != nil {
			return r.value(r.root, nil, "", 0)
		}
	}
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		r.keep(fmt.Errorf("%s: %s: want a complete YAML or JSON document", fielderr.Line(r.File), unquoted(err)))
		return nil
	}
	if len(doc.Content) == 0 {
		r.Complain(1, Whole, "empty", "a mapping")
		return nil
	}
	root := doc.Content[0]
	if !r.bounded(root) {
		return nil
	}
	r.refuseRest(decoder)
	// The document with the changes has the same bounds.
	if root = r.change(root); !r.bounded(root) {
		return nil
	}
	whole := converter{}.node(root)
	r.root = &whole
	return r.value(r.root, nil, "", 0)
}

// anchorName is where an error of the YAML library quotes the text.
var anchorName = once.Pattern(`(?s)anchor '.*' `)

// unquoted returns the text of an error of the YAML library without its quotations: the text may be another file's.
func unquoted(err error) string {
	return fielderr.Line(anchorName().ReplaceAllString(err.Error(), "anchor "))
}

// bounded tells whether a document is within the bounds, after a complaint if it is not.
func (r *Reader) bounded(root *yaml.Node) bool {
	before := r.refuse
	m := measurer{known: map[*yaml.Node]extent{}, open: map[*yaml.Node]bool{},
		refuse: func(n *yaml.Node, value, accepted string) { r.Complain(n.Line, Whole, value, accepted) }}
	e := m.measure(root)
	if r.refuse > before {
		return false
	}
	if e.values > maxValues {
		r.Complain(root.Line, Whole, "too many keys and values, each use of an alias counted",
			fmt.Sprintf("at most %d", maxValues))
	}
	if e.depth > maxDepth {
		r.Complain(root.Line, Whole, fmt.Sprintf("mappings and lists nested %d deep", e.depth),
			fmt.Sprintf("at most %d", maxDepth))
	}
	return r.refuse == before
}

// refuseRest complains about what follows the document: it would not be read. An empty document is nothing.
func (r *Reader) refuseRest(decoder *yaml.Decoder) {
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			r.keep(fmt.Errorf("%s: after the document: %s: want one document", fielderr.Line(r.File), unquoted(err)))
			return
		case len(doc.Content) > 0 && doc.Content[0].ShortTag() != "!!null":
			r.Complain(doc.Content[0].Line, Whole, "a second document", "one document in a file")
			return
		}
	}
}

// mostFree is the largest block of values.
const mostFree = 256

// value returns the value of a node: of a key of in, or of its i-th item.
func (r *Reader) value(n *node, in *Value, key string, i int) *Value {
	if len(r.free) == 0 {
		r.free = make([]Value, min(mostFree, 8+r.values))
	}
	v := &r.free[0]
	r.free = r.free[1:]
	r.values++
	*v = Value{Line: int(n.line), node: n, reader: r, in: in, key: key, item: int32(i)}
	return v
}

// Line returns the line of a path; false if the document has no such value. Most documents have nothing to complain
// about, so that the paths are made when the first is asked for.
func (r *Reader) Line(path string) (int, bool) {
	if r.lines == nil && r.root != nil {
		r.lines = map[string]int{}
		r.root.places("", r.lines)
	}
	line, ok := r.lines[path]
	return line, ok
}
