// Package fold breaks lines and texts of table cells at their words, so that they fit the width of a screen. A width
// is a number of columns, in which a letter of East Asia takes two.
package fold

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Line folds a line at its words. What follows is indented as its text is: below the text of a named line, behind
// the hyphen of an item. A word that is longer than a line stays whole. An indentation of more than half the width
// would leave too little for the text, and becomes 2.
func Line(line string, width int) []string {
	if width <= 0 || text.StringWidth(line) <= width {
		return []string{line}
	}
	indent := hanging(line)
	if indent > width/2 {
		indent = 2
	}
	head := line[:min(indent, len(line))]
	return Words(line[len(head):], head, strings.Repeat(" ", indent), width)
}

// Words puts words into lines of a width. The first line begins with head, all others with rest. head is counted as
// part of the first line and may be wider than rest. Blanks at the end of a line are cut.
func Words(line, head, rest string, width int) (out []string) {
	now, empty := head, true
	// Several blanks in a row are empty words, and so stay as they are within a line.
	for word := range strings.SplitSeq(line, " ") {
		more := word
		if !empty {
			more = now + " " + word
		} else {
			more = now + word
		}
		// The first word of a line stays in it even if it is too long: a line of its own would not make it shorter.
		if !empty && text.StringWidth(more) > width {
			out, more = append(out, strings.TrimRight(now, " ")), rest+word
		}
		now, empty = more, false
	}
	return append(out, strings.TrimRight(now, " "))
}

// hanging is how far the text of a line is indented: behind "- ", or behind the name of a line, which blanks set apart.
// 2 is for lines that have neither: a reader sees that the line goes on.
func hanging(line string) int {
	blanks := len(line) - len(strings.TrimLeft(line, " "))
	rest := line[blanks:]
	if strings.HasPrefix(rest, "- ") {
		return blanks + 2
	}
	// Only the name of a line has more than one blank behind it, but for one that fills its column.
	name := max(strings.IndexByte(rest, ' '), 0)
	after := rest[name:]
	apart := len(after) - len(strings.TrimLeft(after, " "))
	switch {
	case name > 0 && (apart > 1 || blanks == 0 && name+apart == nameWidth):
		return blanks + name + apart
	case blanks > 0:
		return blanks
	}
	return 2
}

// nameWidth is the width of the names of lines, with the blank behind them: "headroom  method table".
const nameWidth = 10

// Text folds a text to a width at its words. A word that is longer is cut behind a comma, a slash or a hyphen, or
// where the line ends.
func Text(line string, width int) (out []string) {
	for _, l := range Words(line, "", "", width) {
		for text.StringWidth(l) > width {
			at := cut(l, width)
			// The rest may be too long for a line again.
			out, l = append(out, l[:at]), l[at:]
		}
		out = append(out, l)
	}
	return out
}

// cut finds where to cut a word that is longer than a width. It returns at least one byte's place, so that Text always
// gets on, also with a width of 0.
func cut(word string, width int) int {
	end := len(word)
	for i := range word {
		if text.StringWidth(word[:i]) > width {
			break
		}
		end = i
	}
	if at := strings.LastIndexAny(word[:end], ",/-;"); at > 0 {
		return at + 1
	}
	return max(end, 1)
}

// LongestWord is the width of the longest word of a text. A column of a table is not made narrower than that.
func LongestWord(line string) (n int) {
	for word := range strings.FieldsSeq(line) {
		n = max(n, text.StringWidth(word))
	}
	return n
}
