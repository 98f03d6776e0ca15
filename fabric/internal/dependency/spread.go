package dependency

import (
	"math/bits"
	"slices"
)

// Before calls yield with each vertex that depends on a vertex, in order.
func (g *Graph) Before(v Vertex, yield func(Vertex)) {
	_, channel := g.Split(v)
	node, _ := g.net.Place(channel)
	for before := range g.layers {
		for in := range g.net.Ports[node] {
			u := g.Vertex(before, g.net.into(node, in))
			word, bit := g.bit(u, v)
			if word != nil && *word&bit != 0 || word == nil && slices.Contains(g.changes[u], v) {
				yield(u)
			}
		}
	}
}

// Touched counts pairs of nodes by the lowest level among the vertices that their frames can take: level is of each
// vertex, below 0 for one that does not count. The result is for each level the number of pairs, and their number in
// all. Pairs with the one destination that is left out are not counted; -1: none is.
func (n *Network) Touched(layers, layer int, ways Ways, from, to []int, level []int, leave int) (
	pairs []int, all int) {
	pairs = make([]int, 1+slices.Max(level))
	for w := newWalker(newRouter(n, ways), New(n, layers)); len(to) > 0; {
		some := to[:min(64, len(to))]
		to = to[len(some):]
		w.aim(some, false)
		w.walk(from, layer)
		count := uint64(0) // the destinations that count
		for i, d := range some {
			if d != leave {
				count |= 1 << i
			}
		}
		t := &toucher{walker: w, touched: make([][]uint64, len(w.came))}
		for i := range t.touched {
			t.touched[i] = make([]uint64, n.Channels())
		}
		// A level adds to what lower levels have marked, so that the difference is what it reaches first.
		before := 0
		for d := range pairs {
			for i := range w.came {
				for c, word := range w.came[i] {
					if word != 0 && level[w.g.Vertex(i/len(w.Rule), c)] == d {
						t.touch(arrival{int32(i / len(w.Rule)), int32(i % len(w.Rule)), int32(c)}, word)
					}
				}
			}
			t.spread()
			reached := t.count(from, layer, count)
			pairs[d] += reached - before
			before = reached
		}
		for _, v := range from {
			sent := uint64(0)
			for port := range n.Ports[v] {
				sent |= w.hops[0][n.first[v]+port]
			}
			all += bits.OnesCount64(sent & count &^ w.ends[v])
		}
	}
	return pairs, all
}

// toucher finds the frames that come to some channels further on.
type toucher struct {
	*walker
	touched [][]uint64 // as walker.came: of the frames that come by, those that take a channel of a level from there on
	next    []arrival
}

// touch marks frames of an arrival.
func (t *toucher) touch(a arrival, word uint64) {
	at := t.of(a)
	if word &= t.came[at][a.channel] &^ t.touched[at][a.channel]; word != 0 {
		t.touched[at][a.channel] |= word
		t.next = append(t.next, a)
	}
}

// spread marks the arrivals before those that are marked, against the direction of the frames.
func (t *toucher) spread() {
	for len(t.next) > 0 {
		a := t.next[len(t.next)-1]
		t.next = t.next[:len(t.next)-1]
		word := t.touched[t.of(a)][a.channel]
		t.before(a, func(b arrival, some uint64) { t.touch(b, word&some) })
	}
}

// count counts the pairs of senders and destinations whose frames are marked when they begin.
func (t *toucher) count(from []int, layer int, destinations uint64) (n int) {
	for _, v := range from {
		word := uint64(0)
		for port, p := range t.net.Ports[v] {
			channel := t.net.first[v] + port
			if phase := t.Rule[0][p.Kind]; phase >= 0 {
				word |= t.touched[t.of(arrival{int32(layer), int32(phase), 0})][channel] & t.hops[0][channel]
			}
		}
		n += bits.OnesCount64(word & destinations &^ t.ends[v])
	}
	return n
}
