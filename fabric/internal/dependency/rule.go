package dependency

import (
	"math/bits"
	"slices"
)

// Rule says which ways frames may take: a frame begins in phase 0, and each hop leads to a phase by its kind, or is not
// allowed. Of the allowed ways a switch takes all shortest ones (ECMP).
type Rule [][kinds]int8

// refused is a hop that a rule does not allow.
const refused = -1

// The rules that need nothing but ranks.
var (
	// Shortest takes all shortest ways.
	Shortest = Rule{{Level: 0, Up: 0, Down: 0}}
	// UpDown goes up and then down, and never between nodes of one rank: no set of such ways has a cycle, whatever
	// links fail, because a way that goes down stays so.
	UpDown = Rule{{Level: refused, Up: 0, Down: 1}, {Level: refused, Up: refused, Down: 1}}
	// ValleyFree goes up, at most once between nodes of one rank, and then down (Gao and Rexford, IEEE/ACM
	// Transactions on Networking 9, 2001).
	ValleyFree = Rule{{Level: 1, Up: 0, Down: 1}, {Level: refused, Up: refused, Down: 1}}
)

// Ways says how frames go: by a rule, or by next hops that are given.
type Ways struct {
	Rule Rule
	// Table fills in the next hops of all nodes to some destinations: it sets bit i of hops[channel] if frames to
	// destination i may leave by the channel, which is up, and bit i of ends[node] if they end there. What destinations
	// are is up to it: nodes, or numbers of its own. Nil: the rule says the next hops. With a table it is Shortest, whose
	// only phase each hop is in.
	Table func(n *Network, destinations []int, hops, ends []uint64)
	// Rewrite returns the layer in which a frame leaves a node by a port, that came by another in a layer; -1: it is not
	// lossless any more. Nil: frames keep their layer.
	Rewrite func(node, in, out, layer int) int
}

// router computes the ways to up to 64 destinations at once: a destination is a bit of a word.
type router struct {
	net *Network
	Ways
	// Of each phase and channel: the destinations whose frames may leave by it, when they are in the phase at the node.
	hops [][]uint64
	// Of each phase and node: the destinations whose frames come by.
	here [][]uint64
	// Of each phase and channel: the destinations whose frames leave by it.
	use   [][]uint64
	ends  []uint64 // of each node: the destinations that it is
	queue []state
	fresh [][]uint64 // what has come to a state and has not been passed on
}

// state is a phase at a node.
type state struct{ phase, node int32 }

func newRouter(n *Network, ways Ways) *router {
	r := &router{net: n, Ways: ways, ends: make([]uint64, len(n.Ports))}
	r.hops, r.use = r.words(n.Channels()), r.words(n.Channels())
	r.here, r.fresh = r.words(len(n.Ports)), r.words(len(n.Ports))
	return r
}

// words returns words of each phase.
func (r *router) words(size int) [][]uint64 {
	out := make([][]uint64, len(r.Rule))
	for i := range out {
		out[i] = make([]uint64, size)
	}
	return out
}

// aim computes the next hops to up to 64 destinations, beside those of an earlier call if keep is true: breadth first
// from the destinations, against the direction of the frames, all destinations at once.
func (r *router) aim(to []int, keep bool) {
	for p := range r.Rule {
		clear(r.here[p])
		if !keep {
			clear(r.hops[p])
		}
	}
	clear(r.ends)
	r.queue = r.queue[:0]
	if r.Table != nil {
		r.Table(r.net, to, r.hops[0], r.ends)
		return
	}
	// All destinations go back in step, so that each is met first on a shortest way.
	now, next := r.words(len(r.ends)), r.words(len(r.ends))
	for i, d := range to {
		r.ends[d] |= 1 << i
		for p := range r.Rule {
			r.here[p][d] |= 1 << i // what is seen already
			now[p][d] |= 1 << i
			r.queue = append(r.queue, state{int32(p), int32(d)})
		}
	}
	for len(r.queue) > 0 {
		from := r.queue
		var reached []state
		for _, s := range from {
			word := now[s.phase][s.node]
			now[s.phase][s.node] = 0
			// A host passes nothing on, but frames for itself.
			if !r.net.Forwards[s.node] {
				word &= r.ends[s.node]
			}
			if word != 0 {
				reached = r.back(s, word, next, reached)
			}
		}
		for _, s := range reached {
			r.here[s.phase][s.node] |= next[s.phase][s.node]
		}
		now, next = next, now
		r.queue = reached
	}
}

// back goes one hop back from a state, to all states from which a frame may come to it.
func (r *router) back(s state, word uint64, next [][]uint64, reached []state) []state {
	for port, p := range r.net.Ports[s.node] {
		if p.Down {
			continue
		}
		kind := r.net.Ports[p.Node][p.Port].Kind
		channel := r.net.into(int(s.node), port)
		for phase := range r.Rule {
			if r.Rule[phase][kind] != int8(s.phase) {
				continue
			}
			// What has been there in an earlier step has a shorter way from that node.
			bits := word &^ r.here[phase][p.Node]
			if bits == 0 {
				continue
			}
			r.hops[phase][channel] |= bits
			if next[phase][p.Node] == 0 {
				reached = append(reached, state{int32(phase), int32(p.Node)})
			}
			next[phase][p.Node] |= bits
		}
	}
	return reached
}

// carry sends frames from sources to the destinations by the next hops, and notes the channels that they take. Next
// hops may go round in circles: each state passes on what has newly come to it, and no frame passes its destination.
func (r *router) carry(from []int) {
	for p := range r.Rule {
		clear(r.here[p])
		clear(r.fresh[p])
		clear(r.use[p])
	}
	r.queue = r.queue[:0]
	for _, v := range from {
		// A node sends to all destinations but itself.
		word := ^r.ends[v]
		r.here[0][v], r.fresh[0][v] = word, word
		r.queue = append(r.queue, state{0, int32(v)})
	}
	for i := 0; i < len(r.queue); i++ {
		s := r.queue[i]
		word := r.fresh[s.phase][s.node]
		r.fresh[s.phase][s.node] = 0
		first := r.net.first[s.node]
		for port, p := range r.net.Ports[s.node] {
			bits := r.hops[s.phase][first+port] & word
			if bits == 0 {
				continue
			}
			r.use[s.phase][first+port] |= bits
			phase := r.Rule[s.phase][p.Kind]
			bits &^= r.here[phase][p.Node] | r.ends[p.Node]
			if bits == 0 || !r.net.Forwards[p.Node] {
				continue
			}
			r.here[phase][p.Node] |= bits
			if r.fresh[phase][p.Node] == 0 {
				r.queue = append(r.queue, state{int32(phase), int32(p.Node)})
			}
			r.fresh[phase][p.Node] |= bits
		}
	}
}

// arrived returns the destinations whose frames come by a channel, by their phase at the node that it arrives at.
func (r *router) arrived(channel, phase int) (word uint64) {
	node, port := r.net.Place(channel)
	kind := r.net.Ports[node][port].Kind
	for p := range r.Rule {
		if r.Rule[p][kind] == int8(phase) {
			word |= r.use[p][channel]
		}
	}
	return word &^ r.ends[r.net.head(channel)]
}

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
	for some := range slices.Chunk(to, 64) {
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
