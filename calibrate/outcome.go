package calibrate

import (
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// outcome is what one list of assumptions leaves.
type outcome struct {
	ok         bool
	sizes      []int64 // of cells
	cell       Range
	overhead   Range
	searched   bool // a pool was searched
	filled     bool // by fills, and not by points alone
	box        rules.Box
	outer      bool
	values     map[string]map[int64]bool // of what was tried one by one: alpha and the rules
	offsets    map[string]Range
	headrooms  map[string]Range
	spare      Range
	spareKnown bool
	candidates []candidate
}

// storage adds a candidate for cell and overhead.
func (o *outcome) storage(cell, overhead Range, sizes ...int64) {
	o.cell, o.overhead = o.cell.join(cell), o.overhead.join(overhead)
	for _, s := range sizes {
		if i, there := slices.BinarySearch(o.sizes, s); !there {
			o.sizes = slices.Insert(o.sizes, i, s)
		}
	}
}

// joinAll joins ranges by name.
func joinAll(to, from map[string]Range) {
	for name, r := range from {
		if o, there := to[name]; there {
			r = r.join(o)
		}
		to[name] = r
	}
}

// join adds what another outcome leaves.
func (o *outcome) join(x *outcome) {
	o.storage(x.cell, x.overhead, x.sizes...)
	if o.values == nil { // the first that leaves anything
		x.cell, x.overhead, x.sizes = o.cell, o.overhead, o.sizes
		*o = *x
		return
	}
	o.box.Join(&x.box)
	o.outer, o.searched = o.outer || x.outer, o.searched && x.searched
	o.spare, o.spareKnown = o.spare.join(x.spare), o.spareKnown || x.spareKnown
	for name, values := range x.values {
		maps.Copy(o.values[name], values)
	}
	joinAll(o.offsets, x.offsets)
	joinAll(o.headrooms, x.headrooms)
	o.candidates = append(o.candidates, x.candidates...)
}

// parameter returns the parameter of an assumption; false if the outcome tells nothing of it.
func (o *outcome) parameter(name string) (Parameter, bool) {
	for _, p := range o.pool() {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}

// pool returns the parameters that have one value for the switch.
func (o *outcome) pool() []Parameter {
	out := []Parameter{
		{Name: Cell, Is: o.cell, Values: few(o.sizes)}, {Name: Overhead, Is: o.overhead},
	}
	if o.values == nil {
		return out
	}
	of := func(name string, n rules.Number) Parameter {
		return Parameter{Name: name, Is: rangeOf(&o.box, n), Outer: o.outer}
	}
	out = append(out, of(Shared, rules.Shared), of(ReservedCells, rules.Reserved))
	for _, name := range []string{DynamicTh, LimitRule, XOFFRule, XONRule} {
		out = append(out, listed(name, o.values[name]))
	}
	return append(out, of(LeakOut, rules.Leak), Parameter{Name: HeadroomPool, Is: o.spare, Known: o.spareKnown})
}

// few returns a list that is short enough to print.
func few(list []int64) []int64 {
	if len(list) <= 16 {
		return list
	}
	return nil
}

// listed returns a parameter whose values were all tried.
func listed(name string, values map[int64]bool) Parameter {
	all := slices.Sorted(maps.Keys(values))
	if len(all) == 0 {
		return Parameter{Name: name, Is: known[name]}
	}
	return Parameter{Name: name, Is: Range{all[0], all[len(all)-1]}, Values: all}
}
