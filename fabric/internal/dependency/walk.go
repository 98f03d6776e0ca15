package dependency

import (
	"iter"
	"math/bits"
	"slices"
)

// walker follows frames channel by channel, where router.carry follows them node by node: what a switch makes of a
// frame can depend on the port by which it came, and a witness is a way and not a node. It costs the square of a
// switch's ports for each word of destinations, so it is used where one of both is asked.
type walker struct {
	*router
	g      *Graph
	layers int
	// Of each layer, phase and channel: the destinations whose frames come by the channel in this layer, and are then in
	// this phase; and those of them that are not passed on yet.
	came, fresh [][]uint64
	queue       []arrival
}

// arrival is a channel with the layer and the phase of the frames that come by it.
type arrival struct{ layer, phase, channel int32 }

// sighting is an arrival whose frames to a destination make a dependency.
type sighting struct {
	at    arrival
	bit   int
	after arrival // what the frames take next
}

func newWalker(r *router, g *Graph) *walker {
	w := &walker{router: r, g: g, layers: g.layers}
	for range w.layers * len(r.Rule) {
		w.came = append(w.came, make([]uint64, r.net.Channels()))
		w.fresh = append(w.fresh, make([]uint64, r.net.Channels()))
	}
	return w
}

// of is the place of an arrival in came and fresh.
func (w *walker) of(a arrival) int { return int(a.layer)*len(w.Rule) + int(a.phase) }

// layer returns the layer in which a frame leaves a switch; -1: it is not lossless there.
func (w *walker) layer(node, in, out int, layer int32) int32 {
	if w.Rewrite == nil {
		return layer
	}
	return int32(w.Rewrite(node, in, out, int(layer)))
}

// walk follows the frames of all sources, which begin in a layer, and adds what their channels depend on.
func (w *walker) walk(from []int, layer int) {
	for i := range w.came {
		clear(w.came[i])
		clear(w.fresh[i])
	}
	w.queue = w.queue[:0]
	for _, v := range from {
		for port, p := range w.net.Ports[v] {
			channel := w.net.Channel(v, port)
			if some := w.hops[0][channel] &^ w.ends[v]; some != 0 {
				w.push(arrival{int32(layer), int32(w.Rule[0][p.Kind]), int32(channel)}, some)
			}
		}
	}
	for i := 0; i < len(w.queue); i++ {
		a := w.queue[i]
		word := w.fresh[w.of(a)][a.channel]
		w.fresh[w.of(a)][a.channel] = 0
		for next, some := range w.after(a, word) {
			w.push(next, some)
			w.g.Depend(w.g.Vertex(int(a.layer), int(a.channel)), w.g.Vertex(int(next.layer), int(next.channel)))
		}
	}
}

// after yields the arrivals that frames come to behind another one, with those that do.
func (w *walker) after(a arrival, frames uint64) iter.Seq2[arrival, uint64] {
	return func(yield func(next arrival, some uint64) bool) {
		node, port := w.net.Place(int(a.channel))
		x := w.net.Ports[node][port]
		frames &^= w.ends[x.Node]
		for out, y := range w.net.Ports[x.Node] {
			channel := w.net.Channel(x.Node, out)
			some := frames & w.hops[a.phase][channel]
			if some == 0 || !w.net.Forwards[x.Node] {
				continue
			}
			to := w.layer(x.Node, x.Port, out, a.layer)
			if to >= 0 && !yield(arrival{to, int32(w.Rule[a.phase][y.Kind]), int32(channel)}, some) {
				return
			}
		}
	}
}

// push notes frames that come to an arrival.
func (w *walker) push(a arrival, some uint64) {
	w.g.Use(w.g.Vertex(int(a.layer), int(a.channel)))
	at := w.of(a)
	if news := some &^ w.came[at][a.channel]; news != 0 {
		if w.fresh[at][a.channel] == 0 {
			w.queue = append(w.queue, a)
		}
		w.came[at][a.channel] |= news
		w.fresh[at][a.channel] |= news
	}
}

// see finds frames that make a dependency.
func (w *walker) see(d [2]Vertex) (s sighting, seen bool) {
	layer, channel := w.g.Split(d[1])
	for phase := range w.Rule {
		after := arrival{int32(layer), int32(phase), int32(channel)}
		w.before(after, func(a arrival, frames uint64) {
			if !seen && frames != 0 && w.g.Vertex(int(a.layer), int(a.channel)) == d[0] {
				s, seen = sighting{a, bits.TrailingZeros64(frames), after}, true
			}
		})
	}
	return s, seen
}

// Hop is one channel of a way, and the layer of the frames on it.
type Hop struct{ Layer, Channel int }

