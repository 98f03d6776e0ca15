// Package tables has the routing tables of the switches of a fabric: which frames leave a switch by which ports. They
// are read from dumps of SONiC's APPL_DB and of FRR, and from a plain text, as they come: a dump of a large fabric is
// larger than memory.
//
// A destination is a prefix that any switch has, without the longer prefixes in it that any switch has. So all of its
// addresses take the same entry of each switch, the longest that has them.
package tables

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// Bounds of what is read. The routes are kept, 16 bytes each, and their numbers for all switches and destinations.
const (
	maxPrefixes = 1_000_000
	maxPorts    = 4096 // of an entry
	entryBytes  = 16
	numberBytes = 4
)

// maxBytes is the most that routes and their numbers take. Tests make it smaller.
var maxBytes = 600_000_000

// Set is the tables of all switches.
type Set struct {
	files    []string
	own      [][]entry               // of each node, in the order in which they were read; nil: no table
	known    map[netip.Prefix]int32  // the numbers of all prefixes
	all      []netip.Prefix          // by their numbers
	prefixes []netip.Prefix          // the destinations, once finished
	resolved [][]int32               // of each node and destination, the place in own; none: no entry
	around   []int32                 // of each prefix, by their numbers: the next wider one that any switch has; none
	places   map[int]map[int32]int32 // of a node whose next hops are down: the places in own, by prefix
	groups   [][]int32               // lists of ports: an entry has the number of one
	number   map[string]int32
	notes    map[string]int // what was left out, with how many
	count    int
}

// entry is an entry of a table: its list of ports, and where it was read. Group 0 are entries whose frames leave the
// fabric or end at the switch.
type entry struct {
	prefix int32
	group  int32
	file   int32
	line   int32
}

// none is no entry: frames are dropped.
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
	key := make([]byte, 0, 4*len(ports))
	for _, p := range ports {
		key = append(key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
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
	// A switch without a table takes no memory for the numbers of its entries.
	tables := len(s.own)
	for _, own := range s.own {
		if own == nil {
			tables--
		}
	}
	if n := len(s.all); n > maxPrefixes || s.count*entryBytes+n*tables*numberBytes > maxBytes {
		return fmt.Errorf("%d routes, %d prefixes at %d switches: want at most %d prefixes, and %d MB at %d bytes a route and %d "+
			"a prefix and switch; the key prefixes of the routes takes those of lossless traffic alone", s.count, n, tables,
			maxPrefixes, maxBytes/1_000_000, entryBytes, numberBytes)
	}
	order := make([]int32, len(s.all)) // the numbers of the prefixes, sorted
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		a, b := s.all[x], s.all[y]
		return cmp.Or(a.Addr().Compare(b.Addr()), a.Bits()-b.Bits())
	})
	sorted := make([]netip.Prefix, len(order))
	for i, n := range order {
		sorted[i] = s.all[n]
	}
	around, whole := nested(sorted) // whole: no destination
	s.around, s.places = make([]int32, len(s.all)), map[int]map[int32]int32{}
	for i, n := range order {
		if s.around[n] = none; around[i] >= 0 {
			s.around[n] = order[around[i]]
		}
	}
	for i, p := range sorted {
		whole[i] = whole[i] || only != nil && !slices.ContainsFunc(only, func(o netip.Prefix) bool {
			return o.Bits() <= p.Bits() && o.Contains(p.Addr())
		})
	}
	// A prefix whose addresses are all in longer ones is no destination: no frame is routed by it.
	kept := 0
	for i := range whole {
		if !whole[i] {
			kept++
		}
	}
	s.resolved = make([][]int32, len(s.own))
	given, of := make([]int32, len(sorted)), make([]int32, len(sorted))
	for node, own := range s.own {
		if own == nil {
			continue
		}
		// Both slices are used again for each switch: a set can have a million prefixes.
		for i := range given {
			given[i] = none
		}
		for i, e := range own {
			given[e.prefix] = int32(i)
		}
		s.resolved[node] = make([]int32, 0, kept)
		for i, n := range order {
			if of[i] = given[n]; of[i] == none && around[i] >= 0 {
				of[i] = of[around[i]]
			}
			if !whole[i] {
				s.resolved[node] = append(s.resolved[node], of[i])
			}
		}
	}
	for i, p := range sorted {
		if !whole[i] {
			s.prefixes = append(s.prefixes, p)
		}
	}
	return nil
}

