// Package routes finds and keeps the shortest routes of a network of switches.
//
// Switches have routes to places and not to hosts: hosts on one switch are at one place, because all other switches
// lead to them over the same ports. The switch itself knows the port of each of its hosts. So a fat tree of 16,000
// hosts and 2,000 switches has 800 places, and 1.6 million routes in place of 32 million. A route is the number of a
// set of ports; equal sets are kept once for the whole network.
//
// A [Graph] is the switches and their links; [Table.Find] searches it once for each place. Ports of a switch have two
// numbers: one among all ports of the network, by which hosts are found, and one at the switch, which routes give.
package routes

// Site is where a host is.
type Site struct {
	Port  int32 // port of the switch that its link leads to, among all ports; -1: none
	Place int32 // number of that switch among those that have hosts; -1: none
}

// Table is the routes of all switches, but for what each [Switch] has of its own.
type Table struct {
	Sites []Site    // of each host
	sets  [][]int32 // sets of ports; the first one is empty
}

// Switch is the routes of one switch.
type Switch struct {
	First, Ports int32     // its first port among all ports, and how many it has
	Own          [][]int32 // ports that lead to each host, in place of those that were found; nil: none
	toward       []int32   // number of the set of ports that lead to each place
}

// Ways are the ports of a switch that lead to a host.
type Ways struct {
	direct int32 // the host's own port, if the host is on the switch; else -1
	ports  []int32
}

// To returns the ports of a switch that lead to a host.
func (t *Table) To(sw *Switch, host int32) Ways {
	if sw.Own != nil {
		return Ways{-1, sw.Own[host]}
	}
	at := t.Sites[host]
	if out := at.Port - sw.First; uint32(out) < uint32(sw.Ports) {
		return Ways{out, nil}
	}
	if at.Place < 0 {
		return Ways{-1, nil}
	}
	return Ways{-1, t.sets[sw.toward[at.Place]]}
}

// Choose returns the port that a flow takes, or -1. The flow's hash chooses among routes of one length.
func (w Ways) Choose(hash uint64) int32 {
	n := uint64(len(w.ports))
	switch {
	case n == 0:
		return w.direct
	case n&(n-1) == 0: // mostly; a division would take longer than all else here
		return w.ports[hash&(n-1)]
	}
	return w.ports[hash%n]
}

// List returns all of the ports.
func (w Ways) List() []int32 {
	if w.direct >= 0 {
		return []int32{w.direct}
	}
	return w.ports
}

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
