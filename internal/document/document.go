// Package document reads YAML and JSON documents that people write. It is the only package that knows YAML.
//
// A [Reader] reads one file. Its [Value]s know their line and their path, and refuse what is not accepted: a key that
// is unknown or given twice, text where a number belongs, a number out of its bounds. Nothing stops at the first fault:
// the reader goes on with zero values, and [Reader.Err] returns all complaints, each with the file, the line, the path,
// the value and what is accepted:
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
// A [Change] puts a value into the document before it is read, for a question such as "what if this cable were 2 km
// long?". It is refused as the file's own value would be.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/complain"
)

// Whole is the path of the document itself, as messages show it.
const Whole = "document"

// Reader collects what is wrong with one file. The zero Reader is of no use: see [New].
type Reader struct {
	File    string         // as messages name it
	Bad     complain.List  // all complaints, each once
	Lines   map[string]int // the line of each path that was read
	Refused []string       // the paths of all complaints, so that a later check does not complain a second time
	seen    map[string]bool
	changes []Change // that Parse makes before anything is read
}

// New returns a reader of a file; the name is used in messages alone.
func New(file string) *Reader {
	return &Reader{File: file, seen: map[string]bool{}, Lines: map[string]int{}}
}

// Err returns nil, or all complaints, one per line.
func (r *Reader) Err() error { return r.Bad.Err() }

// Complain records a complaint, once. What the file's author wrote is made printable.
func (r *Reader) Complain(line int, path, value, accepted string) {
	r.add(line, path, listed{complain.Printable(path), complain.Printable(value), complain.Printable(accepted)})
}

// Fail records a complaint that is a text of its own, once, as Complain does.
func (r *Reader) Fail(line int, path, text string) {
	r.add(line, path, complain.Complaint{Path: complain.Printable(path), Value: complain.Printable(text)})
}

// add records a complaint. A node with several aliases is read several times: its faults are recorded once.
func (r *Reader) add(line int, path string, complaint error) {
	r.Refused = append(r.Refused, path)
	file, line := r.Where(line)
	err := &complain.Located{File: file, Line: line, Err: complaint}
	if text := err.Error(); !r.seen[text] {
		r.seen[text] = true
		r.Bad.Join(err)
	}
}

// listed is a complaint that prints as a line of a list.
type listed complain.Complaint

func (c listed) Error() string { return complain.Complaint(c).Listed() }

// Place records what a Validate found wrong with the values that were read, each complaint at the line of its path. A
// complaint without a path, or about one that was not read, is about the whole file.
func (r *Reader) Place(err error) {
	for _, e := range complain.Split(err) {
		line := 0
		if c, ok := e.(complain.Complaint); ok && c.Path != "" {
			line = r.Lines[c.Path]
		}
		file, line := r.Where(line)
		r.Bad.Join(&complain.Located{File: file, Line: line, Err: e})
	}
}

// Parse returns the document's root, or nil after a complaint. JSON is a subset of YAML.
func (r *Reader) Parse(data []byte) *Value {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		r.Bad.Join(fmt.Errorf("%s: %w: accepted: a complete YAML or JSON document", r.File, err))
		return nil
	}
	if len(doc.Content) == 0 {
		r.Complain(1, Whole, "empty", "a mapping")
		return nil
	}
	r.refuseRest(decoder)
	return r.value(r.change(doc.Content[0]), "")
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
			r.Bad.Join(fmt.Errorf("%s: after the document: %w: accepted: one document", r.File, err))
			return
		case len(doc.Content) > 0 && doc.Content[0].ShortTag() != "!!null":
			r.Complain(doc.Content[0].Line, Whole, "a second document", "one document in a file")
			return
		}
	}
}

// value returns the value of a node and notes its line. An alias stands for the node that it names; a chain of aliases
// that does not end is cut.
func (r *Reader) value(n *yaml.Node, path string) *Value {
	for hops := 0; n.Kind == yaml.AliasNode && hops < 100; hops++ {
		n = n.Alias
	}
	r.Lines[path] = n.Line
	return &Value{Path: path, Line: n.Line, node: n, reader: r}
}
