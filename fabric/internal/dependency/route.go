package dependency

import "math/bits"

// Route adds the dependencies of all frames from some nodes to others, by some ways, in a priority. A node sends
// nothing to itself. It returns the number of pairs that have no way, and with a table that of switches and
// destinations at which frames arrive that have none.
//
// With another network, which differs in the links that are down, it is what Route adds while switches change from one
// set of links to the other: each of them sends by its old or by its new next hops, each destination by itself. Nil:
// none.
func (n *Network) Route(g *Graph, layer int, ways Ways, from, to []int, other *Network) (lost, dropped int) {
	r := newRouter(n, ways)
	var w *walker
	if ways.Rewrite != nil {
		w = newWalker(r, g)
	}
	for len(to) > 0 {
		some := to[:min(64, len(to))]
		to = to[len(some):]
		r.aim(some, false)
		lost += r.lost(from, len(some))
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
		r.join(g, layer)
		if ways.Table != nil {
			dropped += r.dropped(len(some))
		}
	}
	return lost, dropped
}

// without returns which of some destinations a node neither is nor has a next hop to.
func (r *router) without(v, destinations int) uint64 {
	word := ^uint64(0) >> (64 - destinations) &^ r.ends[v]
	for port := range r.net.Ports[v] {
		word &^= r.hops[0][r.net.first[v]+port]
	}
	return word
}

// dropped counts the switches and destinations at which frames arrive, and neither leave nor end.
func (r *router) dropped(destinations int) (n int) {
	for v := range r.net.Ports {
		if r.net.Forwards[v] && r.here[0][v] != 0 {
			n += bits.OnesCount64(r.here[0][v] & r.without(v, destinations))
		}
	}
	return n
}

// lost counts the pairs without a way, after aim.
func (r *router) lost(from []int, destinations int) (pairs int) {
	for _, v := range from {
		pairs += bits.OnesCount64(r.without(v, destinations))
	}
	return pairs
}

// join adds the dependencies: of a channel that arrives at a switch on one that leaves it, if a destination has frames
// on both, in the same phase. Those that the graph has are not looked at again.
func (r *router) join(g *Graph, layer int) {
	// Phases are one after the other: a dependency is one of the graph whatever the phase is.
	base := g.Vertex(layer, 0)
	var busy []uint64 // of the ports of a node: those by which frames leave
	for phase := range r.Rule {
		for channel, word := range r.use[phase] {
			if word != 0 {
				g.Use(base + channel)
			}
		}
		for v, ports := range r.net.Ports {
			if !r.net.Forwards[v] {
				continue
			}
			out := r.use[phase][r.net.first[v]:r.net.first[v+1]]
			busy = append(busy[:0], make([]uint64, (len(ports)+63)/64)...)
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
				channel := r.net.into(v, port)
				if word := r.arrived(channel, phase) & any; word != 0 {
					r.pair(g.mask(base+channel), busy, out, word)
				}
			}
		}
	}
}

// pair adds the ports whose frames have one of some destinations to the mask of a channel.
func (r *router) pair(mask, busy, out []uint64, word uint64) {
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
