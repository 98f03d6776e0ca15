package document

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/internal/jsonscan"
)

// fromJSON reads a document that is plain JSON: it makes the nodes that the YAML parser would make, in a fiftieth of
// the time. Programs write topologies as JSON, a hundred thousand at a time.
//
// It returns nil for everything that it does not read exactly as YAML does, or that is not within the bounds of a
// document; Parse then reads the text as YAML, and complains.
func fromJSON(data []byte) *yaml.Node {
	trimmed := bytes.TrimLeft(data, " \n")
	if len(trimmed) == 0 || trimmed[0] != '{' || !plainJSON(data) || !json.Valid(data) {
		return nil
	}
	j := jsonReader{Scanner: jsonscan.New(string(data)), length: len(data)}
	return j.value(1)
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

// jsonReader makes nodes of a text that is known to be plain and valid JSON. Nodes and lists are taken from blocks, and
// texts are parts of the whole: a document is some dozens of allocations, whatever its size.
type jsonReader struct {
	jsonscan.Scanner
	length int // of the text, in bytes
	values int
	free   []yaml.Node  // of the present block
	items  []*yaml.Node // of the collections that are not complete, the outermost first
}

// value reads the next value; nil if it is beyond the bounds.
func (j *jsonReader) value(depth int) *yaml.Node {
	t := j.Next()
	if j.values++; depth > maxDepth || j.values > maxValues {
		return nil
	}
	n := j.node()
	n.Kind, n.Line, n.Value = yaml.ScalarNode, j.Line(), t.Text
	switch t.Kind {
	case '{', '[':
		return j.collection(n, t.Kind, depth)
	case '"':
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	case 't':
		n.Tag = "!!bool"
	case 'n':
		n.Tag = "!!null"
	default:
		if n.Tag = "!!int"; strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	}
	if len(n.Value) > maxScalar || n.Tag == "!!int" && len(n.Value) > 18 {
		return nil // YAML takes an integer of more than 64 bits for another number
	}
	return n
}

// collection reads the items of a list, or the keys and values of a mapping.
func (j *jsonReader) collection(n *yaml.Node, open byte, depth int) *yaml.Node {
	n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	first := len(j.items)
	for j.More() {
		child := j.value(depth + 1)
		key := n.Kind == yaml.MappingNode && (len(j.items)-first)%2 == 0
		if child == nil || key && len(child.Value) > maxKey {
			return nil
		}
		j.items = append(j.items, child)
	}
	j.Next()
	n.Content = slices.Clone(j.items[first:])
	j.items = j.items[:first]
	return n
}

// mostFree is the largest block of nodes.
const mostFree = 256

// node returns a new node.
func (j *jsonReader) node() *yaml.Node {
	if len(j.free) == 0 {
		j.free = make([]yaml.Node, min(mostFree, 1+j.values*2, 1+j.length/4))
	}
	n := &j.free[0]
	j.free = j.free[1:]
	return n
}
