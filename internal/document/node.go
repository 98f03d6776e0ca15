package document

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/jsonscan"
)

// node is what the readers look at of a node of YAML, in a third of its memory: programs write topologies of thousands
// of values.
type node struct {
	kind  kind
	tag   tag // of a scalar
	line  int32
	value string // the text of a scalar
	items []node // of a list; of a mapping its keys and their values in turn
}

// kind is what a node is.
type kind uint8

const (
	scalar kind = iota
	mapping
	list
)

// tag is what a scalar is, as far as a reader asks.
type tag uint8

const (
	otherTag tag = iota
	nullTag
	boolTag
	intTag
)

// converter makes nodes of YAML's nodes. An alias stands for what it names, which is converted once.
type converter map[*yaml.Node]node

// node converts a value. Documents with aliases that do not end were refused before.
func (c converter) node(n *yaml.Node) node {
	if n.Kind != yaml.AliasNode {
		return c.plain(n)
	}
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	out, known := c[n]
	if !known {
		out = c.plain(n)
		c[n] = out
	}
	return out
}

// plain converts a node that is no alias, or the alias of a key, which has its name.
func (c converter) plain(n *yaml.Node) node {
	out := node{line: int32(n.Line), value: n.Value}
	switch {
	case n.Kind == yaml.MappingNode:
		out.kind = mapping
	case n.Kind == yaml.SequenceNode:
		out.kind = list
	case n.Tag == "!!null":
		out.tag = nullTag
	case n.Tag == "!!bool":
		out.tag = boolTag
	case n.ShortTag() == "!!int":
		out.tag = intTag
	}
	if len(n.Content) > 0 {
		out.items = make([]node, len(n.Content))
	}
	for i, child := range n.Content {
		if out.kind == mapping && i%2 == 0 {
			out.items[i] = c.plain(child)
		} else {
			out.items[i] = c.node(child)
		}
	}
	return out
}

// places adds the lines of a node and of all in it to a map, by their paths.
func (n *node) places(path string, lines map[string]int) {
	if _, twice := lines[path]; twice { // a key that is given twice is read once
		return
	}
	lines[path] = int(n.line)
	for i := range n.items {
		switch child := &n.items[i]; {
		case n.kind == list:
			child.places(path+index(i), lines)
		case i%2 == 1:
			child.places(under(path, n.items[i-1].value), lines)
		}
	}
}

// equal tells whether two nodes say the same, wherever they stand.
func (n *node) equal(o *node) bool {
	return n.kind == o.kind && n.tag == o.tag && n.value == o.value &&
		slices.EqualFunc(n.items, o.items, func(a, b node) bool { return a.equal(&b) })
}

// fromJSON reads a document that is plain JSON: it makes the nodes that the YAML parser would make, in a small part of
// the time. Programs write topologies as JSON, a hundred thousand at a time.
//
// It returns nil for everything that it does not read exactly as YAML does, that is no JSON, or that is not within the
// bounds of a document; Parse then reads the text as YAML, and complains.
func fromJSON(data []byte) *node {
	if !plainJSON(data) || !json.Valid(data) {
		return nil
	}
	j := jsonReader{Scanner: jsonscan.New(string(data)), expected: len(data) / bytesOfNode, open: make([]node, 0, 32)}
	root, ok := j.value(1)
	if !ok || root.kind != mapping {
		return nil
	}
	return &root
}

// plainJSON tells whether a text has only characters that YAML and JSON read alike: printable ASCII and line feeds, and
// no escape, which the two have in part differently.
func plainJSON(data []byte) bool {
	for _, c := range data {
		if c != '\n' && (c < ' ' || c > '~' || c == '\\') {
			return false
		}
	}
	return true
}

// jsonReader makes nodes of a plain text. Nodes are taken from blocks, and texts are parts of the whole: a document is
// some dozens of allocations, whatever its size.
type jsonReader struct {
	jsonscan.Scanner
	expected int // how many nodes a text of this length has
	values   int
	free     []node // of the present block
	open     []node // of the collections that are not complete, the outermost first
}

// value reads the next value; false if it is beyond the bounds, or an integer of more than 64 bits, which YAML takes
// for another number.
func (j *jsonReader) value(depth int) (node, bool) {
	t := j.Next()
	n := node{line: int32(j.Line()), value: t.Text}
	if j.values++; depth > maxDepth || j.values > maxValues || len(t.Text) > maxScalar {
		return n, false
	}
	switch t.Kind {
	case '{':
		return j.collection(mapping, depth)
	case '[':
		return j.collection(list, depth)
	case 't':
		n.tag = boolTag
	case 'n':
		n.tag = nullTag
	case '0':
		if n.tag = intTag; strings.ContainsAny(t.Text, ".eE") {
			n.tag = otherTag
		}
	}
	return n, n.tag != intTag || len(t.Text) <= 18
}

// collection reads the items of a list, or the keys and values of a mapping. They wait in open until it is complete,
// because how many it has is not known before.
func (j *jsonReader) collection(of kind, depth int) (node, bool) {
	n, first := node{kind: of, line: int32(j.Line())}, len(j.open)
	for j.More() {
		if of == mapping && !j.key() {
			return n, false
		}
		child, ok := j.value(depth + 1)
		if !ok {
			return n, false
		}
		j.open = append(j.open, child)
	}
	j.Next() // its end
	n.items = j.keep(j.open[first:])
	j.open = j.open[:first]
	return n, true
}

// key reads a key; false if it is beyond the bounds.
func (j *jsonReader) key() bool {
	key := j.Next().Text
	j.open = append(j.open, node{line: int32(j.Line()), value: key})
	j.values++
	return j.values <= maxValues && len(key) <= maxKey
}

const (
	mostBlock = 1024 // the largest block of nodes
	// bytesOfNode is how many bytes of a topology a node stands for: a key or a value in quotes with its marks.
	bytesOfNode = 8
)

// keep returns a copy of the nodes that lasts.
func (j *jsonReader) keep(nodes []node) []node {
	n := len(nodes)
	if n > mostBlock/4 {
		return slices.Clone(nodes)
	}
	if n > len(j.free) {
		j.free = make([]node, max(n, min(mostBlock, j.expected-j.values+len(j.open))))
	}
	out := j.free[:n:n]
	j.free = j.free[n:]
	copy(out, nodes)
	return out
}
