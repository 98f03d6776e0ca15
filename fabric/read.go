package fabric

import (
	"fmt"
	"slices"
	"strings"

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
	// neighbours are the pairs of nodes with a cable; nil until the first path is read.
	neighbours map[[2]int]bool
}

// Read reads the file of a fabric, YAML or JSON; the name is used in messages. The error lists every complaint with its
// line: an end that is unknown, a port that has two cables, a cable that is named twice, a pattern that names nothing, a
// rule that needs ranks where a switch has none.
func Read(name string, data []byte) (*File, error) {
	r := &reader{Reader: document.New(name), File: &File{name: name, number: map[string]int{}, ports: map[end]int{}},
		cableAt: map[[2]end]int{}, roles: map[string]role{}}
	root := r.Parse(data)
	if root == nil {
		return nil, r.Err()
	}
	f := root.Fields("hosts", "switches", "roles", "generate", "cables", "routes", "down", "failures", "cable_kinds",
		"overrides", "peers")
	if f["generate"] == nil {
		root.Need(f, "switches", "cables")
	}
	if f["roles"] != nil {
		if !f["roles"].IsMapping() {
			f["roles"].Refuse("a mapping of roles to what their switches have")
		}
		for name, v := range f["roles"].All() {
			r.roles[name] = roleOf(v)
		}
	}
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
	r.cableKinds(f["cable_kinds"])
	r.peersOf(f["peers"])
	r.line = root.Line
	r.routesOf(f["routes"])
	r.failuresOf(f["failures"])
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.File, nil
}

