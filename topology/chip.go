package topology

import (
	"errors"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// ParseChip reads a chip file, YAML or JSON, with the keys that a buffer.Chip has as JSON: what `cellwarden asic show
// NAME -o json` prints is one.
func ParseChip(file string, data []byte) (buffer.Chip, error) {
	r := newReader(file)
	var c buffer.Chip
	// The reader complains of a value by its form, Validate by what the chip allows. Both name the path of the file,
	// because a chip has the keys of its JSON.
	if root := r.Parse(data); root != nil {
		c = r.chipFile(root)
		// A chip that could not be read in full would be refused a second time, for the zeros in it.
		var invalid *buffer.InvalidError
		if r.Total() == 0 && errors.As(c.Validate(), &invalid) {
			for _, x := range invalid.Complaints {
				r.Complain(root.Line, x.Path, x.Value, x.Accepted)
			}
		}
	}
	return c, r.Err()
}

// chipFile reads the fields of buffer.ChipFields, then the notes and the sources. It begins with the numbers that a
// plan is made with, then reads the memory, and last what describes the chip.
func (r *reader) chipFile(root *document.Value) buffer.Chip {
	fields := buffer.ChipFields()
	// sources is read last, because the table of fields says which source each field has.
	f := root.Fields(append(keysOf(fields), "sources", "notes")...)
	// name, cell, slices, groups, and the bounds of alpha
	root.Need(f, keysOf(slices.DeleteFunc(slices.Clone(fields), func(f buffer.ChipField) bool { return !f.Needed }))...)

	var c buffer.Chip
	// Complaints are kept in the order in which they arise, so the order of these three calls is that of the messages.
	readChipFields(&c, fields, f, func(f *buffer.ChipField) bool { return !f.Described && !f.IsList() })
	readChipFields(&c, fields, f, func(f *buffer.ChipField) bool { return !f.Described && f.IsList() })
	readChipFields(&c, fields, f, func(f *buffer.ChipField) bool { return f.Described })
	if notes := f["notes"].Items(); len(notes) > 0 { // of most chips none, and an empty list is another chip
		c.Notes = grouped.Each(notes, (*document.Value).Prose)
	}
	if f["sources"] != nil {
		readSources(&c, fields, f["sources"])
	}
	return c
}

// keysOf returns the keys of fields.
func keysOf(fields []buffer.ChipField) []string {
	return grouped.Each(fields, func(f buffer.ChipField) string { return f.Key })
}

// readChipFields reads some of the fields into the chip. A field that the file does not have keeps its zero, whose
// meaning buffer.Chip states for each of them.
func readChipFields(c *buffer.Chip, fields []buffer.ChipField, values map[string]*document.Value,
	some func(*buffer.ChipField) bool) {
	for i := range fields {
		if f := &fields[i]; some(f) && values[f.Key] != nil {
			readChipField(c, f, values[f.Key])
		}
	}
}

// readChipField reads one field: a number within its bounds, a text, a list, or a mapping of parts. The bounds keep a
// number within its Go type; the rules of the chip come later.
func readChipField(c *buffer.Chip, f *buffer.ChipField, v *document.Value) {
	switch {
	case f.IsNumber():
		f.SetNumber(c, v.Integer(f.Least, f.Most))
	case f.IsText():
		f.SetText(c, v.Text())
	case f.IsList():
		chipLists[f.Key](c, v)
	default:
		readChipFields(c, f.Parts, v.Fields(keysOf(f.Parts)...), func(*buffer.ChipField) bool { return true })
	}
}

// chipLists read the lists of a chip. Their items differ too much for a table. A list without a reader here would
// panic on the first chip file that has its key: a new list of ChipFields needs an entry.
var chipLists = map[string]func(*buffer.Chip, *document.Value){
	"slices":       func(c *buffer.Chip, v *document.Value) { c.Slices = grouped.Each(v.Items(), readSlice) },
	"pipes":        func(c *buffer.Chip, v *document.Value) { c.Pipes = readPipes(v) },
	"egress_pipes": func(c *buffer.Chip, v *document.Value) { c.EgressPipes = readPipes(v) },
	"headroom_defaults": func(c *buffer.Chip, v *document.Value) {
		c.HeadroomDefaults = grouped.Each(v.Items(), readHeadroomDefault)
	},
}

// readPipes reads the slices of each pipe. Whether the chip has these slices is for its Validate. An empty list says
// nothing of pipes: every port is then charged in every slice.
func readPipes(v *document.Value) [][]int {
	slice := func(s *document.Value) int { return int(s.Integer(0, 1<<16)) }
	return grouped.Each(v.Items(), func(pipe *document.Value) []int { return grouped.Each(pipe.Items(), slice) })
}

// readHeadroomDefault reads what the vendor's software gives a lossless group of a port.
func readHeadroomDefault(v *document.Value) buffer.HeadroomDefault {
	// The vendor's default headroom of a group, in cells, at this speed. The second number is for ports that together
	// are faster than the chip takes at full rate; without the key the source has none.
	f := v.Fields("speed", "line_rate_cells", "oversubscribed_cells")
	v.Need(f, "speed", "line_rate_cells")
	return buffer.HeadroomDefault{
		Speed:          document.Quantity(f["speed"], unit.ParseBitRate),
		LineRate:       readCells(f["line_rate_cells"], 0),
		Oversubscribed: readCells(f["oversubscribed_cells"], 0),
	}
}

// readSlice reads a slice of the memory: its cells, and what the chip keeps of them before any port is admitted.
func readSlice(v *document.Value) buffer.Slice {
	f := v.Fields("cells", "takes")
	v.Need(f, "cells")
	// A slice without cells is no slice. What the chip takes from one for itself (item) may be 0 cells on one of
	// several.
	s := buffer.Slice{Cells: readCells(f["cells"], 1)}
	for _, t := range f["takes"].Items() {
		g := t.Fields("item", "cells", "source")
		t.Need(g, "item", "cells")
		take := buffer.Take{Item: g["item"].Text(), Cells: readCells(g["cells"], 0), Source: g["source"].Text()}
		s.Takes = append(s.Takes, take)
	}
	return s
}

// readCells reads a number of cells, of at most more than any memory has.
func readCells(v *document.Value, least int64) cells.Count {
	return cells.Count(v.Integer(least, int64(buffer.MaxCells)))
}

// readSources reads the source of each field. Fields with one source share its key.
func readSources(c *buffer.Chip, fields []buffer.ChipField, v *document.Value) {
	var keys []string
	owner := map[string]*buffer.ChipField{}
	for i := range fields {
		// The first field with a key owns it: the rules of a chip have one source, which is that of one measurement.
		if key := fields[i].SourceKey(); key != "" && owner[key] == nil {
			keys, owner[key] = append(keys, key), &fields[i]
		}
	}
	f := v.Fields(keys...)
	for _, key := range keys {
		owner[key].SetSource(c, f[key].Text())
	}
}
