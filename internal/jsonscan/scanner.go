// Package jsonscan reads the tokens of a JSON text with their lines: what a reader of JSON needs that names the line of
// what is wrong. Package encoding/json says whether a text is JSON; this package assumes that it is.
//
// Its users are the readers of CONFIG_DB (configdb), statements and documents. Each has its own bounds of depth,
// lengths and counts, which it checks token by token: a [Scanner] has none, because it keeps nothing.
package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Token is a token of JSON.
type Token struct {
	Kind byte   // one of { } [ ] for a bracket, " for a text, 0 for a number, t for a truth value, n for null
	Text string // of a text without quotes and escapes; a number, a truth value or null as it is written
}

// Scanner reads the tokens of a text that encoding/json has found valid, or finds valid as [Flat]; it panics on
// another. The decoder of tokens of encoding/json takes twenty times as long, and the templates of all SONiC switches
// give 300 MB.
type Scanner struct {
	text string
	pos  int // of the next byte, in bytes
	line int // of this byte, from 1
}

// New returns the scanner of a valid text.
func New(text string) Scanner { return Scanner{text: text, line: 1} }

// Line returns the line on which the last token ends, from 1; after More, that on which the token after it begins.
func (s *Scanner) Line() int { return s.line }

// between has a bit for each character that stands between tokens. Commas and colons say nothing that the order of the
// tokens does not.
const between uint64 = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n' | 1<<',' | 1<<':'

// blank goes to the next token.
func (s *Scanner) blank() {
	for ; s.pos < len(s.text); s.pos++ {
		c := s.text[s.pos]
		if between>>c&1 == 0 { // a character above 63 has no bit
			return
		}
		if c == '\n' {
			s.line++
		}
	}
}

// More tells whether the object or the list has another value.
func (s *Scanner) More() bool {
	s.blank()
	return s.pos < len(s.text) && s.text[s.pos] != '}' && s.text[s.pos] != ']'
}

// Next returns the next token. There must be one.
func (s *Scanner) Next() Token {
	s.blank()
	switch c := s.text[s.pos]; c {
	case '{', '}', '[', ']':
		s.pos++
		return Token{Kind: c}
	case '"':
		return Token{'"', s.quoted()}
	default:
		from := s.pos
		for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,:]}", s.text[s.pos]) < 0 {
			s.pos++
		}
		switch word := s.text[from:s.pos]; c {
		case 't', 'f':
			return Token{'t', word}
		case 'n':
			return Token{'n', word}
		default:
			return Token{'0', word}
		}
	}
}

// quoted reads a text. Without escapes it is a part of the whole, and costs no memory.
func (s *Scanner) quoted() string {
	from, plain := s.pos, true
	for s.pos++; s.text[s.pos] != '"'; s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.pos++
			plain = false
		case c < ' ' || c >= utf8.RuneSelf:
			plain = false
		}
	}
	s.pos++
	raw := s.text[from:s.pos]
	if plain {
		return raw[1 : len(raw)-1]
	}
	n := strings.Count(raw, "\n")
	s.line += n
	if strings.IndexByte(raw, '\\') < 0 && utf8.ValidString(raw) {
		return raw[1 : len(raw)-1]
	}
	if n > 0 {
		raw = string(Flat([]byte(raw)))
	}
	var text string
	_ = json.Unmarshal([]byte(raw), &text) // it is valid
	return text
}

// Flat returns a copy of a text in which line feeds, carriage returns and tabulators inside texts of JSON are blanks.
// JSON does not allow them there; the readers of some programs do, such as folly's, which FBOSS' agent uses.
func Flat(data []byte) []byte {
	out := bytes.Clone(data)
	inside := false
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			inside = !inside
		case !inside:
		case c == '\\':
			i++
		case c == '\n', c == '\r', c == '\t':
			out[i] = ' '
		}
	}
	return out
}

// UTF16 returns an error that says so if a text is in UTF-16, as editors and shells of Windows write it; nil: it is
// not.
func UTF16(data []byte) error {
	order := ""
	switch {
	case len(data) < 2:
	case data[0] == 0xff && data[1] == 0xfe, data[0] == '{' && data[1] == 0:
		order = "little endian"
	case data[0] == 0xfe && data[1] == 0xff, data[0] == 0 && data[1] == '{':
		order = "big endian"
	}
	if order == "" {
		return nil
	}
	return fmt.Errorf("a text in UTF-16, %s: want UTF-8 (iconv -f UTF-16 -t UTF-8)", order)
}

// Check returns where a text stops being JSON, and why; nil if it is JSON. The line is from 1, and 0 for an empty text.
// The error ends with what is accepted.
func Check(data []byte, accepted string) (line int, err error) {
	if json.Valid(data) { // Unmarshal would keep a copy
		return 0, nil
	}
	if err := UTF16(data); err != nil {
		return 1, err
	}
	err = json.Unmarshal(data, new(json.RawMessage))
	var syntax *json.SyntaxError
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return 0, fmt.Errorf("empty: %s", accepted)
	case !errors.As(err, &syntax):
		return 0, fmt.Errorf("no JSON: %s", accepted)
	case int(syntax.Offset) >= len(trimmed) && strings.Contains(syntax.Error(), "unexpected end"):
		return 1 + bytes.Count(trimmed, []byte{'\n'}), fmt.Errorf("the document ends before its last bracket: %s", accepted)
	}
	at := min(int(syntax.Offset), len(data))
	return 1 + bytes.Count(data[:at], []byte{'\n'}), fmt.Errorf("no JSON: %s: %s", fielderr.Printable(syntax.Error()),
		accepted)
}
