package dependency

import "math/bits"

// Route adds the dependencies of all frames from some nodes to others, by some ways, in a priority. A node sends
// nothing to itself. It returns the number of pairs that have no way: lost counts them.
//
// With another network, which differs in the links that are down, it is what Route adds while switches change from one
// set of links to the other: each of them sends by its old or by its new next hops, each destination by itself. Nil:
// none.
func (n *Network) Route(g *Graph, layer int, ways Ways, from, to []int, other *Network) (lost int) {
	r := newRouter(n, ways)
	j := newJoiner(r, g, layer)
	var w *walker
	if ways.Rewrite != nil {
		w = newWalker(r, g, ways)
	}
	for len(to) > 0 {
		some := to[:min(64, len(to))]
		to = to[len(some):]
		r.aim(some, false)
		if ways.Table == nil {
			lost += r.lost(from, len(some))
		}
		if other != nil {
			r.net = other
			r.aim(some, true)
			r.net = n
		}
		if w != nil {
			w.walk(from, layer)
			continue
		}
		r.carry(from)
		j.join()
		if ways.Table != nil {
			lost += r.dropped(len(some))
		}
	}
	return lost
}

// dropped counts the switches and destinations at which frames arrive, and neither leave nor end.
func (r *router) dropped(destinations int) (n int) {
	all := ^uint64(0) >> (64 - destinations)
	for v, ports := range r.net.Ports {
		word := r.here[0][v] & all &^ r.ends[v]
		for port := range ports {
			word &^= r.hops[0][r.net.first[v]+port]
		}
		if r.net.Forwards[v] {
			n += bits.OnesCount64(word)
		}
	}
	return n
}

// lost counts the pairs without a way, after aim.
func (r *router) lost(from []int, destinations int) (pairs int) {
	all := ^uint64(0) >> (64 - destinations)
	for _, v := range from {
		pairs += bits.OnesCount64(all &^ r.here[0][v])
	}
	return pairs
}

// joiner adds to a graph the dependencies of the channels that a router's frames take.
type joiner struct {
	*router
	g     *Graph
	layer int
	busy  []uint64 // of the ports of a node: those by which frames leave
}

func newJoiner(r *router, g *Graph, layer int) *joiner {
	most := 0
	for _, ports := range r.net.Ports {
		most = max(most, len(ports))
	}
	return &joiner{router: r, g: g, layer: layer, busy: make([]uint64, (most+63)/64)}
}

// join adds the dependencies: of a channel that arrives at a switch on one that leaves it, if a destination has frames
// on both, in the same phase. Those that the graph has are not looked at again.
func (j *joiner) join() {
	// Phases are one after the other: a dependency is one of the graph whatever the phase is.
	base := j.g.Vertex(j.layer, 0)
	for phase := range j.rule {
		for channel, word := range j.use[phase] {
			if word != 0 {
				j.g.Use(base + channel)
			}
		}
		for v, ports := range j.net.Ports {
			if !j.net.Forwards[v] {
				continue
			}
			out := j.use[phase][j.net.first[v]:j.net.first[v+1]]
			busy := j.busy[:(len(ports)+63)/64]
			clear(busy)
			any := uint64(0)
			for port, word := range out {
				if word != 0 {
					busy[port/64] |= 1 << (port % 64)
					any |= word
				}
			}
			if any == 0 {
				continue
			}
			for port := range ports {
				channel := j.net.into(v, port)
				if word := j.arrived(channel, phase) & any; word != 0 {
					j.pair(j.g.mask(base+channel), busy, out, word)
				}
			}
		}
	}
}

// pair adds the ports whose frames have one of some destinations to the mask of a channel.
func (j *joiner) pair(mask, busy, out []uint64, word uint64) {
	// Bits that the mask has already are not looked at again, which is most of them after the first words.
	for i := range mask {
		for left := busy[i] &^ mask[i]; left != 0; left &= left - 1 {
			port := bits.TrailingZeros64(left)
			if out[64*i+port]&word != 0 {
				mask[i] |= 1 << port
			}
		}
	}
}
