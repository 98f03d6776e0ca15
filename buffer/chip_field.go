package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/fielderr"
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

	name     string   // of several fields that have one source and mean one thing; "": Key
	choices  []string // of a text; nil: any text
	accepted string   // what is accepted, as complaints say it: of a number a format of Least and Most
	value    string   // format of a number in complaints; "": %d

	number chipNumber
	text   chipText
	length func(*Chip) int                   // of a list
	rule   func(c *Chip, bad *fielderr.List) // in place of the bounds: what is accepted depends on other fields
	source func(*Sources) *string            // nil: the field needs no source

	sourceKey string // of several fields that have one source: its key; "": Key
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
	all := slices.Clone(chipFields)
	for i := range all {
		all[i].Parts = slices.Clone(all[i].Parts)
	}
	return all
}

// chipNumber is the place of a number in a chip.
type chipNumber interface {
	get(c *Chip) int64
	set(c *Chip, n int64)
}

// numberAt is the place of a number of any type. The table is full of functions of this type, and not of what a
// function makes of them: so it is data of the program, and costs its start nothing.
type numberAt[T ~int | ~int8 | ~int64] func(*Chip) *T

func (at numberAt[T]) get(c *Chip) int64    { return int64(*at(c)) }
func (at numberAt[T]) set(c *Chip, n int64) { *at(c) = T(n) }

// chipText is the place of a text in a chip.
type chipText interface {
	get(c *Chip) string
	set(c *Chip, text string)
}

// textAt is the place of a text of any type.
type textAt[T ~string] func(*Chip) *T

func (at textAt[T]) get(c *Chip) string       { return string(*at(c)) }
func (at textAt[T]) set(c *Chip, text string) { *at(c) = T(text) }

// IsNumber tells whether the field is a number.
func (f *ChipField) IsNumber() bool { return f.number != nil }

// Number returns the field's number; 0 for a text field.
func (f *ChipField) Number(c *Chip) int64 {
	if f.number == nil {
		return 0
	}
	return f.number.get(c)
}

// SetNumber sets the number of a field that is one. It does not check the bounds: see [Chip.Validate].
func (f *ChipField) SetNumber(c *Chip, n int64) { f.number.set(c, n) }

// IsText tells whether the field is a text.
func (f *ChipField) IsText() bool { return f.text != nil }

// Text returns the field's text; "" for a field of a number.
func (f *ChipField) Text(c *Chip) string {
	if f.text == nil {
		return ""
	}
	return f.text.get(c)
}

// SetText sets the text of a field that is one. It does not check it: see [Chip.Validate].
func (f *ChipField) SetText(c *Chip, text string) { f.text.set(c, text) }

// IsList tells whether the field is a list.
func (f *ChipField) IsList() bool { return f.length != nil }

// IsZero tells whether the chip does not have the field: a number that is 0, an empty text or list, a mapping of such.
func (f *ChipField) IsZero(c *Chip) bool {
	switch {
	case f.number != nil:
		return f.number.get(c) == 0
	case f.text != nil:
		return f.text.get(c) == ""
	case f.length != nil:
		return f.length(c) == 0
	}
	return !slices.ContainsFunc(f.Parts, func(part ChipField) bool { return !part.IsZero(c) })
}

// Hidden tells whether the field is not shown of a chip. Of a chip with two memories, both are shown: also a number
// that is not sourced.
func (f *ChipField) Hidden(c *Chip) bool {
	return f.Label == "" || f.Omit && f.IsZero(c) && (f.Place != amongMemory || !c.Deep())
}

// SourceKey returns the key of the field's source in a chip file; "" if the field needs none.
func (f *ChipField) SourceKey() string {
	switch {
	case f.source == nil:
		return ""
	case f.sourceKey != "":
		return f.sourceKey
	}
	return f.Key
}

// Source returns where the field's value comes from; "" if it is not sourced, or needs no source.
func (f *ChipField) Source(c *Chip) string {
	if f.source == nil {
		return ""
	}
	return *f.source(&c.Sources)
}

// SetSource sets where the value of a field that needs a source comes from.
func (f *ChipField) SetSource(c *Chip, text string) { *f.source(&c.Sources) = text }

// validate refuses what is not accepted of the field. The path is that of the field's key.
func (f *ChipField) validate(c *Chip, path string, bad *fielderr.List) {
	switch {
	case f.rule != nil:
		f.rule(c, bad)
	case f.number != nil:
		f.validateNumber(f.number.get(c), path, bad)
	case f.choices != nil && !slices.Contains(f.choices, f.text.get(c)):
		bad.Add(path, f.text.get(c), f.accepted)
	}
	for i := range f.Parts {
		part := &f.Parts[i]
		// A path is made for a complaint alone.
		if n := part.number; part.rule == nil && n != nil && part.accepts(n.get(c)) {
			continue
		}
		part.validate(c, path+"."+part.Key, bad)
	}
}

// accepts tells whether a number is in the field's range.
func (f *ChipField) accepts(n int64) bool { return n >= f.Least && n <= f.Most }

func (f *ChipField) validateNumber(n int64, path string, bad *fielderr.List) {
	if f.accepts(n) {
		return
	}
	value, accepted := f.value, f.accepted
	if value == "" {
		value = "%d"
	}
	if f.Described {
		accepted = "%d (not sourced) to %d"
	}
	bad.Add(path, fmt.Sprintf(value, n), fmt.Sprintf(accepted, f.Least, f.Most))
}

// unsourcedName is how Unsourced names the field.
func (f *ChipField) unsourcedName() string {
	if f.name != "" {
		return f.name
	}
	return f.Key
}
