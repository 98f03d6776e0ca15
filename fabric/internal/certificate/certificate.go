// Package certificate checks the proof that no pauses can lock: a rank for each channel, so that each channel that can
// wait for another has the larger rank. Then no channel can wait for itself.
//
// It shares no code with the package that makes the ranks. It finds the ways of the frames once more, one destination
// after the other, from nothing but the cables and what says how frames go: a rule, places in a mesh, or tables. It
// looks at each pair of channels that a frame takes one after the other.
package certificate

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
)

// Cable is one direction of a cable: the nodes that it leaves and arrives at, and its rank in each layer (a layer is a
// priority; 0: no frames take it).
type Cable struct {
	From, To int
	Ranks    []int64
	Rise     int // above 0: to a node above; below 0: to one below; 0: on the same level
}

// Claim is what is proved: that the ways of these frames have no cycle.
type Claim struct {
	Nodes     int
	Host      func(node int) bool      // it sends and receives, and passes nothing on
	Cables    []Cable                  // without those that are down
	Layer     int                      // in which frames begin
	From, To  []int                    // nodes; with Tables To are places in Prefixes
	OnlyDown  bool                     // after the first cable that does not lead up, all lead down
	OnceLevel bool                     // with OnlyDown: one cable on the same level may be between
	Places    [][]int                  // of each node in a mesh, for dimension order; nil: another way
	Rows      []int                    // with Places: the lengths of the closed rows of a torus; nil: a mesh
	Tables    []map[netip.Prefix][]int // of each node: the cables by which frames leave; none: they end there
	Prefixes  []netip.Prefix
	Changes   []Rewrite // the first that fits a frame decides
	Floods    []int     // nodes at which frames of the layer leave by all ports
	// Path is, in place of all of these, one given path: the ranks of the channels that a frame can take for each cable.
	Path [][]int64
}

// way is a node, whether the frame may still go up there, and its layer.
type way struct {
	node  int
	down  bool
	layer int
}

// after returns the state behind a cable, and whether the claim allows it.
func (c *Claim) after(s way, cable *Cable) (way, bool) {
	next := way{cable.To, c.OnlyDown && cable.Rise <= 0, s.layer}
	return next, !c.OnlyDown || cable.Rise < 0 || !s.down && (cable.Rise > 0 || c.OnceLevel)
}

// Check returns nil if each channel that a frame takes has a larger rank than the next one that it takes, on every way
// that the claim allows.
func (c *Claim) Check() error {
	for i := range max(1, len(c.Path)) - 1 {
		if slices.Min(c.Path[i]) <= slices.Max(c.Path[i+1]) {
			return fmt.Errorf("cable %d of a path waits for the next, whose rank is not lower", i+1)
		}
	}
	out, in := make([][]int, c.Nodes), make([][]int, c.Nodes)
	for i := range c.Cables {
		out[c.Cables[i].From] = append(out[c.Cables[i].From], i)
		in[c.Cables[i].To] = append(in[c.Cables[i].To], i)
	}
	for _, to := range c.To {
		if err := c.walk(to, c.nexts(to, in, out)); err != nil {
			return err
		}
	}
	for _, v := range c.Floods {
		for _, i := range in[v] {
			for _, o := range out[v] {
				a, b := c.Cables[i].Ranks[c.Layer], c.Cables[o].Ranks[c.Layer]
				if a > 0 && c.Cables[o].To != c.Cables[i].From && (b < 1 || a <= b) {
					return fmt.Errorf("a flooded channel of rank %d waits for one of rank %d", a, b)
				}
			}
		}
	}
	return nil
}

// nexts returns what lists the cables by which frames to a destination leave in a state; nil where they end.
func (c *Claim) nexts(to int, in, out [][]int) func(way) []int {
	switch {
	case c.Tables != nil:
		return func(s way) []int { return c.entry(s.node, c.Prefixes[to], out) }
	case c.Places != nil:
		return func(s way) []int { return c.dimension(s.node, to, out) }
	}
	hops := c.hops(to, in)
	return func(s way) (some []int) {
		left := hops[way{s.node, s.down, 0}] // 0 at the end, and where no way begins
		for _, i := range out[s.node] {
			next, ok := c.after(way{s.node, s.down, 0}, &c.Cables[i])
			// Through a host with two cables there is no way, though it is as near.
			if further, has := hops[next]; ok && has && further == left-1 && (next.node == to || !c.Host(next.node)) {
				some = append(some, i)
			}
		}
		return some
	}
}

