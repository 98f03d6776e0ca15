package fabric

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/fabric/internal/tables"
	"github.com/cellwarden/cellwarden/internal/document"
)

// This file has routes that dumps of routing tables give: of SONiC's APPL_DB and of FRR, one file for each switch, or one
// plain text for all.

// perSwitch stands for the name of a switch in the name of a dump.
const perSwitch = "{name}"

// dumps says where the tables of some routes are, and holds them once they are read.
type dumps struct {
	file     string // with perSwitch: one for each switch; without: a text of all
	at       []int  // the switches that have one; of a text: nil
	outside  []string
	prefixes []netip.Prefix // nil: all
	set      *tables.Set
}

// tablesOf reads routes by dumps.
func (r *reader) tablesOf(item *document.Value, f map[string]*document.Value, to *routes) {
	d := &dumps{file: f["tables"].Label()}
	to.tables = d
	item.Need(f, "from")
	if f["from"] != nil {
		to.from = r.named(f["from"])
	}
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
		d.prefixes = append(d.prefixes, document.Quantity(v, parsePrefix))
	}
}

// parsePrefix reads a prefix. The error says what is accepted.
func parsePrefix(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, errors.New("want a prefix, such as 10.0.0.0/8")
	}
	return p.Masked(), nil
}

// wanted tells whether routes to a prefix are of lossless traffic: the prefix is in one of those that the file lists, or
// has one of them in it, as a default route has.
func (d *dumps) wanted(p netip.Prefix) bool {
	return d.prefixes == nil || slices.ContainsFunc(d.prefixes, p.Overlaps)
}

// Tables reads the routing tables that the file names, relative to its folder; without any it does nothing. A dump is read
// as it comes and may have any length; 16 bytes are kept of each route, and 4 for each switch and prefix, 600 MB at most. It
// has to be called once, before [File.Deadlock] and [File.Pauses].
//
// The error names file and line: an interface at which no cable of the fabric is, or what is no dump.
func (f *File) Tables(open func(path string) (io.ReadCloser, error)) error {
	var net *dependency.Network
	var of []int
	for i := range f.routes {
		d := f.routes[i].tables
		if d == nil {
			continue
		}
		if net == nil {
			net, of = f.network()
		}
		set := tables.New(len(f.nodes))
		names := f.tableNames(d, net, of)
		where := map[string]int{} // the files to read, with their switch
		if d.at == nil {
			where[d.file] = -1
		}
		for _, n := range d.at {
			where[strings.ReplaceAll(d.file, perSwitch, f.nodes[n].name)] = n
		}
		// In the order of the names, so that the first mistake is the same in every run.
		for _, file := range slices.Sorted(maps.Keys(where)) {
			if err := f.oneTable(set, file, where[file], open, names); err != nil {
				return err
			}
		}
		if err := set.Finish(d.prefixes); err != nil {
			return fmt.Errorf("%s: %w", d.file, err)
		}
		d.set = set
	}
	return nil
}

// oneTable reads one file of tables.
func (f *File) oneTable(set *tables.Set, file string, node int, open func(string) (io.ReadCloser, error), names tables.Names) error {
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(f.name), file)
	}
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
	ports := map[end][]int32{}
	for v := range net.Ports {
		for port, x := range net.Ports[v] {
			c := &f.cables[of[net.Channel(v, port)]]
			own := c.ends[0]
			if own.node != v {
				own = c.ends[1]
			}
			// The sign keeps a neighbour from being taken for a port of the same name: no interface begins with it.
			for _, name := range []string{own.port, ">" + f.nodes[x.Node].name} {
				if name != "" {
					ports[end{v, name}] = append(ports[end{v, name}], int32(port))
				}
			}
		}
	}
	return tables.Names{
		Ports: func(node int, name string) []int32 {
			if some := ports[end{node, name}]; len(some) > 0 || d.at != nil {
				return some
			}
			return ports[end{node, ">" + name}]
		},
		Node: func(name string) (int, bool) {
			n, known := f.number[name]
			return n, known && !f.nodes[n].host
		},
		Outside: func(name string) bool {
			return slices.ContainsFunc(d.outside, func(p string) bool { ok, _ := path.Match(p, name); return ok })
		},
		Wanted: d.wanted,
	}
}

// fill is the next hops of all nodes to some destinations of the dumps. A host has no table: it sends to its switches.
func (q *question) fill(d *dumps) func(destinations []int, hops, ends []uint64) {
	return func(destinations []int, hops, ends []uint64) {
		for v := range q.nodes {
			first := q.net.Channel(v, 0)
			for i, to := range destinations {
				bit := uint64(1) << i
				if q.nodes[v].host {
					for port := range q.net.Ports[v] {
						hops[first+port] |= bit
					}
					continue
				}
				// A switch can have both: some next hops in the fabric, and none that leaves it.
				out, end := d.set.Hops(v, to)
				if end {
					ends[v] |= bit
				}
				for _, port := range out {
					hops[first+int(port)] |= bit
				}
			}
		}
	}
}

// tableNotes says what of the dumps was left out, and which switches have none.
func (f *File) tableNotes() (out []string) {
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
			if !f.nodes[n].host && !d.set.Has(n) {
				without++
			}
		}
		if without > 0 {
			out = append(out, fmt.Sprintf("%s: %d switches have no table: frames that come to them end there", d.file, without))
		}
	}
	return out
}
