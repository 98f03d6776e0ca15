package topology

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader collects what is wrong with one file.
type reader struct {
	file    string
	bad     []error
	said    map[string]bool
	line    map[string]int // of each path that was read
	refused []string       // paths that were complained about
	entry   []string       // path of the entry that each port comes from
}

func newReader(file string) *reader {
	return &reader{file: file, said: map[string]bool{}, line: map[string]int{}}
}

// complain records a complaint once.
func (r *reader) complain(line int, path, value, accepted string) {
	r.fail(line, path, value+": accepted: "+accepted)
}

func (r *reader) fail(line int, path, text string) {
	r.refused = append(r.refused, path)
	text = fmt.Sprintf("%s:%d: %s: %s", r.file, line, path, text)
	if !r.said[text] {
		r.said[text] = true
		r.bad = append(r.bad, errors.New(text))
	}
}

// parse returns the document's root, or nil after a complaint. JSON is a
// subset of YAML.
func (r *reader) parse(data []byte) *value {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		r.bad = append(r.bad, fmt.Errorf("%s: %w: accepted: a complete YAML or JSON document", r.file, err))
		return nil
	}
	if len(doc.Content) == 0 {
		r.complain(1, whole, "empty", "a mapping")
		return nil
	}
	return r.at(doc.Content[0], "")
}

// value is one node of the file and where it stands.
type value struct {
	*yaml.Node
	r    *reader
	path string
}

func (r *reader) at(n *yaml.Node, path string) *value {
	for hops := 0; n.Kind == yaml.AliasNode && hops < 100; hops++ {
		n = n.Alias
	}
	r.line[path] = n.Line
	return &value{n, r, path}
}

// refuse complains about the value and what it holds.
func (v *value) refuse(accepted string) {
	v.r.complain(v.Line, v.name(), v.show(), accepted)
}

func (v *value) name() string {
	if v.path == "" {
		return whole
	}
	return v.path
}

// whole is the path of the document itself.
const whole = "document"

// show prints the value in few words.
func (v *value) show() string {
	switch v.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return strconv.Quote(v.Value)
	}
}

// fields returns the mapping's values by key. A key that is not accepted, or
// given twice, is refused.
func (v *value) fields(accepted ...string) map[string]*value {
	out := map[string]*value{}
	if v.Kind != yaml.MappingNode {
		v.refuse("a mapping with the keys " + strings.Join(accepted, ", "))
		return out
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		key := v.Content[i].Value
		path := strings.TrimPrefix(v.path+"."+key, ".")
		switch {
		case !slices.Contains(accepted, key):
			v.r.complain(v.Content[i].Line, path, "unknown key", strings.Join(accepted, ", "))
		case out[key] != nil:
			v.r.complain(v.Content[i].Line, path, "given twice", "each key once")
		default:
			out[key] = v.r.at(v.Content[i+1], path)
		}
	}
	return out
}

// keys lists the mapping's keys.
func (v *value) keys() []string {
	var out []string
	if v.Kind == yaml.MappingNode {
		for i := 0; i < len(v.Content); i += 2 {
			out = append(out, v.Content[i].Value)
		}
	}
	return out
}

// field returns the value of a key that decides which others are accepted. If
// it is not there, it complains and returns the mapping itself.
func (v *value) field(key string) *value {
	for i, k := range v.keys() {
		if k == key {
			return v.r.at(v.Content[2*i+1], strings.TrimPrefix(v.path+"."+key, "."))
		}
	}
	v.r.complain(v.Line, strings.TrimPrefix(v.path+"."+key, "."), "missing", "this key is needed")
	return nil
}

// need complains about keys that are not there.
func (v *value) need(fields map[string]*value, keys ...string) {
	for _, k := range keys {
		if fields[k] == nil && v.Kind == yaml.MappingNode {
			v.r.complain(v.Line, strings.TrimPrefix(v.path+"."+k, "."), "missing", "this key is needed")
		}
	}
}

// items returns the list's values.
func (v *value) items() []*value {
	if v == nil {
		return nil
	}
	if v.Kind != yaml.SequenceNode {
		v.refuse("a list")
		return nil
	}
	out := make([]*value, len(v.Content))
	for i, n := range v.Content {
		out[i] = v.r.at(n, fmt.Sprintf("%s[%d]", v.path, i))
	}
	return out
}

// text returns the scalar's text, "" if there is none.
func (v *value) text() string {
	if v == nil {
		return ""
	}
	if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
		v.refuse("text")
		return ""
	}
	return v.Value
}

// boolean returns true or false; false if there is none.
func (v *value) boolean() bool {
	if v == nil {
		return false
	}
	if v.Kind != yaml.ScalarNode || v.Tag != "!!bool" {
		v.refuse("true or false")
		return false
	}
	b, _ := strconv.ParseBool(strings.ToLower(v.Value))
	return b
}

// integer returns a whole number within bounds; 0 if there is none.
func (v *value) integer(lowest, highest int64) int64 {
	if v == nil {
		return 0
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if v.Kind != yaml.ScalarNode || err != nil || n < lowest || n > highest {
		v.refuse(fmt.Sprintf("a whole number from %d to %d", lowest, highest))
		return 0
	}
	return n
}

// quantity returns what parse makes of the text; the zero quantity if there is
// none.
func quantity[T any](v *value, parse func(string) (T, error)) T {
	var zero T
	if v == nil {
		return zero
	}
	if v.Kind != yaml.ScalarNode {
		v.refuse("text such as 9216B, 400G, 300m or 20%")
		return zero
	}
	q, err := parse(v.Value)
	if err != nil {
		v.r.fail(v.Line, v.name(), err.Error())
		return zero
	}
	return q
}
