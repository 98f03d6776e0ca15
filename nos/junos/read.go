package junos

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// read reads a configuration with braces, as set commands, or as JSON. Chip is what the operator says of the chip: the
// configuration does not name it.
func read(name string, data []byte, chip audit.Chip) (*audit.Meaning, error) {
	tree, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	root := tree.Root
	if c := root.Find("configuration"); c != nil {
		root = c
	}
	r := newReader(name, root)
	r.Chip = chip
	if err := r.writeOut(tree, root); err != nil {
		return nil, err
	}
	r.Switch.Hostname = only(root.Path("system", "host-name"))
	if r.cos == nil && !grouped(root) {
		return nil, &fielderr.Located{File: name,
			Err: errors.New("no class of service of Junos: want a configuration with class-of-service")}
	}
	r.codePointAliases()
	r.forwardingClasses()
	r.readClassifiers()
	r.notifications()
	r.sharedBuffer()
	r.dedicatedBuffer()
	r.dropProfiles()
	r.schedulers()
	r.groups()
	r.rewriteRules()
	r.others()
	r.interfaces(root)
	r.report()
	r.Count(tree.Count(about))
	return r.Meaning, nil
}

// about tells whether a statement is about the class of service, in a group too.
func about(path []*statements.Statement) bool {
	if path[0].Word(0) == "configuration" {
		path = path[1:]
	}
	if len(path) > 2 && path[0].Word(0) == "groups" {
		path = path[2:]
	}
	return len(path) > 0 && path[0].Word(0) == "class-of-service"
}

// grouped tells whether a group has a class of service: then there is one, whether it is applied or not.
func grouped(root *statements.Statement) bool {
	if groups := root.Member("groups"); groups != nil {
		for _, g := range groups.Under {
			if g.Member("class-of-service") != nil {
				return true
			}
		}
	}
	return false
}

// parse reads the form that the first character and the first word show.
func parse(name string, data []byte) (*statements.Tree, error) {
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	first, _, _ := bytes.Cut(trimmed, []byte("\n"))
	if len(trimmed) > 0 && trimmed[0] == '{' && !statements.IsPrompt(string(first)) {
		tree, err := statements.JSON(name, data)
		if err != nil {
			return nil, err
		}
		return statements.Hierarchy(tree)
	}
	for line := range bytes.Lines(data) {
		words := strings.Fields(string(line))
		switch {
		case len(words) == 0 || words[0][0] == '#' || statements.IsPrompt(string(line)):
		case (words[0] == "set" || words[0] == "deactivate") && !strings.HasSuffix(words[len(words)-1], ";") &&
			words[len(words)-1] != "{":
			return statements.Set(name, data) // which refuses a line before it that is no command
		case bytes.ContainsAny(line, "{};"):
			return statements.Braces(name, data)
		}
	}
	return statements.Braces(name, data)
}

// reader turns the statements into a reading.
type reader struct {
	*audit.Meaning
	root, cos   *statements.Statement
	part        bool // the text has no interfaces or no system: it is a part of a configuration
	classes     map[string]*class
	queues      map[int64]*class // the first class of a queue
	aliases     map[string]map[string]string
	classifiers map[string]*classifier
	profiles    map[string]*profile
	maps        map[string]map[*class]scheduler
	drops       map[string]bool                // drop profiles
	sets        map[string][]*class            // forwarding class sets
	controls    map[string]*control            // traffic control profiles
	rewrites    map[string]bool                // rewrite rules, by kind and name
	known       []string                       // ports that the interfaces name
	ranges      map[string][]string            // interface ranges and their members
	members     map[string][]string            // aggregated interfaces and their members
	spreadOut   map[*statements.Statement]bool // interfaces whose class of service is that of others
	elsewhere   map[string][]string            // kinds of objects to names that lead out of the text
	said        map[string]bool                // names that were found missing, with their lines
	withoutMRU  []string                       // profiles of ports that have a code point with PFC and without mru
}

