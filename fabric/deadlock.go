package fabric

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/certificate"
	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/report"
)

// The verdicts.
const (
	noCycle = "no-cycle"
	canLock = "can-lock"
)

// Budgets, in dependencies or cables that are looked at. They bound the time for the largest fabrics; what was not
// finished is said.
const (
	shortestBudget = 50_000_000
	checkBudget    = 20_000_000
)

// assumed is what every verdict rests on.
var assumed = []string{
	"hosts take what they are sent, and pass nothing on; multicast and flooded frames are not lossless",
	"each priority has headroom of its own: with an oversubscribed headroom pool one priority can stop another",
	"switches pause priorities (PFC), not links (802.3x PAUSE)",
}

// question is one state of a fabric: its network with some cables down.
type question struct {
	*File
	net        *dependency.Network
	cable      []int // of each channel
	priorities []int
	notes      []string
	lost       int // pairs of nodes without a way
}

// Deadlock answers whether pauses can lock, for each priority of the routes, with the document that is published. It is
// no-cycle only if no channel can wait for itself: then every paused channel is let go in the end, as long as hosts
// receive (Dally and Seitz, 1987). A cycle is necessary for a lock, and not sufficient: it is called can-lock.
//
// The context ends the search over failures. The result is then the context's error.
func (f *File) Deadlock(ctx context.Context) (report.FabricDocument, error) {
	if len(f.routes) == 0 {
		return report.FabricDocument{}, fmt.Errorf("%s:%d: routes: missing: want this key", f.name, f.line)
	}
	q := &question{File: f, priorities: f.priorities()}
	q.net, q.cable = f.network()
	d := report.FabricDocument{Schema: report.Schema("fabric"), Verdict: noCycle, Hosts: f.Hosts(),
		Switches: f.Switches(), Cables: f.Cables(), Assumed: assumed, Priorities: []report.FabricPriority{}}
	for i := range f.cables {
		if c := &f.cables[i]; c.down {
			d.Down = append(d.Down, f.text(c.ends[0])+" - "+f.text(c.ends[1]))
		}
	}
	g := q.graph()
	components, ranks := g.Components()
	for layer, priority := range q.priorities {
		p := report.FabricPriority{Priority: priority, Cycle: []report.FabricHop{}}
		p.Channels, p.Dependencies = g.Count(layer)
		mine := q.lowest(g, components, layer)
		for _, c := range mine {
			p.Entangled += len(c)
		}
		if len(mine) > 0 {
			d.Verdict = canLock
			q.cycle(g, mine, &p)
		} else {
			p.Proof = q.proof(g, layer, ranks, len(components) == 0)
		}
		d.Priorities = append(d.Priorities, p)
	}
	d.Notes = q.notes
	if q.lost > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d pairs of nodes have no way to each other, and carry nothing", q.lost))
	}
	if f.fail.links > 0 {
		if err := q.failures(ctx, &d); err != nil {
			return d, err
		}
	}
	return d, nil
}

// graph builds the dependencies of all routes.
func (q *question) graph() *dependency.Graph {
	g := dependency.New(q.net, len(q.priorities))
	q.notes, q.lost = nil, 0
	for i := range q.routes {
		r := &q.routes[i]
		if r.rule != "" {
			layer := slices.Index(q.priorities, r.priority)
			q.lost += q.net.Route(g, layer, q.ways(r.rule, q.net), r.from, r.to)
			continue
		}
		for j := range r.paths {
			q.path(g, &r.paths[j])
		}
	}
	return g
}

// path adds the dependencies of one path. Over alike cables a frame can take any of them.
func (q *question) path(g *dependency.Graph, p *route) {
	hops, broken := q.hops(p)
	if broken != "" {
		q.notes = append(q.notes, fmt.Sprintf("the path %s carries nothing: %s is down", p.text, broken))
		return
	}
	for i, some := range hops {
		for _, a := range some {
			g.Use(q.vertex(g, p.priorities[i], a))
			if i+1 == len(hops) {
				continue
			}
			for _, b := range hops[i+1] {
				g.Depend(q.vertex(g, p.priorities[i], a), q.vertex(g, p.priorities[i+1], b))
			}
		}
	}
}

// vertex is a channel of a priority.
func (q *question) vertex(g *dependency.Graph, priority, channel int) dependency.Vertex {
	return g.Vertex(slices.Index(q.priorities, priority), channel)
}

