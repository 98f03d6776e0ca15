package fabric

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/topology"
)

// Bounds of a file: a short text, or a generator, cannot ask for more.
const (
	maxNodes  = 40_000
	maxCables = 500_000
	maxRank   = 15
	maxPath   = 64 // nodes of a path
	maxPaths  = 50_000
	maxDraws  = 10_000
)

// reader reads one file.
type reader struct {
	*document.Reader
	*File
	cableAt map[[2]end]int // the line of a cable, by its ends
	roles   map[string]role
}

// Read reads the file of a fabric, YAML or JSON; the name is used in messages. The error lists every complaint with its
// line: an end that is unknown, a port that has two cables, a cable that is named twice, a pattern that names nothing,
// a rule that needs ranks where a switch has none.
func Read(name string, data []byte) (*File, error) {
	r := &reader{Reader: document.New(name), File: &File{name: name, number: map[string]int{}, ports: map[end]int{},
		ends: map[string]linkcheck.End{}},
		cableAt: map[[2]end]int{}, roles: map[string]role{}}
	root := r.Parse(data)
	if root == nil {
		return nil, r.Err()
	}
	f := root.Fields("hosts", "switches", "roles", "generate", "cables", "routes", "down", "failures", "cable_kinds",
		"overrides", "peers", "rewrites", "watchdog", "traffic", "host_ends")
	if f["generate"] == nil {
		root.Need(f, "switches", "cables")
	}
	for name, v := range mapping(f["roles"], "a mapping of roles to what their switches have") {
		r.roles[name] = roleOf(v)
	}
	// The order is that of what refers to what: roles, nodes, cables, and then what names them.
	r.generate(f["generate"])
	// What is listed beside a generated form makes a difference between nodes that were alike.
	r.alike = r.alike && f["hosts"] == nil && f["switches"] == nil && f["cables"] == nil
	r.nodesOf(f["hosts"], true)
	r.nodesOf(f["switches"], false)
	r.templates(f["overrides"])
	for _, v := range f["cables"].Items() {
		r.cable(v)
	}
	for _, v := range f["down"].Items() {
		r.downCable(v)
	}
	r.rewritesOf(f["rewrites"])
	r.cableKinds(f["cable_kinds"])
	for _, v := range f["peers"].Items() {
		r.peers = append(r.peers, r.all(v, false, " is a host: want switches that must not be changed together"))
	}
	r.trafficOf(f["traffic"])
	r.hostEndsOf(f["host_ends"])
	r.line = root.Line
	r.routesOf(f["routes"])
	r.failuresOf(f["failures"])
	r.watchdogOf(f["watchdog"])
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.File, nil
}

// nodesOf reads the list of hosts or of switches.
func (r *reader) nodesOf(list *document.Value, host bool) {
	for _, v := range list.Items() {
		f := map[string]*document.Value{"name": v}
		if v.IsMapping() {
			keys := []string{"name", "range"}
			if !host {
				keys = append(append(keys, "role", "rank", "at"), templateKeys...)
			}
			f = v.Fields(keys...)
		}
		n, names := node{host: host, rank: unranked, template: templateOf(f)}, []string{f["name"].Label()}
		switch {
		case (f["range"] == nil) == (f["name"] == nil):
			v.Fail("want a name or a range of names, such as leaf1-32")
			continue
		case f["range"] != nil:
			names = document.Quantity(f["range"], topology.ExpandPorts)
		}
		if role := f["role"]; role != nil {
			of, known := r.roles[role.Label()]
			if !known {
				role.Refuse("a role of the list roles")
			}
			n.kind, n.rank = role.Label(), of.rank.Or(unranked)
		}
		if f["rank"] != nil {
			n.rank = int(f["rank"].Integer(0, maxRank))
		}
		for _, x := range f["at"].Items() {
			n.at = append(n.at, int(x.Integer(0, maxNodes)))
		}
		for _, name := range names {
			n.name = name
			r.add(v, n)
		}
	}
}

// add adds a node.
func (r *reader) add(v *document.Value, n node) int {
	_, twice := r.number[n.name]
	switch {
	case n.name == "":
		return 0 // what was wrong is said already
	case strings.ContainsAny(n.name, ": \t*?[]"):
		v.Refuse("a name without colons, spaces and the characters of patterns")
	case twice:
		v.Refuse(fmt.Sprintf("a name that no other host or switch has: %s is there already", n.name))
	case len(r.nodes) >= maxNodes:
		v.Fail(fmt.Sprintf("too many hosts and switches: want at most %d", maxNodes))
	default:
		if n.host {
			n.rank = atHosts
		}
		r.number[n.name] = len(r.nodes)
		r.nodes = append(r.nodes, n)
		return len(r.nodes) - 1
	}
	return 0
}

