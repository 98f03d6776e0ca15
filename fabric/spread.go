package fabric

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/report"
)

// Spread returns the channels that a pause can reach if a host pauses for ever, by the lowest priority of the routes: first
// those to the host, then those that can wait for them, and so on. Because of a hop is empty. It is nil without routes, and
// where no frame goes to the host.
func (f *File) Spread(host string) ([][]report.FabricHop, error) {
	at, known := f.number[host]
	if !known || !f.nodes[at].host {
		return nil, fmt.Errorf("%s: no host %q", f.name, host)
	}
	if len(f.routes) == 0 {
		return nil, nil
	}
	q := &question{File: f, priorities: f.priorities()}
	q.net, q.cable = f.network()
	g := q.graph()
	// The dependencies are kept forwards, so that they are turned round once.
	size := len(q.priorities) * q.net.Channels()
	waiting := make([][]int32, size)
	var level []dependency.Vertex
	depth := make([]bool, size)
	for v := range size {
		if !g.Uses(v) {
			continue
		}
		g.Next(v, func(to dependency.Vertex) bool {
			waiting[to] = append(waiting[to], int32(v))
			return true
		})
		if layer, channel := g.Split(v); layer == 0 {
			from, port := q.net.Place(channel)
			if q.net.Ports[from][port].Node == at {
				level, depth[v] = append(level, v), true
			}
		}
	}
	var out [][]report.FabricHop
	for len(level) > 0 {
		var next []dependency.Vertex
		var hops []report.FabricHop
		for _, v := range level {
			h := q.hop(g, v)
			h.Because = ""
			hops = append(hops, h)
			for _, w := range waiting[v] {
				if !depth[w] {
					depth[w], next = true, append(next, int(w))
				}
			}
		}
		slices.Sort(next)
		out, level = append(out, hops), next
	}
	return out, nil
}
