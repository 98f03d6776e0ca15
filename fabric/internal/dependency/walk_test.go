package dependency

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// slowWalk follows each frame by itself: the definition of what walker computes for 64 destinations at once. next are
// the ports by which a node sends frames to a destination, and ends tells where they end.
func slowWalk(n *Network, rewrite func(node, in, out, layer int) int, from []int, destinations int,
	next func(v, d int) []int, ends func(v, d int) bool) map[[2]Vertex]bool {
	out := map[[2]Vertex]bool{}
	for d := range destinations {
		seen := map[Vertex]bool{}
		var follow func(c, layer int)
		follow = func(c, layer int) {
			v := layer*n.Channels() + c
			if seen[v] {
				return
			}
			seen[v] = true
			node, port := n.Place(c)
			x := n.Ports[node][port]
			if ends(x.Node, d) || !n.Forwards[x.Node] {
				return
			}
			for _, p := range next(x.Node, d) {
				if to := rewrite(x.Node, x.Port, p, layer); to >= 0 && !n.Ports[x.Node][p].Down {
					out[[2]Vertex{v, to*n.Channels() + n.Channel(x.Node, p)}] = true
					follow(n.Channel(x.Node, p), to)
				}
			}
		}
		for _, s := range from {
			for _, p := range next(s, d) {
				if !ends(s, d) && !n.Ports[s][p].Down {
					follow(n.Channel(s, p), 0)
				}
			}
		}
	}
	return out
}

// Frames by tables that can loop, and by rules, whose priority switches change, make the dependencies of the
// definition; so do tables alone, by the quicker way. Each dependency has a witness that is a way of one frame.
func TestWalkIsTheDefinition(t *testing.T) {
	cycles := 0
	first, end := effort.Seeds(4000)
	for seed := first; seed < end; seed++ {
		n, from, _, random := randomNetwork(seed)
		const layers = 3
		changes := map[[4]int]int{}
		rewrite := func(node, in, out, layer int) int {
			key := [4]int{node, in, out, layer}
			if _, known := changes[key]; !known {
				changes[key] = layer
				if random.IntN(4) == 0 {
					changes[key] = random.IntN(layers+1) - 1
				}
			}
			return changes[key]
		}
		destinations := 1 + random.IntN(130)
		hops := make([]map[int][]int, len(n.Ports))
		gone := make([]map[int]bool, len(n.Ports))
		for v := range hops {
			hops[v], gone[v] = map[int][]int{}, map[int]bool{}
			for d := range destinations {
				gone[v][d] = random.IntN(4) == 0
				for p := range n.Ports[v] {
					if random.IntN(3) == 0 {
						hops[v][d] = append(hops[v][d], p)
					}
				}
			}
		}
		all := make([]int, destinations)
		for d := range all {
			all[d] = d
		}
		ways := Ways{Rule: Shortest, Table: func(_ *Network, some []int, words, ends []uint64) {
			for i, d := range some {
				for v := range hops {
					if gone[v][d] {
						ends[v] |= 1 << i
					}
					for _, p := range hops[v][d] {
						if !n.Ports[v][p].Down {
							words[n.Channel(v, p)] |= 1 << i
						}
					}
				}
			}
		}}
		next, ends := func(v, d int) []int { return hops[v][d] }, func(v, d int) bool { return gone[v][d] }
		same := func(_, _, _, layer int) int { return layer }
		g := New(n, 1)
		n.Route(g, 0, ways, from, all, nil)
		require.Equal(t, slowWalk(n, same, from, destinations, next, ends), edges(g), "seed %d", seed)

		g = New(n, layers)
		ways.Rewrite = rewrite
		n.Route(g, 0, ways, from, all, nil)
		want := slowWalk(n, rewrite, from, destinations, next, ends)
		require.Equal(t, want, edges(g), "seed %d, rewritten", seed)
		if components, _ := g.Components(); len(components) > 0 {
			cycles++
		}
		var pairs [][2]Vertex
		for e := range want {
			if pairs = append(pairs, e); len(pairs) == 5 {
				break
			}
		}
		for i, w := range n.Witnesses(layers, 0, ways, from, all, pairs) {
			require.NotNil(t, w, "seed %d", seed)
			requireWay(t, n, w, pairs[i], rewrite, next)
			require.Contains(t, from, w.From)
		}
	}
	require.Greater(t, cycles, 20)
}

// requireWay checks that a witness is a way of one frame over both channels of a dependency.
func requireWay(t *testing.T, n *Network, w *Witness, pair [2]Vertex, rewrite func(node, in, out, layer int) int,
	next func(v, d int) []int) {
	t.Helper()
	vertex := func(h Hop) Vertex { return h.Layer*n.Channels() + h.Channel }
	require.Equal(t, pair, [2]Vertex{vertex(w.Way[w.At]), vertex(w.Way[w.At+1])})
	node, _ := n.Place(w.Way[0].Channel)
	require.Equal(t, []int{w.From, 0}, []int{node, w.Way[0].Layer})
	for i, h := range w.Way {
		node, port := n.Place(h.Channel)
		require.Contains(t, next(node, w.To), port)
		if i > 0 {
			before, p := n.Place(w.Way[i-1].Channel)
			require.Equal(t, node, n.Ports[before][p].Node)
			require.Equal(t, h.Layer, rewrite(node, n.Ports[before][p].Port, port, w.Way[i-1].Layer))
		}
	}
}

// A rule gives the same graph node by node and channel by channel.
func TestWalkIsCarry(t *testing.T) {
	for seed := range uint64(300) {
		n, from, to, _ := randomNetwork(seed)
		for _, rule := range []Rule{Shortest, UpDown, ValleyFree} {
			a, b := New(n, 1), New(n, 1)
			n.Route(a, 0, Ways{Rule: rule}, from, to, nil)
			n.Route(b, 0, Ways{Rule: rule, Rewrite: func(_, _, _, layer int) int { return layer }}, from, to, nil)
			require.Equal(t, edges(a), edges(b), "seed %d", seed)
		}
	}
}

// What floods makes every channel that carries frames to it wait for all others that leave, and so on.
func TestFloodIsTheDefinition(t *testing.T) {
	for seed := range uint64(300) {
		n, from, to, random := randomNetwork(seed)
		g := New(n, 1)
		n.Route(g, 0, Ways{Rule: Shortest}, from, to, nil)
		var at []int
		for v := range n.Ports {
			if random.IntN(2) == 0 {
				at = append(at, v)
			}
		}
		want := edges(g)
		used := map[int]bool{}
		for c := range n.Channels() {
			used[c] = g.Uses(c)
		}
		for changed := true; changed; {
			changed = false
			for _, v := range at {
				for in := range n.Ports[v] {
					for out, x := range n.Ports[v] {
						e := [2]int{n.into(v, in), n.Channel(v, out)}
						if n.Forwards[v] && in != out && used[e[0]] && !x.Down && (!want[e] || !used[e[1]]) {
							want[e], used[e[1]], changed = true, true, true
						}
					}
				}
			}
		}
		n.Flood(g, 0, at)
		require.Equal(t, want, edges(g), "seed %d", seed)
	}
}
