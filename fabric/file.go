package fabric

import (
	"path"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/topology"
)

// File is a fabric, as Read reads it.
type File struct {
	name   string // of the file
	line   int    // in which it begins
	nodes  []node
	number map[string]int // of a node, by its name
	cables []cable
	ports  map[end]int // the cable at a port that has a name
	routes []routes
	fail   failures
	// rewrites change priorities, at the switches and for the frames that they name.
	rewrites []rewrite
	watchdog watchdog
	alike    bool    // the nodes of a kind, and the cables between two kinds, are alike: a generator made all of them
	peers    [][]int // groups of switches of which one at a time is changed
	traffic  []flow
	ends     map[string]linkcheck.End // of hosts, by name
	// neighbours are the cables of two nodes, the smaller number first; nil until the first question about them.
	neighbours map[[2]int][]int
}

// node is a host or a switch.
type node struct {
	name string
	host bool
	rank int   // from 0 at the hosts upwards, unranked, or atHosts
	at   []int // its place in a mesh or torus, one number for each dimension; nil elsewhere
	kind string
	template
}

// The ranks of a switch of which the file gives none, and of hosts, which are below every switch.
const (
	unranked = -1
	atHosts  = -2
)

// end is one end of a cable: a node, and the name of its port, "" if the file gives none.
type end struct {
	node int
	port string
}

// cable joins two ports. Count cables between ports without names are alike.
type cable struct {
	ends  [2]end
	count int
	down  bool
	line  int
	// Length and speed are as the file spells them, "" if it does not, and the line that does.
	length, speed         string
	lengthLine, speedLine int
}

// from returns the ends of a cable, that at a node first.
func (c *cable) from(node int) (own, far end) {
	if c.ends[0].node == node {
		return c.ends[0], c.ends[1]
	}
	return c.ends[1], c.ends[0]
}

// routes are ways that frames of a priority take: paths that are given, or all ways of a rule between nodes.
type routes struct {
	priority int
	rule     string  // or rulePaths, ruleTables
	from, to []int   // of a rule; from: the senders of tables, and the switches that flood
	paths    []route // without a rule
	tables   *dumps  // without a rule
}

// route is one path: the nodes in the order of the frames, and the priority on each cable.
type route struct {
	text       string
	line       int
	nodes      []int
	priorities []int
	fixed      bool // the file gives the priorities: no rule changes them
}

// failures say what else may be down. Zero is none.
type failures struct {
	// links are 1 to 4 cables at once; draws are 1 to 10,000 cases, and seed makes them the same in every run.
	links int
	draws int
	seed  uint64
}

// text names an end as the file does.
func (f *File) text(e end) string {
	return Port{Node: f.nodes[e.node].name, Port: e.port}.String()
}

// between returns the cables of two nodes, in the order of the file. It is asked for many paths, and for many cables
// that are down.
func (f *File) between(a, b int) []int {
	key := func(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }
	if f.neighbours == nil {
		f.neighbours = map[[2]int][]int{}
		for i := range f.cables {
			k := key(f.cables[i].ends[0].node, f.cables[i].ends[1].node)
			f.neighbours[k] = append(f.neighbours[k], i)
		}
	}
	return f.neighbours[key(a, b)]
}

// Hosts returns the number of hosts, Switches that of switches, and Cables that of cables.
func (f *File) Hosts() (n int) {
	for i := range f.nodes {
		if f.nodes[i].host {
			n++
		}
	}
	return n
}

// Routed tells whether the file has routes.
func (f *File) Routed() bool { return len(f.routes) > 0 }

// Switches returns the number of switches.
func (f *File) Switches() int { return len(f.nodes) - f.Hosts() }

// Cables returns the number of cables, those that are down among them.
func (f *File) Cables() (n int) {
	for i := range f.cables {
		n += f.cables[i].count
	}
	return n
}