// hops returns the channels of each hop of a path; or the two nodes whose cables are all down.
func (q *question) hops(p *route) (out [][]int, broken string) {
	for i, to := range p.nodes[1:] {
		from := p.nodes[i]
		var some []int
		for port, x := range q.net.Ports[from] {
			if x.Node == to && !x.Down {
				some = append(some, q.net.Channel(from, port))
			}
		}
		if len(some) == 0 {
			return nil, q.nodes[from].name + " - " + q.nodes[to].name
		}
		out = append(out, some)
	}
	return out, ""
}

// lowest are the components whose lowest priority is of a layer.
func (q *question) lowest(g *dependency.Graph, components [][]dependency.Vertex, layer int) (out [][]dependency.Vertex) {
	for _, c := range components {
		if low, _ := g.Split(slices.Min(c)); low == layer {
			out = append(out, c)
		}
	}
	return out
}

// cycle describes the shortest cycle of some components, and what breaks all of them.
func (q *question) cycle(g *dependency.Graph, components [][]dependency.Vertex, p *report.FabricPriority) {
	var best []dependency.Vertex
	p.Shortest = true
	for _, c := range components {
		cycle, shortest := g.Shortest(c, shortestBudget/len(components))
		if best == nil || len(cycle) < len(best) {
			best = cycle
		}
		p.Shortest = p.Shortest && shortest
	}
	because := q.because(g, best)
	for i, v := range best {
		h := q.hop(g, v)
		h.Because = because[i]
		p.Cycle = append(p.Cycle, h)
	}
	p.Remedies = q.remedies(g, best)
}

// hop names a channel.
func (q *question) hop(g *dependency.Graph, v dependency.Vertex) report.FabricHop {
	layer, channel := g.Split(v)
	node, port := q.net.Place(channel)
	c := &q.cables[q.cable[channel]]
	a, b := c.ends[0], c.ends[1]
	if a.node != node {
		a, b = b, a
	}
	return report.FabricHop{From: q.nodes[node].name, To: q.nodes[q.net.Ports[node][port].Node].name, FromPort: a.port,
		ToPort: b.port, Priority: q.priorities[layer]}
}

// because finds, for each channel of a cycle, a route whose frames take it and then the next.
func (q *question) because(g *dependency.Graph, cycle []dependency.Vertex) []string {
	out := make([]string, len(cycle))
	for i := range q.routes {
		r := &q.routes[i]
		for j := range r.paths {
			hops, _ := q.hops(&r.paths[j])
			for h := range max(1, len(hops)) - 1 {
				for k, v := range cycle {
					to := cycle[(k+1)%len(cycle)]
					if out[k] == "" && q.takes(g, &r.paths[j], hops, h, v) && q.takes(g, &r.paths[j], hops, h+1, to) {
						out[k] = fmt.Sprintf("path %s, line %d", r.paths[j].text, r.paths[j].line)
					}
				}
			}
		}
	}
	for i := range q.routes {
		r := &q.routes[i]
		if r.rule == "" {
			continue
		}
		layer := slices.Index(q.priorities, r.priority)
		var pairs [][2]int
		var at []int
		for k, v := range cycle {
			a, from := g.Split(v)
			b, to := g.Split(cycle[(k+1)%len(cycle)])
			if out[k] == "" && a == layer && b == layer {
				pairs, at = append(pairs, [2]int{from, to}), append(at, k)
			}
		}
		for n, w := range q.net.Witnesses(q.ways(r.rule, q.net), r.from, r.to, pairs) {
			if w.From >= 0 {
				out[at[n]] = fmt.Sprintf("%s to %s, by %s", q.nodes[w.From].name, q.nodes[w.To].name, r.rule)
			}
		}
	}
	return out
}

// takes tells whether a hop of a path is over a vertex.
func (q *question) takes(g *dependency.Graph, p *route, hops [][]int, h int, v dependency.Vertex) bool {
	layer, channel := g.Split(v)
	return q.priorities[layer] == p.priorities[h] && slices.Contains(hops[h], channel)
}

