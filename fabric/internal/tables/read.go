package tables

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Names are what a reader needs of the fabric.
type Names struct {
	// Ports returns the ports of a node by the name of an interface, or by that of a neighbour; none: it names neither.
	Ports func(node int, name string) []int32
	// Node returns the node of a name, for the plain text.
	Node func(name string) (int, bool)
	// Outside tells whether an interface leads out of the fabric.
	Outside func(name string) bool
	// Wanted tells whether routes to a prefix are of lossless traffic.
	Wanted func(netip.Prefix) bool
}

// reader reads one dump.
type reader struct {
	*Set
	*stream
	Names
	node    int
	at      int32             // the number of the file
	known   map[string]int32  // the list of ports of a text of interfaces, which repeats
	members map[string]string // of bundles and VLANs, comma lists of their ports
	later   []late            // routes by groups and bundles, which may come after them
	groups  map[string]appl
}

// late is a route of APPL_DB, in the words of the dump.
type late struct {
	prefix netip.Prefix
	appl
	line int
}

// Read reads the dump of one switch: APPL_DB or FRR, told by its keys.
func (s *Set) Read(node int, file string, from io.Reader, names Names) error {
	r := s.reader(node, file, from, names)
	c, err := r.next()
	if err != nil {
		return err
	}
	if s.own[node] == nil {
		s.own[node] = []entry{} // a table without routes is one
	}
	if c == '[' { // the form in which SONiC's programs load tables: a list of objects with one key, and OP
		err = r.list('[', ']', func() error { return r.stream.members(r.member) })
	} else {
		err = r.stream.members(r.member)
	}
	if err != nil {
		return err
	}
	for _, l := range r.later {
		if err := r.resolve(l); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) reader(node int, file string, from io.Reader, names Names) *reader {
	s.files = append(s.files, file)
	return &reader{Set: s, stream: &stream{Reader: bufio.NewReaderSize(from, 1<<16), file: file, line: 1}, Names: names,
		node: node, at: int32(len(s.files) - 1), known: map[string]int32{}, members: map[string]string{},
		groups: map[string]appl{}}
}

// member reads one key of a dump with its value.
func (r *reader) member(key string) error {
	table, rest, _ := strings.Cut(key, ":")
	switch table {
	case "ROUTE_TABLE":
		return r.route(rest)
	case "NEXTHOP_GROUP_TABLE":
		f, err := r.fields()
		r.groups[rest] = f
		return err
	case "LAG_MEMBER_TABLE", "VLAN_MEMBER_TABLE":
		bundle, port, _ := strings.Cut(rest, ":")
		// A VLAN or a bundle can have hundreds of members, each in an entry of its own.
		r.members[bundle] = strings.TrimPrefix(r.members[bundle]+","+port, ",")
		_, err := r.value(maxValue)
		return err
	}
	c, err := r.next()
	if err != nil {
		return err
	}
	if p, ok := prefix(key); ok && c == '[' {
		return r.frr(p)
	}
	if c == '{' && !strings.HasSuffix(table, "_TABLE") && !strings.Contains(key, ":") {
		if key != "default" {
			r.notes["routes and more of other VRFs than the default one are left out"]++
			_, err := r.value(maxValue)
			return err
		}
		return r.stream.members(r.member) // show ip route vrf all json: once more by VRF
	}
	_, err = r.value(maxValue)
	return err
}

// prefix reads a prefix; an address alone is one of full length.
func prefix(text string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), true
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a, a.BitLen()), true
}

// appl is a route or a group of APPL_DB. The object "value" in it has the fields in dumps of redis-dump and
// sonic-db-dump, which nest once more.
type appl struct {
	Hops      string `json:"nexthop"`
	Ports     string `json:"ifname"`
	Group     string `json:"nexthop_group"`
	Blackhole string `json:"blackhole"`
	Value     *appl  `json:"value"`
}

// fields reads an object of APPL_DB.
func (r *reader) fields() (f appl, err error) {
	raw, err := r.value(maxValue)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(raw, &f); err != nil || raw[0] != '{' {
		return f, r.fail("%s (want an object of JSON)", fielderr.Quote(string(raw)))
	}
	for f.Value != nil {
		f = *f.Value
	}
	return f, nil
}

// route reads a route of APPL_DB.
func (r *reader) route(key string) error {
	line := r.line
	f, err := r.fields()
	if err != nil {
		return err
	}
	p, ok := prefix(key)
	if !ok {
		r.notes["routes of other VRFs than the default one are left out"]++
		return nil
	}
	if !r.Wanted(p) {
		return nil
	}
	r.later = append(r.later, late{p, f, line})
	return nil
}

// resolve makes a route of APPL_DB an entry.
func (r *reader) resolve(l late) error {
	e := entry{file: r.at, line: int32(l.line)}
	if l.Group != "" {
		g, known := r.groups[l.Group]
		if !known {
			return fmt.Errorf("%s:%d: nexthop_group %s is not in the dump (want NEXTHOP_GROUP_TABLE, too)", r.file, l.line,
				fielderr.Quote(l.Group))
		}
		l.Hops, l.Ports = g.Hops, g.Ports
	}
	var err error
	if l.Blackhole != "true" {
		e.group, err = r.ports(l.line, l.Hops, l.Ports)
	}
	if err != nil {
		return err
	}
	return r.add(r.node, l.prefix, e)
}

