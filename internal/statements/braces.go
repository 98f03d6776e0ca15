package statements

import (
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
)

// Junos prints one configuration in two forms: with braces and semicolons, and as the "set" commands that make it. Both
// are read as the same tree, in which each word is under the word before it:
//
//	class-of-service { forwarding-classes { class NO-LOSS queue-num 4 no-loss; } }
//	set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss

// Braces reads a configuration with braces and semicolons.
func Braces(file string, data []byte) (*Tree, error) {
	b := newHierarchy(newBuilder(file, data))
	if b.err != nil {
		return nil, b.err
	}
	lex := &lexer{text: withoutPrompts(string(data)), line: 1, tree: b.tree}
	open := []*Statement{b.tree.Root}
	var pending []token
	for b.err == nil {
		tok, ok := lex.next()
		if !ok {
			break
		}
		switch tok.text {
		case "{", ";":
			if tok.quoted {
				break
			}
			s := b.path(open[len(open)-1], pending)
			pending = pending[:0]
			if tok.text == "{" {
				if open = append(open, s); len(open) > maxDepth {
					b.refuse(tok.line, "blocks nested more than %d deep: want at most so deep", maxDepth)
				}
			}
			continue
		case "}":
			if tok.quoted {
				break
			}
			if len(open) == 1 || len(pending) > 0 {
				b.refuse(tok.line, "a bracket } that nothing opens, or a statement without ; before it: want "+
					"statements that end with ; and blocks in { }")
				break
			}
			open = open[:len(open)-1]
			continue
		}
		pending = b.append(pending, tok)
	}
	if len(open) > 1 || len(pending) > 0 || lex.broken != "" {
		why := "the text ends before its last bracket"
		if lex.broken != "" {
			why = lex.broken
		}
		b.refuse(lex.line, "%s: want statements that end with ; and blocks in { }", why)
	}
	return b.done()
}

// Set reads a configuration as set commands. A deactivate command marks what an earlier command has made.
func Set(file string, data []byte) (*Tree, error) {
	b := newHierarchy(newBuilder(file, data))
	if b.err != nil {
		return nil, b.err
	}
	line := 0
	for text := range strings.Lines(withoutPrompts(string(data))) {
		if line++; b.err != nil {
			break
		}
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' || text[0] == '!' {
			b.tree.remark(line, strings.TrimLeft(text, "#! "))
			continue
		}
		lex := &lexer{text: text, line: line, tree: b.tree}
		var pending []token
		for tok, ok := lex.next(); ok; tok, ok = lex.next() {
			pending = b.append(pending, tok)
		}
		b.command(line, pending)
	}
	return b.done()
}

// command does what a command says.
func (b *hierarchy) command(line int, words []token) {
	if len(words) < 2 {
		b.refuse(line, "no command: want set, deactivate or activate, and the words of a statement")
		return
	}
	switch command := words[0].text; command {
	case "set":
		b.path(b.tree.Root, words[1:])
	case "deactivate", "activate":
		s := b.tree.Root
		for _, w := range words[1:] {
			if s = b.child(s, w.text); s == nil {
				b.refuse(line, "%s of a statement that no command before it sets: want a statement that is set", command)
				return
			}
		}
		s.Inactive = command == "deactivate"
	case "protect", "annotate":
	default:
		b.refuse(line, "a command %.40q: want set, deactivate, activate", command)
	}
}

// hierarchy builds a tree of words.
type hierarchy struct {
	builder
	wide map[*Statement]map[string]*Statement // the statements under those that have many
}

// newHierarchy returns what builds an empty tree.
func newHierarchy(b builder) *hierarchy {
	h := &hierarchy{builder: b}
	h.tree.build = h
	return h
}

// append puts a token behind those of a statement.
func (b *hierarchy) append(pending []token, t token) []token {
	if len(pending) == maxWords {
		b.refuse(t.line, "a statement of more than %[1]d words: want at most %[1]d", maxWords)
		return pending
	}
	return append(pending, t)
}

// manyUnder is the number of statements beside each other from which on a map finds one of them.
const manyUnder = 16

// path puts the words of a statement under another one, each under the one before. Words in a list are beside each
// other. Prefixes of a statement such as "inactive:" are no words of it.
func (b *hierarchy) path(at *Statement, tokens []token) *Statement {
	inactive := false
	for len(tokens) > 0 && !tokens[0].quoted && strings.HasSuffix(tokens[0].text, ":") {
		switch tokens[0].text {
		case "inactive:":
			inactive = true
		case "protect:", "replace:", "active:":
		default:
			b.refuse(tokens[0].line, "a mark %.40q: want inactive:, protect:, replace:", tokens[0].text)
		}
		tokens = tokens[1:]
	}
	for i := 0; i < len(tokens) && b.err == nil; i++ {
		if tokens[i].text == "[" && !tokens[i].quoted {
			end := slices.IndexFunc(tokens[i:], func(t token) bool { return t.text == "]" && !t.quoted })
			if end < 0 {
				b.refuse(tokens[i].line, "a list without its last bracket: want [ words ]")
				break
			}
			for _, t := range tokens[i+1 : i+end] {
				b.word(at, t)
			}
			i += end
			continue
		}
		at = b.word(at, tokens[i])
		if i+1 == len(tokens) && inactive {
			at.Inactive = true
		}
	}
	return at
}

