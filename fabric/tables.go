package fabric

import (
	"fmt"
	"io"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/fabric/internal/tables"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// This file has routes that dumps of routing tables give: of SONiC's APPL_DB and of FRR, one file for each switch, or
// one plain text for all.

// perSwitch stands for the name of a switch in the name of a dump.
const perSwitch = "{name}"

// dumps says where the tables of some routes are, and holds them once they are read.
type dumps struct {
	file     string // with perSwitch: one for each switch; without: a text of all
	before   string // the same of the tables that switches had before; empty: not asked
	at       []int  // the switches that have one; of a text: nil
	outside  []string
	prefixes []netip.Prefix // nil: all
	set      *tables.Set
	// older is the number in set of the first table of before: that of node n is n more. 0: there is none.
	older int
}

// tablesOf reads routes by dumps.
func (r *reader) tablesOf(item *document.Value, f map[string]*document.Value, to *routes) {
	d := &dumps{file: f["tables"].Label()}
	to.tables = d
	if f["before"] != nil {
		if d.before = f["before"].Label(); strings.Contains(d.before, perSwitch) != strings.Contains(d.file, perSwitch) {
			f["before"].Fail("one of tables and before has a file for each switch: want both so, or both as a text of all")
		}
	}
	item.Need(f, "from")
	to.from = r.named(f["from"])
	switch {
	case strings.Contains(d.file, perSwitch) && f["at"] != nil:
		d.at = r.named(f["at"])
	case strings.Contains(d.file, perSwitch):
		for i := range r.nodes {
			d.at = append(d.at, i)
		}
	case f["at"] != nil:
		f["at"].Fail("at goes with a file for each switch, such as dumps/{name}.json")
	}
	d.at = slices.DeleteFunc(d.at, func(n int) bool { return r.nodes[n].host })
	for _, v := range f["outside"].Items() {
		if _, err := path.Match(v.Text(), ""); err != nil {
			v.Refuse("the name of an interface, or a pattern such as Vlan*")
		}
		d.outside = append(d.outside, v.Text())
	}
	for _, v := range f["prefixes"].Items() {
		d.prefixes = append(d.prefixes, document.Quantity(v, tables.Prefix))
	}
}

// Tables reads the routing tables that the file names, relative to its folder; without any it does nothing. A dump is
// read as it comes and may have any length; 16 bytes are kept of each route, 600 MB at most. It has to be called once,
// before [File.Deadlock] and [File.Pauses].
//
// The error names file and line: an interface at which no cable of the fabric is, or what is no dump.
func (f *File) Tables(open func(path string) (io.ReadCloser, error)) error {
	if !f.tabled() {
		return nil // most files have none, and need no network
	}
	net, of := f.network()
	for i := range f.routes {
		d := f.routes[i].tables
		if d == nil {
			continue
		}
		set, err := f.readTables(d, f.tableNames(d, net, of), open)
		if err != nil {
			return err
		}
		if err := set.Finish(d.prefixes); err != nil {
			return fmt.Errorf("%s: %w", d.file, err)
		}
		d.set = set
	}
	return nil
}

// readTables reads the files of some dumps, and of those before them.
func (f *File) readTables(d *dumps, names tables.Names, open func(path string) (io.ReadCloser, error)) (*tables.Set, error) {
	stages := []string{d.file}
	if d.before != "" {
		stages, d.older = append(stages, d.before), len(f.nodes)
	}
	// The tables before are those of more nodes in one set, so that both have the same destinations.
	set := tables.New(len(f.nodes) + d.older)
	for i, file := range stages {
		names.First = i * d.older
		where := map[string]int{} // the files to read, with their table
		if d.at == nil {
			where[file] = -1
		}
		for _, n := range d.at {
			where[strings.ReplaceAll(file, perSwitch, f.nodes[n].name)] = n
		}
		// In the order of the names, so that the first mistake is the same in every run.
		for _, file := range slices.Sorted(maps.Keys(where)) {
			if err := f.oneTable(set, file, where[file], open, names); err != nil {
				return nil, err
			}
		}
	}
	return set, nil
}

// oneTable reads one file of tables.
func (f *File) oneTable(set *tables.Set, file string, node int, open func(string) (io.ReadCloser, error), names tables.Names) error {
	file = document.Beside(f.name, file)
	in, err := open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if node < 0 {
		return set.ReadText(file, in, names)
	}
	return set.Read(node, file, in, names)
}

// tableNames finds ports by the names that dumps have: of the port, or of the neighbour in a plain text.
func (f *File) tableNames(d *dumps, net *dependency.Network, of []int) tables.Names {
	ports := map[[2]int][]int32{} // of a node and a cable
	for v := range net.Ports {
		for port := range net.Ports[v] {
			key := [2]int{v, of[net.Channel(v, port)]}
			ports[key] = append(ports[key], int32(port))
		}
	}
	return tables.Names{
		Ports: func(node int, name string) (out []int32) {
			if c, named := f.ports[end{node, name}]; named {
				return ports[[2]int{node, c}]
			}
			if far, known := f.number[name]; known && d.at == nil {
				for _, c := range f.between(node, far) {
					out = append(out, ports[[2]int{node, c}]...)
				}
			}
			return out
		},
		Node: func(name string) (int, bool) {
			n, known := f.number[name]
			return n, known && !f.nodes[n].host
		},
		Outside: func(name string) bool {
			return slices.ContainsFunc(d.outside, func(p string) bool { ok, _ := path.Match(p, name); return ok })
		},
		// A prefix is in one of those that the file lists, or has one of them in it, as a default route has.
		Wanted: func(p netip.Prefix) bool { return d.prefixes == nil || slices.ContainsFunc(d.prefixes, p.Overlaps) },
	}
}

// fill is the next hops of all nodes to some destinations of the dumps. A host has no table: it sends to its switches.
func (q *question) fill(d *dumps) func(n *dependency.Network, destinations []int, hops, ends []uint64) {
	return func(net *dependency.Network, destinations []int, hops, ends []uint64) {
		for v := range q.nodes {
			first, up := net.Channel(v, 0), up(net, v)
			for i, to := range destinations {
				bit := uint64(1) << i
				if q.nodes[v].host {
					for port, p := range net.Ports[v] {
						if !p.Down {
							hops[first+port] |= bit
						}
					}
					continue
				}
				// A switch can have both: some next hops in the fabric, and none that leaves it. While routes
				// change, it has its old or its new ones.
				states := []int{v, v + d.older}
				if !q.changing || d.older == 0 {
					states = states[:1]
				}
				for _, table := range states {
					out, end := d.set.Hops(table, to, up)
					if end {
						ends[v] |= bit
					}
					for _, port := range out {
						if up(port) {
							hops[first+int(port)] |= bit
						}
					}
				}
			}
		}
	}
}

// up tells whether a cable is in service at a port of a node.
func up(n *dependency.Network, node int) func(port int32) bool {
	return func(port int32) bool { return !n.Ports[node][port].Down }
}

// tabled tells whether some routes are tables.
func (f *File) tabled() bool {
	return slices.ContainsFunc(f.routes, func(r routes) bool { return r.tables != nil })
}

// tableNotes says what of the dumps was left out, and which switches have none.
func (f *File) tableNotes() (out []string) {
	if f.tabled() && f.fail.links > 0 {
		out = append(out, "failures of tables are looked at until switches have new routes: each sends by the next hops "+
			"that are left, or those of a wider prefix; what routes come then is not known: read dumps of that state, with "+
			"these as before")
	}
	for i := range f.routes {
		d := f.routes[i].tables
		if d == nil {
			continue
		}
		for _, text := range d.set.Notes() {
			out = append(out, d.file+": "+text)
		}
		without := 0
		for n := range f.nodes {
			if !f.nodes[n].host && (!d.set.Has(n) || d.older > 0 && !d.set.Has(n+d.older)) {
				without++
			}
		}
		if without > 0 {
			out = append(out, fmt.Sprintf("%s: %d switches have no table: frames that come to them end there", d.file, without))
		}
	}
	return out
}

// source is where the route of a node to a destination was read by which frames go to the next node: of the tables, or
// of those before them.
func (q *question) source(d *dumps, node, next, to int) string {
	up := up(q.net, node)
	ports, _ := d.set.Hops(node, to, up)
	leads := func(port int32) bool { return q.net.Ports[node][port].Node == next }
	if d.older > 0 && !slices.ContainsFunc(ports, leads) {
		node += d.older
	}
	return d.set.Source(node, to, up)
}

// converging answers for the time in which switches change from the tables before to the others: each of them has its
// old or its new next hops. As for failures, it decides no verdict.
func (q *question) converging(d *report.FabricDocument) {
	if !slices.ContainsFunc(q.routes, func(r routes) bool { return r.tables != nil && r.tables.before != "" }) {
		return
	}
	t := *q
	t.changing = true
	g := t.graph(nil)
	out := unnamed.New(&d.Converging)
	out.Verdict = noCycle
	if components, _ := g.Components(); len(components) > 0 {
		out.Verdict = canLock
		var cycle []dependency.Vertex
		out.Cycle, cycle = t.circle(g, components[0], shortestBudget)
		out.Because = grouped.Each(t.because(g, cycle), func(x reason) string { return x.text })
	}
}
