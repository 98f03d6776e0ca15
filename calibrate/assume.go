package calibrate

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The names of the parameters.
const (
	Cell           = "cell_bytes"
	Overhead       = "overhead_bytes"
	Shared         = "shared_cells"        // of a slice's pool, without reserved cells and headroom
	ReservedCells  = "reserved_cells"      // PG-min of a group
	DynamicTh      = "dynamic_th"          // alpha = 2^dynamic_th
	LimitRule      = "limit_rule"          // 0: before, 1: after the packet
	XOFFRule       = "xoff_rule"           // 0: the refused packet sends XOFF, 1: the one that fills the shared part
	XONRule        = "xon_rule"            // 0: measured from the present limit, 1: from the limit at XOFF
	LeakOut        = "leak_out_packets"    // packets that leave although the port is stopped
	HeadroomCells  = "headroom_cells"      // of a group, by profile
	HeadroomPool   = "headroom_pool_cells" // shared headroom of a slice
	XONOffset      = "xon_offset_cells"    // of a group, by profile
	Propagation    = "propagation_ps_per_metre"
	delaysName     = "response_and_interfaces_ps" // by speed: response time of the peer and both interfaces
	Response       = "response_ps"                // by speed: the response time alone
	Interfaces     = "interfaces_ps"              // by speed: the delays of both interfaces alone
	cellsOfAPacket = "cells_of_a_packet"
)

// known are the parameters that an assumption may name, and the range of each.
var known = map[string]Range{
	Cell: {1, 1 << 20}, Overhead: {0, 1 << 16}, Shared: {0, mostCells}, ReservedCells: {0, mostCells},
	DynamicTh: {int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha)}, LimitRule: {0, 1}, XOFFRule: {0, 1},
	XONRule: {0, 1}, LeakOut: {0, mostPackets}, HeadroomPool: {0, mostCells}, XONOffset: {0, mostCells},
	Propagation: {leastPropagation, mostPropagation}, Response: {0, int64(unit.Second)},
	Interfaces: {0, int64(unit.Second)},
}

// ruleNames are the values of the rules, as a chip file has them.
var ruleNames = map[string][2]string{
	LimitRule: {string(buffer.LimitBefore), string(buffer.LimitAfter)},
	XOFFRule:  {string(buffer.XOFFRefused), string(buffer.XOFFFull)},
	XONRule:   {string(buffer.XONCurrent), string(buffer.XONLatched)},
}

// Assumption is what is taken to be known of a parameter before anything is measured: from a configuration, a chip
// file, or because nothing says otherwise.
type Assumption struct {
	Parameter string
	Is        Range
	Bytes     bool   // Is counts bytes of a slice where the parameter counts cells; reserved cells are rounded up
	Source    string // "the chip file", "assumed"
}

// String prints the assumption: "leak_out_packets is 0 (assumed)".
func (a Assumption) String() string {
	value := Parameter{Name: a.Parameter, Is: a.Is}.Value()
	if a.Bytes {
		value += " bytes"
	}
	return fmt.Sprintf("%s is %s (%s)", a.Parameter, value, a.Source)
}

// validate refuses an unknown parameter, and values that no chip has.
func (a *Assumption) validate(path string, bad *fielderr.List) {
	within, ok := known[a.Parameter]
	bad.Check(ok, path+".parameter", a.Parameter, "a parameter that can be assumed")
	if ok && !a.Bytes {
		bad.Check(within.Lo <= a.Is.Lo && a.Is.Lo <= a.Is.Hi && (a.Is.Hi <= within.Hi || a.Is.Hi == NoBound), path, a.Is,
			"%v", within)
	}
	if a.Bytes {
		bad.Check(a.Parameter == Shared || a.Parameter == ReservedCells || a.Parameter == HeadroomPool ||
			a.Parameter == XONOffset, path+".parameter", a.Parameter, "one that counts cells")
		checkRange(path, a.Is, bad)
	}
}

// OfChip returns what a chip says of the parameters: its cell and overhead, the dynamic thresholds that it has, the
// rules, and the packets that leak out.
func OfChip(c *buffer.Chip) (out []Assumption) {
	source := "chip " + c.Name
	add := func(name string, is Range) { out = append(out, Assumption{Parameter: name, Is: is, Source: source}) }
	if c.Cell > 0 {
		add(Cell, Exactly(int64(c.Cell)))
		add(Overhead, Exactly(int64(c.Overhead)))
	}
	add(DynamicTh, Range{int64(c.MinAlpha), int64(c.MaxAlpha)})
	for _, r := range []struct{ name, value string }{
		{LimitRule, string(c.LimitRule)}, {XOFFRule, string(c.XOFFRule)}, {XONRule, string(c.XONRule)},
	} {
		names := ruleNames[r.name]
		if i := slices.Index(names[:], r.value); i >= 0 {
			add(r.name, Exactly(int64(i)))
		}
	}
	if c.LeakOut > 0 {
		add(LeakOut, Exactly(c.LeakOut))
	}
	return out
}

// assumptions is a list with a look-up.
type assumptions []Assumption

// rangeOf returns what is assumed of a parameter in its own unit: all that the list says, or the whole range. Bytes
// become cells by the smallest and the largest cell that are possible. false: the assumptions contradict each other.
func (a assumptions) rangeOf(name string, cell Range) (Range, bool) {
	out, ok := known[name], true
	for _, x := range a {
		if x.Parameter != name {
			continue
		}
		is := x.Is
		if x.Bytes {
			if cell.Hi == NoBound {
				continue
			}
			is = inCells(x.Is, cell, name == ReservedCells)
		}
		if out, ok = out.intersect(is); !ok {
			return out, false
		}
	}
	return out, true
}

// has tells whether something is assumed of a parameter.
func (a assumptions) has(name string) bool {
	return slices.ContainsFunc(a, func(x Assumption) bool { return x.Parameter == name })
}

// without returns the list without one of its assumptions.
func (a assumptions) without(i int) assumptions { return slices.Delete(slices.Clone(a), i, i+1) }

// inCells converts bytes to cells of a size that is known within bounds.
func inCells(bytes, cell Range, up bool) Range {
	convert := func(n int64, c int64) int64 {
		if up {
			return int64(cells.Size(c).Holding(unit.Bytes(n)))
		}
		return int64(cells.Size(c).Within(unit.Bytes(n)))
	}
	out := Range{convert(bytes.Lo, cell.Hi), NoBound}
	if bytes.Hi != NoBound {
		out.Hi = convert(bytes.Hi, cell.Lo)
	}
	return out
}
