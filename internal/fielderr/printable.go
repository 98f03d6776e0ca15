package fielderr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what a complaint repeats of an input.
const (
	mostQuoted = 60   // characters of a value: enough to recognise it, and too few to read another file by it
	mostText   = 4096 // bytes of a path, or of a text about a value
)

// Quote returns a value in quotes: characters that do not print are escaped, and a long value is cut and its length
// added.
func Quote(value string) string {
	if short := shorten(value); len(short) < len(value) {
		return fmt.Sprintf("%q... (%d bytes)", short, len(value))
	}
	return strconv.Quote(value)
}

// Requote replaces a value that an error quotes whole by its [Quote]. Functions that parse a text quote it, whatever
// its length.
func Requote(err error, value string) string {
	text := err.Error()
	if shorten(value) != value {
		text = strings.ReplaceAll(text, strconv.Quote(value), Quote(value))
		text = cut(text, 8*mostQuoted) // parts of the value may be quoted as well
	}
	return text
}

// Quotes tells whether an error quotes a value, so that a caller need not name the value again.
func Quotes(err error, value string) bool { return strings.Contains(err.Error(), strconv.Quote(value)) }

// Printable returns a text whose author is the input's: characters that do not print, which could change how a terminal
// shows the text, are escaped. A long text is cut. Line breaks stay.
func Printable(text string) string { return Escape(cut(text, mostText), true) }

// Line is Printable for a text that must stay in its line: line breaks are escaped too.
func Line(text string) string { return Escape(cut(text, mostText), false) }

// Escape returns the whole text with escapes in place of characters that do not print. Line breaks stay if lines is
// true. Every output of the command passes through it.
func Escape(text string, lines bool) string {
	odd := func(r rune) bool {
		return !unicode.IsGraphic(r) && (r != '\n' || !lines) || r == utf8.RuneError
	}
	at := strings.IndexFunc(text, odd)
	if at < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for _, r := range text[at:] {
		if odd(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToGraphic(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shorten returns the first characters of a value.
func shorten(value string) string {
	n := 0
	for i := range value {
		if n == mostQuoted {
			return value[:i]
		}
		n++
	}
	return value
}

// cut returns a text of at most this number of bytes, or its beginning in whole characters and three dots.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}