// nodesOf reads the list of hosts or of switches.
func (r *reader) nodesOf(list *document.Value, host bool) {
	for _, v := range list.Items() {
		n := node{host: host, rank: unranked}
		names := []string{""}
		if !v.IsMapping() {
			names[0] = v.Label()
		} else {
			keys := []string{"name", "range"}
			if !host {
				keys = append(append(keys, "role", "rank", "at"), templateKeys...)
			}
			f := v.Fields(keys...)
			n.template = templateOf(f)
			switch {
			case f["range"] != nil && f["name"] == nil:
				names = document.Quantity(f["range"], topology.ExpandPorts)
			case f["name"] != nil && f["range"] == nil:
				names[0] = f["name"].Label()
			default:
				v.Fail("want a name or a range of names, such as leaf1-32")
				continue
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
		return e, false
	case !known:
		v.Refuse("the name of a host or switch of this file, or NAME:PORT")
		return e, false
	case ported && port == "":
		v.Refuse("NAME:PORT, or the name alone")
		return e, false
	}
	return end{n, port}, true
}

// cable reads one cable: a list of its two ends, or a mapping.
func (r *reader) cable(v *document.Value) {
	c := cable{count: 1, line: v.Line}
	ends := v.Items
	if v.IsMapping() {
		f := v.Fields("a", "b", "count", "length", "speed")
		v.Need(f, "a", "b")
		if f["a"] == nil || f["b"] == nil {
			return
		}
		ends = func() []*document.Value { return []*document.Value{f["a"], f["b"]} }
		if f["count"] != nil {
			c.count = int(f["count"].Integer(1, 1024))
		}
		c.length, c.speed, c.lengthLine, c.speedLine = cableText(f), speedText(f), v.Line, v.Line
	}
	items := ends()
	if len(items) != 2 {
		if v.Complaints() == 0 || !v.IsMapping() {
			v.Fail(fmt.Sprintf("%d ends: want two, such as [leaf1, spine1], or a mapping with a and b", len(items)))
		}
		return
	}
	var ok [2]bool
	for i, item := range items {
		c.ends[i], ok[i] = r.end(item)
	}
	if !ok[0] || !ok[1] {
		return
	}
	r.connect(v, c)
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
		if !ok {
			return
		}
		i, known := r.ports[e]
		if e.port == "" || !known {
			v.Refuse("NAME:PORT of a cable, or its two ends, such as [leaf1, spine1]")
			return
		}
		r.cables[i].down = true
		return
	}
	items := v.Items()
	if len(items) != 2 {
		v.Fail(fmt.Sprintf("%d ends: want the two ends of a cable", len(items)))
		return
	}
	a, ok1 := r.end(items[0])
	b, ok2 := r.end(items[1])
	if !ok1 || !ok2 {
		return
	}
	found := false
	for i := range r.cables {
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

// routesOf reads the routes: one mapping, or a list of them.
func (r *reader) routesOf(v *document.Value) {
	if v == nil {
		return
	}
	items := []*document.Value{v}
	if !v.IsMapping() {
		items = v.Items()
		if len(items) == 0 {
			v.Refuse("a mapping with paths or a rule, or a list of them")
		}
	}
	for _, item := range items {
		f := item.Fields("paths", "rule", "between", "from", "to", "priority")
		item.Need(f, "priority")
		routes := routes{path: item.Name(), line: item.Line, priority: int(f["priority"].Integer(0, 7))}
		switch {
		case f["paths"] != nil && f["rule"] == nil:
			r.without(f, "paths", "between", "from", "to")
			for _, p := range f["paths"].Items() {
				if len(routes.paths) == maxPaths {
					p.Fail(fmt.Sprintf("too many paths: want at most %d", maxPaths))
					break
				}
				r.onePath(p, &routes)
			}
			if len(f["paths"].Items()) == 0 {
				f["paths"].Refuse("a list of paths, such as [h1 leaf1 spine1 leaf2 h2]")
			}
		case f["rule"] != nil && f["paths"] == nil:
			r.rule(item, f, &routes)
		default:
			item.Fail("want paths or a rule: there is no usual way of routing")
		}
		r.routes = append(r.routes, routes)
	}
}

// without refuses keys that go with others.
func (r *reader) without(f map[string]*document.Value, key string, keys ...string) {
	for _, k := range keys {
		if f[k] != nil {
			f[k].Fail(k + " goes with a rule, not with " + key)
		}
	}
}

// onePath reads a path: a text, or a mapping with the priority on each cable.
func (r *reader) onePath(v *document.Value, to *routes) {
	p := route{line: v.Line}
	text := v
	var each *document.Value
	if v.IsMapping() {
		f := v.Fields("nodes", "priorities")
		v.Need(f, "nodes", "priorities")
		text, each = f["nodes"], f["priorities"]
		if text == nil || each == nil {
			return
		}
	}
	before := v.Complaints()
	p.text = text.Text()
	for name := range strings.FieldsSeq(p.text) {
		n, known := r.number[name]
		if !known {
			text.Fail(fmt.Sprintf("%q is no host or switch of this file: want names with spaces between them", name))
			return
		}
		p.nodes = append(p.nodes, n)
	}
	switch {
	case v.Complaints() > before:
		return
	case len(p.nodes) < 2 || len(p.nodes) > maxPath:
		text.Refuse(fmt.Sprintf("2 to %d names with spaces between them", maxPath))
		return
	}
	for range p.nodes[1:] {
		p.priorities = append(p.priorities, to.priority)
	}
	if each != nil {
		items := each.Items()
		if len(items) != len(p.nodes)-1 {
			each.Fail(fmt.Sprintf("%d priorities of %d cables: want one for each", len(items), len(p.nodes)-1))
			return
		}
		for i, x := range items {
			p.priorities[i] = int(x.Integer(0, 7))
		}
	}
	for i, n := range p.nodes[1:] {
		if i > 0 && r.nodes[p.nodes[i]].host {
			text.Fail(fmt.Sprintf("the path goes through %s: a host passes nothing on", r.nodes[p.nodes[i]].name))
			return
		}
		if !r.joined(p.nodes[i], n) {
			text.Fail(fmt.Sprintf("no cable from %s to %s: want a path over cables", r.nodes[p.nodes[i]].name,
				r.nodes[n].name))
			return
		}
	}
	to.paths = append(to.paths, p)
}

// joined tells whether a cable joins two nodes.
func (r *reader) joined(a, b int) bool {
	if r.neighbours == nil {
		r.neighbours = map[[2]int]bool{}
		for i := range r.cables {
			x, y := r.cables[i].ends[0].node, r.cables[i].ends[1].node
			r.neighbours[[2]int{x, y}], r.neighbours[[2]int{y, x}] = true, true
		}
	}
	return r.neighbours[[2]int{a, b}]
}

// rule reads routes by a rule.
func (r *reader) rule(item *document.Value, f map[string]*document.Value, to *routes) {
	to.rule = f["rule"].Text()
	if !slices.Contains(ruleNames, to.rule) {
		f["rule"].Refuse(strings.Join(ruleNames, ", "))
		to.rule = ruleShortest
		return
	}
	switch {
	case f["between"] != nil && f["from"] == nil && f["to"] == nil:
		to.from = r.named(f["between"])
		to.to = to.from
	case f["between"] == nil && f["from"] != nil && f["to"] != nil:
		to.from, to.to = r.named(f["from"]), r.named(f["to"])
	default:
		item.Fail("want between, the nodes that send to each other, or from and to")
		return
	}
	if to.rule == ruleUpDown || to.rule == ruleValleyFree {
		for i := range r.nodes {
			if n := &r.nodes[i]; !n.host && n.rank == unranked {
				f["rule"].Fail(fmt.Sprintf("%s needs the ranks of all switches, and %s has none: want rank, or a role "+
					"with one", to.rule, n.name))
				return
			}
		}
	}
	if to.rule == ruleDimensions {
		r.placed(f["rule"])
	}
}

// placed refuses dimension-order where a switch has no place, or a host more than one switch.
func (r *reader) placed(v *document.Value) {
	dimensions, cables := 0, make([]int, len(r.nodes))
	for i := range r.cables {
		for _, e := range r.cables[i].ends {
			cables[e.node] += r.cables[i].count
		}
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		if n.host && cables[i] != 1 {
			v.Fail(fmt.Sprintf("%s needs hosts with one cable, and %s has %d", ruleDimensions, n.name, cables[i]))
			return
		}
		if n.host {
			continue
		}
		if dimensions == 0 {
			dimensions = len(n.at)
		}
		if len(n.at) != dimensions || dimensions == 0 {
			v.Fail(fmt.Sprintf("%s needs the place of every switch in as many dimensions, and %s has another: want "+
				"at, such as [0, 2]", ruleDimensions, n.name))
			return
		}
	}
}

// named reads a list of names and patterns.
func (r *reader) named(v *document.Value) []int {
	items := v.Items()
	if len(items) == 0 {
		items = []*document.Value{v}
	}
	var out []int
	for _, item := range items {
		some, err := r.matching(item.Text())
		if err != nil || len(some) == 0 {
			item.Refuse("a name or a pattern of hosts or switches of this file, such as leaf*")
		}
		out = append(out, some...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// failuresOf reads what else may be down.
func (r *reader) failuresOf(v *document.Value) {
	if v == nil {
		return
	}
	f := v.Fields("links", "draws", "seed")
	v.Need(f, "links")
	r.fail = failures{links: int(f["links"].Integer(1, 4)), draws: 300}
	if f["draws"] != nil {
		r.fail.draws = int(f["draws"].Integer(1, maxDraws))
	}
	if f["seed"] != nil {
		r.fail.seed = uint64(f["seed"].Integer(0, 1<<53))
	}
}
