package native

import (
	"fmt"
	"maps"

	"github.com/cellwarden/cellwarden/nos/sonic"
)

// keepNeeded takes the deletions out of an undo whose entries others have come to need: a map
// or a profile that this push made, and that a port of another push names since. CONFIG_DB
// accepts no such deletion. What is kept is returned apart.
func keepNeeded(now Trees, undo []Change) (left, kept []Change) {
	if len(undo) == 0 || undo[0].update.Origin != sonic.Origin {
		return undo, nil
	}
	after, _ := now.database()
	for _, c := range undo {
		change(after, c)
	}
	named := after.Named()
	for _, c := range undo {
		path := c.update.Path[len(sonic.Path()):]
		if c.after == nil && len(path) == 2 && named[path[0].Name][path[1].Name] {
			kept = append(kept, c)
		} else {
			left = append(left, c)
		}
	}
	return left, kept
}

// database is CONFIG_DB as far as it was read. A table that cannot be read is left out; bad names the first.
func (r Trees) database() (out sonic.Database, bad error) {
	out = sonic.Database{}
	for _, b := range r {
		if b.tree == nil {
			continue
		}
		name := b.path[len(b.path)-1].Name
		table, err := sonic.ReadTable([]byte(jsonText(b.tree)))
		switch {
		case err == nil:
			out[name] = table
		case bad == nil:
			bad = fmt.Errorf("%s of the switch cannot be read: %w", name, err)
		}
	}
	return out, bad
}

// change makes a change in a database.
func change(db sonic.Database, c Change) {
	path := c.update.Path[len(sonic.Path()):]
	name := path[0].Name
	table := maps.Clone(db[name])
	if table == nil {
		table = sonic.Table{}
	}
	db[name] = table
	switch {
	case len(path) == 1:
		db[name] = sonic.Table{}
		if c.after != nil {
			if whole, err := sonic.ReadTable([]byte(jsonText(c.after))); err == nil {
				db[name] = whole
			}
		}
	case len(path) == 2 && c.after == nil:
		delete(table, path[1].Name)
	case len(path) == 2:
		whole, err := sonic.ReadTable([]byte(jsonText(map[string]any{path[1].Name: c.after})))
		if err == nil {
			maps.Copy(table, whole)
		}
	default:
		e := maps.Clone(table[path[1].Name])
		if e == nil {
			e = sonic.Entry{}
		}
		delete(e, path[2].Name)
		if text, ok := c.after.(string); ok {
			e[path[2].Name] = text
		}
		table[path[1].Name] = e
	}
}
