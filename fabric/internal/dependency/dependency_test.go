package dependency

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// join connects two nodes.
func (n *Network) join(a, b int) {
	n.Ports[a] = append(n.Ports[a], Port{Node: b, Port: len(n.Ports[b])})
	n.Ports[b] = append(n.Ports[b], Port{Node: a, Port: len(n.Ports[a]) - 1})
}

// switches returns a network of switches without cables.
func switches(count int) *Network {
	n := &Network{Ports: make([][]Port, count), Forwards: make([]bool, count)}
	for i := range n.Forwards {
		n.Forwards[i] = true
	}
	return n
}

// rank gives the kinds of all cables.
func (n *Network) rank(ranks []int) {
	for v, ports := range n.Ports {
		for i, p := range ports {
			switch {
			case ranks[p.Node] > ranks[v]:
				ports[i].Kind = Up
			case ranks[p.Node] < ranks[v]:
				ports[i].Kind = Down
			}
		}
	}
}

// fatTree is a fat tree of switches with k ports: k pods of k/2 and k/2 switches, and (k/2)^2 spines. The first
// switches are the ToRs.
func fatTree(k int) (n *Network, tors []int) {
	half := k / 2
	n = switches(5 * k * k / 4)
	tor := func(pod, i int) int { return pod*half + i }
	leaf := func(pod, i int) int { return k*half + pod*half + i }
	for pod := range k {
		for i := range half {
			tors = append(tors, tor(pod, i))
			for j := range half {
				n.join(tor(pod, i), leaf(pod, j))
			}
		}
	}
	for pod := range k {
		for j := range half {
			for s := range half {
				n.join(leaf(pod, j), k*k+j*half+s)
			}
		}
	}
	ranks := make([]int, len(n.Ports))
	for v := range ranks {
		ranks[v] = min(v/(k*half), 2)
	}
	n.rank(ranks)
	n.Index()
	return n, tors
}

// slow is the graph by its definition: each way of each pair, followed by itself.
func slow(n *Network, rule Rule, from, to []int) map[[2]int]bool {
	out := map[[2]int]bool{}
	for _, d := range to {
		dist := distances(n, rule, d)
		for _, s := range from {
			if s != d && dist[0][s] >= 0 {
				follow(n, rule, dist, s, d, 0, -1, map[[2]int]bool{}, out)
			}
		}
	}
	return out
}

// distances are the hops from each state to a destination, or -1, by relaxing all hops until nothing changes.
func distances(n *Network, rule Rule, d int) [][]int {
	dist := make([][]int, len(rule))
	for p := range dist {
		dist[p] = make([]int, len(n.Ports))
		for v := range dist[p] {
			dist[p][v] = -1
		}
		dist[p][d] = 0
	}
	for changed := true; changed; {
		changed = false
		for p := range rule {
			for v, ports := range n.Ports {
				for _, port := range ports {
					to := rule[p][port.Kind]
					if port.Down || to < 0 || v == d || (port.Node != d && !n.Forwards[port.Node]) {
						continue
					}
					if x := dist[to][port.Node]; x >= 0 && (dist[p][v] < 0 || x+1 < dist[p][v]) {
						dist[p][v], changed = x+1, true
					}
				}
			}
		}
	}
	return dist
}

func follow(n *Network, rule Rule, dist [][]int, v, d, phase, in int, seen map[[2]int]bool, out map[[2]int]bool) {
	if v == d || seen[[2]int{phase, in}] && in >= 0 {
		return
	}
	seen[[2]int{phase, in}] = true
	for i, port := range n.Ports[v] {
		to := rule[phase][port.Kind]
		if port.Down || to < 0 || (port.Node != d && !n.Forwards[port.Node]) ||
			dist[to][port.Node] < 0 || dist[to][port.Node] != dist[phase][v]-1 {
			continue
		}
		c := n.Channel(v, i)
		if in >= 0 {
			out[[2]int{in, c}] = true
		}
		follow(n, rule, dist, port.Node, d, int(to), c, seen, out)
	}
}

// edges lists the dependencies of a graph.
func edges(g *Graph) map[[2]int]bool {
	out := map[[2]int]bool{}
	for v := range g.size() {
		for to, place := g.after(v, 0); place >= 0; to, place = g.after(v, place) {
			out[[2]int{v, to}] = true
		}
	}
	return out
}

