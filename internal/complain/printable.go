package complain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what a complaint repeats of an input. They are longer than anything that a person writes by hand.
const (
	mostQuoted = 200  // bytes of a value
	mostText   = 4096 // bytes of a path, or of a text about a value
)

// Quote returns a value in quotes: characters that do not print are escaped, and a long value is cut and its length
// added.
func Quote(value string) string {
	if len(value) <= mostQuoted {
		return strconv.Quote(value)
	}
	return fmt.Sprintf("%q... (%d bytes)", cut(value, mostQuoted), len(value))
}

// Printable returns a text whose author is the input's: characters that do not print, which could change how a terminal
// shows the text, are escaped. A long text is cut. Line breaks stay.
func Printable(text string) string {
	shown := text
	if len(text) > mostText {
		shown = cut(text, mostText) + "..."
	}
	plain := func(r rune) bool { return r == '\n' || unicode.IsPrint(r) && r != utf8.RuneError }
	if strings.IndexFunc(shown, func(r rune) bool { return !plain(r) }) < 0 {
		return shown
	}
	var b strings.Builder
	for _, r := range shown {
		if plain(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// cut returns at most so many bytes of a text, in whole characters.
func cut(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