// end reads an end of a cable: NODE, or NODE:PORT.
func (r *reader) end(v *document.Value) (e end, ok bool) {
	before := v.Complaints()
	name, port, ported := strings.Cut(v.Text(), ":")
	n, known := r.number[name]
	switch {
	case v.Complaints() > before:
	case !known:
		v.Refuse("the name of a host or switch of this file, or NAME:PORT")
	case ported && port == "":
		v.Refuse("NAME:PORT, or the name alone")
	default:
		return end{n, port}, true
	}
	return e, false
}

// cable reads one cable: a list of its two ends, or a mapping.
func (r *reader) cable(v *document.Value) {
	c, ends := cable{count: 1, line: v.Line}, []*document.Value{}
	if !v.IsMapping() {
		ends = v.Items()
	} else {
		f := v.Fields("a", "b", "count", "length", "speed")
		if v.Need(f, "a", "b"); f["a"] == nil || f["b"] == nil {
			return
		}
		c.count = max(1, int(f["count"].Integer(1, 1024)))
		c.length, c.speed, c.lengthLine, c.speedLine = cableText(f), speedText(f), v.Line, v.Line
		ends = append(ends, f["a"], f["b"])
	}
	var ok bool
	if c.ends, ok = r.twoEnds(v, ends, "two, such as [leaf1, spine1], or a mapping with a and b"); ok {
		r.connect(v, c)
	}
}

// twoEnds reads the two ends of a cable.
func (r *reader) twoEnds(v *document.Value, items []*document.Value, want string) (ends [2]end, ok bool) {
	before := v.Complaints()
	if len(items) != 2 {
		v.Fail(fmt.Sprintf("%d ends: want %s", len(items), want))
		return ends, false
	}
	for i, item := range items {
		ends[i], _ = r.end(item)
	}
	return ends, v.Complaints() == before
}

// connect adds a cable.
func (r *reader) connect(v *document.Value, c cable) {
	a, b := c.ends[0], c.ends[1]
	switch {
	case a.node == b.node:
		v.Refuse("a cable between two nodes")
		return
	case c.count > 1 && (a.port != "" || b.port != ""):
		v.Fail("count with the name of a port: want one cable for each port, or no ports")
		return
	case len(r.cables) >= maxCables:
		v.Fail(fmt.Sprintf("too many cables: want at most %d", maxCables))
		return
	}
	// A cable has no direction: its ends are sorted by the numbers of their nodes.
	key := [2]end{a, b}
	if b.node < a.node {
		key = [2]end{b, a}
	}
	if line, twice := r.cableAt[key]; twice {
		v.Fail(fmt.Sprintf("the cable from %s to %s is also in line %d: want it once; cables that are alike have a "+
			"count, others the names of their ports", r.text(a), r.text(b), line))
		return
	}
	for _, e := range c.ends {
		if other, used := r.ports[e]; used && e.port != "" {
			v.Fail(fmt.Sprintf("the port %s has two cables: the other is in line %d", r.text(e), r.cables[other].line))
			return
		}
	}
	r.cableAt[key] = c.line
	for _, e := range c.ends {
		if e.port != "" {
			r.ports[e] = len(r.cables)
		}
	}
	r.cables = append(r.cables, c)
}

// downCable reads a cable that is out of service: its two ends, or one port of it.
func (r *reader) downCable(v *document.Value) {
	if v.Len() == 0 {
		e, ok := r.end(v)
		if i, known := r.ports[e]; known {
			r.cables[i].down = true
		} else if ok {
			v.Refuse("NAME:PORT of a cable, or its two ends, such as [leaf1, spine1]")
		}
		return
	}
	ends, ok := r.twoEnds(v, v.Items(), "the two ends of a cable")
	if !ok {
		return
	}
	a, b := ends[0], ends[1]
	found := false
	for _, i := range r.between(a.node, b.node) {
		c := &r.cables[i]
		if fits(a, c.ends[0]) && fits(b, c.ends[1]) || fits(a, c.ends[1]) && fits(b, c.ends[0]) {
			c.down, found = true, true
		}
	}
	if !found {
		v.Fail(fmt.Sprintf("no cable from %s to %s: want one of the list cables", r.text(a), r.text(b)))
	}
}

// fits tells whether an end is the one that is asked for: without a port, any port of the node.
func fits(asked, e end) bool {
	return asked.node == e.node && (asked.port == "" || asked.port == e.port)
}
