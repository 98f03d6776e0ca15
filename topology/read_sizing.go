package topology

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// sizing makes the method of the headroom mapping. Some methods have numbers of their own for some chips, which they
// find by the chip's name in the catalogue. It returns nil after a complaint. The intent refuses that again, at a
// path within which there is a complaint already, and validate leaves it out.
func (r *reader) sizing(v *document.Value, chip string, open Open) thresholds.Sizer {
	chosen := v.Field("method")
	if chosen == nil { // that it is missing has been said
		return nil
	}
	name := chosen.Text()
	if !slices.Contains(method.Methods(), name) {
		chosen.Refuse(strings.Join(method.Methods(), ", "))
		return nil
	}
	// The parameters are those of the verb headroom, with _ for -: docs/headroom.md lists them for each method.
	keys := method.MethodOptions(name)
	// A table may stand in the topology itself, so that a topology of one file says everything. The verb headroom has
	// only the file.
	if name == tableMethod {
		keys = append(keys, "rows")
	}
	f := v.Fields(append([]string{"method"}, keys...)...)
	if name == tableMethod {
		return r.anyTable(v, f, open)
	}
	options, refused := method.Options{}, len(r.Refused)
	for _, key := range keys {
		if f[key] != nil {
			options[key] = f[key].Text()
		}
	}
	if len(r.Refused) > refused { // the method would refuse what is no text once more
		return nil
	}
	// The method checks the units and the ranges of its parameters, so that the flags of the verb and the keys of the
	// file accept the same.
	sizer, err := method.NewSizer(name, chip, options)
	if err != nil {
		r.Fail(v.Line, v.Path(), err.Error())
	}
	return sizer
}

// anyTable reads a headroom table: a file that the topology names, or rows in the topology. A file and rows are
// exclusive for the reason of alpha and dynamic_th: one could be edited and the other would count.
func (r *reader) anyTable(v *document.Value, f map[string]*document.Value, open Open) thresholds.Sizer {
	switch file, rows := f["table"], f["rows"]; {
	case file != nil && rows != nil:
		rows.Refuse("table or rows, not both")
	case file != nil:
		return r.table(file, open)
	case rows != nil:
		return r.rows(rows)
	default:
		v.Need(f, "table")
	}
	return nil
}

// table reads the headroom table that the topology names.
func (r *reader) table(v *document.Value, open Open) thresholds.Sizer {
	path := document.Beside(r.File, v.Text())
	data, err := open(path)
	if err != nil {
		v.Refuse(fmt.Sprintf("the path of a pg_profile_lookup.ini that can be read (%v)", err))
		return nil
	}
	// The path is part of the complaints, so that a bad row is named by its own file and line.
	t, err := table.Read(path, bytes.NewReader(data))
	switch {
	case errors.Is(err, table.ErrNoTable): // it may be another file, whose content is not shown
		v.Refuse("the path of a pg_profile_lookup.ini: no line of this file is a row of one")
		return nil
	case err != nil:
		r.Join(err)
		return nil
	}
	return t
}
