package document

import (
	"slices"

	"go.yaml.in/yaml/v3"
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