// hops counts the cables from each state to a destination.
func (c *Claim) hops(to int, in [][]int) map[way]int {
	hops := map[way]int{{to, false, 0}: 0, {to, true, 0}: 0}
	for queue := []way{{to, false, 0}, {to, true, 0}}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		if s.node != to && c.Host(s.node) {
			continue
		}
		for _, i := range in[s.node] {
			for _, down := range []bool{false, true} {
				before := way{c.Cables[i].From, down, 0}
				if next, ok := c.after(before, &c.Cables[i]); !ok || next != s {
					continue
				}
				if _, seen := hops[before]; !seen {
					hops[before] = hops[s] + 1
					queue = append(queue, before)
				}
			}
		}
	}
	return hops
}

// walk follows the frames of all sources to a destination, and compares each channel with the next.
func (c *Claim) walk(to int, nexts func(way) []int) error {
	type arrival struct {
		at    way
		cable int
	}
	var queue []arrival
	seen := map[arrival]bool{}
	for _, from := range c.From {
		queue = append(queue, arrival{way{from, false, c.Layer}, -1})
	}
	for ; len(queue) > 0; queue = queue[1:] {
		a := queue[0]
		if a.cable >= 0 && c.Host(a.at.node) {
			continue
		}
		for _, i := range nexts(a.at) {
			next, _ := c.after(a.at, &c.Cables[i])
			mine := int64(math.MaxInt64) // a frame that begins waits for nothing
			if a.cable >= 0 {
				mine, next.layer = c.Cables[a.cable].Ranks[a.at.layer], c.becomes(a.at, c.Cables[a.cable].From, next.node)
			}
			if next.layer < 0 {
				continue
			}
			rank := c.Cables[i].Ranks[next.layer]
			if rank < 1 || mine <= rank {
				return fmt.Errorf("a channel of rank %d waits for one of rank %d", mine, rank)
			}
			if b := (arrival{next, i}); !seen[b] {
				seen[b] = true
				queue = append(queue, b)
			}
		}
	}
	return nil
}

// Rewrite is a layer that frames get at some nodes, if they came from some others and leave to some others.
type Rewrite struct {
	At, From, To   map[int]bool // nil From or To: all nodes
	Layer, Becomes int          // -1: lossless no more
}

// becomes is the layer of a frame in a state that came from a node, when it leaves to another.
func (c *Claim) becomes(s way, from, to int) int {
	for _, x := range c.Changes {
		if x.Layer == s.layer && x.At[s.node] && (x.From == nil || x.From[from]) && (x.To == nil || x.To[to]) {
			return x.Becomes
		}
	}
	return s.layer
}

// entry is the cables of the longest prefix that has the addresses of another. A host has no table: it sends to its
// switches.
func (c *Claim) entry(node int, p netip.Prefix, out [][]int) []int {
	if c.Host(node) {
		return out[node]
	}
	for bits := p.Bits(); bits >= 0; bits-- {
		wider, _ := p.Addr().Prefix(bits)
		if cables, known := c.Tables[node][wider]; known {
			return cables
		}
	}
	return nil
}

// dimension lists the cables one step along the first dimension in which the places differ, the shorter way round.
func (c *Claim) dimension(node, to int, out [][]int) (some []int) {
	goal := to
	if c.Host(to) {
		goal = c.Cables[out[to][0]].To // a host has one switch
	}
	for _, i := range out[node] {
		next := c.Cables[i].To
		switch {
		case node == to, c.Host(next) && next != to, node == goal && next != to:
		case c.Host(node), node == goal, !c.Host(next) && slices.Equal(c.Places[next], c.step(node, goal)):
			some = append(some, i)
		}
	}
	return some
}

// step is the place one step from a node towards another.
func (c *Claim) step(node, goal int) []int {
	at, to := slices.Clone(c.Places[node]), c.Places[goal]
	for d := range at {
		switch rise := to[d] - at[d]; {
		case rise == 0:
			continue
		case c.Rows == nil:
			at[d] += rise / max(rise, -rise)
		case (rise+c.Rows[d])%c.Rows[d]*2 <= c.Rows[d]:
			at[d] = (at[d] + 1) % c.Rows[d]
		default:
			at[d] = (at[d] + c.Rows[d] - 1) % c.Rows[d]
		}
		break
	}
	return at
}
