package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
)

// This file describes a circle of channels: its hops, the routes that make it, and what breaks it.

// cycle describes the shortest cycle of some components, and what breaks all of them.
func (q *question) cycle(g *dependency.Graph, components [][]dependency.Vertex, p *report.FabricPriority) {
	var best []dependency.Vertex
	p.Shortest = true
	for _, c := range components {
		// Each component gets its share of the budget, so that many of them take no longer than one.
		cycle, shortest := g.Shortest(c, shortestBudget/len(components))
		if best == nil || len(cycle) < len(best) {
			best = cycle
		}
		p.Shortest = p.Shortest && shortest
	}
	for i, x := range q.because(g, best) {
		h := q.hop(g, best[i])
		h.Because, h.Way = x.text, q.names(x.nodes)
		p.Cycle = append(p.Cycle, h)
	}
	p.Remedies = q.remedies(g, best)
}

// hop names a channel.
func (q *question) hop(g *dependency.Graph, v dependency.Vertex) report.FabricHop {
	layer, channel := g.Split(v)
	node, _ := q.net.Place(channel)
	a, b := q.cables[q.cable[channel]].from(node)
	return report.FabricHop{From: q.nodes[a.node].name, To: q.nodes[b.node].name, FromPort: a.port, ToPort: b.port,
		Priority: q.priorities[layer]}
}

// reason is a route whose frames make one channel of a circle depend on the next.
type reason struct {
	text  string
	nodes []int // of the way of the frames; nil: unknown
}

// because finds a reason for each channel of a circle: a path, frames by a rule or by tables, or a switch that floods.
func (q *question) because(g *dependency.Graph, cycle []dependency.Vertex) []reason {
	out := make([]reason, len(cycle))
	// Paths come first: the line of a path tells a reader more than a rule between two nodes does.
	for i := range q.routes {
		for j := range q.routes[i].paths {
			q.becausePath(g, cycle, &q.routes[i].paths[j], out)
		}
	}
	for i := range q.routes {
		if q.routes[i].walks() {
			q.becauseWays(g, cycle, &q.routes[i], out)
		}
	}
	for k, v := range cycle {
		if out[k].text == "" {
			out[k].text = q.hop(g, v).To + " floods frames"
		}
	}
	return out
}

// becausePath adds the reasons that are in a path.
func (q *question) becausePath(g *dependency.Graph, cycle []dependency.Vertex, p *route, out []reason) {
	hops, _ := q.hops(g, p)
	// Two cables of the path after each other, and two channels of the circle after each other.
	for h := range max(1, len(hops)) - 1 {
		for k, v := range cycle {
			if out[k].text == "" && slices.Contains(hops[h], v) && slices.Contains(hops[h+1], cycle[(k+1)%len(cycle)]) {
				out[k] = reason{fmt.Sprintf("path %s, line %d", p.text, p.line), p.nodes}
			}
		}
	}
}

// becauseWays adds the reasons that are in ways by a rule or by tables.
func (q *question) becauseWays(g *dependency.Graph, cycle []dependency.Vertex, r *routes, out []reason) {
	var pairs [][2]dependency.Vertex
	var at []int
	for k, v := range cycle {
		if out[k].text == "" {
			pairs, at = append(pairs, [2]dependency.Vertex{v, cycle[(k+1)%len(cycle)]}), append(at, k)
		}
	}
	// A witness is searched for all missing channels at once: the walk over a large fabric is what costs.
	ways, to := q.ways(r)
	for n, w := range q.net.Witnesses(len(q.priorities), q.layer(r.priority), ways, r.from, to, pairs) {
		if w == nil {
			continue
		}
		var x reason
		for _, h := range w.Way {
			node, _ := q.net.Place(h.Channel)
			x.nodes = append(x.nodes, node)
		}
		node, port := q.net.Place(w.Way[len(w.Way)-1].Channel)
		x.nodes = append(x.nodes, q.net.Ports[node][port].Node)
		if r.tables == nil {
			x.text = fmt.Sprintf("%s to %s, by %s", q.nodes[w.From].name, q.nodes[w.To].name, r.rule)
		} else {
			x.text = fmt.Sprintf("%s to %v, by %s", q.nodes[w.From].name, r.tables.set.Prefix(w.To),
				q.source(r.tables, x.nodes[w.At+1], x.nodes[w.At+2], w.To))
		}
		out[at[n]] = x
	}
}

