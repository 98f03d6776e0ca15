package configdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
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
	if !json.Valid(data) {
		line, err := invalid(data)
		return nil, &fielderr.Located{File: name, Line: line, Err: err}
	}
	r := &reader{file: name, scanner: scanner{text: string(data), line: 1}, db: &Database{}, wanted: tables}
	if err := r.document(); err != nil {
		return nil, &fielderr.Located{File: name, Line: r.line, Err: err}
	}
	return r.db, nil
}

// invalid returns where a text stops being JSON, and why.
func invalid(data []byte) (line int, err error) {
	const accepted = "want CONFIG_DB, an object of tables in JSON"
	var into json.RawMessage
	err = json.Unmarshal(data, &into)
	var syntax *json.SyntaxError
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return 0, fmt.Errorf("empty: %s", accepted)
	case !errors.As(err, &syntax):
		return 0, fmt.Errorf("no JSON: %s", accepted)
	case int(syntax.Offset) >= len(trimmed) && strings.Contains(syntax.Error(), "unexpected end"):
		return 1 + bytes.Count(trimmed, []byte{'\n'}), fmt.Errorf("the document ends before its last bracket: %s", accepted)
	}
	at := min(int(syntax.Offset), len(data))
	return 1 + bytes.Count(data[:at], []byte{'\n'}), fmt.Errorf("no JSON: %s: %s", fielderr.Printable(syntax.Error()),
		accepted)
}

// reader reads the tokens of a document.
type reader struct {
	scanner
	file   string
	db     *Database
	wanted []string
	values int
}

// refusal is what no bound and no rule accepts.
type refusal string

func (r refusal) Error() string { return string(r) }

// token returns the next token.
func (r *reader) token() (token, error) {
	t := r.next()
	if r.values++; r.values > maxValues {
		return t, refusal(fmt.Sprintf("more than %[1]d keys and values: want at most %[1]d", maxValues))
	}
	if len(t.text) > maxText {
		return t, refusal(fmt.Sprintf("a text of %d bytes: want at most %d", len(t.text), maxText))
	}
	return t, nil
}

// here returns the place of the last token. No token has a line feed in it.
func (r *reader) here() finding.Place { return finding.Place{File: r.file, Line: r.line} }

// document reads the object of tables.
func (r *reader) document() error {
	t, err := r.token()
	if err != nil {
		return err
	}
	if t.kind != '{' {
		return refusal("no object: want CONFIG_DB, an object of tables")
	}
	for r.more() {
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
	if len(r.wanted) > 0 && !slices.Contains(r.wanted, name) {
		r.db.Other = append(r.db.Other, name)
		return r.skip(t, 1)
	}
	if t.kind != '{' {
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
	for r.more() {
		if err := r.entry(table); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

// entry reads an entry and its key.
func (r *reader) entry(table *Table) error {
	key, at, err := r.key()
	if err != nil {
		return err
	}
	e := &Entry{Key: key, At: at}
	object := table.Name + "|" + key
	t, err := r.token()
	if err != nil {
		return err
	}
	if t.kind != '{' {
		r.problem(at, object, "no object of fields")
		return r.skip(t, 2)
	}
	seen := map[string]int{}
	for r.more() {
		name, at, err := r.key()
		if err != nil {
			return err
		}
		if len(e.Fields) == maxFields {
			return refusal(fmt.Sprintf("an entry with more than %[1]d fields: want at most %[1]d", maxFields))
		}
		name = strings.TrimSuffix(name, "@") // the database marks lists with @
		value, known, err := r.value()
		if err != nil {
			return err
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
	if _, err := r.token(); err != nil {
		return err
	}
	if table.put(e) {
		r.problem(at, object, "the entry is given twice; the switch takes the second")
	}
	return nil
}

// key reads a key: in JSON, a text.
func (r *reader) key() (string, finding.Place, error) {
	t, err := r.token()
	if err != nil {
		return "", finding.Place{}, err
	}
	return t.text, r.here(), nil
}

// value reads the value of a field as a text; known is false of what CONFIG_DB does not have, such as an object.
func (r *reader) value() (text string, known bool, err error) {
	t, err := r.token()
	if err != nil {
		return "", false, err
	}
	if t.kind != '[' {
		text, known = scalar(t)
		if !known {
			return "", false, r.skip(t, 3)
		}
		return text, true, nil
	}
	var parts []string
	known = true
	for r.more() {
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
func scalar(t token) (string, bool) { return t.text, t.kind == '"' || t.kind == '0' || t.kind == 't' }

// skip reads to the end of a value whose first token was read.
func (r *reader) skip(t token, depth int) error {
	if t.kind != '{' && t.kind != '[' {
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
		switch t.kind {
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
