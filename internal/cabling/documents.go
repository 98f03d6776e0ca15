package cabling

import (
	"fmt"
	"maps"
	"strings"

	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// fields returns the values of a mapping by key. These documents have many keys that say nothing of cables.
func fields(v *document.Value) map[string]*document.Value {
	out := map[string]*document.Value{}
	if v != nil && v.IsMapping() {
		maps.Insert(out, v.All())
	}
	return out
}

// items returns the values of a list, or of a mapping.
func items(v *document.Value) (out []*document.Value) {
	switch {
	case v == nil:
		return nil
	case v.IsMapping():
		for _, value := range v.All() {
			out = append(out, value)
		}
		return out
	}
	return v.Items()
}

// raw is the text of a scalar, "" of anything else and of a value that is not there.
func raw(v *document.Value) string {
	if v == nil {
		return ""
	}
	return v.Raw()
}

// parsed reads a YAML or JSON document.
func (l *List) parsed(file, text string, read func(root map[string]*document.Value)) error {
	r := document.New(file)
	if root := r.Parse([]byte(text)); root != nil {
		read(fields(root))
	}
	return r.Err()
}

// containerlab reads topology.links: each a list of two endpoints NODE:INTERFACE, or a mapping with a list of mappings
// of node and interface. A node of kind linux is a host. Links to bridges, hosts of the machine and other things that
// are no nodes have one endpoint with a node, and are left out.
func (l *List) containerlab(file, text string) error {
	return l.parsed(file, text, func(root map[string]*document.Value) {
		topology := fields(root["topology"])
		if nodes := topology["nodes"]; nodes != nil && nodes.IsMapping() {
			for name, v := range nodes.All() {
				at := place{file, v.Line}
				l.node(clean(name), at)
				if kind := fields(v)["kind"]; kind != nil && raw(kind) == "linux" {
					l.host(clean(name), "kind linux", at)
				}
			}
		}
		for _, link := range items(topology["links"]) {
			c, at := cable{from: []place{{file, link.Line}}}, 0
			for _, e := range items(fields(link)["endpoints"]) {
				if at == 2 {
					break
				}
				if e.IsMapping() {
					f := fields(e)
					c.ends[at] = End{raw(f["node"]), raw(f["interface"])}
				} else {
					node, port, _ := strings.Cut(raw(e), ":")
					c.ends[at] = End{node, port}
				}
				at++
			}
			if at == 2 {
				l.add(c)
			} else {
				l.notes = append(l.notes, fmt.Sprintf("%s:%d: a link without two endpoints is left out", file, link.Line))
			}
		}
	})
}

// netlab reads links: "r1-r2", [r1, r2], {r1: , r2: } or {interfaces: [...]}. Ports have no names there. A link of more
// than two nodes is a network that is shared, and is left out.
func (l *List) netlab(file, text string) error {
	return l.parsed(file, text, func(root map[string]*document.Value) {
		names := map[string]bool{}
		switch nodes := root["nodes"]; {
		case nodes == nil:
		case nodes.IsMapping():
			for name, v := range nodes.All() {
				names[name] = true
				l.netlabNode(name, v, place{file, nodes.Line})
			}
		default:
			for _, v := range nodes.Items() {
				name := raw(v)
				if v.IsMapping() {
					name = raw(fields(v)["name"])
				}
				names[name] = true
				l.netlabNode(name, v, place{file, v.Line})
			}
		}
		for _, link := range items(root["links"]) {
			ends := l.netlabEnds(link, names)
			if len(ends) != 2 {
				l.notes = append(l.notes, fmt.Sprintf("%s:%d: a link of %d nodes is left out: a cable has two", file,
					link.Line, len(ends)))
				continue
			}
			l.add(cable{ends: [2]End{{Node: ends[0]}, {Node: ends[1]}}, from: []place{{file, link.Line}}})
		}
	})
}

// netlabNode reads a node of netlab. One of role or device that says so is a host.
func (l *List) netlabNode(name string, v *document.Value, at place) {
	l.node(clean(name), at)
	f := fields(v)
	for _, key := range []string{"role", "device"} {
		if x := f[key]; x != nil && (raw(x) == "host" || raw(x) == "linux") {
			l.host(clean(name), key+" "+raw(x), at)
		}
	}
}

// netlabEnds are the nodes of a link.
func (l *List) netlabEnds(link *document.Value, names map[string]bool) (out []string) {
	of := func(v *document.Value) string {
		if v.IsMapping() {
			return raw(fields(v)["node"])
		}
		return raw(v)
	}
	switch {
	case link.IsMapping() && fields(link)["interfaces"] != nil:
		for _, v := range fields(link)["interfaces"].Items() {
			out = append(out, of(v))
		}
	case link.IsMapping():
		for key := range link.All() {
			if names[key] {
				out = append(out, key)
			}
		}
	case link.Len() > 0:
		for _, v := range link.Items() {
			out = append(out, of(v))
		}
	default:
		out = strings.Split(raw(link), "-")
	}
	return out
}

// avd reads the structured configuration of one switch: the peers of its ethernet_interfaces, a list or a mapping. The
// switch has the name of the file, without its ending, unless the document has a hostname.
func (l *List) avd(file, text string) error {
	return l.parsed(file, text, func(root map[string]*document.Value) {
		own := file[strings.LastIndexAny(file, `/\`)+1:]
		own, _, _ = strings.Cut(own, ".")
		if v := root["hostname"]; v != nil {
			own = raw(v)
		}
		one := func(name string, v *document.Value) {
			f := fields(v)
			if f["peer"] == nil || f["peer_interface"] == nil {
				return
			}
			at := place{file, v.Line}
			c := cable{ends: [2]End{{own, name}, {raw(f["peer"]), raw(f["peer_interface"])}}, from: []place{at}}
			if s := f["speed"]; s != nil {
				// forced 100gfull, or 100g-2: the number and its unit, where there is one.
				text := strings.TrimPrefix(raw(s), "forced ")
				if i := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i > 0 {
					if rate, err := unit.ParseBitRate(text[:i] + "G"); err == nil && strings.HasPrefix(text[i:], "g") {
						c.speed = rate
					}
				}
			}
			if t := f["peer_type"]; t != nil && raw(t) == "server" {
				l.host(clean(c.ends[1].Node), "peer_type server", at)
			}
			l.add(c)
		}
		ports := root["ethernet_interfaces"]
		if ports == nil {
			return // the key is somewhere else in the document
		}
		if ports.IsMapping() {
			for name, v := range ports.All() {
				one(name, v)
			}
			return
		}
		for _, v := range ports.Items() {
			if name := fields(v)["name"]; name != nil {
				one(name.Text(), v)
			}
		}
	})
}

// configDB reads a SONiC switch: DEVICE_NEIGHBOR by the local port with name and port, or by the neighbour's name with
// local_port and port; DEVICE_NEIGHBOR_METADATA for the types of neighbours; CABLE_LENGTH; and the name of the switch
// itself from DEVICE_METADATA.
func (l *List) configDB(file, text string) error {
	db, err := configdb.Read(file, []byte(text))
	if err != nil {
		return err
	}
	own := file[strings.LastIndexAny(file, `/\`)+1:]
	own, _, _ = strings.Cut(own, ".")
	if e := db.Table("DEVICE_METADATA").Entry("localhost"); e != nil {
		if name, given := e.Text("hostname"); given {
			own = name
		}
	}
	lengths := map[string]unit.Length{}
	for _, e := range db.Table("CABLE_LENGTH").All() {
		for _, f := range e.Fields {
			// 0m is a port without a cable to size for; it is no length of one.
			if length, err := unit.ParseLength(strings.TrimSpace(f.Value)); err == nil && length > 0 {
				lengths[f.Name] = length
			}
		}
	}
	for _, e := range db.Table("DEVICE_NEIGHBOR").All() {
		at := place{file, e.At.Line}
		local, neighbour := e.Key, e.Key
		if port, given := e.Text("local_port"); given {
			local = port
		}
		if name, given := e.Text("name"); given {
			neighbour = name
		}
		if local == neighbour {
			l.fail(at, "DEVICE_NEIGHBOR %s: no name and no local_port (want one of them)", e.Key)
			continue
		}
		port, _ := e.Text("port")
		l.add(cable{ends: [2]End{{own, local}, {neighbour, port}}, length: lengths[local], from: []place{at}})
		kind, _ := e.Text("type")
		l.typed(neighbour, kind, at)
	}
	for _, e := range db.Table("DEVICE_NEIGHBOR_METADATA").All() {
		kind, _ := e.Text("type")
		l.typed(e.Key, kind, place{file, e.At.Line})
	}
	return nil
}