// Witness is one way of frames that makes a channel depend on another.
type Witness struct {
	From int // the node that sends
	To   int // the destination, as Witnesses got it
	Way  []Hop
	At   int // the place in Way of the first of both channels
}

// Witnesses finds for each dependency a way of frames that makes it, by the same ways and nodes as Route. It is nil
// where these frames do not make it.
func (n *Network) Witnesses(layers, layer int, ways Ways, from, to []int, dependencies [][2]Vertex) []*Witness {
	out := make([]*Witness, len(dependencies))
	missing := len(out)
	for w := newWalker(newRouter(n, ways), New(n, layers)); len(to) > 0 && missing > 0; {
		some := to[:min(64, len(to))]
		to = to[len(some):]
		w.aim(some, false)
		w.walk(from, layer)
		for i, d := range dependencies {
			s, seen := w.see(d)
			if !seen || out[i] != nil {
				continue
			}
			before := w.back(s, from, layer)
			out[i] = &Witness{To: some[s.bit], At: len(before) - 1}
			out[i].From, _ = n.Place(int(before[0].channel))
			for _, a := range slices.Concat(before, w.ahead(s)) {
				out[i].Way = append(out[i].Way, Hop{int(a.layer), int(a.channel)})
			}
			missing--
		}
	}
	return out
}

// back is a shortest way of the frames from a node that sends them to an arrival, this included.
func (w *walker) back(s sighting, from []int, layer int) []arrival {
	after := map[arrival]arrival{s.at: s.at}
	for queue := []arrival{s.at}; ; queue = queue[1:] {
		a := queue[0]
		node, port := w.net.Place(int(a.channel))
		kind := w.net.Ports[node][port].Kind
		if slices.Contains(from, node) && int(a.layer) == layer && int32(w.Rule[0][kind]) == a.phase &&
			w.hops[0][a.channel]>>s.bit&1 != 0 && w.ends[node]>>s.bit&1 == 0 {
			way := []arrival{a}
			for a != s.at {
				a = after[a]
				way = append(way, a)
			}
			return way
		}
		w.before(a, func(b arrival, some uint64) {
			if _, seen := after[b]; !seen && some>>s.bit&1 != 0 {
				after[b] = a
				queue = append(queue, b)
			}
		})
	}
}

// before calls yield with each arrival whose frames come to another one next, and with these.
func (w *walker) before(a arrival, yield func(b arrival, frames uint64)) {
	node, port := w.net.Place(int(a.channel))
	kind := w.net.Ports[node][port].Kind
	for in := range w.net.Ports[node] {
		for layer := range int32(w.layers) {
			if !w.net.Forwards[node] || w.layer(node, in, port, layer) != a.layer {
				continue
			}
			for phase := range w.Rule {
				b := arrival{layer, int32(phase), int32(w.net.into(node, in))}
				if w.Rule[phase][kind] == int8(a.phase) {
					yield(b, w.came[w.of(b)][b.channel]&w.hops[phase][a.channel]&^w.ends[node])
				}
			}
		}
	}
}

// ahead is one way of the frames from behind an arrival to their end, or until it closes.
func (w *walker) ahead(s sighting) (way []arrival) {
	seen := map[arrival]bool{}
	for a := s.after; !seen[a]; {
		seen[a] = true
		way = append(way, a)
		for next := range w.after(a, 1<<s.bit) {
			a = next
			break
		}
	}
	return way
}

// Flood adds what channels depend on if frames of a layer that come to some switches may leave them by every other
// port: a switch floods frames to an address whose port it does not know. A switch behind it that is not among these
// takes such frames as its own, or drops them, but not before they have come over the cable (Guo et al., SIGCOMM 2016).
func (n *Network) Flood(g *Graph, layer int, at []int) {
	floods := make([]bool, len(n.Ports))
	var queue []int
	for _, v := range at {
		floods[v] = n.Forwards[v]
		for port := range n.Ports[v] {
			if in := n.into(v, port); g.Uses(g.Vertex(layer, in)) && floods[v] {
				queue = append(queue, in)
			}
		}
	}
	for len(queue) > 0 {
		in := queue[0]
		queue = queue[1:]
		node, port := n.Place(in)
		x := n.Ports[node][port]
		for out, y := range n.Ports[x.Node] {
			if out == x.Port || y.Down {
				continue
			}
			to := n.Channel(x.Node, out)
			if floods[y.Node] && !g.Uses(g.Vertex(layer, to)) {
				queue = append(queue, to)
			}
			g.Depend(g.Vertex(layer, in), g.Vertex(layer, to))
		}
	}
}

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
	w := newWalker(newRouter(n, ways), New(n, layers))
	for some := range slices.Chunk(to, 64) {
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
