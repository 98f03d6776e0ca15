package cabling

import (
	"cmp"
	"fmt"
	"iter"
	"strings"

	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads documents of YAML and JSON. They have many keys that say nothing of cables.

// at returns the value of a key; nil: there is none.
func at(v *document.Value, key string) (out *document.Value) {
	for name, x := range v.All() {
		if name == key {
			out = x
		}
	}
	return out
}

// each yields the things of a mapping by name, and those of a list, which are names or have one.
func each(v *document.Value) iter.Seq2[string, *document.Value] {
	return func(yield func(string, *document.Value) bool) {
		if v.IsMapping() {
			v.All()(yield)
			return
		}
		for _, x := range v.Items() {
			if name := cmp.Or(x.Raw(), at(x, "name").Raw()); !yield(name, x) {
				return
			}
		}
	}
}

// document reads the file as YAML or JSON.
func (s *source) document(read func(root *document.Value)) error {
	r := document.New(s.file)
	if root := r.Parse([]byte(s.text)); root != nil {
		read(root)
	}
	return r.Err()
}

// endOf reads an end of a link: NODE:INTERFACE, or a mapping with node and interface.
func endOf(v *document.Value) End {
	if v.IsMapping() {
		return End{at(v, "node").Raw(), at(v, "interface").Raw()}
	}
	node, port, _ := strings.Cut(v.Raw(), ":")
	return End{node, port}
}

// containerlab reads topology.links: each a list of two endpoints NODE:INTERFACE, or a mapping with a list of mappings
// of node and interface. A node of kind linux is a host. Links to bridges, hosts of the machine and other things that
// are no nodes have one endpoint with a node, and are left out.
func (s *source) containerlab() error {
	return s.document(func(root *document.Value) {
		topology := at(root, "topology")
		for name, v := range each(at(topology, "nodes")) {
			s.is(v.Line, name, "kind", at(v, "kind").Raw(), "linux")
		}
		for _, link := range each(at(topology, "links")) {
			var ends []End
			for _, e := range each(at(link, "endpoints")) {
				ends = append(ends, endOf(e))
			}
			if len(ends) < 2 {
				s.note(link.Line, "a link without two endpoints is left out")
				continue
			}
			s.cable(link.Line, ends[0], ends[1], 0, 0)
		}
	})
}

// netlab reads links: "r1-r2", [r1, r2], {r1: , r2: } or {interfaces: [...]}. Ports have no names there. A node of role
// or device host or linux is a host. A link of more than two nodes is a network that is shared, and is left out.
func (s *source) netlab() error {
	return s.document(func(root *document.Value) {
		nodes := map[string]bool{}
		for name, v := range each(at(root, "nodes")) {
			nodes[name] = true
			for _, key := range []string{"role", "device"} {
				s.is(v.Line, name, key, at(v, key).Raw(), "host", "linux")
			}
		}
		for _, link := range each(at(root, "links")) {
			var ends []End
			list := cmp.Or(at(link, "interfaces"), link)
			switch {
			case list.IsMapping():
				for name := range list.All() {
					if nodes[name] {
						ends = append(ends, End{Node: name})
					}
				}
			case list.Len() > 0:
				for _, v := range list.Items() {
					ends = append(ends, End{Node: endOf(v).Node})
				}
			default:
				for name := range strings.SplitSeq(list.Raw(), "-") {
					ends = append(ends, End{Node: name})
				}
			}
			if len(ends) != 2 {
				s.note(link.Line, "a link of %d nodes is left out: a cable has two", len(ends))
				continue
			}
			s.cable(link.Line, ends[0], ends[1], 0, 0)
		}
	})
}

// avd reads the structured configuration of one switch: the peers of its ethernet_interfaces, a list or a mapping. The
// switch has the name of the file, without its ending, unless the document has a hostname.
func (s *source) avd() error {
	return s.document(func(root *document.Value) {
		own := s.own()
		if v := at(root, "hostname"); v != nil {
			own = v.Raw()
		}
		for name, v := range each(at(root, "ethernet_interfaces")) {
			peer, port := at(v, "peer"), at(v, "peer_interface")
			if peer == nil || port == nil || name == "" {
				continue
			}
			// forced 100gfull, or 100g-2: the number and its unit, where there is one.
			var number float64
			var speed unit.BitRate
			text := strings.TrimPrefix(at(v, "speed").Raw(), "forced ")
			if _, err := fmt.Sscanf(text, "%fg", &number); err == nil && number > 0 && number < 1e6 {
				speed = unit.BitRate(number * 1e9)
			}
			if kind := at(v, "peer_type").Raw(); kind == "server" {
				s.is(v.Line, peer.Raw(), "peer_type", kind, kind)
			}
			s.cable(v.Line, End{own, name}, End{peer.Raw(), port.Raw()}, speed, 0)
		}
	})
}

// configDB reads a SONiC switch: DEVICE_NEIGHBOR by the local port with name and port, or by the neighbour's name with
// local_port and port; DEVICE_NEIGHBOR_METADATA for the types of neighbours; CABLE_LENGTH; and the name of the switch
// itself from DEVICE_METADATA.
func (s *source) configDB() error {
	db, err := configdb.Read(s.file, []byte(s.text))
	if err != nil {
		return err
	}
	text := func(e *configdb.Entry, field, or string) string {
		if e != nil {
			if value, given := e.Text(field); given {
				return value
			}
		}
		return or
	}
	own := text(db.Table("DEVICE_METADATA").Entry("localhost"), "hostname", s.own())
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
		local, neighbour := text(e, "local_port", e.Key), text(e, "name", e.Key)
		if local == neighbour {
			s.fail(e.At.Line, "DEVICE_NEIGHBOR %s: no name and no local_port (want one of them)", e.Key)
			continue
		}
		s.cable(e.At.Line, End{own, local}, End{neighbour, text(e, "port", "")}, 0, lengths[local])
		s.typed(e.At.Line, neighbour, text(e, "type", ""))
	}
	for _, e := range db.Table("DEVICE_NEIGHBOR_METADATA").All() {
		s.typed(e.At.Line, e.Key, text(e, "type", ""))
	}
	return nil
}
