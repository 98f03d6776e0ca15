package fabric

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// mostAll is the largest number of cases that are all looked at; of more, some are drawn.
const mostAll = 2000

// failures answers for other cables out of service: every cable alone, then sets of up to as many as the file says. The
// routes of a rule are those of the cables that are left; a path over a cable that is down carries nothing.
func (q *question) failures(ctx context.Context, d *report.FabricDocument) error {
	out := unnamed.New(&d.Failures)
	out.Links, out.Verdict, out.UntilRoutes = q.fail.links, noCycle, q.tabled()
	var up []int
	for i := range q.cables {
		if !q.cables[i].down {
			up = append(up, i)
		}
	}
	if q.fail.links == 1 && q.symmetric() {
		up, out.How = q.kinds(up), "all kinds"
	}
	cases := q.sets(up, &out.How)
	if out.How == "drawn" {
		out.Seed = q.fail.seed
	}
	for _, down := range cases {
		if err := ctx.Err(); err != nil {
			return err
		}
		q.failed(d, down)
	}
	if out.Locks > 0 {
		out.Verdict = canLock
	}
	return nil
}

// failed looks at one case.
func (q *question) failed(d *report.FabricDocument, down []int) {
	// A hundredth of the budget: a circle that is short enough to read is found soon, and cases are many.
	const budget = shortestBudget / 100
	out, then, during := d.Failures, *q, *q // each has notes and counts of its own
	then.net = q.without(down)
	g := then.graph(nil)
	out.Cases++
	if then.lost > q.lost {
		out.Lost++
	}
	if components, _ := g.Components(); len(components) > 0 {
		if out.Locks++; out.Locks == 1 {
			var cycle []dependency.Vertex
			out.First = q.cableNames(down...)
			out.Cycle, cycle = then.circle(g, components[0], budget)
			out.Because = grouped.Each(then.because(g, cycle), func(x reason) string { return x.text + ", after this failure" })
		}
	}
	if len(down) > 1 || q.tabled() { // no table says what routes come after a failure
		return
	}
	out.Singles++
	// While the switches change their routes, each of them has its old or its new next hops.
	g = during.graph(then.net)
	if components, _ := g.Components(); len(components) > 0 {
		if out.Moving++; out.Moving == 1 {
			circle, _ := q.circle(g, components[0], budget)
			out.Moves = q.cableNames(down...) + " fails: " + circle
		}
	}
}

// kinds are the cables to look at one by one: one of each kind, where an automorphism leads each cable of a kind to
// each other.
func (q *question) kinds(up []int) []int {
	kinds := map[string]int{}
	for _, i := range slices.Backward(up) {
		// The kind of a cable is the kinds of its two ends.
		a, b := q.nodes[q.cables[i].ends[0].node].kind, q.nodes[q.cables[i].ends[1].node].kind
		kinds[min(a, b)+" "+max(a, b)] = i
	}
	return slices.Sorted(maps.Values(kinds))
}

// symmetric tells whether the cables of a kind cannot be told apart: a generator made all that the file has, and the
// routes are between all nodes of a kind.
func (q *question) symmetric() bool {
	odd := func(r routes) bool { return !slices.Contains(ruleNames, r.rule) || !q.whole(r.from) || !q.whole(r.to) }
	return q.alike && len(q.rewrites) == 0 && !slices.ContainsFunc(q.cables, func(c cable) bool { return c.down }) &&
		!slices.ContainsFunc(q.routes, odd)
}

// whole tells whether a set of nodes has all of each kind that it has one of.
func (q *question) whole(set []int) bool {
	all, of := map[string]int{}, map[string]int{}
	for i := range q.nodes {
		all[q.nodes[i].kind]++
	}
	for _, v := range set {
		of[q.nodes[v].kind]++
	}
	for kind, n := range of {
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
		// Binomial coefficients: each division leaves no rest.
		ways = ways * (n - k + 1) / k
		total += ways
	}
	if *how = cmp.Or(*how, "all"); total <= mostAll || *how == "all kinds" {
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
	if q.fail.links == 1 {
		random := rand.New(rand.NewPCG(q.fail.seed, 0))
		for _, i := range random.Perm(n)[:min(q.fail.draws, n)] {
			out = append(out, []int{up[i]})
		}
		slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
		return out
	}
	// The number of cables is the stream of the generator, so that other cases are drawn for another number.
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
	// Ports of nodes that keep all cables are shared with the whole network.
	n := *q.net
	n.Ports = slices.Clone(q.net.Ports)
	gone := setOf(down)
	for _, i := range down {
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
func (f *File) cableNames(cables ...int) string {
	return strings.Join(grouped.Each(cables, func(i int) string {
		return f.text(f.cables[i].ends[0]) + " - " + f.text(f.cables[i].ends[1])
	}), ", ")
}
