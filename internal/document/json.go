package document

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fromJSON reads a document that is plain JSON: it makes the nodes that the YAML parser would make, in a tenth of the
// time. Programs write topologies as JSON, a hundred thousand at a time.
//
// It returns nil for everything that it does not read exactly as YAML does, or that is not within the bounds of a
// document; Parse then reads the text as YAML, and complains.
func fromJSON(data []byte) *yaml.Node {
	if trimmed := bytes.TrimLeft(data, " \r\n"); len(trimmed) == 0 || trimmed[0] != '{' || !plainJSON(data) {
		return nil
	}
	j := jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1}
	j.decoder.UseNumber()
	root := j.value(1)
	if _, err := j.decoder.Token(); root == nil || err != io.EOF {
		return nil
	}
	return root
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

// jsonReader makes nodes from the tokens of a text.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder
	read    int // bytes of data whose line feeds are counted
	line    int
	values  int
}

// value reads the next value; nil if it is none, or beyond the bounds.
func (j *jsonReader) value(depth int) *yaml.Node {
	token, err := j.decoder.Token()
	if j.values++; err != nil || depth > MaxDepth || j.values > MaxValues {
		return nil
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: j.lineOf()}
	switch v := token.(type) {
	case json.Delim:
		return j.collection(n, v, depth)
	case string:
		n.Tag, n.Value, n.Style = "!!str", v, yaml.DoubleQuotedStyle
	case json.Number:
		if n.Tag, n.Value = "!!int", v.String(); strings.ContainsAny(n.Value, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		if n.Tag, n.Value = "!!bool", "false"; v {
			n.Value = "true"
		}
	default:
		n.Tag, n.Value = "!!null", "null"
	}
	if len(n.Value) > MaxScalar || n.Tag == "!!int" && len(n.Value) > 18 {
		return nil // YAML takes an integer of more than 64 bits for another number
	}
	return n
}

// collection reads the items of a list, or the keys and values of a mapping.
func (j *jsonReader) collection(n *yaml.Node, open json.Delim, depth int) *yaml.Node {
	n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
	if open == '{' {
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
	}
	for j.decoder.More() {
		child := j.value(depth + 1)
		if child == nil || n.Kind == yaml.MappingNode && len(n.Content)%2 == 0 && len(child.Value) > MaxKey {
			return nil
		}
		n.Content = append(n.Content, child)
	}
	if _, err := j.decoder.Token(); err != nil {
		return nil
	}
	return n
}

// lineOf returns the line on which the token ends that was read last. No token of plain JSON has a line feed in it.
func (j *jsonReader) lineOf() int {
	end := int(j.decoder.InputOffset())
	j.line += bytes.Count(j.data[j.read:end], []byte{'\n'})
	j.read = end
	return j.line
}
