package fabric

// Switches have routes to places and not to hosts: hosts on one switch are at one place, because all other switches
// lead to them over the same ports. The switch itself knows the port of each of its hosts. So a fat tree of 16,000
// hosts and 2,000 switches has 800 places, and 1.6 million routes in place of 32 million. A route is the number of a
// set of ports; equal sets are kept once for the whole network.

// site is where a host is.
type site struct {
	port  int32 // port of the switch that its link leads to; -1: none
	place int32 // number of that switch among those that have hosts; -1: none
}

// routing is the routes of all switches.
type routing struct {
	sites []site    // of each host
	sets  [][]int32 // sets of ports; the first one is empty
}

// waysTo returns the ports of a switch that lead to a host. If the host is on the switch, it returns the host's port
// alone, and -1 otherwise.
func (r *routing) waysTo(sw *node, host int32) (direct int32, ports []int32) {
	if sw.own != nil {
		return -1, sw.own[host]
	}
	at := r.sites[host]
	if out := at.port - sw.first; uint32(out) < uint32(len(sw.lookups)) {
		return out, nil
	}
	if at.place < 0 {
		return -1, nil
	}
	return -1, r.sets[sw.toward[at.place]]
}

// portsTo returns the ports of a switch that lead to a host, as a list in any case.
func (r *routing) portsTo(sw *node, host int32) []int32 {
	direct, ports := r.waysTo(sw, host)
	if direct >= 0 {
		return []int32{direct}
	}
	return ports
}

// route chooses the port on which a packet leaves; -1: no route. All frames of
// a flow take the same route, in each direction.
func (s *part) route(sw *node, k *packet) int32 {
	way := &s.ways[k.flow]
	to := way.to
	if k.kind != data {
		to = way.from
	}
	direct, ports := s.waysTo(sw, to)
	n := uint64(len(ports))
	switch {
	case n == 0:
		return direct
	case n&(n-1) == 0: // mostly; a division would take longer than all else here
		return ports[way.hash&(n-1)]
	}
	return ports[way.hash%n]
}

// routes finds the shortest routes from every switch to every place. A switch
// with routes of its own keeps them.
func (b *build) routes() error {
	s := b.s
	places := b.sites()
	g := b.graph()
	sets := portSets{number: map[string]int32{}}
	sets.add(nil)
	for i := range s.switches {
		if !b.ownRoutes(i) {
			s.switches[i].toward = make([]int32, len(places))
		}
	}
	for place, node := range places {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		far := g.distances(node)
		b.routeSteps += len(g.links) / 2
		for i := range s.switches {
			if n := &s.switches[i]; n.own == nil {
				n.toward[place] = sets.add(g.nearer(int32(i), far))
			}
		}
	}
	s.sets = sets.list
	return nil
}

// sites notes where each host is, and returns the switch of each place.
func (b *build) sites() (places []int32) {
	s := b.s
	s.sites = make([]site, len(b.hosts))
	place := make([]int32, len(s.switches)) // of each switch, plus 1
	for h, i := range b.hosts {
		p := &s.ports[i]
		if !p.linked || !s.ports[p.peer].isSwitch {
			s.sites[h] = site{-1, -1}
			continue
		}
		node := s.ports[p.peer].node
		if place[node] == 0 {
			places = append(places, node)
			place[node] = int32(len(places))
		}
		s.sites[h] = site{p.peer, place[node] - 1}
	}
	return places
}

// ownRoutes takes the routes to each host that a switch has of its own, and tells whether it has.
func (b *build) ownRoutes(i int) bool {
	r := b.n.Switches[i].Routes
	if r == nil {
		return false
	}
	own := make([][]int32, len(b.n.Hosts))
	for h := range own {
		for _, out := range r(h) {
			own[h] = append(own[h], int32(out))
		}
	}
	b.s.switches[i].own = own
	return true
}

// portSets numbers sets of ports.
type portSets struct {
	list   [][]int32
	number map[string]int32 // of each set, by its ports
	key    []byte
}

// add returns the number of a set, which the caller may change afterwards.
func (p *portSets) add(ports []int32) int32 {
	p.key = p.key[:0]
	for _, n := range ports {
		p.key = append(p.key, byte(n), byte(n>>8), byte(n>>16))
	}
	n, ok := p.number[string(p.key)]
	if !ok {
		n = int32(len(p.list))
		p.number[string(p.key)] = n
		p.list = append(p.list, append([]int32(nil), ports...))
	}
	return n
}

// graph is the switches and the links between them.
type graph struct {
	first []int32 // of each switch: its first link; one more at the end
	links []linkTo
	// of the last search, used again by the next
	far, next, ports []int32
}

// linkTo is a link of a switch to another one.
type linkTo struct{ to, port int32 }

// graph returns the graph of the network.
func (b *build) graph() *graph {
	s := b.s
	count := 0
	for i := range b.n.Links {
		if l := &b.n.Links[i]; l.A.Switch && l.B.Switch {
			count += 2
		}
	}
	g := &graph{far: make([]int32, len(s.switches)), links: make([]linkTo, 0, count)}
	for i := range s.switches {
		n := &s.switches[i]
		g.first = append(g.first, int32(len(g.links)))
		for j := range n.ports {
			if p := &s.ports[n.first+int32(j)]; p.linked && s.ports[p.peer].isSwitch {
				g.links = append(g.links, linkTo{s.ports[p.peer].node, int32(j)})
			}
		}
	}
	g.first = append(g.first, int32(len(g.links)))
	return g
}

// linksOf returns the links of a switch.
func (g *graph) linksOf(node int32) []linkTo { return g.links[g.first[node]:g.first[node+1]] }

// distances returns, for each switch, the number of links to one of them; -1: not reachable. It is a breadth-first
// search.
func (g *graph) distances(from int32) []int32 {
	for i := range g.far {
		g.far[i] = -1
	}
	g.far[from] = 0
	g.next = append(g.next[:0], from)
	for done := 0; done < len(g.next); done++ {
		node := g.next[done]
		for _, l := range g.linksOf(node) {
			if g.far[l.to] < 0 {
				g.far[l.to] = g.far[node] + 1
				g.next = append(g.next, l.to)
			}
		}
	}
	return g.far
}

// nearer returns the ports of a switch whose links lead to a switch at a smaller distance: all shortest routes.
func (g *graph) nearer(node int32, far []int32) []int32 {
	g.ports = g.ports[:0]
	for _, l := range g.linksOf(node) {
		if far[l.to] >= 0 && far[l.to] < far[node] {
			g.ports = append(g.ports, l.port)
		}
	}
	return g.ports
}
