// Package tables has the routing tables of the switches of a fabric: which frames leave a switch by which ports. They
// are read from dumps of SONiC's APPL_DB and of FRR, and from a plain text, as they come: a dump of a large fabric is
// larger than memory.
//
// A destination is a prefix that any switch has, without the longer prefixes in it that any switch has. So all of its
// addresses take the same entry of each switch, the longest that has them.
package tables

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
)

// Bounds of what is read.
const (
	maxPrefixes = 1_000_000
	maxPorts    = 4096 // of an entry
	entryBytes  = 16
)

// maxBytes is the most that the routes take, entryBytes each. Tests make it smaller.
var maxBytes = 600_000_000

// Set is the tables of all switches.
type Set struct {
	files        []string
	own          [][]entry              // of each node, by the numbers of their prefixes once finished; nil: no table
	known        map[netip.Prefix]int32 // the numbers of all prefixes
	all          []netip.Prefix         // by their numbers, which are in order once finished
	around       []int32                // of each prefix: the next wider one that any switch has; none
	destinations []int32                // their prefixes
	groups       [][]int32              // lists of ports: an entry has the number of one
	number       map[string]int32
	notes        map[string]int // what was left out, with how many
	count        int
}

// entry is an entry of a table: its list of ports, and where it was read. Group 0 are entries whose frames leave the
// fabric or end at the switch.
type entry struct {
	prefix int32
	group  int32
	file   int32
	line   int32
}

// none is no prefix.
const none = -1

// New returns the tables of a number of nodes, without any.
func New(nodes int) *Set {
	return &Set{own: make([][]entry, nodes), known: map[netip.Prefix]int32{}, groups: [][]int32{nil}, number: map[string]int32{"": 0},
		notes: map[string]int{}}
}

// group returns the number of a list of ports.
func (s *Set) group(ports []int32) int32 {
	ports = slices.Clone(ports)
	slices.Sort(ports)
	ports = slices.Compact(ports)
	// A list is known by its bytes: a map has no slices as keys.
	key, _ := binary.Append(nil, binary.LittleEndian, ports) // of numbers
	if n, known := s.number[string(key)]; known {
		return n
	}
	s.groups = append(s.groups, ports)
	s.number[string(key)] = int32(len(s.groups) - 1)
	return int32(len(s.groups) - 1)
}

// add adds an entry of a node. A later one of the same prefix replaces it.
func (s *Set) add(node int, p netip.Prefix, e entry) error {
	if s.count++; s.count*entryBytes > maxBytes {
		return fmt.Errorf("%s:%d: more than %d routes (want fewer)", s.files[e.file], e.line, maxBytes/entryBytes)
	}
	e.prefix = s.numbered(p)
	s.own[node] = append(s.own[node], e)
	return nil
}

// numbered returns the number of a prefix.
func (s *Set) numbered(p netip.Prefix) int32 {
	n, known := s.known[p]
	if !known {
		n = int32(len(s.all))
		s.known[p] = n
		s.all = append(s.all, p)
	}
	return n
}

// Finish makes the destinations, when all tables are read: those in some prefixes; nil: all.
func (s *Set) Finish(only []netip.Prefix) error {
	for _, p := range only {
		s.numbered(p)
	}
	if n := len(s.all); n > maxPrefixes {
		return fmt.Errorf("%d prefixes (want at most %d; the key prefixes takes those of lossless traffic alone)",
			n, maxPrefixes)
	}
	// From here on the number of a prefix is its place among the sorted ones.
	slices.SortFunc(s.all, func(a, b netip.Prefix) int { return cmp.Or(a.Addr().Compare(b.Addr()), a.Bits()-b.Bits()) })
	place := make([]int32, len(s.all))
	for i, p := range s.all {
		place[s.known[p]] = int32(i)
	}
	for node, own := range s.own {
		for i := range own {
			own[i].prefix = place[own[i].prefix]
		}
		slices.Reverse(own) // of several entries of a prefix the last holds
		slices.SortStableFunc(own, func(a, b entry) int { return cmp.Compare(a.prefix, b.prefix) })
		s.own[node] = slices.CompactFunc(own, func(a, b entry) bool { return a.prefix == b.prefix })
	}
	var whole []bool
	s.around, whole = nested(s.all)
	for i, p := range s.all {
		within := func(o netip.Prefix) bool { return o.Bits() <= p.Bits() && o.Contains(p.Addr()) }
		// A prefix whose addresses are all in longer ones is no destination: no frame is routed by it.
		if !whole[i] && (only == nil || slices.ContainsFunc(only, within)) {
			s.destinations = append(s.destinations, int32(i))
		}
	}
	return nil
}

