package certificate

import "net/netip"

// This file finds the ways that are not those of a rule over ranks: by tables, and by places in a mesh; and the layers
// of frames that switches change.

// Change is a layer that frames get at some nodes, if they came from some others and leave to some others.
type Change struct {
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

// Entry is an entry of a table of routes: the cables that frames to a prefix may leave by. Ends: they leave the
// network.
type Entry struct {
	Cables []int
	Ends   bool
}

// entry is the entry of the longest prefix that has the addresses of another.
func (c *Claim) entry(node int, p netip.Prefix) Entry {
	for bits := p.Bits(); bits >= 0; bits-- {
		wider, _ := p.Addr().Prefix(bits)
		if e, known := c.Tables[node][wider]; known {
			return e
		}
	}
	return Entry{Ends: true}
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
		case c.Host(node), next == to && node == goal:
			some = append(some, i)
		case !c.Host(next) && c.step(c.Places[node], c.Places[next], c.Places[goal]):
			some = append(some, i)
		}
	}
	return some
}

// step tells whether one place follows another on the way to a third.
func (c *Claim) step(at, next, goal []int) bool {
	first := 0
	for first < len(at) && at[first] == goal[first] {
		first++
	}
	for d := range at {
		if moved := next[d] - at[d]; d != first && moved != 0 || d == first && moved == 0 {
			return false
		}
	}
	rise, moved := goal[first]-at[first], next[first]-at[first]
	if c.Rows == nil {
		return moved == 1 && rise > 0 || moved == -1 && rise < 0
	}
	row := c.Rows[first]
	rise, moved = (rise+row)%row, (moved+row)%row
	return rise*2 <= row && moved == 1 || rise*2 > row && moved == row-1
}