// remedies are single changes after which no channel can wait for itself, each of them tried: a turn that no lossless
// frame takes any more, and the rule up-down if the switches have ranks.
func (q *question) remedies(g *dependency.Graph, cycle []dependency.Vertex) (out []string) {
	for i, v := range cycle {
		to := cycle[(i+1)%len(cycle)]
		g.Forbid(v, to)
		if components, _ := g.Components(); len(components) == 0 {
			a, b := q.hop(g, v), q.hop(g, to)
			out = append(out, fmt.Sprintf("no lossless frame from %s by %s to %s, in priority %d: forbid this turn, or give "+
				"these frames another lossless priority from %s on", a.From, a.To, b.To, a.Priority, a.To))
		}
		g.Depend(v, to)
	}
	if q.upDown() {
		out = append(out, "routes by the rule up-down: never up again after a cable that leads down")
	}
	return out
}

// upDown tells whether the rule up-down would have no cycle and lose no pair that the routes of today have.
func (q *question) upDown() bool {
	for i := range q.nodes {
		if !q.nodes[i].host && q.nodes[i].rank == unranked {
			return false
		}
	}
	g := dependency.New(q.net, len(q.priorities))
	lost := 0
	for i := range q.routes {
		r := &q.routes[i]
		if r.rule == "" || r.rule == ruleUpDown {
			return false
		}
		layer := slices.Index(q.priorities, r.priority)
		lost += q.net.Route(g, layer, dependency.Ways{Rule: dependency.UpDown}, r.from, r.to)
	}
	components, _ := g.Components()
	return lost <= q.lost && len(components) == 0
}

// proof checks the ranks of a priority. All dependencies are looked at once; within the budget a second program, which
// knows nothing of the first, finds the ways again.
func (q *question) proof(g *dependency.Graph, layer int, ranks []int32, none bool) string {
	if q.checked(g, layer, ranks, none) {
		return "ranks, checked independently"
	}
	return "ranks"
}

// checked tells whether the independent check was made. It panics if it fails: one of two programs has a fault. A path
// can have several priorities, so that paths are checked where none of these has a cycle.
func (q *question) checked(g *dependency.Graph, layer int, ranks []int32, none bool) bool {
	steps := 0
	var claims []certificate.Claim
	for i := range q.routes {
		r := &q.routes[i]
		if r.rule == ruleDimensions || r.rule == "" && !none {
			return false
		}
		if r.rule == "" {
			for j := range r.paths {
				claims = append(claims, certificate.Claim{Path: q.pathRanks(g, &r.paths[j], ranks)})
			}
			continue
		}
		if r.priority != q.priorities[layer] {
			continue
		}
		c := certificate.Claim{Nodes: len(q.nodes), Host: func(v int) bool { return q.nodes[v].host },
			Cables: q.ranked(g, layer, ranks), From: r.from, To: r.to, OnlyDown: r.rule != ruleShortest,
			OnceLevel: r.rule == ruleValleyFree}
		steps += c.Steps()
		claims = append(claims, c)
	}
	if steps > checkBudget {
		return false
	}
	for i := range claims {
		if err := claims[i].Check(); err != nil {
			panic("fabric: the proof does not hold: " + err.Error())
		}
	}
	return len(claims) > 0
}

// pathRanks are the ranks of the channels that the frames of a path can take, of each cable on its way.
func (q *question) pathRanks(g *dependency.Graph, p *route, ranks []int32) (out [][]int64) {
	hops, _ := q.hops(p)
	for i, some := range hops {
		var of []int64
		for _, channel := range some {
			of = append(of, int64(ranks[q.vertex(g, p.priorities[i], channel)]))
		}
		out = append(out, of)
	}
	return out
}

// ranked lists the channels of a priority with their ranks, without those that are down.
func (q *question) ranked(g *dependency.Graph, layer int, ranks []int32) (out []certificate.Cable) {
	for v, ports := range q.net.Ports {
		for port, p := range ports {
			if !p.Down {
				out = append(out, certificate.Cable{From: v, To: p.Node,
					Rank: int64(ranks[g.Vertex(layer, q.net.Channel(v, port))]),
					Up:   p.Kind == dependency.Up, Down: p.Kind == dependency.Down})
			}
		}
	}
	return out
}

// circle prints a cycle in one line.
func (q *question) circle(g *dependency.Graph, cycle []dependency.Vertex) string {
	var out []string
	for _, v := range cycle {
		h := q.hop(g, v)
		out = append(out, h.From+" -> "+h.To)
	}
	return strings.Join(out, ", ")
}