// nested returns for each of some sorted prefixes the next larger one that has it; and whether longer ones leave
// nothing of it.
func nested(sorted []netip.Prefix) (around []int32, whole []bool) {
	around, whole = make([]int32, len(sorted)), make([]bool, len(sorted))
	// Sorted prefixes nest: those that are open hold the next one, or are over.
	open := []int32{none}
	for i, p := range sorted {
		for len(open) > 1 && !sorted[open[len(open)-1]].Contains(p.Addr()) {
			open = open[:len(open)-1]
		}
		around[i] = open[len(open)-1]
		open = append(open, int32(i))
	}
	halves := map[netip.Prefix]int{} // how many halves of a prefix are there, or are made of longer ones
	for i, p := range slices.Backward(sorted) {
		whole[i] = halves[p] == 2
		for half := !whole[i]; half && p.Bits() > 0; half = halves[p] == 2 {
			p, _ = p.Addr().Prefix(p.Bits() - 1)
			halves[p]++
		}
	}
	return around, whole
}

// Destinations returns the number of destinations, Prefix one of them.
func (s *Set) Destinations() int { return len(s.destinations) }

// Prefix returns a destination: its addresses are those of the prefix without the longer ones.
func (s *Set) Prefix(destination int) netip.Prefix { return s.all[s.destinations[destination]] }

// Has tells whether a node has a table.
func (s *Set) Has(node int) bool { return s.own[node] != nil }

// entry returns the entry by which a node sends frames to a destination: the longest prefix that has it, or the next
// wider one of which a port is up where all ports of that one are down, because a switch takes such a route away. nil:
// there is no route. up tells whether a cable is in service at a port of the node.
func (s *Set) entry(node, destination int, up func(port int32) bool) *entry {
	for p := s.destinations[destination]; p != none; p = s.around[p] {
		// The entry is at the place of its number if the node has all prefixes, as most have, and before it if not.
		own := s.own[node][:min(int(p)+1, len(s.own[node]))]
		i := len(own) - 1
		has := i >= 0 && own[i].prefix == p
		if !has {
			i, has = slices.BinarySearchFunc(own, p, func(e entry, p int32) int { return cmp.Compare(e.prefix, p) })
		}
		if has && (own[i].group == 0 || slices.ContainsFunc(s.groups[own[i].group], up)) {
			return &own[i]
		}
	}
	return nil
}

// Hops returns the ports by which a node sends frames to a destination, some of which may be down; ends: they leave the
// fabric there. Neither: the node has no route, and drops them.
func (s *Set) Hops(node, destination int, up func(port int32) bool) (ports []int32, ends bool) {
	if s.own[node] == nil {
		return nil, true
	}
	e := s.entry(node, destination, up)
	if e == nil {
		return nil, false
	}
	return s.groups[e.group], e.group == 0
}

// Entries calls yield with the entries of a node.
func (s *Set) Entries(node int, yield func(p netip.Prefix, ports []int32)) {
	for _, e := range s.own[node] {
		yield(s.all[e.prefix], s.groups[e.group])
	}
}

// Source is where the route of a node to a destination was read: FILE:LINE; "" if it has none.
func (s *Set) Source(node, destination int, up func(port int32) bool) string {
	e := s.entry(node, destination, up)
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", s.files[e.file], e.line)
}

// Notes says what of the dumps was left out.
func (s *Set) Notes() (out []string) {
	for text, n := range s.notes {
		out = append(out, fmt.Sprintf("%d %s", n, text))
	}
	slices.Sort(out)
	return out
}