// nested returns for each of some sorted prefixes the next larger one that has it, -1: none; and whether longer ones
// leave nothing of it.
func nested(sorted []netip.Prefix) (around []int, whole []bool) {
	around, whole = make([]int, len(sorted)), make([]bool, len(sorted))
	inside := make([][]netip.Prefix, len(sorted)) // the next smaller ones, two halves of one joined
	// Sorted prefixes nest: those that are open hold the next one, or are over.
	var open []int
	for i, p := range sorted {
		for len(open) > 0 && !sorted[open[len(open)-1]].Contains(p.Addr()) {
			open = open[:len(open)-1]
		}
		around[i] = -1
		if len(open) > 0 {
			at := open[len(open)-1]
			around[i] = at
			inside[at] = joined(append(inside[at], p))
			whole[at] = len(inside[at]) == 1 && inside[at][0] == sorted[at]
		}
		open = append(open, i)
	}
	return around, whole
}

// joined replaces the last two of some prefixes by one while they are its halves.
func joined(list []netip.Prefix) []netip.Prefix {
	for len(list) > 1 {
		a, b := list[len(list)-2], list[len(list)-1]
		if a.Bits() != b.Bits() || a.Bits() == 0 {
			break
		}
		p, _ := a.Addr().Prefix(a.Bits() - 1)
		if p.Addr() != a.Addr() || !p.Contains(b.Addr()) {
			break
		}
		list = append(list[:len(list)-2], p)
	}
	return list
}

// Destinations returns the number of destinations, Prefix one of them.
func (s *Set) Destinations() int { return len(s.prefixes) }

// Prefix returns a destination: its addresses are those of the prefix without the longer ones.
func (s *Set) Prefix(destination int) netip.Prefix { return s.prefixes[destination] }

// Has tells whether a node has a table.
func (s *Set) Has(node int) bool { return s.own[node] != nil }

// entry returns the place in own of the entry by which a node sends frames to a destination: the longest prefix that
// has it, or the next wider one of which a port is up where all ports of that one are down, because a switch takes such
// a route away. none: there is no route. up tells whether a cable is in service at a port of the node.
func (s *Set) entry(node, destination int, up func(port int32) bool) int32 {
	i := s.resolved[node][destination]
	for i != none {
		e := &s.own[node][i]
		if e.group == 0 || slices.ContainsFunc(s.groups[e.group], up) {
			break
		}
		if s.places[node] == nil {
			s.places[node] = map[int32]int32{}
			for k, e := range s.own[node] {
				s.places[node][e.prefix] = int32(k)
			}
		}
		i = none
		for p := s.around[e.prefix]; p != none && i == none; p = s.around[p] {
			if k, has := s.places[node][p]; has {
				i = k
			}
		}
	}
	return i
}

// Hops returns the ports by which a node sends frames to a destination, some of which may be down; ends: they leave the
// fabric there. Neither: the node has no route, and drops them.
func (s *Set) Hops(node, destination int, up func(port int32) bool) (ports []int32, ends bool) {
	if s.resolved[node] == nil {
		return nil, true
	}
	i := s.entry(node, destination, up)
	if i == none {
		return nil, false
	}
	g := s.own[node][i].group
	return s.groups[g], g == 0
}

// Entries calls yield with the entries of a node, as they were read.
func (s *Set) Entries(node int, yield func(p netip.Prefix, ports []int32)) {
	for _, e := range s.own[node] {
		yield(s.all[e.prefix], s.groups[e.group])
	}
}

// Source is where the route of a node to a destination was read: FILE:LINE, and its prefix; "" if it has none.
func (s *Set) Source(node, destination int, up func(port int32) bool) string {
	if s.resolved[node] == nil {
		return ""
	}
	i := s.entry(node, destination, up)
	if i == none {
		return ""
	}
	e := s.own[node][i]
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
