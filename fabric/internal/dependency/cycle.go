package dependency

import "slices"

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
				g.Next(v, func(to Vertex) bool {
					budget--
					closed = closed || to == start
					if _, seen := from[to]; to != start && !seen && member[to] {
						from[to] = v
						next = append(next, to)
					}
					return !closed
				})
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
