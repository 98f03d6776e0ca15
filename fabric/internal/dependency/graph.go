package dependency

import (
	"math/bits"
	"slices"
)

// Vertex is a channel of a priority: the priority's number, from 0, times the number of channels, plus the channel.
type Vertex = int

// Graph is which channel depends on which. Dependencies within a priority are masks over the ports of the node between
// the two channels; the few that change the priority are lists.
type Graph struct {
	net     *Network
	layers  int      // priorities
	at      []int    // of each channel: the first word of its mask
	words   int      // of the masks of a priority
	masks   []uint64 // of all priorities
	used    []uint64 // a bit for each vertex that carries frames
	changes map[Vertex][]Vertex
}

// New returns a graph without dependencies, for a number of priorities.
func New(n *Network, priorities int) *Graph {
	g := &Graph{net: n, layers: priorities, at: make([]int, n.Channels()+1), changes: map[Vertex][]Vertex{}}
	for c := range n.Channels() {
		g.at[c+1] = g.at[c] + (len(n.Ports[n.head(c)])+63)/64
	}
	g.words = g.at[n.Channels()]
	g.masks = make([]uint64, g.words*priorities)
	g.used = make([]uint64, (n.Channels()*priorities+63)/64)
	return g
}

// Vertex returns the number of a channel of a priority.
func (g *Graph) Vertex(layer, channel int) Vertex { return layer*g.net.Channels() + channel }

// Split returns the priority and the channel of a vertex.
func (g *Graph) Split(v Vertex) (layer, channel int) {
	return v / g.net.Channels(), v % g.net.Channels()
}

// mask returns the ports by which frames of a vertex leave in the same priority.
func (g *Graph) mask(v Vertex) []uint64 {
	layer, channel := g.Split(v)
	return g.masks[layer*g.words+g.at[channel] : layer*g.words+g.at[channel+1]]
}

// Use marks a vertex as one that carries frames.
func (g *Graph) Use(v Vertex) { g.used[v/64] |= 1 << (v % 64) }

// Uses tells whether a vertex carries frames.
func (g *Graph) Uses(v Vertex) bool { return g.used[v/64]&(1<<(v%64)) != 0 }

// Depend adds a dependency of one vertex on another, which leaves the node that the first arrives at.
func (g *Graph) Depend(from, to Vertex) {
	g.Use(from)
	g.Use(to)
	if word, bit := g.bit(from, to); word != nil {
		*word |= bit
	} else if i, has := slices.BinarySearch(g.changes[from], to); !has {
		g.changes[from] = slices.Insert(g.changes[from], i, to)
	}
}

// bit is the place of a dependency in a mask; nil: it changes the priority.
func (g *Graph) bit(from, to Vertex) (word *uint64, bit uint64) {
	before, _ := g.Split(from)
	after, out := g.Split(to)
	if before != after {
		return nil, 0
	}
	_, port := g.net.Place(out)
	return &g.mask(from)[port/64], 1 << (port % 64)
}

// Forbid takes a dependency away.
func (g *Graph) Forbid(from, to Vertex) {
	if word, bit := g.bit(from, to); word != nil {
		*word &^= bit
	} else if i, has := slices.BinarySearch(g.changes[from], to); has {
		g.changes[from] = slices.Delete(g.changes[from], i, i+1)
	}
}

// after returns the vertex that follows one place of a vertex's dependencies, and the place after it: a walk over them
// that can stop and go on. Places begin at 0; -1 is the end.
func (g *Graph) after(v Vertex, place int) (Vertex, int) {
	layer, channel := g.Split(v)
	mask := g.mask(v)
	for i := place / 64; i < len(mask); i++ {
		word := mask[i]
		if i == place/64 {
			word &= ^uint64(0) << (place % 64)
		}
		if word != 0 {
			port := 64*i + bits.TrailingZeros64(word)
			return g.Vertex(layer, g.net.first[g.net.head(channel)]+port), port + 1
		}
	}
	if n := max(0, place-64*len(mask)); n < len(g.changes[v]) {
		return g.changes[v][n], 64*len(mask) + n + 1
	}
	return -1, -1
}

