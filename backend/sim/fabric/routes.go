package fabric

import "slices"

// routes finds the shortest routes from every switch to every host. A switch
// with routes of its own keeps them. Hosts on one switch have the same routes
// from every other switch, so these are found once.
func (b *build) routes() error {
	s := b.s
	for i := range s.switches {
		s.switches[i].routes = make([][]int32, len(b.n.Hosts))
	}
	first := make(map[int32]int) // the first host of each switch
	for h := range b.n.Hosts {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if like, ok := b.sameSwitch(h, first); ok {
			b.routesLike(h, like)
			continue
		}
		far := b.distances(h)
		for i := range s.switches {
			n := &s.switches[i]
			if b.ownRoutes(i, h) {
				continue
			}
			for j := range n.ports {
				p := &s.ports[n.first+int32(j)]
				b.routeSteps++
				// A port leads to the host if its peer is nearer to it. All
				// such ports are shortest routes.
				if p.linked && far[p.peer] >= 0 && far[p.peer] < far[n.first] {
					n.routes[h] = append(n.routes[h], int32(j))
				}
			}
		}
	}
	return nil
}

// ownRoutes takes the routes to a host that a switch has of its own.
func (b *build) ownRoutes(i, h int) bool {
	r := b.n.Switches[i].Routes
	if r == nil {
		return false
	}
	for _, out := range r(h) {
		b.s.switches[i].routes[h] = append(b.s.switches[i].routes[h], int32(out))
	}
	return true
}

// sameSwitch returns an earlier host on the same switch, and notes the host if
// there is none.
func (b *build) sameSwitch(h int, first map[int32]int) (like int, ok bool) {
	p := &b.s.ports[b.hosts[h]]
	if !p.linked || !b.s.ports[p.peer].isSwitch {
		return 0, false
	}
	node := b.s.ports[p.peer].node
	if like, ok = first[node]; !ok {
		first[node] = h
	}
	return like, ok
}

// routesLike gives every switch the route to a host that it has to another host
// on the same switch. This switch itself has the host's own port.
func (b *build) routesLike(h, like int) {
	s := b.s
	at := s.ports[b.hosts[h]].peer
	for i := range s.switches {
		b.routeSteps++
		n := &s.switches[i]
		switch {
		case b.ownRoutes(i, h):
		case int32(i) == s.ports[at].node:
			n.routes[h] = []int32{at - n.first}
		default:
			n.routes[h] = slices.Clip(n.routes[like])
		}
	}
}

// distances returns, for each port, the number of links from its node to a
// host; -1: not reachable. It is a breadth-first search, in which hosts do not
// forward. The result is overwritten by the next search.
func (b *build) distances(host int) []int32 {
	s := b.s
	far, next := b.far[:0], b.next[:0]
	for range s.ports {
		far = append(far, -1)
	}
	start := b.hosts[host]
	far[start] = 0
	next = append(next, start)
	for done := 0; done < len(next); done++ {
		i := next[done]
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
			b.routeSteps++
			far[n.first+int32(j)] = far[i] + 1
			next = append(next, n.first+int32(j))
		}
	}
	b.far, b.next = far, next
	return far
}
