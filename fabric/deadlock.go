package fabric

import (
	"context"
	"fmt"
	"slices"

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
	"hosts take what they are sent, and pass nothing on; flooded and multicast frames are lossless only where routes say so",
	"each priority has headroom of its own, also where priorities share a pool: with an oversubscribed headroom pool one " +
		"priority can stop another",
	"switches pause priorities (PFC), not links (802.3x PAUSE)",
}

// question is one state of a fabric: its network with some cables down.
type question struct {
	*File
	net        *dependency.Network
	cable      []int // of each channel
	priorities []int
	notes      []string
	lost       int  // pairs of nodes without a way
	dropped    int  // switches and prefixes of tables at which frames arrive that have no route
	changing   bool // tables have the next hops of those before them, too
}

// Deadlock answers whether pauses can lock, for each priority of the routes, with the document that is published. It is
// no-cycle only if no channel can wait for itself: then every paused channel is let go in the end, as long as hosts
// receive (Dally and Seitz, 1987). A cycle is necessary for a lock, and not sufficient: it is called can-lock.
//
// The context ends the search over failures. The result is then the context's error.
func (f *File) Deadlock(ctx context.Context) (report.FabricDocument, error) {
	if err := f.ready(); err != nil {
		return report.FabricDocument{}, err
	}
	q := f.question()
	d := report.FabricDocument{Schema: report.Schema("fabric"), Verdict: noCycle, Hosts: f.Hosts(),
		Switches: f.Switches(), Cables: f.Cables(), Assumed: assumed, Priorities: []report.FabricPriority{}}
	for i := range f.cables {
		if f.cables[i].down {
			d.Down = append(d.Down, f.cableNames(i))
		}
	}
	g := q.graph(nil)
	components, ranks := g.Components()
	for layer, priority := range q.priorities {
		p := report.FabricPriority{Priority: priority, Cycle: []report.FabricHop{}}
		// Ranks and components are of all priorities at once, because a frame can change its priority on its way.
		p.Channels, p.Dependencies = g.Count(layer)
		// A circle over several priorities is of the lowest of them.
		mine := slices.DeleteFunc(slices.Clone(components), func(c []dependency.Vertex) bool {
			low, _ := g.Split(slices.Min(c))
			return low != layer
		})
		for _, c := range mine {
			p.Entangled += len(c)
		}
		if len(mine) > 0 {
			d.Verdict = canLock
			q.cycle(g, mine, &p)
		} else if p.Proof = "ranks"; q.checked(g, layer, ranks, len(components) == 0) {
			p.Proof += ", checked independently"
		}
		d.Priorities = append(d.Priorities, p)
	}
	d.Notes = q.notes
	if q.lost > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d pairs of nodes have no way to each other, and carry nothing", q.lost))
	}
	if q.dropped > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("frames arrive at switches that have no route for their prefix, and are "+
			"dropped: %d pairs of switch and prefix", q.dropped))
	}
	d.Notes = append(d.Notes, f.tableNotes()...)
	// The watchdog changes no verdict: a lock that ends when lossless frames are dropped is one.
	if w := f.watchdog; w.detection > 0 && d.Verdict == canLock {
		d.Watchdog = fmt.Sprintf("locks for at most %v (detection %v and one poll of %v), then loses frames, and can lock again",
			w.detection+w.poll, w.detection, w.poll)
	}
	q.converging(&d)
	if f.fail.links > 0 {
		if err := q.failures(ctx, &d); err != nil {
			return d, err
		}
	}
	return d, nil
}

// question is the fabric as the file has it.
func (f *File) question() *question {
	q := &question{File: f, priorities: f.priorities()}
	q.net, q.cable = f.network()
	return q
}

// graph builds the dependencies of all routes; with another network, of the time in which switches change to it.
func (q *question) graph(other *dependency.Network) *dependency.Graph {
	g := dependency.New(q.net, len(q.priorities))
	q.notes, q.lost, q.dropped = nil, 0, 0
	for i := range q.routes {
		r := &q.routes[i]
		if r.walks() {
			ways, to := q.ways(r)
			lost, dropped := q.net.Route(g, q.layer(r.priority), ways, r.from, to, other)
			// Dumps have no pairs: what is lost there is counted by switch and prefix.
			if r.tables != nil {
				q.dropped += dropped
			} else {
				q.lost += lost
			}
		}
		for j := range r.paths {
			q.path(g, &r.paths[j])
		}
	}
	q.flood(g)
	return g
}

// path adds the dependencies of one path. Over alike cables a frame can take any of them.
func (q *question) path(g *dependency.Graph, p *route) {
	hops, broken := q.hops(g, p)
	if broken != "" {
		q.notes = append(q.notes, fmt.Sprintf("the path %s carries nothing: %s is down", p.text, broken))
		return
	}
	for i, some := range hops {
		for _, a := range some {
			g.Use(a)
			for _, b := range slices.Concat(hops[i+1 : min(i+2, len(hops))]...) {
				g.Depend(a, b)
			}
		}
	}
}

// hops returns the channels of each hop of a path, in the priorities of its frames; or the two nodes whose cables are
// all down. Behind a switch where frames become lossy there are none: nothing waits any more.
func (q *question) hops(g *dependency.Graph, p *route) (out [][]dependency.Vertex, broken string) {
	priorities := q.rewritten(p)
	for i, to := range p.nodes[1:] {
		from, some := p.nodes[i], []dependency.Vertex{}
		for port, x := range q.net.Ports[from] {
			if x.Node == to && !x.Down {
				some = append(some, g.Vertex(q.layer(priorities[min(i, len(priorities)-1)]), q.net.Channel(from, port)))
			}
		}
		if len(some) == 0 {
			return nil, q.nodes[from].name + " - " + q.nodes[to].name
		}
		out = append(out, some)
	}
	return out[:len(priorities)], ""
}