// Count returns how many channels of a priority carry frames, and how many dependencies begin in it.
func (g *Graph) Count(layer int) (channels, dependencies int) {
	for c := range g.net.Channels() {
		v := g.Vertex(layer, c)
		if g.Uses(v) {
			channels++
		}
		dependencies += len(g.changes[v])
	}
	for _, word := range g.masks[layer*g.words : (layer+1)*g.words] {
		dependencies += bits.OnesCount64(word)
	}
	return channels, dependencies
}

// size returns the number of vertices.
func (g *Graph) size() int { return g.layers * g.net.Channels() }

// Components returns the sets of vertices that all depend on each other, each with two or more, largest first. Without
// one there is no cycle: a channel never depends on itself, because no frame leaves a node by the channel on which it
// arrives. It is Tarjan's algorithm (SIAM Journal on Computing 1, 1972), without recursion.
//
// Each vertex has a rank that is larger than those of all vertices that it depends on, but for those of its component:
// where there is no cycle, the ranks prove it, and package certificate checks them.
func (g *Graph) Components() (components [][]Vertex, ranks []int32) {
	components, ranks = g.walk()
	slices.SortStableFunc(components, func(a, b []Vertex) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return slices.Min(a) - slices.Min(b)
	})
	return components, ranks
}

// visit is a vertex that the walk is in, and where in its dependencies it is.
type visit struct{ vertex, place int }

// walk is the depth-first walk over all vertices. A vertex is left after all those that it depends on, unless they are
// of its component: the order in which they are left is the rank.
func (g *Graph) walk() (components [][]Vertex, ranks []int32) {
	index := make([]int32, g.size()) // 0: not yet seen
	low := make([]int32, g.size())
	ranks = make([]int32, g.size())
	inside := make([]bool, g.size())
	var stack []Vertex
	var path []visit
	count, left := int32(0), int32(0)
	enter := func(v Vertex) {
		count++
		index[v], low[v], inside[v] = count, count, true
		stack = append(stack, v)
		path = append(path, visit{vertex: v})
	}
	for start := range index {
		if index[start] != 0 || !g.Uses(start) {
			continue
		}
		enter(start)
		for len(path) > 0 {
			at := &path[len(path)-1]
			v := at.vertex
			to, place := g.after(v, at.place)
			if place >= 0 {
				at.place = place
				switch {
				case index[to] == 0:
					enter(to)
				case inside[to]:
					low[v] = min(low[v], index[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				above := path[len(path)-1].vertex
				low[above] = min(low[above], low[v])
			}
			left++
			ranks[v] = left
			if low[v] != index[v] {
				continue
			}
			i := len(stack) - 1
			for stack[i] != v {
				i--
			}
			for _, member := range stack[i:] {
				inside[member] = false
			}
			if i < len(stack)-1 {
				components = append(components, slices.Clone(stack[i:]))
			}
			stack = stack[:i]
		}
	}
	return components, ranks
}

// Shortest returns a shortest cycle within a component, beginning with its lowest vertex. Within a budget of
// dependencies that are looked at: false if it ran out, and a shorter cycle may be there.
func (g *Graph) Shortest(component []Vertex, budget int) (cycle []Vertex, shortest bool) {
	member := make(map[Vertex]bool, len(component))
	for _, v := range component {
		member[v] = true
	}
	starts := slices.Sorted(slices.Values(component))
	from := make(map[Vertex]Vertex, len(component))
	for _, start := range starts {
		clear(from)
		queue, depth := []Vertex{start}, 0
		for len(queue) > 0 && (cycle == nil || depth+1 < len(cycle)) {
			var next []Vertex
			for _, v := range queue {
				closed := false
				for to, place := g.after(v, 0); place >= 0 && !closed; to, place = g.after(v, place) {
					budget--
					closed = to == start
					if _, seen := from[to]; !closed && !seen && member[to] {
						from[to] = v
						next = append(next, to)
					}
				}
				if closed {
					cycle, next = []Vertex{v}, nil
					for v != start {
						v = from[v]
						cycle = append(cycle, v)
					}
					slices.Reverse(cycle)
					break
				}
			}
			queue = next
			depth++
			if budget < 0 && cycle != nil {
				return cycle, false
			}
		}
	}
	return cycle, true
}
