package statements

import (
	"bytes"
	"encoding/json"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/jsonscan"
)

// JSON reads a document of JSON. A member of an object is a statement: its first word is the key. The value of a text,
// a number or a truth value is the second word, and what an object or a list has is under it. An element of a list
// has an empty key. null has no second word, and nothing under it. A text may have line breaks
// in it; one of more than maxWord bytes, such as a whole other file, is left out as null is.
func JSON(file string, data []byte) (*Tree, error) {
	b := newBuilder(file, data)
	if b.err != nil {
		return nil, b.err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if line, err := jsonscan.Check(data, "want an object of JSON"); err != nil && !json.Valid(jsonscan.Flat(data)) {
		return nil, &fielderr.Located{File: file, Line: line, Err: err}
	}
	d := &document{builder: b, Scanner: jsonscan.New(string(data))}
	if d.Next().Kind != '{' {
		d.refuse(d.Line(), "no object of JSON: want an object")
	}
	d.object(d.tree.Root, 1)
	return d.done()
}

// document reads the tokens of a document.
type document struct {
	jsonscan.Scanner
	builder
}

// more tells whether the object or the list has another value that is to be read.
func (d *document) more(depth int) bool {
	if depth > maxDepth {
		d.refuse(d.Line(), "objects and lists nested more than %d deep: want at most so deep", maxDepth)
	}
	return d.err == nil && d.More()
}

// object reads the members of an object after its first bracket.
func (d *document) object(at *Statement, depth int) {
	seen := map[string]bool{}
	for d.more(depth) {
		key := d.Next().Text
		if len(key) > maxKey {
			d.refuse(d.Line(), "a key of %d bytes: want at most %d", len(key), maxKey)
		}
		s := d.add(at, d.Line(), []string{key})
		if seen[key] {
			d.tree.Twice = append(d.tree.Twice, s)
		}
		seen[key] = true
		d.value(s, depth)
	}
}

// value reads the value of a member or an element.
func (d *document) value(s *Statement, depth int) {
	if d.err != nil {
		return
	}
	switch t := d.Next(); t.Kind {
	case '{':
		d.object(s, depth+1)
		d.Next()
	case '[':
		d.list(s, depth+1)
		d.Next()
	case 'n':
	default:
		if len(t.Text) <= maxWord {
			s.Words = append(s.Words, t.Text)
		}
	}
}

// list reads the elements of a list after its first bracket.
func (d *document) list(at *Statement, depth int) {
	for d.more(depth) {
		s := d.add(at, d.Line(), []string{""})
		d.value(s, depth)
		if s.Line = d.Line(); len(s.Under) > 0 {
			s.Line = s.Under[0].Line
		}
	}
}
