package fabric

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/topology"
)

// Switch is a switch of a fabric as the questions about one switch read it: a topology with changes.
type Switch struct {
	Name, Role string
	Rank       int    // 0 at the hosts, then upwards; -1: the file does not say it
	Plane      string // empty: none
	Topology   string // its file; empty: the file of the fabric names none
	// Changes are those of the file of the fabric: values of the topology, and the cables of its ports.
	Changes []topology.Override
	Target  string // its gNMI address; empty: none
	Profile string // of its operating system; empty: recognised
	// Kind is the number of its kind: switches with one topology and the same changes plan alike. -1: no topology.
	Kind int
	// Peers are the switches that must not be changed together with it: those that the file says, and those that a host
	// is cabled to as well.
	Peers []string
}

// Port is an end of a cable of a fabric.
type Port struct {
	Node string
	Port string // empty: the file gives no name
	Host bool
}

// String prints the port as the file of a fabric has it: leaf1:Ethernet49.
func (p Port) String() string {
	if p.Port == "" {
		return p.Node
	}
	return p.Node + ":" + p.Port
}

// Cable is one cable of a fabric.
type Cable struct {
	A, B          Port
	Length, Speed string // as the file spells them; empty: it does not say it
	Down          bool
	Line          int // of the file
}

// Name is the name of the file.
func (f *File) Name() string { return f.name }

// Planned returns the switches and the cables of the fabric. A cable whose ends have no names gets the next port that
// the role of each end keeps for the role of the other. The error names the switches that have too few of them, and
// ports that would have two cables.
func (f *File) Planned() ([]Switch, []Cable, error) {
	p := &planner{File: f, next: map[[2]string]int{}, taken: map[end]int{},
		ofSwitch: make([][]topology.Override, len(f.nodes))}
	for i := range f.cables {
		for range f.cables[i].count {
			p.cable(&f.cables[i])
		}
	}
	if len(p.bad) > 0 {
		return nil, nil, fielderr.Join(p.bad...)
	}
	return p.switches(), p.cables, nil
}

// planner gives cables their ports, and switches their changes.
type planner struct {
	*File
	next     map[[2]string]int // by switch and role: how many of the ports are taken
	taken    map[end]int       // the line of the cable at a port
	ofSwitch [][]topology.Override
	cables   []Cable
	bad      fielderr.List
}

// cable adds one cable.
func (p *planner) cable(c *cable) {
	out := Cable{Length: c.length, Speed: c.speed, Down: c.down, Line: c.line}
	for i, to := range []*Port{&out.A, &out.B} {
		e, far := c.ends[i], c.ends[1-i].node
		n := &p.nodes[e.node]
		if e.port == "" && n.template.ports != nil && n.topology != "" {
			e.port = p.portTo(e.node, p.roleName(far), c.line)
		}
		*to = Port{n.name, e.port, n.host}
		if e.port == "" {
			continue
		}
		// The reader has refused a port that is named twice; here one of them came from the list of the role.
		if line, twice := p.taken[e]; twice {
			p.bad = append(p.bad, fmt.Errorf("%s:%d: %s has two cables: the other is in line %d", p.name, c.line, to, line))
		}
		p.taken[e] = c.line
		if n.topology != "" && (c.length != "" || c.speed != "") {
			p.ofSwitch[e.node] = append(p.ofSwitch[e.node], topology.NewCable(e.port, c.speed, c.length, p.place(c)))
		}
	}
	p.cables = append(p.cables, out)
}

// place is where the file says what a cable is like.
func (p *planner) place(c *cable) string {
	lines := []int{c.lengthLine, c.speedLine}
	slices.Sort(lines)
	lines = slices.DeleteFunc(slices.Compact(lines), func(n int) bool { return n == 0 })
	return fmt.Sprintf("%s:%s", p.name, strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ","), "[]"))
}

// portTo takes the next port that a switch keeps for the nodes of a role.
func (p *planner) portTo(n int, role string, line int) string {
	at := p.nodes[n].template.ports[role]
	key := [2]string{p.nodes[n].name, role}
	i := p.next[key]
	p.next[key]++
	if i < len(at) {
		return at[i]
	}
	if i == len(at) {
		p.bad = append(p.bad, fmt.Errorf("%s:%d: %s has %d ports for %s, and more cables: want them in its key ports",
			p.name, line, p.nodes[n].name, len(at), role))
	}
	return ""
}

// switches returns the switches, each with the number of its kind.
func (p *planner) switches() (out []Switch) {
	peers, kinds := p.peersByNode(), map[string]int{}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.host {
			continue
		}
		s := Switch{Name: n.name, Role: n.kind, Rank: n.rank, Plane: n.plane, Profile: n.profile, Kind: -1,
			Target: strings.ReplaceAll(n.target, "{name}", n.name), Peers: p.names(peers[i])}
		if n.topology != "" {
			s.Topology, s.Changes = document.Beside(p.name, n.topology), slices.Concat(n.set, p.ofSwitch[i])
			// The profile is part of the kind: it does not change a plan, and it changes what is sent.
			parts := []string{s.Topology + " " + s.Profile}
			for _, c := range s.Changes {
				parts = append(parts, c.Key())
			}
			key := strings.Join(parts, "\n")
			if _, known := kinds[key]; !known {
				kinds[key] = len(kinds)
			}
			s.Kind = kinds[key]
		}
		out = append(out, s)
	}
	return out
}

// peersByNode are the switches that must not be changed together: of the groups of the file, and at one host.
func (p *planner) peersByNode() (out [][]int) {
	at := make([][]int, len(p.nodes)) // the switches of each host
	for i := range p.File.cables {
		for k, e := range p.File.cables[i].ends {
			if far := p.File.cables[i].ends[1-k].node; p.nodes[e.node].host && !p.nodes[far].host {
				at[e.node] = append(at[e.node], far)
			}
		}
	}
	out = make([][]int, len(p.nodes))
	for _, group := range slices.Concat(p.peers, at) {
		for _, n := range group {
			out[n] = append(out[n], group...)
		}
	}
	for n := range out {
		slices.Sort(out[n])
		out[n] = slices.DeleteFunc(slices.Compact(out[n]), func(other int) bool { return other == n })
	}
	return out
}
