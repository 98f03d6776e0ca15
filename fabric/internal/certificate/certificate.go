// Package certificate checks the proof that no pauses can lock: a rank for each channel, so that each channel that can
// wait for another has the larger rank. Then no channel can wait for itself.
//
// It shares no code with the package that makes the ranks. It finds the ways of the frames once more, one destination
// after the other, from nothing but the cables and the rule, and looks at each pair of channels that a frame takes one
// after the other.
package certificate

import (
	"fmt"
	"slices"
)

// Cable is one direction of a cable: the nodes that it leaves and arrives at, and its rank.
type Cable struct {
	From, To int
	Rank     int64
	Up, Down bool // to a node above, or below; neither: on the same level
}

// Claim is what is proved: that the ways of these frames have no cycle.
type Claim struct {
	Nodes     int
	Host      func(node int) bool // it sends and receives, and passes nothing on
	Cables    []Cable             // without those that are down
	From, To  []int
	OnlyDown  bool // after the first cable that does not lead up, all lead down
	OnceLevel bool // with OnlyDown: one cable on the same level may be between
	// Path is, in place of all of these, one given path: the ranks of the channels that a frame can take for each cable.
	Path [][]int64
}

// way is a node and whether the frame may still go up there.
type way struct {
	node int
	down bool
}

// after returns the state behind a cable, and whether the claim allows it.
func (c *Claim) after(s way, cable *Cable) (way, bool) {
	switch {
	case !c.OnlyDown:
		return way{cable.To, false}, true
	case cable.Up:
		return way{cable.To, false}, !s.down
	case cable.Down:
		return way{cable.To, true}, true
	}
	return way{cable.To, true}, c.OnceLevel && !s.down
}

// Steps estimates how many cables a check looks at.
func (c *Claim) Steps() int { return len(c.To) * len(c.Cables) * 2 }

// Check returns nil if each channel that a frame takes has a larger rank than the next one that it takes, on every way
// that is as short as any.
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
		hops := c.hops(to, in)
		if err := c.walk(to, hops, out); err != nil {
			return err
		}
	}
	return nil
}

// hops counts the cables from each state to a destination.
func (c *Claim) hops(to int, in [][]int) map[way]int {
	hops := map[way]int{{to, false}: 0, {to, true}: 0}
	queue := []way{{to, false}, {to, true}}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.node != to && c.Host(s.node) {
			continue
		}
		for _, i := range in[s.node] {
			for _, down := range []bool{false, true} {
				before := way{c.Cables[i].From, down}
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
func (c *Claim) walk(to int, hops map[way]int, out [][]int) error {
	type arrival struct {
		at    way
		cable int
	}
	var queue []arrival
	seen := map[arrival]bool{}
	for _, from := range c.From {
		if from != to {
			queue = append(queue, arrival{way{from, false}, -1})
		}
	}
	for len(queue) > 0 {
		a := queue[0]
		queue = queue[1:]
		left, known := hops[a.at]
		if !known || a.at.node == to {
			continue
		}
		for _, i := range out[a.at.node] {
			next, ok := c.after(a.at, &c.Cables[i])
			if further, known := hops[next]; !ok || !known || further != left-1 {
				continue
			}
			if next.node != to && c.Host(next.node) {
				continue
			}
			if a.cable >= 0 && c.Cables[a.cable].Rank <= c.Cables[i].Rank {
				return fmt.Errorf("a channel of rank %d waits for one of rank %d", c.Cables[a.cable].Rank, c.Cables[i].Rank)
			}
			if b := (arrival{next, i}); !seen[b] {
				seen[b] = true
				queue = append(queue, b)
			}
		}
	}
	return nil
}