// cyclic tells whether there is a cycle, by taking away what depends on nothing.
func cyclic(edges map[[2]int]bool) bool {
	for {
		leads := map[int]bool{}
		for e := range edges {
			leads[e[0]] = true
		}
		before := len(edges)
		for e := range edges {
			if !leads[e[1]] {
				delete(edges, e)
			}
		}
		if len(edges) == 0 {
			return false
		}
		if len(edges) == before {
			return true
		}
	}
}

// randomNetwork is a small network with random ranks, hosts and links that are down, and nodes that send and receive.
func randomNetwork(seed uint64) (n *Network, from, to []int, random *rand.Rand) {
	random = rand.New(rand.NewPCG(seed, 1))
	n = switches(2 + random.IntN(9))
	for v := range len(n.Ports) * random.IntN(2) { // a ring, in half of them
		n.join(v, (v+1)%len(n.Ports))
	}
	for range random.IntN(2 * len(n.Ports)) {
		if a, b := random.IntN(len(n.Ports)), random.IntN(len(n.Ports)); a != b {
			n.join(a, b)
		}
	}
	ranks := make([]int, len(n.Ports))
	for v := range ranks {
		ranks[v] = random.IntN(4)
		n.Forwards[v] = random.IntN(5) > 0
		if random.IntN(3) > 0 {
			from = append(from, v)
		}
		if random.IntN(3) > 0 {
			to = append(to, v)
		}
	}
	n.rank(ranks)
	n.Index()
	for v, ports := range n.Ports {
		for i, p := range ports {
			if v < p.Node && random.IntN(8) == 0 {
				n.Ports[v][i].Down, n.Ports[p.Node][p.Port].Down = true, true
			}
		}
	}
	return n, from, to, random
}

// The graph is that of the definition, and so are cycles, ranks, shortest cycles and witnesses, for random networks
// with random ranks, hosts and links that are down.
func TestGraphIsTheDefinition(t *testing.T) {
	cycles := 0
	first, end := effort.Seeds(10_000)
	for seed := first; seed < end; seed++ {
		n, from, to, _ := randomNetwork(seed)
		for _, rule := range []Rule{Shortest, UpDown, ValleyFree} {
			g := New(n, 1)
			n.Route(g, 0, Ways{Rule: rule}, from, to, nil)
			want := slow(n, rule, from, to)
			require.Equal(t, want, edges(g), "seed %d", seed)
			components, ranks := g.Components()
			if !cyclic(want) {
				require.Empty(t, components)
				for e := range edges(g) {
					require.Greater(t, ranks[e[0]], ranks[e[1]])
				}
				continue
			}
			cycles++
			require.NotEmpty(t, components)
			cycle, shortest := g.Shortest(components[0], 1<<30)
			require.True(t, shortest)
			pairs := make([][2]int, len(cycle))
			for i, v := range cycle {
				pairs[i] = [2]int{v, cycle[(i+1)%len(cycle)]}
				require.True(t, edges(g)[pairs[i]])
			}
			for i, w := range n.Witnesses(1, 0, Ways{Rule: rule}, from, to, pairs) {
				require.Equal(t, pairs[i], [2]int{w.Way[w.At].Channel, w.Way[w.At+1].Channel})
				require.Contains(t, from, w.From)
				require.Contains(t, to, w.To)
				require.True(t, slow(n, rule, []int{w.From}, []int{w.To})[pairs[i]], "seed %d", seed)
			}
		}
	}
	require.Greater(t, cycles, int(end-first)/50)
}

// Ways up and down have no cycle, whatever is down.
func TestUpDownHasNoCycle(t *testing.T) {
	n, tors := fatTree(8)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		for v, ports := range n.Ports {
			for i, p := range ports {
				if v < p.Node {
					down := random.IntN(5) == 0
					n.Ports[v][i].Down, n.Ports[p.Node][p.Port].Down = down, down
				}
			}
		}
		g := New(n, 1)
		n.Route(g, 0, Ways{Rule: UpDown}, tors, tors, nil)
		components, _ := g.Components()
		require.Empty(t, components)
	}
}

func BenchmarkFatTree(b *testing.B) {
	for _, k := range []int{16, 64, 88} {
		n, tors := fatTree(k)
		b.Run(map[int]string{16: "16", 64: "64", 88: "88"}[k], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g := New(n, 1)
				n.Route(g, 0, Ways{Rule: Shortest}, tors, tors, nil)
				if components, _ := g.Components(); len(components) > 0 {
					b.Fatal("a fat tree has no cycle")
				}
				channels, dependencies := g.Count(0)
				b.ReportMetric(float64(channels), "channels")
				b.ReportMetric(float64(dependencies), "dependencies")
			}
		})
	}
}
