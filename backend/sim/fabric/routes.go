package fabric

// routes finds the shortest routes from every switch to every host. A switch
// with routes of its own keeps them.
func (b *build) routes() {
	s := b.s
	for i := range s.switches {
		s.switches[i].routes = make([][]int32, len(b.n.Hosts))
	}
	for h := range b.n.Hosts {
		far := b.distances(h)
		for i := range s.switches {
			n := &s.switches[i]
			if r := b.n.Switches[i].Routes; r != nil {
				for _, out := range r(h) {
					n.routes[h] = append(n.routes[h], int32(out))
				}
				continue
			}
			for j := range n.ports {
				p := &s.ports[n.first+int32(j)]
				// A port leads to the host if its peer is nearer to it. All
				// such ports are shortest routes.
				if p.linked && far[p.peer] >= 0 && far[p.peer] < far[n.first] {
					n.routes[h] = append(n.routes[h], int32(j))
				}
			}
		}
	}
}

// distances returns, for each port, the number of links from its node to a
// host; -1: not reachable. It is a breadth-first search, in which hosts do not
// forward.
func (b *build) distances(host int) []int {
	s := b.s
	far := make([]int, len(s.ports))
	for i := range far {
		far[i] = -1
	}
	start := b.hosts[host]
	far[start] = 0
	next := []int32{start}
	for len(next) > 0 {
		i := next[0]
		next = next[1:]
		p := &s.ports[i]
		if !p.linked {
			continue
		}
		q := &s.ports[p.peer]
		if !q.isSwitch || far[p.peer] >= 0 {
			continue
		}
		n := &s.switches[q.node]
		for j := range n.ports {
			far[n.first+int32(j)] = far[i] + 1
			next = append(next, n.first+int32(j))
		}
	}
	return far
}
