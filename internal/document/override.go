package document

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Override is one value that is put into a document before it is read: "what if the file said this?". The document then
// refuses the value as it would refuse it in the file, and its complaints name the change in place of file and line.
type Override struct {
	Path string // as complaints show it: ports[1].cable
	// Value is YAML: 2km, true, [3, 4], {name: x}. A text that the file would have to quote has to be quoted.
	Value string
}

// String prints the change as it is written: "ports[1].cable=2km".
func (c Override) String() string { return c.Path + "=" + c.Value }

// Bounds of changes: more than a person writes, and a text that a terminal can still show.
const (
	maxChanges    = 256
	maxChangeText = 64 << 10
	maxPathSteps  = 32
)

// ParseOverride reads "PATH=VALUE". A path is keys with dots, and the number of a list's item in brackets, from 0.
func ParseOverride(text string) (Override, error) {
	path, value, ok := strings.Cut(text, "=")
	c := Override{path, value}
	const form = "want <path>=<value> with a path as in the file, such as ports[1].cable=2km"
	switch {
	case len(text) > maxChangeText:
		return c, fmt.Errorf("a change of %d bytes (want at most %d)", len(text), maxChangeText)
	case !ok:
		return c, fmt.Errorf("%s: no = (%s)", fielderr.Quote(text), form)
	case strings.TrimSpace(value) == "":
		return c, fmt.Errorf("%s: no value (%s; null is the absence of a value)", fielderr.Quote(text), form)
	}
	if _, err := steps(path); err != nil {
		return c, fmt.Errorf("%s: %w (%s)", fielderr.Quote(text), err, form)
	}
	return c, nil
}

// step is one part of a path: a key of a mapping, or the number of a list's item.
type step struct {
	key  string // "": index counts
	item int
}

// steps splits a path.
func steps(path string) (out []step, err error) {
	for rest := path; rest != ""; {
		if len(out) == maxPathSteps {
			return nil, fmt.Errorf("a path of more than %d parts", maxPathSteps)
		}
		var s step
		ok := false
		if rest[0] == '[' {
			var number string
			number, rest, ok = strings.Cut(rest[1:], "]")
			s.item, err = strconv.Atoi(number)
			ok = ok && err == nil && s.item >= 0 && strconv.Itoa(s.item) == number && len(out) > 0 &&
				(rest == "" || rest[0] == '[' || rest[0] == '.')
		} else {
			if len(out) > 0 {
				rest = strings.TrimPrefix(rest, ".")
			}
			s.key, _, _ = strings.Cut(rest, ".")
			s.key, _, _ = strings.Cut(s.key, "[")
			rest = rest[len(s.key):]
			ok = s.key != "" && rest != "."
		}
		if !ok {
			return nil, fmt.Errorf("%s is not a path", fielderr.Quote(path))
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errors.New("no path")
	}
	return out, nil
}

// Change makes Parse put these values into the document. A path may name a key that the file does not have, and a
// mapping on the way to it; an item of a list must be there. Two changes of the same path, or of a path and a part of
// it, are refused: the order would decide.
func (r *Reader) Change(changes ...Override) { r.changes = append(r.changes, changes...) }

// change puts all changes into the document and returns its root.
func (r *Reader) change(root *yaml.Node) *yaml.Node {
	if len(r.changes) > maxChanges {
		r.keep(fmt.Errorf("%d changes: want at most %d", len(r.changes), maxChanges))
		return root
	}
	for i, c := range r.changes {
		path, err := steps(c.Path)
		if err != nil {
			r.Fail(changed(i), c.Path, err.Error())
			continue
		}
		if j := slices.IndexFunc(r.changes[:i], func(o Override) bool { return overlap(o.Path, c.Path) }); j >= 0 {
			r.Fail(changed(i), c.Path, fmt.Sprintf("changed twice, by %q too (want one change of a value)",
				r.changes[j].String()))
			continue
		}
		value, err := parseChanged(c.Value, changed(i))
		if err != nil {
			r.Fail(changed(i), c.Path, fmt.Sprintf("%s: %v (want one value as YAML)", fielderr.Quote(c.Value), err))
			continue
		}
		if with, ok := r.put(root, path, "", value, i); ok {
			root = with
		}
	}
	return root
}

// changed is the line number that means the i-th change: below every line of a file.
func changed(i int) int { return -1 - i }

// Where returns the file and the line that messages show for a line of the reader. A value that a change put into the
// document is in the change and not in the file; its line is 0.
func (r *Reader) Where(line int) (string, int) {
	if i := -1 - line; i >= 0 && i < len(r.changes) {
		return "--set " + fielderr.Printable(r.changes[i].String()), 0
	}
	return r.File, line
}

// overlap tells whether one path is the other or leads to it.
func overlap(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	rest, begins := strings.CutPrefix(b, a)
	return begins && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// parseChanged reads one value of YAML, with the line of its change at each node.
func parseChanged(text string, line int) (*yaml.Node, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("empty")
	}
	if err := decoder.Decode(new(yaml.Node)); err == nil {
		return nil, fmt.Errorf("a second document")
	}
	place(doc.Content[0], line)
	return doc.Content[0], nil
}

// place gives a node and all below it the line. A node that an alias names is below its anchor.
func place(n *yaml.Node, line int) {
	n.Line = line
	for _, child := range n.Content {
		place(child, line)
	}
}

// put returns a node with the value at the end of the path. Nodes on the path are copied: an anchor of the file may
// be used at several places, and only the one that the path names changes. false: the path was refused.
func (r *Reader) put(n *yaml.Node, path []step, at string, value *yaml.Node, i int) (*yaml.Node, bool) {
	if len(path) == 0 {
		return value, true
	}
	for hops := 0; n.Kind == yaml.AliasNode && hops < 100; hops++ {
		n = n.Alias
	}
	out := *n
	out.Anchor, out.Content = "", slices.Clone(n.Content)
	s := path[0]
	if s.key == "" {
		if n.Kind != yaml.SequenceNode || s.item >= len(n.Content) {
			r.Fail(changed(i), at, fmt.Sprintf("[%d]: want %s", s.item, itemsOf(n)))
			return nil, false
		}
		child, ok := r.put(n.Content[s.item], path[1:], fmt.Sprintf("%s[%d]", at, s.item), value, i)
		out.Content[s.item] = child
		return &out, ok
	}
	below := strings.TrimPrefix(at+"."+s.key, ".")
	if n.Kind != yaml.MappingNode {
		r.Fail(changed(i), at, fmt.Sprintf("no key %s: it is %s, not a mapping", fielderr.Quote(s.key), kindOf(n)))
		return nil, false
	}
	for k := 0; k+1 < len(n.Content); k += 2 {
		if n.Content[k].Value == s.key {
			child, ok := r.put(n.Content[k+1], path[1:], below, value, i)
			out.Content[k+1] = child
			return &out, ok
		}
	}
	// The key is new, and so is all below it. The reader says whether it is accepted there.
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s.key, Line: changed(i)}
	child, ok := r.put(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: changed(i)}, path[1:], below, value, i)
	out.Content = append(out.Content, key, child)
	return &out, ok
}

// itemsOf says which items of a node a path may name.
func itemsOf(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.SequenceNode:
		return "a key; it is " + kindOf(n) + ", not a list"
	case len(n.Content) == 0:
		return "nothing: the list is empty"
	default:
		return fmt.Sprintf("[0] to [%d]", len(n.Content)-1)
	}
}

// kindOf names what a node is.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fielderr.Quote(n.Value)
	}
}
