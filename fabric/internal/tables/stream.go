package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Bounds of a dump: a value of which something is read, in bytes, and the levels of one of which nothing is.
const (
	maxValue = 1 << 20
	maxDepth = 16
)

// stream reads a JSON text value by value, so that a dump of any length needs the memory of one route.
type stream struct {
	*json.Decoder
	from  io.Reader
	file  string
	line  int     // of the last token
	read  int64   // bytes that the decoder has got
	feeds []int64 // the places of the line feeds among them that are behind the last token
}

// Read gives the decoder its text. Within a value it goes no further than one may be long.
func (s *stream) Read(p []byte) (int, error) {
	if s.read-s.InputOffset() > maxValue {
		return 0, fmt.Errorf("a value of more than %d bytes (want fewer)", maxValue)
	}
	n, err := s.from.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			s.feeds = append(s.feeds, s.read+int64(i))
		}
	}
	s.read += int64(n)
	return n, err
}

// fail names the line of what is wrong.
func (s *stream) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.file, s.line, fmt.Errorf(format, args...))
}

// told places what a decoder says.
func (s *stream) told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s.fail("the file ends within this value (want the whole dump)")
	}
	return s.fail("%w (want a dump in JSON)", err)
}

// token reads the next token: a bracket, a key, or a value without parts.
func (s *stream) token() (json.Token, error) {
	t, err := s.Token()
	for ; len(s.feeds) > 0 && s.feeds[0] < s.InputOffset(); s.feeds = s.feeds[1:] {
		s.line++
	}
	return t, s.told(err)
}

// members calls each with every key of an object whose first token was read. It has to read the value.
func (s *stream) members(first json.Token, each func(key string) error) (err error) {
	if first != json.Delim('{') {
		return s.fail("%s (want an object of JSON)", fielderr.Quote(fmt.Sprint(first)))
	}
	for err == nil && s.More() {
		var key json.Token
		if key, err = s.token(); err == nil {
			err = each(key.(string)) // the decoder takes no other key
		}
	}
	if err == nil {
		_, err = s.token()
	}
	return err
}

// skip reads the rest of a value whose first token was read. It may have any length.
func (s *stream) skip(t json.Token) (err error) {
	for depth := 0; err == nil; t, err = s.token() {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxDepth {
			return s.fail("more than %d levels (want fewer)", maxDepth)
		}
	}
	return err
}
