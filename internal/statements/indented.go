package statements

import (
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
)

// Indented reads a configuration whose blocks are made by indentation, as NX-OS and EOS print it. A statement stands
// under the nearest statement above it with fewer blanks before it. Lines that begin with ! are remarks. The text of a
// banner is no statement.
func Indented(file string, data []byte) (*Tree, error) {
	b := newBuilder(file, data)
	if b.err != nil {
		return nil, b.err
	}
	open := []block{{-1, b.tree.Root}}
	until := "" // the end of a banner
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimRight(text, " \t\r\n")
		inner := strings.TrimLeft(text, " \t")
		switch {
		case until != "":
			if strings.Contains(inner, until) {
				until = ""
			}
			continue
		case inner == "":
			continue
		case inner[0] == '!':
			b.tree.remark(line, inner[1:])
			continue
		}
		if typed := typedAt().FindString(inner); typed != "" { // a session: its statements have no indentation
			text, inner = strings.TrimLeft(inner[len(typed):], " \t"), strings.TrimLeft(inner[len(typed):], " \t")
			if inner == "" || inner[0] == '!' {
				continue
			}
		}
		depth := indent(text)
		for open[len(open)-1].indent >= depth {
			open = open[:len(open)-1]
		}
		if len(open) > maxDepth {
			b.refuse(line, "blocks nested more than %d deep: want at most so deep", maxDepth)
		}
		s := b.add(open[len(open)-1].statement, line, words(inner))
		if b.err != nil {
			return nil, b.err
		}
		open = append(open, block{depth, s})
		until = banner(s)
	}
	return b.tree, nil
}

// typedAt matches the prompt of a terminal of NX-OS or EOS before a statement: leaf1#, leaf1(config-if)#.
var typedAt = once.Pattern(`^[A-Za-z][\w.-]{0,63}(\(config[\w./-]*\))?#`)

// block is a statement that can contain others.
type block struct {
	indent    int
	statement *Statement
}

// indent counts the blanks before a line. A tabulator counts as eight, as on a terminal.
func indent(text string) int {
	n := 0
	for _, c := range text {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// banner returns the text that ends the banner which a statement begins; "": it begins none. EOS ends a banner with a
// line EOF, NX-OS with the character that the banner begins with.
func banner(s *Statement) string {
	if !s.Begins("banner") || len(s.Words) < 2 {
		return ""
	}
	if len(s.Words) == 2 {
		return "EOF"
	}
	if s.Words[2] == "" {
		return "" // the mark is a quote, and the text in it is empty
	}
	mark := s.Words[2][:1]
	if strings.Count(s.Text(), mark) > 1 {
		return "" // it ends on its own line
	}
	return mark
}

// words splits a statement. Text in quotes is one word, without the quotes.
func words(text string) []string {
	if !strings.Contains(text, `"`) {
		return strings.Fields(text)
	}
	var out []string
	for text = strings.TrimLeft(text, " \t"); text != ""; text = strings.TrimLeft(text, " \t") {
		if text[0] == '"' {
			if end := strings.IndexByte(text[1:], '"'); end >= 0 {
				out, text = append(out, text[1:1+end]), text[2+end:]
				continue
			}
		}
		end := strings.IndexAny(text, " \t")
		if end < 0 {
			end = len(text)
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return out
}

// remark keeps a remark, if it is one of the first.
func (t *Tree) remark(line int, text string) {
	if text = strings.TrimSpace(text); text != "" && len(t.Remarks) < maxRemarks {
		t.Remarks = append(t.Remarks, Text{line, text})
	}
}

// Regroup puts the statements of a text that was pasted without its indentation under the one whose mode they are typed
// in. Within tells whether a statement is typed in the mode that another one opens; flat says that no such statement
// has anything below it in this text, so that its indentation is lost. Opens tells whether a statement that is in no
// mode ends all before it and opens one. What is in no mode stays where it is.
func Regroup(parent *Statement, opens func(*Statement) bool, within func(mode, s *Statement, flat bool) bool) {
	indented := map[string]bool{}
	for _, s := range parent.Under {
		if len(s.Under) > 0 {
			indented[s.Word(0)] = true
			Regroup(s, opens, within)
		}
	}
	var modes []*Statement // the innermost is the last
	kept := parent.Under[:0]
	for _, s := range parent.Under {
		at := len(modes) - 1
		for at >= 0 && !within(modes[at], s, !indented[modes[at].Word(0)]) {
			at--
		}
		switch {
		case at >= 0:
			modes[at].Under = append(modes[at].Under, s)
			modes = append(modes[:at+1], s)
			continue
		case opens(s):
			modes = append(modes[:0], s)
		}
		kept = append(kept, s)
	}
	parent.Under = kept
}
