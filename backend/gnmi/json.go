package gnmi

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// cursor walks over JSON that was found valid before, so that it need not ask
// at every byte whether there is a next one. What nobody wants is skipped
// without being made anything of: that is what it is here for.
type cursor struct {
	data []byte
	at   int
}

// newCursor returns a cursor at the value in data. It refuses what is not JSON.
func newCursor(data []byte) (*cursor, error) {
	if !json.Valid(data) {
		return nil, json.Unmarshal(data, new(any)) // which says why
	}
	return &cursor{data: data}, nil
}

// next is the first byte of what comes, which tells its kind.
func (c *cursor) next() byte {
	for {
		switch b := c.data[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
}

// members calls each with the name of every member of an object. each has to
// pass over the value.
func (c *cursor) members(each func(name []byte) error) error {
	c.at++ // the brace
	for c.next() != '}' {
		name := c.text()
		c.next()
		c.at++ // the colon
		if err := each(name); err != nil {
			return err
		}
		if c.next() == ',' {
			c.at++
		}
	}
	c.at++
	return nil
}

// elements calls each before every element of an array. each has to pass over
// the element.
func (c *cursor) elements(each func() error) error {
	c.at++ // the bracket
	for c.next() != ']' {
		if err := each(); err != nil {
			return err
		}
		if c.next() == ',' {
			c.at++
		}
	}
	c.at++
	return nil
}

// skip passes over a value and returns it as it stands.
func (c *cursor) skip() []byte {
	first := c.next()
	start := c.at
	switch first {
	case '"':
		c.quoted()
	case '{', '[':
		c.nested()
	default: // a number, true, false or null
		for c.at < len(c.data) && !ends(c.data[c.at]) {
			c.at++
		}
	}
	return c.data[start:c.at]
}

// ends tells whether a number or a word is over.
func ends(b byte) bool {
	switch b {
	case ' ', '\t', '\n', '\r', ',', ']', '}':
		return true
	}
	return false
}

// nested passes over an object or an array, however deep.
func (c *cursor) nested() {
	for depth := 0; ; {
		switch c.data[c.at] {
		case '"':
			c.quoted()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if c.at++; depth == 0 {
			return
		}
	}
}

// quoted passes over a string.
func (c *cursor) quoted() {
	for c.at++; c.data[c.at] != '"'; c.at++ {
		if c.data[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// text passes over a string and returns what it says.
func (c *cursor) text() []byte {
	raw := c.skip()
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	var s string
	_ = json.Unmarshal(raw, &s) // valid
	return []byte(s)
}

// local is a name without its module: openconfig-qos:qos is qos.
func local(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }
