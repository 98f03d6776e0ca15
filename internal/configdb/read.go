package configdb

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
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
	if r.document(); r.err != nil {
		return nil, r.err
	}
	return r.db, nil
}

// reader reads the tokens of a document, up to the first that is beyond the bounds.
type reader struct {
	jsonscan.Scanner
	file   string
	db     *Database
	wanted []string
	values int
	err    error // the first
}

// refuse keeps why the document is refused, and the line.
func (r *reader) refuse(format string, args ...any) {
	r.err = &fielderr.Located{File: r.file, Line: r.Line(), Err: fmt.Errorf(format, args...)}
}

// More tells whether the object or the list has another value that is to be read.
func (r *reader) More() bool { return r.err == nil && r.Scanner.More() }

// token returns the next token; one without a kind: the document is refused.
func (r *reader) token() jsonscan.Token {
	if r.err != nil {
		return jsonscan.Token{}
	}
	t := r.Next()
	if r.values++; r.values > maxValues {
		r.refuse("more than %[1]d keys and values: want at most %[1]d", maxValues)
	} else if len(t.Text) > maxText {
		r.refuse("a text of %d bytes: want at most %d", len(t.Text), maxText)
	}
	return t
}

// here returns the place of the last token. No token has a line feed in it.
func (r *reader) here() finding.Place { return finding.Place{File: r.file, Line: r.Line()} }

// document reads the object of tables.
func (r *reader) document() {
	if r.token().Kind != '{' && r.err == nil {
		r.refuse("no object: want CONFIG_DB, an object of tables")
	}
	for r.More() {
		r.table()
	}
	r.token()
}

// table reads a table and its name.
func (r *reader) table() {
	name, at := r.key()
	t := r.token()
	flat, key, isFlat := strings.Cut(name, "|")
	if isFlat {
		r.flat(flat, key, at, t)
		return
	}
	if len(r.wanted) > 0 && !slices.Contains(r.wanted, name) {
		r.db.Other = append(r.db.Other, name)
		r.skip(t, 1)
		return
	}
	if t.Kind != '{' {
		r.problem(at, name, "no object of entries")
		r.skip(t, 1)
		return
	}
	table := r.db.Table(name)
	if table == nil {
		table = r.add(name, at)
	} else {
		r.problem(at, name, "the table is given twice; the switch takes the second alone")
		table.At, table.Entries, table.byKey = at, nil, map[string]int{}
	}
	for r.More() {
		key, at := r.key()
		r.fields(table, &Entry{Key: key, At: at}, r.token(), false)
	}
	r.token()
}

// add adds a table.
func (r *reader) add(name string, at finding.Place) *Table {
	table := &Table{Name: name, At: at, byKey: map[string]int{}}
	r.db.Tables = append(r.db.Tables, table)
	return table
}

// flat reads an entry whose key has the name of its table: BUFFER_POOL|ingress_lossless_pool. So the database itself
// names its keys, in the dumps of redis-dump and sonic-db-dump and in the tables of sonic-utilities' tests.
func (r *reader) flat(table, key string, at finding.Place, t jsonscan.Token) {
	if len(r.wanted) > 0 && !slices.Contains(r.wanted, table) {
		r.db.Other = grouped.Add(r.db.Other, table)
		r.skip(t, 1)
		return
	}
	into := r.db.Table(table)
	if into == nil {
		into = r.add(table, at)
	}
	r.fields(into, &Entry{Key: key, At: at}, t, true)
}

// fields reads the fields of an entry, whose first token was read. In a dump they are the value of a hash, beside its
// type and its time to live.
func (r *reader) fields(table *Table, e *Entry, t jsonscan.Token, dump bool) {
	object := table.Name + "|" + e.Key
	if t.Kind != '{' {
		r.problem(e.At, object, "no object of fields")
		r.skip(t, 2)
		return
	}
	if hash := r.members(e, object, dump); hash != nil {
		e.Fields = hash.Fields
	}
	if table.put(e) {
		r.problem(e.At, object, "the entry is given twice; the switch takes the second")
	}
}

// members reads fields up to the bracket that ends them. In a dump the fields are those of the object value, which is
// returned; nil: there is none.
func (r *reader) members(e *Entry, object string, dump bool) (hash *Entry) {
	seen := map[string]int{}
	for r.More() {
		name, at := r.key()
		if len(e.Fields) == maxFields && r.err == nil {
			r.refuse("an entry with more than %[1]d fields: want at most %[1]d", maxFields)
		}
		if dump && name == "value" && r.More() && r.object() {
			r.token()
			hash = &Entry{}
			r.members(hash, object, false)
			continue
		}
		name = strings.TrimSuffix(name, "@") // the database marks lists with @
		value, known := r.value()
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
	r.token()
	return hash
}

// object tells whether the next value is an object.
func (r *reader) object() bool {
	ahead := r.Scanner
	return ahead.Next().Kind == '{'
}

// key reads a key: in JSON, a text.
func (r *reader) key() (string, finding.Place) { return r.token().Text, r.here() }

// value reads the value of a field as a text; known is false of what CONFIG_DB does not have, such as an object.
func (r *reader) value() (text string, known bool) {
	t := r.token()
	if t.Kind != '[' {
		r.skip(t, 3)
		return scalar(t)
	}
	var parts []string
	known = true
	for r.More() {
		item := r.token()
		part, plain := scalar(item)
		r.skip(item, 4)
		known = known && plain
		parts = append(parts, part)
	}
	r.token()
	return strings.Join(parts, ","), known
}

// scalar returns the text of a token that is no object, no list and not null.
func scalar(t jsonscan.Token) (string, bool) {
	return t.Text, t.Kind == '"' || t.Kind == '0' || t.Kind == 't'
}

// skip reads to the end of a value whose first token was read.
func (r *reader) skip(t jsonscan.Token, depth int) {
	if t.Kind != '{' && t.Kind != '[' {
		return
	}
	for n := depth; n >= depth && r.err == nil; {
		if n > maxDepth {
			r.refuse("objects and lists nested more than %d deep: want at most so deep", maxDepth)
			return
		}
		switch r.token().Kind {
		case '{', '[':
			n++
		case '}', ']':
			n--
		}
	}
}

// problem lists what is wrong with the document, the first maxProblems.
func (r *reader) problem(at finding.Place, object, text string) {
	if len(r.db.Problems) < maxProblems {
		r.db.Problems = append(r.db.Problems, Problem{at, object, text})
	}
}
