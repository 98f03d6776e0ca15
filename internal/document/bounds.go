package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Bounds of a document. They are checked before a value is read, so that a short text cannot cost much.
// docs/limits.md lists them.
const (
	// MaxBytes is the longest document.
	MaxBytes = 16 << 20
	// maxValues is the largest number of keys and values of a document, where each use of an alias counts as all that
	// it stands for. A topology that lists 4,096 ports one by one, each with every key, has 130,000.
	maxValues = 1 << 18
	// maxDepth is the deepest nesting. The deepest file of this project has 7 levels.
	maxDepth = 32
	// maxScalar is the longest text of a value, in bytes.
	maxScalar = 16 << 10
	// maxKey is the longest key, and the longest name, in bytes. The path of a value has the keys of all that it is in.
	maxKey = 128
)

// tooLarge returns why a text is not parsed; "" if it is.
func tooLarge(data []byte) string {
	switch n := roughValues(data); {
	case len(data) > MaxBytes:
		return fmt.Sprintf("%d bytes: want at most %d", len(data), MaxBytes)
	case n > maxValues:
		return fmt.Sprintf("up to %d keys and values, by the marks between them: want at most %d", n, maxValues)
	case bytes.Count(data, []byte(tagDirective)) > maxDirectives:
		return fmt.Sprintf("more than %d %s directives: want none are needed", maxDirectives, tagDirective)
	}
	return ""
}

// The parser compares each directive of a tag with all before it.
const (
	tagDirective  = "%TAG"
	maxDirectives = 16
)

// valueMarks are the characters that begin or separate the values of a YAML text, besides line breaks.
const valueMarks = ",[]{}:-?&*!"

// marks tells of each byte whether a value may follow it.
var marks = func() (out [256]bool) {
	for c := range out {
		out[c] = c == '\n' || c == '\r' || c >= 0x80 || strings.IndexByte(valueMarks, byte(c)) >= 0
	}
	return out
}()

// roughValues returns a number that is not below the number of values in a text. The parser makes a node of 160 bytes
// for each, so that it would need gigabytes for 16 MiB of commas. Every value follows a mark or a line break; a
// character that is not ASCII may be a line break.
func roughValues(data []byte) int {
	n := 1
	for line := range bytes.Lines(data) {
		if plainComment(line) {
			continue
		}
		for _, c := range line {
			if marks[c] {
				n++
			}
		}
	}
	return n
}

// plainComment tells whether a line has no value: it begins with #, and nothing in it can end a comment before the line
// feed.
func plainComment(line []byte) bool {
	if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
		return false
	}
	return bytes.IndexFunc(line, func(c rune) bool { return c == '\r' || c > unicode.MaxASCII }) < 0
}

// extent is what a node holds when each alias in it is replaced by its value.
type extent struct{ values, depth int }

// measurer computes the extent of nodes, each once.
type measurer struct {
	known map[*yaml.Node]extent
	open  map[*yaml.Node]bool // the nodes around the present one
	// refuse is called for the first value of each kind that no reader accepts.
	refuse func(n *yaml.Node, value, accepted string)
}

// measure returns the extent of a node. It refuses scalars that are too long or have characters that do not print, and
// aliases of a value that holds them.
func (m *measurer) measure(n *yaml.Node) extent {
	if n.Kind == yaml.AliasNode {
		if m.open[n.Alias] {
			m.refuse(n, "an alias of a value that it is in", "a value that ends")
			return extent{maxValues + 1, 1}
		}
		n = n.Alias
	}
	if e, ok := m.known[n]; ok {
		return e
	}
	if n.Kind == yaml.ScalarNode {
		m.scalar(n)
	}
	e := extent{values: 1}
	m.open[n] = true
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && len(c.Value) > maxKey {
			m.refuse(c, fmt.Sprintf("a key of %d bytes", len(c.Value)), fmt.Sprintf("at most %d", maxKey))
		}
		in := m.measure(c)
		e.values = min(e.values+in.values, maxValues+1) // a sum without a bound could overflow
		e.depth = max(e.depth, in.depth)
	}
	delete(m.open, n)
	e.depth++
	m.known[n] = e
	return e
}

// scalar refuses a text that no reader accepts.
func (m *measurer) scalar(n *yaml.Node) {
	if len(n.Value) > maxScalar {
		m.refuse(n, fmt.Sprintf("a text of %d bytes", len(n.Value)), fmt.Sprintf("at most %d", maxScalar))
	} else if i := strings.IndexFunc(n.Value, unprintable); i >= 0 {
		m.refuse(n, "a text with the character "+character(n.Value[i:]), "characters that print; line breaks in prose alone")
	}
}

// unprintable tells whether a character may change how a terminal or a page shows the text around it: control
// characters, and format characters such as those that turn the direction of writing. Line breaks and tabs occur in
// prose, which [Value.Prose] reads; [Value.Text] refuses them.
func unprintable(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsGraphic(c) }

// character prints the first character of a text as its code point.
func character(text string) string {
	for _, c := range text {
		return fmt.Sprintf("%U", c)
	}
	return ""
}
