package configdb

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// token is a token of JSON.
type token struct {
	kind byte   // one of { } [ ] for a bracket, " for a text, 0 for a number, t for a truth value, n for null
	text string // of a text, a number or a truth value
}

// scanner reads the tokens of a text that encoding/json has found valid. Its own decoder of tokens takes twenty times
// as long, and the templates of all switches give 300 MB.
type scanner struct {
	text string
	pos  int
	line int // of the last token
}

// blank goes to the next token. Commas and colons say nothing that the order of the tokens does not.
func (s *scanner) blank() {
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\n':
			s.line++
		case ' ', '\t', '\r', ',', ':':
		default:
			return
		}
	}
}

// more tells whether the object or the list has another value.
func (s *scanner) more() bool {
	s.blank()
	return s.pos < len(s.text) && s.text[s.pos] != '}' && s.text[s.pos] != ']'
}

// next returns the next token.
func (s *scanner) next() token {
	s.blank()
	switch c := s.text[s.pos]; c {
	case '{', '}', '[', ']':
		s.pos++
		return token{kind: c}
	case '"':
		return token{'"', s.quoted()}
	default:
		from := s.pos
		for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,:]}", s.text[s.pos]) < 0 {
			s.pos++
		}
		word := s.text[from:s.pos]
		switch c {
		case 't', 'f':
			return token{'t', word}
		case 'n':
			return token{kind: 'n'}
		}
		return token{'0', word}
	}
}

// quoted reads a text.
func (s *scanner) quoted() string {
	from := s.pos
	for s.pos++; s.text[s.pos] != '"'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
	raw := s.text[from:s.pos]
	if strings.IndexByte(raw, '\\') < 0 && utf8.ValidString(raw) {
		return raw[1 : len(raw)-1]
	}
	var text string
	_ = json.Unmarshal([]byte(raw), &text) // it is valid
	return text
}
