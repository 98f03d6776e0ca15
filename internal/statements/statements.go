// Package statements reads the texts in which switches print their configuration, as trees of statements with their
// lines. Three grammars are common: blocks by indentation (NX-OS, EOS), braces with semicolons or the same as "set"
// commands (Junos), and JSON (FBOSS, and what a NETCONF or gNMI client has stored). What a statement means is not known
// here:
//
//	tree, err := statements.Indented("leaf1.cfg", data)
//	if err != nil {
//		return err // not within the bounds, or not text
//	}
//	for _, s := range tree.Root.Under {
//		fmt.Println(s.Line, s.Words)
//	}
//
// A reader marks each statement that it understands. [Tree.Count] then says how many were read, how many belong to the
// reader's subject and were not understood, and how many are about something else. So no statement is lost without a
// word.
//
// Every reader is bounded in bytes, statements and depth. The packages beside this one, one for each system, know what
// the statements mean.
package statements

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Bounds of a configuration. The largest that was found in public, of a modular switch, has 60,000 lines and 2 MB.
const (
	maxBytes      = 16 << 20
	maxStatements = 1 << 18
	maxDepth      = 40
	maxWords      = 4096     // of one statement
	maxWord       = 64 << 10 // bytes of one word
	maxKey        = 1 << 10  // bytes of a key of JSON: readers name objects by keys, once for each statement under them
	maxRemarks    = 64       // remarks that are kept
)

// Statement is a statement, with those under it.
type Statement struct {
	Words []string // of JSON: the key, and the value of a text, a number or a truth value
	Line  int      // from 1
	Under []*Statement
	// Inactive says that the switch ignores the statement, as Junos does what is marked with "inactive:".
	Inactive bool
	read     bool
	made     bool       // not of the text: a copy, or what copies stand under
	origin   *Statement // that it is a copy of; nil: none
}

// Word returns a word by its index; "": there are fewer.
func (s *Statement) Word(i int) string {
	if s == nil || i < 0 || i >= len(s.Words) {
		return ""
	}
	return s.Words[i]
}

// Begins tells whether the statement begins with these words.
func (s *Statement) Begins(words ...string) bool {
	return s != nil && len(s.Words) >= len(words) && slices.Equal(s.Words[:len(words)], words)
}

// Text returns the words with a blank between each two.
func (s *Statement) Text() string { return strings.Join(s.Words, " ") }

// Read marks the statement as understood, and returns it.
func (s *Statement) Read() *Statement {
	for u := s; u != nil; u = u.origin {
		u.read = true
	}
	return s
}

// ReadAll marks the statement and all under it: they are known, and say nothing that is asked for.
func (s *Statement) ReadAll() {
	if s == nil {
		return
	}
	s.Read()
	for _, u := range s.Under {
		u.ReadAll()
	}
}

// Find returns the statement under this one that begins with a word, or nil, and marks it as understood.
// Of several the last counts, as on a switch and in most readers of JSON.
func (s *Statement) Find(word string) *Statement {
	if s == nil {
		return nil
	}
	for i := len(s.Under) - 1; i >= 0; i-- {
		if u := s.Under[i]; u.Word(0) == word && !u.Inactive {
			return u.Read()
		}
	}
	return nil
}

// Active lists the statements under this one that the switch does not ignore, without marking them; none under nil.
func (s *Statement) Active() (out []*Statement) {
	if s == nil {
		return nil
	}
	for _, u := range s.Under {
		if !u.Inactive {
			out = append(out, u)
		}
	}
	return out
}

// Member follows words from statement to statement, each to the first that begins with it, without marking them; nil:
// one of them is not there.
func (s *Statement) Member(words ...string) *Statement {
	for _, w := range words {
		if s == nil {
			return nil
		}
		i := slices.IndexFunc(s.Under, func(u *Statement) bool { return u.Word(0) == w && !u.Inactive })
		if i < 0 {
			return nil
		}
		s = s.Under[i]
	}
	return s
}

// Path follows words from statement to statement; nil: one of them is not there.
func (s *Statement) Path(words ...string) *Statement {
	for _, w := range words {
		s = s.Find(w)
	}
	return s
}

// Text is a text and the line that it begins on.
type Text struct {
	Line int // from 1
	Text string
}

// Tree is a configuration.
type Tree struct {
	File    string
	Root    *Statement // without words
	Remarks []Text     // the first comments, without their marks
	// Twice lists keys of JSON that are given twice in one object. The last one counts.
	Twice []*Statement
	build *hierarchy // of a configuration of Junos
	steps int        // that writing out groups has taken
}