// matching returns the nodes that a pattern names: a name, a pattern with * and ? and [a-z], or a range such as
// leaf17-32. As in names of hosts, upper and lower case do not differ in a pattern.
func (f *File) matching(pattern string) ([]int, error) {
	if n, ok := f.number[pattern]; ok {
		return []int{n}, nil
	}
	folded := strings.ToLower(pattern)
	if _, err := path.Match(folded, ""); err != nil {
		return nil, err
	}
	var out []int
	for i := range f.nodes {
		if ok, _ := path.Match(folded, strings.ToLower(f.nodes[i].name)); ok {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		names, _ := topology.ExpandPorts(pattern) // what is no range fits nothing
		for _, name := range names {
			n, known := f.number[name]
			if !known {
				return nil, nil
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// The names of rules.
const (
	ruleShortest   = "shortest"
	ruleUpDown     = "up-down"
	ruleValleyFree = "valley-free"
	ruleDimensions = "dimension-order"
	ruleFlood      = "flood"
	// What the key of routes that are given says in the place of a rule.
	rulePaths  = "paths"
	ruleTables = "tables"
)

// ruleNames lists them.
var ruleNames = []string{ruleShortest, ruleUpDown, ruleValleyFree, ruleDimensions}

// ways returns how frames of some routes go, which are not paths, and their destinations.
func (q *question) ways(r *routes) (w dependency.Ways, to []int) {
	w, to = dependency.Ways{Rule: dependency.Shortest, Rewrite: q.rewriter()}, r.to
	switch {
	case r.tables != nil:
		w.Table = q.fill(r.tables)
		to = make([]int, r.tables.set.Destinations())
		for i := range to {
			to[i] = i
		}
	case r.rule == ruleUpDown:
		w.Rule = dependency.UpDown
	case r.rule == ruleValleyFree:
		w.Rule = dependency.ValleyFree
	case r.rule == ruleDimensions:
		w.Table = q.dimensionOrder()
	}
	return w, to
}

// walks tells whether routes are ways that a rule or tables give: neither paths nor floods.
func (r *routes) walks() bool { return r.rule != rulePaths && r.rule != ruleFlood }

// priorities lists the priorities of all routes, in order.
func (f *File) priorities() (out []int) {
	for i := range f.routes {
		r := &f.routes[i]
		if r.rule != rulePaths {
			out = append(out, r.priority)
		}
		for _, p := range r.paths {
			out = append(out, p.priorities...)
		}
	}
	for i := range f.rewrites {
		if w := &f.rewrites[i]; w.becomes != lossy {
			out = append(out, w.becomes)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// network builds the network of the file, and the cable of each channel: a number in f.cables.
func (f *File) network() (n *dependency.Network, of []int) {
	n = &dependency.Network{Ports: make([][]dependency.Port, len(f.nodes)), Forwards: make([]bool, len(f.nodes))}
	cables := make([][]int, len(f.nodes))
	for i := range f.nodes {
		n.Forwards[i] = !f.nodes[i].host
	}
	for i := range f.cables {
		c := &f.cables[i]
		a, b := c.ends[0].node, c.ends[1].node
		for range c.count {
			n.Ports[a] = append(n.Ports[a], dependency.Port{Node: b, Port: len(n.Ports[b]), Down: c.down,
				Kind: dependency.KindOf(f.nodes[a].rank, f.nodes[b].rank)})
			n.Ports[b] = append(n.Ports[b], dependency.Port{Node: a, Port: len(n.Ports[a]) - 1, Down: c.down,
				Kind: dependency.KindOf(f.nodes[b].rank, f.nodes[a].rank)})
			cables[a], cables[b] = append(cables[a], i), append(cables[b], i)
		}
	}
	n.Index()
	return n, slices.Concat(cables...)
}

// dimensionOrder is the next hops of a mesh or torus: along the first dimension until the number is that of the
// destination, then along the second, and so on. In a torus a frame goes the shorter way round, and towards larger
// numbers if both are equal. A host sends to its switch, and a switch to its host at the end.
func (f *File) dimensionOrder() func(n *dependency.Network, destinations []int, hops, ends []uint64) {
	// The size is that of the whole file: it is found once, and the function below is asked for each word of destinations.
	size, _ := f.dimensions()
	return func(n *dependency.Network, destinations []int, hops, ends []uint64) {
		for i, to := range destinations {
			ends[to] |= 1 << i
			for v := range f.nodes {
				if v == to {
					continue
				}
				// A host is at the place of its one switch: the reader has refused a host with more (see placed).
				want := toward(f.nodes[v].at, f.nodes[to].at, size)
				for port, p := range n.Ports[v] {
					x := &f.nodes[p.Node]
					if !p.Down && (f.nodes[v].host || x.host && p.Node == to || !x.host && slices.Equal(x.at, want)) {
						hops[n.Channel(v, port)] |= 1 << i
					}
				}
			}
		}
	}
}

// toward returns the place one step from a place towards another; nil if it is that.
func toward(at, to, size []int) []int {
	for i := range at {
		ahead := (to[i] - at[i] + size[i]) % size[i]
		if ahead == 0 {
			continue
		}
		// Both ways round together are the row, so half of it is the longest way.
		step := 1
		if ahead > size[i]-ahead {
			step = size[i] - 1
		}
		next := slices.Clone(at)
		next[i] = (at[i] + step) % size[i]
		return next
	}
	return nil
}

// dimensions returns the lengths of the rows of a torus. It is one if a cable joins the ends of a row; the rows of a
// mesh, which are not closed, count twice, so that no way over their ends is the shorter one.
func (f *File) dimensions() (size []int, closed bool) {
	for i := range f.nodes {
		for d, x := range f.nodes[i].at {
			if d >= len(size) {
				size = append(size, 0)
			}
			size[d] = max(size[d], x+1)
		}
	}
	for i := range f.cables {
		a, b := f.nodes[f.cables[i].ends[0].node].at, f.nodes[f.cables[i].ends[1].node].at
		for d := range min(len(a), len(b)) {
			if size[d] > 2 && (a[d]-b[d] == size[d]-1 || b[d]-a[d] == size[d]-1) {
				return size, true
			}
		}
	}
	for d := range size {
		size[d] *= 2
	}
	return size, false
}
