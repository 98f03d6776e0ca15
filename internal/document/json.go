package document

import (
	"slices"
	"strings"
)

// fromJSON reads a document that is plain JSON: it makes the nodes that the YAML parser would make, in a hundredth of
// the time. Programs write topologies as JSON, a hundred thousand at a time.
//
// It returns nil for everything that it does not read exactly as YAML does, that is no JSON, or that is not within the
// bounds of a document; Parse then reads the text as YAML, and complains.
func fromJSON(data []byte) *node {
	if !plainJSON(data) {
		return nil
	}
	j := jsonReader{text: string(data), line: 1, open: make([]node, 0, 32)}
	if j.blank(); j.next() != '{' {
		return nil
	}
	root, ok := j.value(1)
	if j.blank(); !ok || j.pos < len(j.text) {
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
	text   string
	pos    int   // of the next byte, in bytes
	line   int32 // of this byte, from 1
	values int
	free   []node // of the present block
	open   []node // of the collections that are not complete, the outermost first
}

// next returns the next byte, or 0 at the end. A plain text has no 0.
func (j *jsonReader) next() byte {
	if j.pos < len(j.text) {
		return j.text[j.pos]
	}
	return 0
}

// blank goes to the next byte that is no blank.
func (j *jsonReader) blank() {
	for ; j.pos < len(j.text); j.pos++ {
		switch j.text[j.pos] {
		case '\n':
			j.line++
		case ' ':
		default:
			return
		}
	}
}

// value reads the next value; false if it is no JSON, or beyond the bounds.
func (j *jsonReader) value(depth int) (node, bool) {
	if j.values++; depth > maxDepth || j.values > maxValues {
		return node{}, false
	}
	switch j.next() {
	case '{':
		return j.collection(mapping, '}', depth)
	case '[':
		return j.collection(list, ']', depth)
	case '"':
		return j.quoted()
	case 't':
		return j.word("true", boolTag)
	case 'f':
		return j.word("false", boolTag)
	case 'n':
		return j.word("null", nullTag)
	default:
		return j.number()
	}
}

// quoted reads a text.
func (j *jsonReader) quoted() (node, bool) {
	rest := j.text[j.pos+1:]
	end := strings.IndexByte(rest, '"')
	if end < 0 || end > maxScalar || strings.IndexByte(rest[:end], '\n') >= 0 {
		return node{}, false
	}
	j.pos += end + 2
	return node{line: j.line, value: rest[:end]}, true
}

// word reads a word that is all of the value: what follows it is no value, and the collection refuses it.
func (j *jsonReader) word(word string, of tag) (node, bool) {
	if !strings.HasPrefix(j.text[j.pos:], word) {
		return node{}, false
	}
	j.pos += len(word)
	return node{tag: of, line: j.line, value: word}, true
}

// digits goes over digits and returns how many there are.
func (j *jsonReader) digits() int {
	from := j.pos
	for c := j.next(); c >= '0' && c <= '9'; c = j.next() {
		j.pos++
	}
	return j.pos - from
}

// number reads a number as RFC 8259 has it. YAML takes an integer of more than 64 bits for another number.
func (j *jsonReader) number() (node, bool) {
	from, n := j.pos, node{tag: intTag, line: j.line}
	if j.next() == '-' {
		j.pos++
	}
	zero := j.next() == '0'
	if whole := j.digits(); whole == 0 || zero && whole > 1 {
		return n, false
	}
	if j.next() == '.' {
		n.tag = otherTag
		if j.pos++; j.digits() == 0 {
			return n, false
		}
	}
	if c := j.next(); c == 'e' || c == 'E' {
		n.tag = otherTag
		j.pos++
		if c := j.next(); c == '+' || c == '-' {
			j.pos++
		}
		if j.digits() == 0 {
			return n, false
		}
	}
	n.value = j.text[from:j.pos]
	return n, len(n.value) <= maxScalar && (n.tag != intTag || len(n.value) <= 18)
}

// collection reads the items of a list, or the keys and values of a mapping. They wait in open until it is complete,
// because how many it has is not known before.
func (j *jsonReader) collection(of kind, end byte, depth int) (node, bool) {
	n, first := node{kind: of, line: j.line}, len(j.open)
	j.pos++
	j.blank()
	for more := j.next() != end; more; {
		if of == mapping && !j.key() {
			return n, false
		}
		child, ok := j.value(depth + 1)
		if !ok {
			return n, false
		}
		j.open = append(j.open, child)
		j.blank()
		if more = j.next() == ','; more {
			j.pos++
			j.blank()
		}
	}
	if j.next() != end {
		return n, false
	}
	j.pos++
	n.items = j.keep(j.open[first:])
	j.open = j.open[:first]
	return n, true
}

// key reads a key and its colon.
func (j *jsonReader) key() bool {
	if j.values++; j.next() != '"' || j.values > maxValues {
		return false
	}
	key, ok := j.quoted()
	if !ok || len(key.value) > maxKey {
		return false
	}
	j.open = append(j.open, key)
	if j.blank(); j.next() != ':' {
		return false
	}
	j.pos++
	j.blank()
	return true
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
		j.free = make([]node, max(n, min(mostBlock, len(j.open)+(len(j.text)-j.pos)/bytesOfNode)))
	}
	out := j.free[:n:n]
	j.free = j.free[n:]
	copy(out, nodes)
	return out
}
