package junos

import (
	"bytes"
	"errors"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// read reads a configuration with braces, as set commands, or as JSON. Chip is what the operator says of the chip: the
// configuration does not name it.
func read(name string, data []byte, chip audit.Chip) (*audit.Reading, error) {
	tree, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	root := tree.Root
	if c := root.Find("configuration"); c != nil {
		root = c
	}
	r := &reader{Reading: audit.NewReading(title, name), classes: map[string]*class{}, queues: map[int64]*class{},
		classifiers: map[string]*classifier{}, profiles: map[string]*profile{},
		maps: map[string]map[*class]scheduler{}, sets: map[string][]*class{}, controls: map[string]*control{}}
	r.Chip = chip
	r.Switch.Hostname = only(root.Path("system", "host-name"))
	r.cos = root.Find("class-of-service")
	if r.cos == nil {
		return nil, &fielderr.Located{File: name,
			Err: errors.New("no class of service of Junos: want a configuration " +
				"with class-of-service")}
	}
	r.forwardingClasses()
	r.readClassifiers()
	r.notifications()
	r.sharedBuffer()
	r.schedulers()
	r.groups()
	r.interfaces(root)
	r.Count(tree.Count(func(path []*statements.Statement) bool {
		return path[0].Word(0) == "class-of-service" || len(path) > 1 && path[1].Word(0) == "class-of-service"
	}))
	return r.Reading, nil
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
			return statements.Set(name, data)
		default:
			return statements.Braces(name, data)
		}
	}
	return statements.Braces(name, data)
}

// reader turns the statements into a reading.
type reader struct {
	*audit.Reading
	cos         *statements.Statement
	classes     map[string]*class
	queues      map[int64]*class // the first class of a queue
	classifiers map[string]*classifier
	profiles    map[string]*profile
	maps        map[string]map[*class]scheduler
	sets        map[string][]*class // forwarding class sets
	controls    map[string]*control // traffic control profiles
}

// only returns the single word under a statement. It is "" without a word and with several.
func only(s *statements.Statement) string {
	if s == nil || len(s.Under) != 1 {
		return ""
	}
	return s.Under[0].Read().Word(0)
}

// named lists the statements under one, each of which is a name: "schedulers { a { … } }". In JSON a list stands
// between the two.
func named(s *statements.Statement, list string) []*statements.Statement {
	if s == nil {
		return nil
	}
	if s = s.Read(); len(s.Under) == 1 && s.Under[0].Word(0) == list && list != "" {
		s = s.Under[0].Read()
	}
	var out []*statements.Statement
	for _, u := range s.Under {
		if !u.Inactive {
			out = append(out, u.Read())
		}
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
				for _, v := range u.Read().Under {
					if !v.Inactive {
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
