package fabric

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/cellwarden/cellwarden/fabric/internal/certificate"
	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// This file has the proof that there is no circle checked by a second program.

// checked tells whether the ranks of a priority were checked independently: within the budget a second program, which
// knows nothing of the first, finds the ways again. It panics if it fails: one of two programs has a fault. A path,
// and frames that are rewritten, can have several priorities, so that they are checked where none of these has a cycle.
func (q *question) checked(g *dependency.Graph, layer int, ranks []int32, none bool) bool {
	// Estimated before anything is checked: a check that was begun and given up would have proved nothing.
	steps := 0
	var claims []certificate.Claim
	for i := range q.routes {
		r := &q.routes[i]
		mixed := len(r.paths) > 0 || len(q.rewrites) > 0
		switch {
		case mixed && !none:
			return false
		case !mixed && r.priority != q.priorities[layer]:
			continue
		}
		for j := range r.paths {
			claims = append(claims, certificate.Claim{Path: q.pathRanks(g, &r.paths[j], ranks)})
		}
		if len(r.paths) == 0 {
			c := q.claim(g, r, ranks)
			steps += len(c.To) * len(c.Cables) * 2 // that many cables are looked at, or fewer
			claims = append(claims, c)
		}
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

// claim is what is claimed of some routes that are no paths.
func (q *question) claim(g *dependency.Graph, r *routes, ranks []int32) certificate.Claim {
	c := certificate.Claim{Nodes: len(q.nodes), Host: func(v int) bool { return q.nodes[v].host },
		Layer: q.layer(r.priority), From: r.from, To: r.to}
	var numbers []int // of each channel: its number in c.Cables; -1: it is down
	c.Cables, numbers = q.ranked(g, ranks)
	switch r.rule {
	case ruleFlood:
		c.From, c.Floods = nil, r.from
	case ruleDimensions:
		if size, closed := q.dimensions(); closed {
			c.Rows = size
		}
		c.Places = grouped.Each(q.nodes, func(n node) []int { return n.at })
	case ruleUpDown, ruleValleyFree:
		c.OnlyDown, c.OnceLevel = true, r.rule == ruleValleyFree
	}
	for _, w := range q.rewrites {
		if layer := q.layer(w.priority); layer >= 0 {
			c.Changes = append(c.Changes, certificate.Rewrite{At: w.at, From: w.from, To: w.to, Layer: layer,
				Becomes: q.layer(w.becomes)})
		}
	}
	if r.tables != nil {
		q.claimTables(&c, r.tables, numbers)
	}
	return c
}

// claimTables gives a claim the tables as they were read, so that the check finds the longest prefix by itself.
func (q *question) claimTables(c *certificate.Claim, d *dumps, numbers []int) {
	c.Tables = make([]map[netip.Prefix][]int, len(q.nodes))
	for v := range q.nodes {
		c.Tables[v] = map[netip.Prefix][]int{}
		d.set.Entries(v, func(p netip.Prefix, ports []int32) {
			if len(ports) > 0 && !slices.ContainsFunc(ports, up(q.net, v)) {
				return // a switch takes a route away whose ports are all down
			}
			c.Tables[v][p] = nil
			for _, port := range ports {
				if n := numbers[q.net.Channel(v, int(port))]; n >= 0 {
					c.Tables[v][p] = append(c.Tables[v][p], n)
				}
			}
		})
	}
	for i := range d.set.Destinations() {
		c.Prefixes, c.To = append(c.Prefixes, d.set.Prefix(i)), append(c.To, i)
	}
}

// pathRanks are the ranks of the channels that the frames of a path can take, of each cable on its way.
func (q *question) pathRanks(g *dependency.Graph, p *route, ranks []int32) [][]int64 {
	hops, _ := q.hops(g, p)
	return grouped.Each(hops, func(some []dependency.Vertex) []int64 {
		return grouped.Each(some, func(v dependency.Vertex) int64 { return int64(ranks[v]) })
	})
}

// ranked lists the channels with their ranks in each priority, without those that are down.
func (q *question) ranked(g *dependency.Graph, ranks []int32) (out []certificate.Cable, numbers []int) {
	for v, ports := range q.net.Ports {
		for port, p := range ports {
			if p.Down {
				// A channel that is down has a number all the same, by which tables are translated.
				numbers = append(numbers, -1)
				continue
			}
			c := certificate.Cable{From: v, To: p.Node, Rise: cmp.Compare(q.nodes[p.Node].rank, q.nodes[v].rank)}
			for layer := range q.priorities {
				c.Ranks = append(c.Ranks, int64(ranks[g.Vertex(layer, q.net.Channel(v, port))]))
			}
			numbers = append(numbers, len(out))
			out = append(out, c)
		}
	}
	return out, numbers
}
