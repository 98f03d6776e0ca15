package dependency

import "math/bits"

// Route adds the dependencies of all frames from some nodes to others, by some ways, in a priority. A node sends nothing to
// itself. It returns the number of pairs that have no way: lost counts them.
func (n *Network) Route(g *Graph, layer int, ways Ways, from, to []int) (lost int) {
	return n.route(g, layer, ways, from, to, nil)
}

// Converge adds what Route adds while switches change from one set of links to another: each of them sends by its old
// or by its new next hops, each destination by itself. The other network differs in the links that are down.
func (n *Network) Converge(g *Graph, layer int, ways Ways, from, to []int, other *Network) {
	n.route(g, layer, ways, from, to, other)
}

func (n *Network) route(g *Graph, layer int, ways Ways, from, to []int, other *Network) (lost int) {
	r := newRouter(n, ways)
	j := newJoiner(r, g, layer)
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
		r.carry(from)
		j.join()
	}
	return lost
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

// join adds the dependencies: of a channel that arrives at a switch on one that leaves it, if a destination has frames on
// both, in the same phase. Those that the graph has are not looked at again.
func (j *joiner) join() {
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
	for i := range mask {
		for left := busy[i] &^ mask[i]; left != 0; left &= left - 1 {
			port := bits.TrailingZeros64(left)
			if out[64*i+port]&word != 0 {
				mask[i] |= 1 << port
			}
		}
	}
}

// Witness is a pair of nodes whose frames make a channel depend on another.
type Witness struct{ From, To int }

// Witnesses finds for each dependency a pair of nodes whose frames make it, by the same rule and nodes as Route. Those
// of other routes stay as they are: {-1, -1}.
func (n *Network) Witnesses(ways Ways, from, to []int, dependencies [][2]int) []Witness {
	out := make([]Witness, len(dependencies))
	for i := range out {
		out[i] = Witness{-1, -1}
	}
	missing := len(out)
	for r := newRouter(n, ways); len(to) > 0 && missing > 0; {
		some := to[:min(64, len(to))]
		to = to[len(some):]
		r.aim(some, false)
		r.carry(from)
		for i, d := range dependencies {
			if out[i].From >= 0 {
				continue
			}
			for phase := range ways.Rule {
				word := r.arrived(d[0], phase) & r.use[phase][d[1]]
				if word == 0 {
					continue
				}
				bit := bits.TrailingZeros64(word)
				out[i] = Witness{r.sender(d[0], phase, bit, from), some[bit]}
				missing--
				break
			}
		}
	}
	return out
}

// sender returns a node whose frames to a destination come by a channel, and are in a phase behind it: it walks back over
// the channels that they take.
func (r *router) sender(channel, phase, bit int, from []int) int {
	source := make(map[int]bool, len(from))
	for _, v := range from {
		source[v] = true
	}
	type step struct{ channel, phase int }
	queue, seen := []step{{channel, phase}}, map[step]bool{}
	for i := 0; i < len(queue); i++ {
		node, port := r.net.Place(queue[i].channel)
		kind := r.net.Ports[node][port].Kind
		for p := range r.rule {
			if r.rule[p][kind] != int8(queue[i].phase) || r.use[p][queue[i].channel]>>bit&1 == 0 {
				continue
			}
			if p == 0 && source[node] {
				return node
			}
			for in := range r.net.Ports[node] {
				s := step{r.net.into(node, in), p}
				if !seen[s] && r.arrived(s.channel, p)>>bit&1 != 0 {
					seen[s] = true
					queue = append(queue, s)
				}
			}
		}
	}
	return -1
}
