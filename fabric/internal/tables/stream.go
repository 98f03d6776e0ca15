package tables

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Bounds of a dump: a key of JSON, one value, and the levels of one.
const (
	maxKey   = 4096
	maxValue = 1 << 20
	maxDepth = 16
)

// stream reads a JSON text member by member, so that a dump of any length needs the memory of one route.
type stream struct {
	*bufio.Reader
	file string
	line int
	buf  []byte
}

// fail names the line of what is wrong.
func (s *stream) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", s.file, s.line, fmt.Sprintf(format, args...))
}

// next returns the next byte that is no blank, and does not take it; 0: there is none.
func (s *stream) next() (byte, error) {
	for {
		c, err := s.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, fmt.Errorf("%s: %w", s.file, err)
		case c == '\n':
			s.line++
		case c == ' ' || c == '\t' || c == '\r':
		default:
			return c, s.UnreadByte()
		}
	}
}

// take takes a byte that must come next.
func (s *stream) take(want byte) error {
	c, err := s.next()
	if err == nil && c != want {
		err = s.fail("%s (want %q)", shown(c), want)
	}
	if err == nil {
		_, err = s.Discard(1)
	}
	return err
}

// shown names a byte for a message.
func shown(c byte) string {
	if c == 0 {
		return "the file ends here"
	}
	return fielderr.Quote(string(rune(c)))
}

// list calls each for every item between two brackets, up to and with the second.
func (s *stream) list(first, last byte, each func() error) error {
	if err := s.take(first); err != nil {
		return err
	}
	c, err := s.next()
	if err == nil && c == last {
		return s.take(last)
	}
	for err == nil {
		if err = each(); err != nil {
			break
		}
		if c, err = s.next(); err != nil || c == last {
			break
		}
		err = s.take(',')
	}
	if err != nil {
		return err
	}
	return s.take(last)
}

// members calls each with the key of every member of an object, and its line. It has to read the value.
func (s *stream) members(each func(key string) error) error {
	return s.list('{', '}', func() error {
		raw, err := s.value(maxKey)
		if err != nil {
			return err
		}
		var key string
		if raw[0] != '"' || json.Unmarshal(raw, &key) != nil {
			return s.fail("%s (want a key of JSON)", fielderr.Quote(string(raw)))
		}
		if err := s.take(':'); err != nil {
			return err
		}
		return each(key)
	})
}

// value returns the text of the next value, of at most as many bytes. It holds until the next call.
func (s *stream) value(most int) ([]byte, error) {
	c, err := s.next()
	if err != nil {
		return nil, err
	}
	s.buf = s.buf[:0]
	// The line of the beginning: an end within the value is told where the value began.
	depth, quoted, line := 0, false, s.line
	for c != 0 {
		c, err = s.ReadByte()
		if err != nil {
			break
		}
		if !quoted && depth == 0 && len(s.buf) > 0 && (c == ',' || c == ':' || c == '}' || c == ']' || c <= ' ') {
			err = s.UnreadByte()
			return s.buf, err
		}
		if s.buf = append(s.buf, c); len(s.buf) > most {
			return nil, s.fail("a value of more than %d bytes (want fewer)", most)
		}
		switch {
		// A quote behind a backslash does not end the text.
		case quoted && c == '\\':
			if c, err = s.ReadByte(); err == nil {
				s.buf = append(s.buf, c)
			}
		case c == '"':
			if quoted = !quoted; !quoted && depth == 0 {
				return s.buf, nil
			}
		case quoted:
		case c == '\n':
			s.line++
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return nil, s.fail("more than %d levels (want fewer)", maxDepth)
			}
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return s.buf, nil
			}
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	s.line = line
	return nil, s.fail("the file ends within this value")
}
