package fabric

import "github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"

// routes finds the shortest routes from every switch to every place. A switch
// with routes of its own keeps them.
func (b *build) routes() error {
	s := b.s
	places := b.sites()
	switches := make([]*routes.Switch, len(s.switches))
	for i := range s.switches {
		n := &s.switches[i]
		n.routes = routes.Switch{First: n.first, Ports: int32(len(n.ports)), Own: b.ownRoutes(i)}
		switches[i] = &n.routes
	}
	g := b.graph()
	b.routeSteps = len(places) * g.Links()
	return s.routes.Find(g, places, switches, b.ctx.Err)
}

// sites notes where each host is, and returns the switch of each place.
func (b *build) sites() (places []int32) {
	s := b.s
	s.routes.Sites = make([]routes.Site, len(b.hosts))
	place := make([]int32, len(s.switches)) // of each switch, plus 1
	for h, i := range b.hosts {
		p := &s.ports[i]
		if !p.linked || !s.ports[p.peer].isSwitch {
			s.routes.Sites[h] = routes.Site{Port: -1, Place: -1}
			continue
		}
		node := s.ports[p.peer].node
		if place[node] == 0 {
			places = append(places, node)
			place[node] = int32(len(places))
		}
		s.routes.Sites[h] = routes.Site{Port: p.peer, Place: place[node] - 1}
	}
	return places
}

// ownRoutes returns the ports to each host that a switch has of its own; nil if it has none.
func (b *build) ownRoutes(i int) [][]int32 {
	r := b.n.Switches[i].Routes
	if r == nil {
		return nil
	}
	own := make([][]int32, len(b.n.Hosts))
	for h := range own {
		for _, out := range r(h) {
			own[h] = append(own[h], int32(out))
		}
	}
	return own
}

// graph returns the graph of the network.
func (b *build) graph() *routes.Graph {
	s := b.s
	count := 0
	for i := range b.n.Links {
		if l := &b.n.Links[i]; l.A.Switch && l.B.Switch {
			count++
		}
	}
	g := routes.NewGraph(len(s.switches), count)
	for i := range s.switches {
		n := &s.switches[i]
		for j := range n.ports {
			if p := &s.ports[n.first+int32(j)]; p.linked && s.ports[p.peer].isSwitch {
				g.Link(int32(j), s.ports[p.peer].node)
			}
		}
		g.Switch()
	}
	return g
}
