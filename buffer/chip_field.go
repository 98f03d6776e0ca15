package buffer

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
)

// ChipField describes one field of a [Chip]: its key in a chip file, what is accepted, the place of its source, and how
// it is shown. A field is a number, a text, a mapping of further fields, or a list. Of a list the table knows the key,
// the source, and whether it is empty.
type ChipField struct {
	Key   string      // in a chip file and in complaints: "max_pool_cells"
	Parts []ChipField // the fields of a mapping; nil: no mapping

	Needed    bool  // a chip file must have the key
	Described bool  // a plan can be made without it; zero: not sourced, or that the chip has no such limit
	Least     int64 // lowest number that is accepted; of a Described one zero is accepted too
	Most      int64 // highest number

	Label string       // what the field is: "largest pool in a slice"; "": it is shown with another field
	Unit  string       // of a number: "cells", "bytes"; "": a count of what Label says
	Show  string       // format of a part's number in a sentence, in place of Label and Unit
	None  string       // shown of a field that is zero; "": a dash
	Omit  bool         // a field that is zero is not shown
	Place DisplayPlace // where it is shown

	name     string                      // of several fields that have one source and mean one thing; "": Key
	choices  []string                    // of a text; nil: any text
	accepted string                      // what is accepted, as complaints say it: of a number a format of Least and Most
	value    string                      // format of a number in complaints; "": %d
	rule     func(*Chip, *fielderr.List) // in place of the bounds: what is accepted depends on other fields

	sourceKey string // of several fields that have one source: its key; "": Key

	// What follows is found by the keys.
	path   string       // in complaints: chip.max_pool_cells
	at     []int        // its place in Chip
	kind   reflect.Kind // of its Go type
	source int          // its place in Sources; -1: the field needs no source
}

// chipFields are the rows of the table, each with its place in a chip.
var chipFields = once.Value(func() []ChipField { return placed(chipTable, reflect.TypeFor[Chip](), nil, "chip") })

// placed returns rows with their places in a type, which is at a place of Chip itself.
func placed(rows []ChipField, in reflect.Type, at []int, path string) []ChipField {
	rows = slices.Clone(rows)
	for i := range rows {
		f := &rows[i]
		place, of := withKey(in, f.Key)
		f.path, f.at, f.kind, f.source = path+"."+f.Key, slices.Concat(at, []int{place}), of.Kind(), -1
		if f.Parts != nil {
			f.Parts = placed(f.Parts, of, f.at, f.path)
		}
		if len(at) == 0 {
			f.source, _ = withKey(reflect.TypeFor[Sources](), cmp.Or(f.sourceKey, f.Key))
		}
	}
	return rows
}

// withKey returns the place and the type of the field of a struct that has a key in its JSON; -1 if none has it.
func withKey(t reflect.Type, key string) (int, reflect.Type) {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == key {
			return i, t.Field(i).Type
		}
	}
	return -1, nil
}

// DisplayPlace groups the fields of a chip where they are shown. Fields of one place are shown in the table's order.
type DisplayPlace int

// The places, in order.
const (
	amongMemory DisplayPlace = iota // the cell, and the memory as a whole
	amongSlices                     // the parts of the memory, and the pipes that feed them
	amongAlphas                     // the table of alphas, and the ports
	amongLimits                     // what can be configured
	amongRules                      // how packets are counted
)

// ChipFields returns the table of a chip's fields, in the order of its JSON: everything but the sources and the notes.
// The table is the caller's own.
func ChipFields() []ChipField {
	all := slices.Clone(chipFields())
	for i := range all {
		all[i].Parts = slices.Clone(all[i].Parts)
	}
	return all
}

// in returns the field of a chip.
func (f *ChipField) in(c *Chip) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.at) }

// IsNumber tells whether the field is a number.
func (f *ChipField) IsNumber() bool { return f.kind >= reflect.Int && f.kind <= reflect.Int64 }

// Number returns the field's number; 0 for a text field.
func (f *ChipField) Number(c *Chip) int64 {
	if !f.IsNumber() {
		return 0
	}
	return f.in(c).Int()
}

// SetNumber sets the number of a field that is one. It does not check the bounds: see [Chip.Validate].
func (f *ChipField) SetNumber(c *Chip, n int64) { f.in(c).SetInt(n) }

// IsText tells whether the field is a text.
func (f *ChipField) IsText() bool { return f.kind == reflect.String }

// Text returns the field's text; "" for a field of a number.
func (f *ChipField) Text(c *Chip) string {
	if !f.IsText() {
		return ""
	}
	return f.in(c).String()
}

// SetText sets the text of a field that is one. It does not check it: see [Chip.Validate].
func (f *ChipField) SetText(c *Chip, text string) { f.in(c).SetString(text) }

// IsList tells whether the field is a list.
func (f *ChipField) IsList() bool { return f.kind == reflect.Slice }

// IsZero tells whether the chip does not have the field: a number that is 0, an empty text or list, a mapping of such.
func (f *ChipField) IsZero(c *Chip) bool {
	if f.IsList() {
		return f.in(c).Len() == 0
	}
	return f.in(c).IsZero()
}

// Hidden tells whether the field is not shown of a chip. Of a chip with two memories, both are shown: also a number
// that is not sourced.
func (f *ChipField) Hidden(c *Chip) bool {
	return f.Label == "" || f.Omit && f.IsZero(c) && (f.Place != amongMemory || !c.Deep())
}

// SourceKey returns the key of the field's source in a chip file; "" if the field needs none.
func (f *ChipField) SourceKey() string {
	if f.source < 0 {
		return ""
	}
	return cmp.Or(f.sourceKey, f.Key)
}

// Source returns where the field's value comes from; "" if it is not sourced, or needs no source.
func (f *ChipField) Source(c *Chip) string {
	if f.source < 0 {
		return ""
	}
	return reflect.ValueOf(&c.Sources).Elem().Field(f.source).String()
}

// SetSource sets where the value of a field that needs a source comes from.
func (f *ChipField) SetSource(c *Chip, text string) {
	reflect.ValueOf(&c.Sources).Elem().Field(f.source).SetString(text)
}

// validate refuses what is not accepted of the field.
func (f *ChipField) validate(c *Chip, bad *fielderr.List) {
	switch {
	case f.rule != nil:
		f.rule(c, bad)
	case f.IsNumber():
		f.validateNumber(f.Number(c), bad)
	case f.choices != nil && !slices.Contains(f.choices, f.Text(c)):
		bad.Add(f.path, f.Text(c), f.accepted)
	}
	for i := range f.Parts {
		f.Parts[i].validate(c, bad)
	}
}

func (f *ChipField) validateNumber(n int64, bad *fielderr.List) {
	if n >= f.Least && n <= f.Most {
		return
	}
	accepted := f.accepted
	if f.Described {
		accepted = "%d (not sourced) to %d"
	}
	bad.Add(f.path, fmt.Sprintf(cmp.Or(f.value, "%d"), n), fmt.Sprintf(accepted, f.Least, f.Most))
}

// unsourcedName is how Unsourced names the field.
func (f *ChipField) unsourcedName() string { return cmp.Or(f.name, f.Key) }
