// Package document reads YAML and JSON documents that people write: it knows
// the line of every value, refuses keys that it does not know, and reports all
// that is wrong at once, each complaint with the file, the line, the path, the
// value and what is accepted.
package document

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Reader collects what is wrong with one file. The zero Reader is of no use:
// see [New].
type Reader struct {
	File    string         // as messages name it
	Bad     []error        // all complaints, each once
	Lines   map[string]int // of each path that was read
	Refused []string       // paths that were complained about
	said    map[string]bool
}

// New returns a reader of a file; the name is used in messages alone.
func New(file string) *Reader {
	return &Reader{File: file, said: map[string]bool{}, Lines: map[string]int{}}
}

// Complain records a complaint once.
func (r *Reader) Complain(line int, path, value, accepted string) {
	r.Fail(line, path, value+": accepted: "+accepted)
}

// Fail records a complaint in the words of whoever found it, once.
func (r *Reader) Fail(line int, path, text string) {
	r.Refused = append(r.Refused, path)
	text = fmt.Sprintf("%s:%d: %s: %s", r.File, line, path, text)
	if !r.said[text] {
		r.said[text] = true
		r.Bad = append(r.Bad, errors.New(text))
	}
}

// Parse returns the document's root, or nil after a complaint. JSON is a
// subset of YAML.
func (r *Reader) Parse(data []byte) *Value {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		r.Bad = append(r.Bad, fmt.Errorf("%s: %w: accepted: a complete YAML or JSON document", r.File, err))
		return nil
	}
	if len(doc.Content) == 0 {
		r.Complain(1, Whole, "empty", "a mapping")
		return nil
	}
	return r.At(doc.Content[0], "")
}

// Value is one node of the file and where it stands.
type Value struct {
	*yaml.Node
	Path string // such as ports[3].speed; "" is the document itself
	r    *Reader
}

// At returns the value of a node and notes its line. An alias is what it
// stands for.
func (r *Reader) At(n *yaml.Node, path string) *Value {
	for hops := 0; n.Kind == yaml.AliasNode && hops < 100; hops++ {
		n = n.Alias
	}
	r.Lines[path] = n.Line
	return &Value{n, path, r}
}

// Refuse complains about the value and what it holds.
func (v *Value) Refuse(accepted string) {
	v.r.Complain(v.Line, v.Name(), v.show(), accepted)
}

// Name returns the path as messages show it.
func (v *Value) Name() string {
	if v.Path == "" {
		return Whole
	}
	return v.Path
}

// Whole is the path of the document itself.
const Whole = "document"

// show prints the value in few words.
func (v *Value) show() string {
	switch v.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return strconv.Quote(v.Value)
	}
}

// Fields returns the mapping's values by key. A key that is not accepted, or
// given twice, is refused.
func (v *Value) Fields(accepted ...string) map[string]*Value {
	out := map[string]*Value{}
	if v.Kind != yaml.MappingNode {
		v.Refuse("a mapping with the keys " + strings.Join(accepted, ", "))
		return out
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := v.Content[i].Value
		path := strings.TrimPrefix(v.Path+"."+key, ".")
		switch {
		case !slices.Contains(accepted, key):
			v.r.Complain(v.Content[i].Line, path, "unknown key", strings.Join(accepted, ", "))
		case out[key] != nil:
			v.r.Complain(v.Content[i].Line, path, "given twice", "each key once")
		default:
			out[key] = v.r.At(v.Content[i+1], path)
		}
	}
	return out
}

// Keys lists the mapping's keys.
func (v *Value) Keys() []string {
	var out []string
	if v.Kind == yaml.MappingNode {
		for i := 0; i < len(v.Content); i += 2 {
			out = append(out, v.Content[i].Value)
		}
	}
	return out
}

// Field returns the value of a key that decides which others are accepted. If
// it is not there, it complains and returns the mapping itself.
func (v *Value) Field(key string) *Value {
	for i, k := range v.Keys() {
		if k == key {
			return v.r.At(v.Content[2*i+1], strings.TrimPrefix(v.Path+"."+key, "."))
		}
	}
	v.r.Complain(v.Line, strings.TrimPrefix(v.Path+"."+key, "."), "missing", "this key is needed")
	return nil
}

// Need complains about keys that are not there.
func (v *Value) Need(fields map[string]*Value, keys ...string) {
	for _, k := range keys {
		if fields[k] == nil && v.Kind == yaml.MappingNode {
			v.r.Complain(v.Line, strings.TrimPrefix(v.Path+"."+k, "."), "missing", "this key is needed")
		}
	}
}

// Items returns the list's values.
func (v *Value) Items() []*Value {
	if v == nil {
		return nil
	}
	if v.Kind != yaml.SequenceNode {
		v.Refuse("a list")
		return nil
	}
	out := make([]*Value, len(v.Content))
	for i, n := range v.Content {
		out[i] = v.r.At(n, fmt.Sprintf("%s[%d]", v.Path, i))
	}
	return out
}

// Text returns the scalar's text, "" if there is none.
func (v *Value) Text() string {
	if v == nil {
		return ""
	}
	if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
		v.Refuse("text")
		return ""
	}
	return v.Value
}

// Boolean returns true or false; false if there is none.
func (v *Value) Boolean() bool {
	if v == nil {
		return false
	}
	if v.Kind != yaml.ScalarNode || v.Tag != "!!bool" {
		v.Refuse("true or false")
		return false
	}
	b, _ := strconv.ParseBool(strings.ToLower(v.Value))
	return b
}

// Integer returns a whole number within bounds; 0 if there is none.
func (v *Value) Integer(lowest, highest int64) int64 {
	if v == nil {
		return 0
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if v.Kind != yaml.ScalarNode || err != nil || n < lowest || n > highest {
		v.Refuse(fmt.Sprintf("a whole number from %d to %d", lowest, highest))
		return 0
	}
	return n
}

// Quantity returns what parse makes of the text; the zero quantity if there is
// none.
func Quantity[T any](v *Value, parse func(string) (T, error)) T {
	var zero T
	if v == nil {
		return zero
	}
	if v.Kind != yaml.ScalarNode {
		v.Refuse("text such as 9216B, 400G, 300m or 20%")
		return zero
	}
	q, err := parse(v.Value)
	if err != nil {
		v.r.Fail(v.Line, v.Name(), err.Error())
		return zero
	}
	return q
}

// Fail records a complaint about the value in the words of whoever found it.
func (v *Value) Fail(text string) { v.r.Fail(v.Line, v.Name(), text) }

// Complaints returns how many complaints the file has so far: a value that
// could not be read must not pass for zero.
func (v *Value) Complaints() int { return len(v.r.Refused) }