// word returns the statement with a word under another one, and adds a missing one.
func (b *hierarchy) word(parent *Statement, t token) *Statement {
	if s := b.child(parent, t.text); s != nil {
		return s
	}
	s := b.add(parent, t.line, []string{t.text})
	if b.wide[parent] != nil {
		b.wide[parent][t.text] = s
	}
	return s
}

// child returns the statement under another one with a word, or nil.
func (b *hierarchy) child(parent *Statement, word string) *Statement {
	if len(parent.Under) < manyUnder {
		for _, s := range parent.Under {
			if s.Words[0] == word {
				return s
			}
		}
		return nil
	}
	if b.wide[parent] == nil {
		if b.wide == nil {
			b.wide = map[*Statement]map[string]*Statement{}
		}
		b.wide[parent] = map[string]*Statement{}
		for _, s := range parent.Under {
			b.wide[parent][s.Words[0]] = s
		}
	}
	return b.wide[parent][word]
}

// token is a word of the text, or one of { } [ ] ;.
type token struct {
	text   string
	line   int
	quoted bool
}

// lexer splits a text into tokens.
type lexer struct {
	text   string
	line   int
	tree   *Tree
	broken string // why the text ends too early
}

// next returns the next token, or false.
func (l *lexer) next() (token, bool) {
	for l.text != "" {
		switch c := l.text[0]; {
		case c == '\n':
			l.line++
			l.text = l.text[1:]
		case c == ' ' || c == '\t' || c == '\r':
			l.text = l.text[1:]
		case c == '#':
			end := strings.IndexByte(l.text, '\n')
			if end < 0 {
				end = len(l.text)
			}
			l.tree.remark(l.line, strings.TrimLeft(l.text[:end], "# "))
			l.text = l.text[end:]
		case strings.HasPrefix(l.text, "/*"):
			end := strings.Index(l.text[2:], "*/") // its end is no part of its beginning: /*/ begins one
			if end < 0 {
				l.broken, l.text = "a remark /* without */", ""
				return token{}, false
			}
			end += 2
			l.tree.remark(l.line, l.text[2:end])
			l.line += strings.Count(l.text[:end], "\n")
			l.text = l.text[end+2:]
		case c == '"':
			return l.quoted()
		case strings.IndexByte("{}[];", c) >= 0:
			l.text = l.text[1:]
			return token{string(c), l.line, false}, true
		default:
			end := wordEnd(l.text)
			t := token{l.text[:end], l.line, false}
			l.text = l.text[end:]
			return t, true
		}
	}
	return token{}, false
}

// wordEnd returns where the first word of a text ends. A pattern of a group such as <xe-[0-3]> is one word.
func wordEnd(text string) int {
	ends := " \t\r\n{}[];\""
	if text[0] == '<' {
		ends = " \t\r\n{};\""
	}
	if end := strings.IndexAny(text, ends); end >= 0 {
		return end
	}
	return len(text)
}

// quoted reads a text in quotes.
func (l *lexer) quoted() (token, bool) {
	for i := 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case '"':
			t := token{l.text[1:i], l.line, true}
			l.line += strings.Count(l.text[:i], "\n")
			l.text = l.text[i+1:]
			return t, true
		}
	}
	l.broken, l.text = `a text in " without its end`, ""
	return token{}, false
}

// Hierarchy returns a document of JSON in the form of RFC 7951 as the tree of words that Junos' own texts give: of an
// element of a list, its name is under the name of the list; the names of modules are left out.
func Hierarchy(t *Tree) (*Tree, error) {
	b := newHierarchy(newBuilder(t.File, nil))
	b.tree.Twice = t.Twice
	for _, s := range t.Root.Under {
		b.member(b.tree.Root, s)
	}
	return b.done()
}

// member puts a member of an object under a statement.
func (b *hierarchy) member(at *Statement, s *Statement) {
	name := s.Word(0)
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if name == "@" || b.err != nil { // metadata of RFC 7952, such as who changed it
		return
	}
	if name != "" {
		at = b.word(at, token{text: name, line: s.Line})
	}
	if len(s.Words) > 1 {
		b.word(at, token{text: s.Words[1], line: s.Line})
		return
	}
	named := func(u *Statement) bool { return u.Word(0) == "name" && len(u.Words) > 1 }
	if i := slices.IndexFunc(s.Under, named); i >= 0 { // the name of an element comes before all else
		at = b.word(at, token{text: s.Under[i].Words[1], line: s.Under[i].Line})
	}
	for _, u := range s.Under {
		if !named(u) {
			b.member(at, u)
		}
	}
}

// prompt matches the lines that a terminal of Junos prints around a configuration: the state of the routing engine or
// of the node, the place in the configuration, and the prompt with what was typed behind it.
var prompt = once.Pattern(`^\s*(\{(master|backup|linecard|primary|secondary)(:\w+)?\}(\[edit[^\]]*\])?|` +
	`[\w.-]+@[\w.-]+[>#%]( [^";{}]*)?|\[edit[^\]]*\]|show configuration( [^";{}]*)?)\s*$`)

// IsPrompt tells whether a line is one that a terminal of Junos prints around a configuration.
func IsPrompt(line string) bool {
	if len(line) > 1<<10 || !strings.ContainsAny(line, "@{[") && !strings.Contains(line, "show configuration") {
		return false
	}
	return prompt().MatchString(line)
}

// withoutPrompts empties the lines of a terminal, so that the others keep their numbers.
func withoutPrompts(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if IsPrompt(line) {
			line = "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