// ports returns the list of ports of two comma lists: addresses of next hops, and interfaces. An interface without a
// next hop is the switch's own network, whose frames leave the fabric or end here if no cable is known.
func (r *reader) ports(line int, hops, names string) (int32, error) {
	key := hops + " " + names
	if g, known := r.known[key]; known {
		return g, nil
	}
	// Both lists of APPL_DB have the same order, and an interface without an address of a next hop is directly connected.
	via := strings.Split(hops, ",")
	var out []int32
	for i, name := range strings.Split(names, ",") {
		connected := i >= len(via) || via[i] == "" || via[i] == "0.0.0.0" || via[i] == "::"
		some, err := r.port(line, name, connected)
		if err != nil {
			return 0, err
		}
		if out = append(out, some...); len(out) > maxPorts {
			return 0, fmt.Errorf("%s:%d: a route by more than %d ports (want fewer)", r.file, line, maxPorts)
		}
	}
	g := r.group(out)
	r.known[key] = g
	return g, nil
}

// port returns the ports of an interface: of itself, or of the members of a bundle.
func (r *reader) port(line int, name string, connected bool) (out []int32, err error) {
	if name == "" || r.Outside(name) {
		return nil, nil
	}
	if out = r.Ports(r.node, name); len(out) > 0 {
		return out, nil
	}
	for member := range strings.SplitSeq(r.members[name], ",") {
		out = append(out, r.Ports(r.node, member)...)
	}
	if len(out) == 0 && !connected {
		return nil, fmt.Errorf("%s:%d: no cable of the fabric is at %s (want a cable with this port, its members in the "+
			"dump, or its name in outside)", r.file, line, fielderr.Quote(name))
	}
	return out, nil
}

// frr reads the routes of FRR to a prefix: those that are selected, and of these the next hops that are in the FIB.
func (r *reader) frr(p netip.Prefix) error {
	line := r.line
	raw, err := r.value(maxValue)
	if err != nil {
		return err
	}
	if !json.Valid(raw) {
		return r.fail("%s (want the routes of a prefix as JSON)", fielderr.Quote(string(raw)))
	}
	if !r.Wanted(p) {
		return nil
	}
	var routes []struct {
		Selected bool `json:"selected"`
		Nexthops []struct {
			FIB       bool   `json:"fib"`
			IP        string `json:"ip"`
			Interface string `json:"interfaceName"`
		} `json:"nexthops"`
	}
	if err := json.Unmarshal(raw, &routes); err != nil {
		return r.fail("%v", err)
	}
	for _, route := range routes {
		if !route.Selected {
			continue
		}
		var hops, names []string
		for _, h := range route.Nexthops {
			if h.FIB && h.Interface != "" {
				hops, names = append(hops, h.IP), append(names, h.Interface)
			}
		}
		g, err := r.ports(line, strings.Join(hops, ","), strings.Join(names, ","))
		if err != nil {
			return err
		}
		return r.add(r.node, p, entry{group: g, file: r.at, line: int32(line)})
	}
	return nil
}

// ReadText reads the tables of any switches from lines: a switch, a prefix, and the neighbours or ports by which frames
// leave it; none: they leave the fabric there. A # begins a comment.
func (s *Set) ReadText(file string, from io.Reader, names Names) error {
	r := s.reader(0, file, from, names)
	// Lines are read from the file itself: the buffer of the reader is for JSON.
	scan := bufio.NewScanner(from)
	scan.Buffer(nil, 1<<16)
	for ; scan.Scan(); r.line++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		f := strings.Fields(text)
		if len(f) == 0 {
			continue
		}
		node, known := names.Node(f[0])
		if !known {
			return r.fail("%s is no switch of the fabric (want NODE PREFIX NEIGHBOUR...)", fielderr.Quote(f[0]))
		}
		if len(f) < 2 {
			return r.fail("no prefix (want NODE PREFIX NEIGHBOUR...)")
		}
		p, ok := prefix(f[1])
		if !ok {
			return r.fail("%s (want a prefix, such as 10.0.1.0/24)", fielderr.Quote(f[1]))
		}
		if !names.Wanted(p) {
			continue
		}
		g, err := r.neighbours(node, f)
		if err != nil {
			return err
		}
		if err := r.add(node, p, entry{group: g, file: r.at, line: int32(r.line)}); err != nil {
			return err
		}
	}
	if err := scan.Err(); err != nil {
		return r.fail("%v (want lines of at most 65536 bytes)", err)
	}
	return nil
}

// neighbours returns the list of ports of a line: its words from the third on. They repeat for many prefixes.
func (r *reader) neighbours(node int, f []string) (int32, error) {
	key := f[0] + " " + strings.Join(f[2:], " ")
	if g, known := r.known[key]; known {
		return g, nil
	}
	var out []int32
	for _, name := range f[2:] {
		some := r.Ports(node, name)
		if len(some) == 0 {
			return 0, r.fail("%s is no neighbour and no port of %s (want one with a cable)", fielderr.Quote(name), f[0])
		}
		out = append(out, some...)
	}
	if len(out) > maxPorts {
		return 0, r.fail("a route by more than %d ports (want fewer)", maxPorts)
	}
	r.known[key] = r.group(out)
	return r.known[key], nil
}