// newReader returns a reader that knows what the switch has by itself.
func newReader(name string, root *statements.Statement) *reader {
	return &reader{Meaning: audit.NewReading(title, name), root: root, part: root.Member("interfaces") == nil ||
		root.Member("system") == nil, classes: map[string]*class{}, queues: map[int64]*class{},
		aliases: map[string]map[string]string{}, classifiers: map[string]*classifier{}, profiles: map[string]*profile{},
		maps: map[string]map[*class]scheduler{}, drops: map[string]bool{}, sets: map[string][]*class{},
		controls: map[string]*control{}, rewrites: map[string]bool{}, ranges: map[string][]string{},
		members: map[string][]string{}, spreadOut: map[*statements.Statement]bool{}, elsewhere: map[string][]string{},
		said: map[string]bool{}}
}

// only returns the single word under a statement. It is "" without a word and with several. What a group or a wildcard
// gives counts if the statement has nothing itself.
func only(s *statements.Statement) string {
	if s == nil {
		return ""
	}
	var own, given []*statements.Statement
	for _, u := range s.Under {
		switch {
		case u.Inactive:
		case u.Inherited():
			given = append(given, u.Read())
		default:
			own = append(own, u)
		}
	}
	switch {
	case len(own) == 1:
		return own[0].Read().Word(0)
	case len(own) == 0 && len(given) > 0:
		return given[0].Word(0)
	}
	return ""
}

// number reads the number under a word of a statement; not given: the statement does not have the word.
func (r *reader) number(s *statements.Statement, word, object, what string, low, high int64) audit.Number {
	n := s.Find(word)
	if n == nil {
		return audit.Number{}
	}
	return r.Int(only(n), n.Line, object, what, low, high)
}

// attribute is number, of what attributes returns.
func (r *reader) attribute(of map[string]statements.Text, word, object, what string, low, high int64) audit.Number {
	a, given := of[word]
	if !given {
		return audit.Number{}
	}
	return r.Int(a.Text, a.Line, object, what, low, high)
}

// missing notes that a statement names an object that is not there: a finding, unless the text is a part of a
// configuration that has no such object at all. In is the statement that such objects stand under, by its word.
func (r *reader) missing(line int, object, name, kind string, in *statements.Statement, word string) {
	switch {
	case strings.ContainsAny(name, "$<{"): // of a template
	case r.part && in.Member(word) == nil:
		if of := r.elsewhere[kind]; !slices.Contains(of, name) {
			r.elsewhere[kind] = append(of, name)
		}
	default:
		f := r.Find("name-missing", line, object, "it names %s, and there is no %s of this name", fielderr.Quote(name), kind)
		if r.part {
			f.Suspect("the text is a part of a configuration: it has no system or no interfaces")
		}
	}
}

// report adds what the text does not say.
func (r *reader) report() {
	for _, kind := range slices.Sorted(maps.Keys(r.elsewhere)) {
		r.Unknown = append(r.Unknown, fmt.Sprintf("the text is a part of a configuration, and has none of the objects that "+
			"it names: %s %s", kind, fielderr.Names(r.elsewhere[kind])))
	}
	if len(r.withoutMRU) > 0 {
		r.Unknown = append(r.Unknown, fmt.Sprintf("which frames the switch computes the headroom with is not known: there "+
			"is no mru in congestion-notification-profile %s, and the product has a default", fielderr.Names(r.withoutMRU)))
	}
}

// named lists the statements under one, each of which is a name: "schedulers { a { … } }". It marks all of them.
func named(s *statements.Statement) []*statements.Statement {
	s.Read()
	out := s.Active()
	for _, u := range out {
		u.Read()
	}
	return out
}

// attributes reads the words under a name, on one line or on several: "queue-num 4 no-loss" and each by itself. Arity
// says how many words follow each word, 0 or 1. Words that are not in it are not read. The text of a word is
// the word after it.
func attributes(s *statements.Statement, arity map[string]int) map[string]statements.Text {
	out := map[string]statements.Text{}
	var walk func(s *statements.Statement)
	walk = func(s *statements.Statement) {
		for _, u := range s.Under {
			n, known := arity[u.Word(0)]
			switch {
			case u.Inactive || !known:
			case n == 0:
				out[u.Read().Word(0)] = statements.Text{Line: u.Line}
				walk(u)
			default:
				own := false
				for _, v := range u.Read().Under {
					switch {
					case v.Inactive:
					case own && v.Inherited():
						v.ReadAll()
					default:
						own = own || !v.Inherited()
						out[u.Word(0)] = statements.Text{Line: v.Line, Text: v.Read().Word(0)}
						walk(v)
					}
				}
			}
		}
	}
	walk(s)
	return out
}
