package fabric

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// mostAll is the largest number of cases that are all looked at; of more, some are drawn.
const mostAll = 2000

// failures answers for other cables out of service: every cable alone, then sets of up to as many as the file says. The
// routes of a rule are those of the cables that are left; a path over a cable that is down carries nothing.
func (q *question) failures(ctx context.Context, d *report.FabricDocument) error {
	out := unnamed.New(&d.Failures)
	out.Links, out.Verdict = q.fail.links, noCycle
	var up []int
	for i := range q.cables {
		if !q.cables[i].down {
			up = append(up, i)
		}
	}
	single, how := q.singles(up)
	cases := make([][]int, 0, len(single))
	for _, c := range single {
		cases = append(cases, []int{c})
	}
	if q.fail.links > 1 {
		how = "all"
		cases = q.sets(up, &how)
	}
	out.How = how
	if how == "drawn" {
		out.Seed = q.fail.seed
	}
	before := q.lost
	defer func() { q.lost = before }()
	notes := q.notes
	defer func() { q.notes = notes }()
	for _, down := range cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		q.failed(d, down, before)
	}
	if out.Locks > 0 {
		out.Verdict = canLock
	}
	return nil
}

// failed looks at one case.
func (q *question) failed(d *report.FabricDocument, down []int, lost int) {
	out := d.Failures
	whole := q.net
	q.net = q.without(down)
	g := q.graph()
	out.Cases++
	if q.lost > lost {
		out.Lost++
	}
	if components, _ := g.Components(); len(components) > 0 {
		if out.Locks == 0 {
			cycle, _ := g.Shortest(components[0], shortestBudget/100)
			out.First, out.Cycle = q.cableNames(down), q.circle(g, cycle)
			for _, x := range q.because(g, cycle) {
				out.Because = append(out.Because, x.text+", after this failure")
			}
		}
		out.Locks++
	}
	changed := q.net
	q.net = whole
	if len(down) > 1 {
		return
	}
	out.Singles++
	// While the switches change their routes, each of them has its old or its new next hops.
	t := dependency.New(q.net, len(q.priorities))
	for i := range q.routes {
		r := &q.routes[i]
		for j := range r.paths {
			q.path(t, &r.paths[j])
		}
		if r.walks() {
			ways, to := q.ways(r)
			q.net.Converge(t, q.layer(r.priority), ways, r.from, to, changed)
		}
	}
	q.flood(t)
	if components, _ := t.Components(); len(components) > 0 {
		if out.Moving == 0 {
			cycle, _ := t.Shortest(components[0], shortestBudget/100)
			out.Moves = q.cableNames(down) + " fails: " + q.circle(t, cycle)
		}
		out.Moving++
	}
}

// singles are the cables to look at one by one: one of each kind where a generator made all that the file has and the
// routes are between all nodes of a kind, so that an automorphism leads each cable of a kind to each other.
func (q *question) singles(up []int) (cables []int, how string) {
	if q.symmetric() {
		kinds := map[string]int{}
		for _, i := range up {
			key := q.kindOf(i)
			if _, seen := kinds[key]; !seen {
				kinds[key] = i
			}
		}
		return slices.Sorted(maps.Values(kinds)), "all kinds"
	}
	if len(up) <= mostAll {
		return up, "all"
	}
	random := rand.New(rand.NewPCG(q.fail.seed, 0))
	for _, i := range random.Perm(len(up))[:min(q.fail.draws, len(up))] {
		cables = append(cables, up[i])
	}
	slices.Sort(cables)
	return cables, "drawn"
}

// kindOf names the kind of a cable: the kinds of its two ends.
func (q *question) kindOf(i int) string {
	a, b := q.nodes[q.cables[i].ends[0].node].kind, q.nodes[q.cables[i].ends[1].node].kind
	return min(a, b) + " " + max(a, b)
}

// symmetric tells whether the cables of a kind cannot be told apart.
func (q *question) symmetric() bool {
	if !q.alike {
		return false
	}
	for i := range q.cables {
		if q.cables[i].down {
			return false
		}
	}
	for i := range q.routes {
		if q.routes[i].rule == "" || q.routes[i].rule == ruleFlood || len(q.rewrites) > 0 || !q.whole(q.routes[i].from) || !q.whole(q.routes[i].to) {
			return false
		}
	}
	return true
}

// whole tells whether a set of nodes has all of each kind that it has one of.
func (q *question) whole(set []int) bool {
	kinds := map[string]int{}
	for _, v := range set {
		kinds[q.nodes[v].kind]++
	}
	all := map[string]int{}
	for i := range q.nodes {
		all[q.nodes[i].kind]++
	}
	for kind, n := range kinds {
		if all[kind] != n {
			return false
		}
	}
	return true
}

// sets are the sets of one to as many cables as the file says: all of them, or as many as it draws.
func (q *question) sets(up []int, how *string) (out [][]int) {
	n, total := len(up), 0
	for k, ways := 1, 1; k <= q.fail.links && total <= mostAll; k++ {
		ways = ways * (n - k + 1) / k
		total += ways
	}
	if total <= mostAll {
		var add func(from int, set []int)
		add = func(from int, set []int) {
			if len(set) > 0 {
				out = append(out, slices.Clone(set))
			}
			for i := from; i < n && len(set) < q.fail.links; i++ {
				add(i+1, append(set, up[i]))
			}
		}
		add(0, nil)
		slices.SortStableFunc(out, func(a, b []int) int { return len(a) - len(b) })
		return out
	}
	*how = "drawn"
	random := rand.New(rand.NewPCG(q.fail.seed, uint64(q.fail.links)))
	for range q.fail.draws {
		set := map[int]bool{}
		for len(set) < min(q.fail.links, n) {
			set[up[random.IntN(n)]] = true
		}
		out = append(out, slices.Sorted(maps.Keys(set)))
	}
	return out
}

// without returns the network with some cables down.
func (q *question) without(down []int) *dependency.Network {
	n := *q.net
	n.Ports = slices.Clone(q.net.Ports)
	gone := map[int]bool{}
	for _, i := range down {
		gone[i] = true
		for _, e := range q.cables[i].ends {
			n.Ports[e.node] = slices.Clone(q.net.Ports[e.node])
		}
	}
	for _, i := range down {
		for _, e := range q.cables[i].ends {
			for port := range n.Ports[e.node] {
				if gone[q.cable[q.net.Channel(e.node, port)]] {
					n.Ports[e.node][port].Down = true
				}
			}
		}
	}
	return &n
}

// cableNames names cables for people.
func (q *question) cableNames(cables []int) string {
	var out []string
	for _, i := range cables {
		out = append(out, fmt.Sprintf("%s - %s", q.text(q.cables[i].ends[0]), q.text(q.cables[i].ends[1])))
	}
	return strings.Join(out, ", ")
}
