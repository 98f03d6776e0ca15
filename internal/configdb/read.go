package configdb

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/jsonscan"
)

// Bounds of a document. A switch of 512 ports has a configuration of 2 MB with 150,000 values.
const (
	maxBytes  = 16 << 20
	maxValues = 1 << 20   // keys and values
	maxText   = 256 << 10 // bytes of a text; a list of ports as a key has 10 KB
	maxFields = 8192      // of an entry; the lengths of all cables are one
	maxDepth  = 32
	// maxProblems is the largest number of problems that is listed.
	maxProblems = 100
)

// Read reads the tables with these names; none means all. The error says what is no CONFIG_DB at all: text that is not
// JSON, a document that is no object, or one beyond the bounds. It is a *fielderr.Located with the line.
func Read(name string, data []byte, tables ...string) (*Database, error) {
	if len(data) > maxBytes {
		return nil, &fielderr.Located{File: name, Err: fmt.Errorf("%d bytes: want at most %d", len(data), maxBytes)}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if line, err := jsonscan.Check(data, "want CONFIG_DB, an object of tables in JSON"); err != nil {
		return nil, &fielderr.Located{File: name, Line: line, Err: err}
	}
	r := &reader{file: name, Scanner: jsonscan.New(string(data)), db: &Database{}, wanted: tables}
	if err := r.document(); err != nil {
		return nil, &fielderr.Located{File: name, Line: r.Line(), Err: err}
	}
	return r.db, nil
}

// reader reads the tokens of a document.
type reader struct {
	jsonscan.Scanner
	file   string
	db     *Database
	wanted []string
	values int
}

// refusal is what no bound and no rule accepts.
type refusal string

func (r refusal) Error() string { return string(r) }

// token returns the next token.
func (r *reader) token() (jsonscan.Token, error) {
	t := r.Next()
	if r.values++; r.values > maxValues {
		return t, refusal(fmt.Sprintf("more than %[1]d keys and values: want at most %[1]d", maxValues))
	}
	if len(t.Text) > maxText {
		return t, refusal(fmt.Sprintf("a text of %d bytes: want at most %d", len(t.Text), maxText))
	}
	return t, nil
}

// here returns the place of the last token. No token has a line feed in it.
func (r *reader) here() finding.Place { return finding.Place{File: r.file, Line: r.Line()} }

// document reads the object of tables.
func (r *reader) document() error {
	t, err := r.token()
	if err != nil {
		return err
	}
	if t.Kind != '{' {
		return refusal("no object: want CONFIG_DB, an object of tables")
	}
	for r.More() {
		if err := r.table(); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

// table reads a table and its name.
func (r *reader) table() error {
	name, at, err := r.key()
	if err != nil {
		return err
	}
	t, err := r.token()
	if err != nil {
		return err
	}
	flat, key, isFlat := strings.Cut(name, "|")
	if isFlat {
		return r.flat(flat, key, at, t)
	}
	if len(r.wanted) > 0 && !slices.Contains(r.wanted, name) {
		r.db.Other = append(r.db.Other, name)
		return r.skip(t, 1)
	}
	if t.Kind != '{' {
		r.problem(at, name, "no object of entries")
		return r.skip(t, 1)
	}
	table := r.db.Table(name)
	if table == nil {
		table = &Table{Name: name, At: at, byKey: map[string]int{}}
		r.db.Tables = append(r.db.Tables, table)
	} else {
		r.problem(at, name, "the table is given twice; the switch takes the second alone")
		table.At, table.Entries, table.byKey = at, nil, map[string]int{}
	}
	for r.More() {
		if err := r.entry(table); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

// flat reads an entry whose key has the name of its table: BUFFER_POOL|ingress_lossless_pool. So the database itself
// names its keys, in the dumps of redis-dump and sonic-db-dump and in the tables of sonic-utilities' tests.
func (r *reader) flat(table, key string, at finding.Place, t jsonscan.Token) error {
	if len(r.wanted) > 0 && !slices.Contains(r.wanted, table) {
		if !slices.Contains(r.db.Other, table) {
			r.db.Other = append(r.db.Other, table)
		}
		return r.skip(t, 1)
	}
	into := r.db.Table(table)
	if into == nil {
		into = &Table{Name: table, At: at, byKey: map[string]int{}}
		r.db.Tables = append(r.db.Tables, into)
	}
	return r.fields(into, &Entry{Key: key, At: at}, t, true)
}

// entry reads an entry and its key.
func (r *reader) entry(table *Table) error {
	key, at, err := r.key()
	if err != nil {
		return err
	}
	t, err := r.token()
	if err != nil {
		return err
	}
	return r.fields(table, &Entry{Key: key, At: at}, t, false)
}

// fields reads the fields of an entry, whose first token was read. In a dump they are the value of a hash, beside its
// type and its time to live.
func (r *reader) fields(table *Table, e *Entry, t jsonscan.Token, dump bool) error {
	object := table.Name + "|" + e.Key
	if t.Kind != '{' {
		r.problem(e.At, object, "no object of fields")
		return r.skip(t, 2)
	}
	hash, err := r.members(e, object, dump)
	if err != nil {
		return err
	}
	if hash != nil {
		e.Fields = hash.Fields
	}
	if table.put(e) {
		r.problem(e.At, object, "the entry is given twice; the switch takes the second")
	}
	return nil
}

// members reads fields up to the bracket that ends them. In a dump the fields are those of the object value, which is
// returned; nil: there is none.
func (r *reader) members(e *Entry, object string, dump bool) (hash *Entry, err error) {
	seen := map[string]int{}
	for r.More() {
		name, at, err := r.key()
		if err != nil {
			return nil, err
		}
		if len(e.Fields) == maxFields {
			return nil, refusal(fmt.Sprintf("an entry with more than %[1]d fields: want at most %[1]d", maxFields))
		}
		ahead := r.Scanner
		if dump && name == "value" && ahead.Next().Kind == '{' {
			if _, err := r.token(); err != nil {
				return nil, err
			}
			hash = &Entry{}
			if _, err := r.members(hash, object, false); err != nil {
				return nil, err
			}
			continue
		}
		name = strings.TrimSuffix(name, "@") // the database marks lists with @
		value, known, err := r.value()
		if err != nil {
			return nil, err
		}
		if !known {
			r.problem(at, object, fmt.Sprintf("field %s: want texts, or a list of texts", fielderr.Quote(name)))
			continue
		}
		if i, twice := seen[name]; twice {
			r.problem(at, object, fmt.Sprintf("field %s is given twice; the switch takes the second", fielderr.Quote(name)))
			e.Fields[i] = Field{name, value, at}
			continue
		}
		seen[name] = len(e.Fields)
		e.Fields = append(e.Fields, Field{name, value, at})
	}
	_, err = r.token()
	return hash, err
}

// key reads a key: in JSON, a text.
func (r *reader) key() (string, finding.Place, error) {
	t, err := r.token()
	if err != nil {
		return "", finding.Place{}, err
	}
	return t.Text, r.here(), nil
}

// value reads the value of a field as a text; known is false of what CONFIG_DB does not have, such as an object.
func (r *reader) value() (text string, known bool, err error) {
	t, err := r.token()
	if err != nil {
		return "", false, err
	}
	if t.Kind != '[' {
		text, known = scalar(t)
		if !known {
			return "", false, r.skip(t, 3)
		}
		return text, true, nil
	}
	var parts []string
	known = true
	for r.More() {
		item, err := r.token()
		if err != nil {
			return "", false, err
		}
		part, plain := scalar(item)
		if !plain {
			if err := r.skip(item, 4); err != nil {
				return "", false, err
			}
		}
		known = known && plain
		parts = append(parts, part)
	}
	_, err = r.token()
	return strings.Join(parts, ","), known, err
}

// scalar returns the text of a token that is no object, no list and not null.
func scalar(t jsonscan.Token) (string, bool) {
	return t.Text, t.Kind == '"' || t.Kind == '0' || t.Kind == 't'
}

// skip reads to the end of a value whose first token was read.
func (r *reader) skip(t jsonscan.Token, depth int) error {
	if t.Kind != '{' && t.Kind != '[' {
		return nil
	}
	for n := depth; ; {
		if n > maxDepth {
			return refusal(fmt.Sprintf("objects and lists nested more than %d deep: want at most so deep", maxDepth))
		}
		t, err := r.token()
		if err != nil {
			return err
		}
		switch t.Kind {
		case '{', '[':
			n++
		case '}', ']':
			if n--; n < depth {
				return nil
			}
		}
	}
}

// problem lists what is wrong with the document, the first maxProblems.
func (r *reader) problem(at finding.Place, object, text string) {
	if len(r.db.Problems) < maxProblems {
		r.db.Problems = append(r.db.Problems, Problem{at, object, text})
	}
}