// Counts says how many statements of a configuration were understood.
type Counts struct {
	Read    int    // understood
	Subject int    // of those that were understood, how many belong to the subject of the reader
	Unread  []Text // not understood, each with the statements that it stands under
	More    int    // not understood, beyond maxUnread
	Other   int    // about something else
}

// maxUnread is the largest number of statements that are listed as not understood. The others are counted.
const maxUnread = 100

// Count counts the statements without any under them, and those that were not marked. About tells whether a statement
// belongs to the subject of the reader, by the statements above it and itself.
func (t *Tree) Count(about func(path []*Statement) bool) Counts {
	var c Counts
	var path []*Statement
	var walk func(s *Statement)
	walk = func(s *Statement) {
		path = append(path, s)
		defer func() { path = path[:len(path)-1] }()
		switch {
		case s.made: // its origin is counted
		case s.Inactive:
			c.Read += leaves(s)
		case len(s.Under) > 0 && (s.read || !about(path) || len(s.Words) == 0 || known(s)):
			for _, u := range s.Under {
				walk(u)
			}
		case s.read:
			if c.Read++; about(path) {
				c.Subject++
			}
		case !about(path):
			c.Other += leaves(s)
		case len(c.Unread) < maxUnread:
			c.Unread = append(c.Unread, Text{s.Line, pathText(append(path, chain(s)...))})
		default:
			c.More++
		}
	}
	for _, s := range t.Root.Under {
		walk(s)
	}
	return c
}

// known tells whether anything under a statement was marked: then the statement was looked into.
func known(s *Statement) bool {
	return slices.ContainsFunc(s.Under, func(u *Statement) bool { return u.read || known(u) })
}

// chain lists what is under a statement as long as it is one statement: the further words of a command of Junos.
func chain(s *Statement) []*Statement {
	var out []*Statement
	for len(s.Under) == 1 && len(out) < maxDepth {
		s = s.Under[0]
		out = append(out, s)
	}
	return out
}

// leaves counts the statements without any under them.
func leaves(s *Statement) int {
	if len(s.Under) == 0 {
		return 1
	}
	n := 0
	for _, u := range s.Under {
		n += leaves(u)
	}
	return n
}

// mostText is the largest number of bytes of a statement that is quoted.
const mostText = 160

// pathText prints a statement with those above it.
func pathText(path []*Statement) string {
	parts := make([]string, 0, len(path))
	for _, s := range path {
		if text := s.Text(); text != "" {
			parts = append(parts, text)
		}
	}
	text := fielderr.Line(strings.Join(parts, " ")) // a text in quotes can have line breaks
	if len(text) <= mostText {
		return text
	}
	cut := mostText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// builder makes a tree, counts what a reader makes of it, and refuses what is beyond the bounds. A reader stops once it
// has refused.
type builder struct {
	tree       *Tree
	statements int
	err        error // the first
}

// newBuilder returns the builder of a text. It refuses one that is too long, or no text.
func newBuilder(file string, data []byte) builder {
	b := builder{tree: &Tree{File: file, Root: &Statement{}}}
	switch {
	case len(data) > maxBytes:
		b.refuse(0, "%d bytes: want at most %d", len(data), maxBytes)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		b.refuse(0, "not text: want a configuration in UTF-8")
	}
	return b
}

// done returns the tree, or why there is none.
func (b *builder) done() (*Tree, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.tree, nil
}

// refuse keeps an error with the file and the line, if it is the first.
func (b *builder) refuse(line int, format string, args ...any) {
	if b.err == nil {
		b.err = &fielderr.Located{File: b.tree.File, Line: line, Err: fmt.Errorf(format, args...)}
	}
}

// add puts a statement under another one, unless it is refused, and returns it.
func (b *builder) add(parent *Statement, line int, words []string) *Statement {
	if b.statements++; b.statements > maxStatements {
		b.refuse(line, "more than %[1]d statements: want at most %[1]d", maxStatements)
	}
	if len(words) > maxWords {
		b.refuse(line, "a statement of %d words: want at most %d", len(words), maxWords)
	}
	for _, w := range words {
		if len(w) > maxWord {
			b.refuse(line, "a word of %d bytes: want at most %d", len(w), maxWord)
		}
	}
	s := &Statement{Words: words, Line: line}
	if b.err == nil {
		parent.Under = append(parent.Under, s)
	}
	return s
}
