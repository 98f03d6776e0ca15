package statements

import "slices"

// A statement about the subject of a reader has three ends. It is meant: all of its words were read. It is not
// understood: a word is left, or was not expected, and it becomes a note with its line. Or it is wrong: it was read,
// and what it says is a finding. A Cursor keeps the first two apart.

// Cursor reads the words of a statement in their order.
type Cursor struct {
	statement *Statement
	at        int
}

// After returns a cursor behind the first n words.
func (s *Statement) After(n int) *Cursor { return &Cursor{s, n} }

// Next returns the next word and goes on; "": no word is left.
func (c *Cursor) Next() string {
	c.at++
	return c.statement.Word(c.at - 1)
}

// Peek returns the next word, and stays.
func (c *Cursor) Peek() string { return c.statement.Word(c.at) }

// Take goes on behind these words if they are the next ones, and tells whether they were.
func (c *Cursor) Take(words ...string) bool {
	for i, w := range words {
		if c.statement.Word(c.at+i) != w {
			return false
		}
	}
	c.at += len(words)
	return true
}

// Any goes on behind the next word if it is one of these, and returns it; "": it is none of them.
func (c *Cursor) Any(words ...string) string {
	if w := c.Peek(); w != "" && slices.Contains(words, w) {
		return c.Next()
	}
	return ""
}

// Left tells whether words are left.
func (c *Cursor) Left() bool { return c.at < len(c.statement.Words) }

// Rest returns the words that are left, and goes behind them.
func (c *Cursor) Rest() []string {
	rest := c.statement.Words[min(c.at, len(c.statement.Words)):]
	c.at = len(c.statement.Words)
	return rest
}

// End marks the statement as understood if no word is left and none was missing, and tells whether it is.
func (c *Cursor) End() bool {
	if c.at == len(c.statement.Words) {
		c.statement.Read()
		return true
	}
	return false
}