// names are the names of nodes.
func (f *File) names(nodes []int) (out []string) {
	for _, n := range nodes {
		out = append(out, f.nodes[n].name)
	}
	return out
}

// mostTried is the largest number of channels of which changes of priority are tried: each builds the graph once more.
const mostTried = 20_000

// remedies are single changes after which no channel can wait for itself, each of them tried: a turn that no lossless
// frame takes any more, another priority from a turn on, and the rule up-down if the switches have ranks.
func (q *question) remedies(g *dependency.Graph, cycle []dependency.Vertex) (out []string) {
	// A turn is taken away and put back, so that the graph is the same for the next one.
	var changes []string
	for i, v := range cycle {
		to := cycle[(i+1)%len(cycle)]
		a, b := q.hop(g, v), q.hop(g, to)
		g.Forbid(v, to)
		if components, _ := g.Components(); len(components) == 0 {
			out = append(out, fmt.Sprintf("no lossless frame from %s by %s to %s, in priority %d: forbid this turn", a.From,
				a.To, b.To, a.Priority))
		}
		g.Depend(v, to)
		// Two such lines are enough for a reader, and each takes another graph.
		if other := q.unused(); other >= 0 && q.net.Channels() <= mostTried && len(changes) < 2 &&
			q.acyclicWith(func(f *File) {
				w := rewrite{q.only(a.To), q.only(a.From), q.only(b.To), a.Priority, other}
				f.rewrites = slices.Concat([]rewrite{w}, f.rewrites)
			}) {
			changes = append(changes, fmt.Sprintf("rewrites: {at: %s, from: %s, to: %s, priority: %d, becomes: %d}, if %d is "+
				"free and has headroom", a.To, a.From, b.To, a.Priority, other, other))
		}
	}
	out = append(out, changes...)
	if q.upDown() {
		out = append(out, "routes by the rule up-down: never up again after a cable that leads down")
	}
	return out
}

// only is the set of one node.
func (f *File) only(name string) map[int]bool { return map[int]bool{f.number[name]: true} }

// unused is the lowest priority that no route has; -1: there is none.
func (q *question) unused() int {
	for p := range 8 {
		if !slices.Contains(q.priorities, p) {
			return p
		}
	}
	return -1
}

// acyclicWith tells whether there is no circle after a change of the file, and no pair that loses its way by it.
func (q *question) acyclicWith(change func(f *File)) bool {
	// The copies are shallow: only what is changed and the priorities are others.
	f, other := *q.File, *q
	change(&f)
	other.File, other.priorities = &f, f.priorities()
	components, _ := other.graph(nil).Components()
	return len(components) == 0 && other.lost <= q.lost
}

// upDown tells whether the rule up-down would have no cycle and lose no pair that the routes of today have.
func (q *question) upDown() bool {
	// Paths and tables are given, and up-down is no change of itself.
	given := func(r routes) bool { return r.rule == rulePaths || r.rule == ruleTables || r.rule == ruleUpDown }
	flat := func(n node) bool { return n.rank == unranked }
	if slices.ContainsFunc(q.routes, given) || slices.ContainsFunc(q.nodes, flat) {
		return false
	}
	return q.acyclicWith(func(f *File) {
		f.routes = slices.Clone(f.routes)
		for i := range f.routes {
			if f.routes[i].rule != ruleFlood {
				f.routes[i].rule = ruleUpDown
			}
		}
	})
}

// circle finds a short cycle of a component, and prints it in one line.
func (q *question) circle(g *dependency.Graph, in []dependency.Vertex, budget int) (string, []dependency.Vertex) {
	cycle, _ := g.Shortest(in, budget)
	hops := grouped.Each(cycle, func(v dependency.Vertex) string { h := q.hop(g, v); return h.From + " -> " + h.To })
	return strings.Join(hops, ", "), cycle
}
