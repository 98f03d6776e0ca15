package statements

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// JSON reads a document of JSON. A member of an object is a statement: its first word is the key. The value of a text,
// a number or a truth value is the second word, and what an object or a list has is under it. An element of a list
// has an empty key. null has no second word, and nothing under it.
func JSON(file string, data []byte) (*Tree, error) {
	b := &builder{file: file}
	if err := b.check(data); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := &document{builder: b, data: data, line: 1, Decoder: json.NewDecoder(bytes.NewReader(data))}
	d.UseNumber()
	d.tree = &Tree{File: file, Root: &Statement{}}
	t, err := d.token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, b.refuse(d.line, "no object of JSON: want an object")
	}
	if err := d.object(d.tree.Root, 1); err != nil {
		return nil, err
	}
	rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")
	if d.line = 1 + bytes.Count(data[:len(data)-len(rest)], []byte{'\n'}); len(rest) > 0 {
		return nil, b.refuse(d.line, "text after the last bracket: want one object of JSON")
	}
	return d.tree, nil
}

// document reads the tokens of a document.
type document struct {
	*json.Decoder
	*builder
	tree   *Tree
	data   []byte
	line   int
	offset int64
}

// token returns the next token, and counts the lines up to it.
func (d *document) token() (json.Token, error) {
	t, err := d.Token()
	at := min(max(d.InputOffset(), d.offset), int64(len(d.data)))
	d.line += bytes.Count(d.data[d.offset:at], []byte{'\n'})
	d.offset = at
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return t, nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, d.refuse(d.line+bytes.Count(bytes.TrimSpace(d.data[d.offset:]), []byte{'\n'}),
			"the document ends before its last bracket: want an object of JSON")
	case errors.As(err, &syntax):
		rest := d.data[d.offset:max(d.offset, min(syntax.Offset, int64(len(d.data))))]
		return nil, d.refuse(d.line+bytes.Count(rest, []byte{'\n'}), "no JSON: %w: want an object of JSON", err)
	}
	return nil, d.refuse(d.line, "no JSON: %w: want an object of JSON", err)
}

// object reads the members of an object after its first bracket.
func (d *document) object(at *Statement, depth int) error {
	if depth > maxDepth {
		return d.refuse(d.line, "objects and lists nested more than %d deep: want at most so deep", maxDepth)
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if len(key) > maxKey {
			return d.refuse(d.line, "a key of %d bytes: want at most %d", len(key), maxKey)
		}
		s, err := d.add(at, d.line, []string{key})
		if err != nil {
			return err
		}
		if seen[key] {
			d.tree.Twice = append(d.tree.Twice, s)
		}
		seen[key] = true
		if err := d.value(s, depth); err != nil {
			return err
		}
	}
	_, err := d.token()
	return err
}

// value reads the value of a member or an element.
func (d *document) value(s *Statement, depth int) error {
	t, err := d.token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '{' {
			return d.object(s, depth+1)
		}
		return d.list(s, depth+1)
	case string:
		if len(v) > maxWord {
			return d.refuse(d.line, "a text of %d bytes: want at most %d", len(v), maxWord)
		}
		s.Words = append(s.Words, v)
	case json.Number:
		s.Words = append(s.Words, v.String())
	case bool:
		s.Words = append(s.Words, map[bool]string{true: "true", false: "false"}[v])
	}
	return nil
}

// list reads the elements of a list after its first bracket.
func (d *document) list(at *Statement, depth int) error {
	if depth > maxDepth {
		return d.refuse(d.line, "objects and lists nested more than %d deep: want at most so deep", maxDepth)
	}
	for d.More() {
		s, err := d.add(at, d.line, []string{""})
		if err != nil {
			return err
		}
		if err := d.value(s, depth); err != nil {
			return err
		}
		if s.Line = d.line; len(s.Under) > 0 {
			s.Line = s.Under[0].Line
		}
	}
	_, err := d.token()
	return err
}
