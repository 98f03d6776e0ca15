// Package configdb reads CONFIG_DB, the configuration of a SONiC switch, as a document: tables of entries of fields,
// in the order of the file, each with its file and line.
//
//	db, err := configdb.Read("config_db.json", data, "BUFFER_POOL")
//	size := db.Table("BUFFER_POOL").Entry("ingress_lossless_pool").Field("size")
//
// An audit names the line that is wrong, and a switch takes the last of two entries with one key without a word. So
// [Read] keeps the lines and lists keys that are given twice among the [Database.Problems], where package
// nos/sonic, which compares what a switch has with a plan, needs neither. The methods of a nil Table and of a nil
// Entry return nothing, so that a table that is not there needs no test.
//
// maxBytes, maxValues and maxText bound what is read. A file of 512 ports has 2 MB and takes 60 ms.
package configdb

import (
	"strings"

	"github.com/cellwarden/cellwarden/finding"
)

// Database is CONFIG_DB, or a part of it.
type Database struct {
	Tables   []*Table // those that were asked for, in the order of the file
	Other    []string // names of the tables that were not asked for
	Problems []Problem
}

// Problem is what is wrong with the document itself, though it is JSON.
type Problem struct {
	At     finding.Place
	Object string // such as BUFFER_POOL|ingress_lossless_pool
	Text   string
}

// Table is a table: entries by their keys.
type Table struct {
	Name    string
	At      finding.Place
	Entries []*Entry
	byKey   map[string]int // index of the entry
}

// Entry is one entry of a table.
type Entry struct {
	Key    string
	At     finding.Place
	Fields []Field
}

// Field is a field of an entry. CONFIG_DB has texts alone: a number, a truth value or a list of a file is read as the
// text that the switch makes of it.
type Field struct {
	Name  string
	Value string // as it is written, with blanks
	At    finding.Place
}

// Table returns a table, or nil.
func (d *Database) Table(name string) *Table {
	if d == nil {
		return nil
	}
	for _, t := range d.Tables {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Empty tells whether none of the tables that were asked for is there.
func (d *Database) Empty() bool { return d == nil || len(d.Tables) == 0 }

// Entry returns an entry, or nil.
func (t *Table) Entry(key string) *Entry {
	if t == nil {
		return nil
	}
	if i, there := t.byKey[key]; there {
		return t.Entries[i]
	}
	return nil
}

// All returns the entries in the order of the file; none of a nil table.
func (t *Table) All() []*Entry {
	if t == nil {
		return nil
	}
	return t.Entries
}

// put adds an entry, or puts it in the place of the one with its key.
func (t *Table) put(e *Entry) (twice bool) {
	i, twice := t.byKey[e.Key]
	if twice {
		t.Entries[i] = e
		return true
	}
	t.byKey[e.Key] = len(t.Entries)
	t.Entries = append(t.Entries, e)
	return false
}

// Field returns a field, or nil.
func (e *Entry) Field(name string) *Field {
	if e == nil {
		return nil
	}
	for i := range e.Fields {
		if e.Fields[i].Name == name {
			return &e.Fields[i]
		}
	}
	return nil
}

// Text returns the value of a field without blanks around it, and whether there is such a field.
func (e *Entry) Text(name string) (string, bool) {
	f := e.Field(name)
	if f == nil {
		return "", false
	}
	return strings.TrimSpace(f.Value), true
}

// References returns the names that a field points at. The older form, [BUFFER_POOL|name], is the name.
func References(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if inner, found := strings.CutPrefix(part, "["); found {
			if _, name, named := strings.Cut(strings.TrimSuffix(inner, "]"), "|"); named {
				part = name
			}
		}
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

// WithoutLines removes the lines of a document that is in no file: what a switch has, or what a program put together.
func (d *Database) WithoutLines() {
	for _, t := range d.Tables {
		t.At.Line = 0
		for _, e := range t.Entries {
			e.At.Line = 0
			for i := range e.Fields {
				e.Fields[i].At.Line = 0
			}
		}
	}
}

// Merge returns the tables of several documents as one database: the files that a switch is configured from. Of two
// entries with one key the later document's counts, as on a switch, where one command loads all of them.
func Merge(documents ...*Database) *Database {
	out := &Database{}
	for _, d := range documents {
		if d == nil {
			continue
		}
		out.Other = append(out.Other, d.Other...)
		out.Problems = append(out.Problems, d.Problems...)
		for _, t := range d.Tables {
			into := out.Table(t.Name)
			if into == nil {
				into = &Table{Name: t.Name, At: t.At, byKey: map[string]int{}}
				out.Tables = append(out.Tables, into)
			}
			for _, e := range t.Entries {
				into.put(e)
			}
		}
	}
	return out
}
