package routes

// Graph is the switches of a network and the links between them.
type Graph struct {
	first []int32 // of each switch: its first link; one more at the end
	links []link
	// of the last search, used again by the next
	far, next, ports []int32
}

// link is a link of a switch to another one.
type link struct{ to, port int32 }

// NewGraph returns a graph without switches, with room for some, and for the links that connect them.
func NewGraph(switches, links int) *Graph {
	return &Graph{first: make([]int32, 1, switches+1), links: make([]link, 0, 2*links), far: make([]int32, switches)}
}

// Link adds a link of the switch that is added next: its port, and the switch to which it leads.
func (g *Graph) Link(port, to int32) { g.links = append(g.links, link{to, port}) }

// Switch adds a switch with the links since the last one.
func (g *Graph) Switch() { g.first = append(g.first, int32(len(g.links))) }

// Links returns the number of links.
func (g *Graph) Links() int { return len(g.links) / 2 }

// linksOf returns the links of a switch.
func (g *Graph) linksOf(node int32) []link { return g.links[g.first[node]:g.first[node+1]] }

// distances returns, for each switch, the number of links to one of them; -1: not reachable. It is a breadth-first
// search.
func (g *Graph) distances(from int32) []int32 {
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
func (g *Graph) nearer(node int32, far []int32) []int32 {
	g.ports = g.ports[:0]
	for _, l := range g.linksOf(node) {
		if far[l.to] >= 0 && far[l.to] < far[node] {
			g.ports = append(g.ports, l.port)
		}
	}
	return g.ports
}

// Find finds the shortest routes from every switch to every place, which is the number of a switch with hosts. A switch
// with routes of its own keeps them. Before each search it asks stop, and returns its error.
func (t *Table) Find(g *Graph, places []int32, switches []*Switch, stop func() error) error {
	sets := portSets{number: map[string]int32{}}
	sets.add(nil)
	for _, sw := range switches {
		if sw.Own == nil {
			sw.toward = make([]int32, len(places))
		}
	}
	for place, node := range places {
		if err := stop(); err != nil {
			return err
		}
		far := g.distances(node)
		for i, sw := range switches {
			if sw.Own == nil {
				sw.toward[place] = sets.add(g.nearer(int32(i), far))
			}
		}
	}
	t.sets = sets.list
	return nil
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
