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
	Up, Down bool // to a node above, or below; neither: on the same level
}

// Claim is what is proved: that the ways of these frames have no cycle.
type Claim struct {
	Nodes     int
	Host      func(node int) bool // it sends and receives, and passes nothing on
	Cables    []Cable             // without those that are down
	Layer     int                 // in which frames begin
	From, To  []int               // nodes; with Tables To are places in Prefixes
	OnlyDown  bool                // after the first cable that does not lead up, all lead down
	OnceLevel bool                // with OnlyDown: one cable on the same level may be between
	Places    [][]int             // of each node in a mesh, for dimension order; nil: another way
	Rows      []int               // with Places: the lengths of the closed rows of a torus; nil: a mesh
	Tables    []map[netip.Prefix]Entry
	Prefixes  []netip.Prefix
	Changes   []Change // the first that fits a frame decides
	Floods    []int    // nodes at which frames of the layer leave by all ports
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
	switch {
	case !c.OnlyDown:
		return way{cable.To, false, s.layer}, true
	case cable.Up:
		return way{cable.To, false, s.layer}, !s.down
	case cable.Down:
		return way{cable.To, true, s.layer}, true
	}
	return way{cable.To, true, s.layer}, c.OnceLevel && !s.down
}

// Steps estimates how many cables a check looks at.
func (c *Claim) Steps() int { return len(c.To) * len(c.Cables) * 2 }

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
		if err := c.walk(to, c.nexts(to, in, out), out); err != nil {
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
		return func(s way) []int { return c.entry(s.node, c.Prefixes[to]).Cables }
	case c.Places != nil:
		return func(s way) []int { return c.dimension(s.node, to, out) }
	}
	hops := c.hops(to, in)
	return func(s way) (some []int) {
		left, known := hops[way{s.node, s.down, 0}]
		for _, i := range out[s.node] {
			next, ok := c.after(way{s.node, s.down, 0}, &c.Cables[i])
			if further, reaches := hops[next]; s.node != to && known && ok && reaches && further == left-1 {
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
func (c *Claim) walk(to int, nexts func(way) []int, out [][]int) error {
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
		some := nexts(a.at)
		if c.Tables != nil && c.Host(a.at.node) {
			some = out[a.at.node] // a host has no table: it sends to its switches
		}
		for _, i := range some {
			next, _ := c.after(a.at, &c.Cables[i])
			if a.cable >= 0 {
				next.layer = c.becomes(a.at, c.Cables[a.cable].From, next.node)
			}
			if next.layer < 0 {
				continue
			}
			rank, mine := c.Cables[i].Ranks[next.layer], int64(math.MaxInt64) // a frame that begins waits for nothing
			if a.cable >= 0 {
				mine = c.Cables[a.cable].Ranks[a.at.layer]
			}
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
