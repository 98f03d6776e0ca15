package devicetree

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Variant is what a folder is rendered for: a topology, with neighbours on its ports or without.
type Variant struct {
	Topology   Topology
	Neighbours bool
}

// String returns the name of the topology, with what else there is: t1 with neighbours.
func (v Variant) String() string {
	if v.Neighbours {
		return v.Topology.Name + " with neighbours"
	}
	return v.Topology.Name
}

// Variants returns what a folder is rendered for: each of its topologies without neighbours and, if it has ports, with
// them, and the default, which has no type of device and so no cable that depends on a neighbour.
func (f *Folder) Variants(ports Ports) []Variant {
	var out []Variant
	for _, t := range f.Topologies {
		out = append(out, Variant{Topology: t})
		if len(ports.Ports) > 0 {
			out = append(out, Variant{t, true})
		}
	}
	return append(out, Variant{Topology: Default})
}

// Context returns the variables that the templates of a folder are rendered with, as a JSON object: the ports, the
// metadata of the device, its neighbours and the kind of its chip. Names of neighbours are made up.
func (f *Folder) Context(ports Ports, v Variant) []byte {
	var o object
	if len(ports.Ports) > 0 { // CONFIG_DB has no empty tables
		o.raw("PORT", ports.JSON())
	}
	var local, metadata object
	local.text("hwsku", f.SKU)
	local.text("platform", f.Platform)
	local.text("hostname", "switch")
	if v.Topology.Type != "" {
		local.text("type", v.Topology.Type)
	}
	metadata.raw("localhost", local.bytes())
	o.raw("DEVICE_METADATA", metadata.bytes())
	if v.Neighbours {
		v.neighbours(&o, ports)
	}
	if f.ASICType != "" {
		o.text("asic_type", f.ASICType)
	}
	return o.bytes()
}

// neighbours adds a neighbour for each port, of the one type and the other in turn on the ports of a speed, so that
// each speed has each cable.
func (v Variant) neighbours(o *object, ports Ports) {
	var table, types object
	count := map[string]int{}
	for i := range ports.Ports {
		p := &ports.Ports[i]
		if p.Internal() {
			continue
		}
		speed, _ := p.Get("speed")
		kind, name := v.Topology.Up, "up"+strconv.Itoa(i)
		if count[speed]++; count[speed]%2 == 0 {
			kind, name = v.Topology.Down, "down"+strconv.Itoa(i)
		}
		var neighbour, metadata object
		neighbour.text("name", name)
		neighbour.text("port", "Ethernet0")
		table.raw(p.Name, neighbour.bytes())
		metadata.text("type", kind)
		types.raw(name, metadata.bytes())
	}
	o.raw("DEVICE_NEIGHBOR", table.bytes())
	o.raw("DEVICE_NEIGHBOR_METADATA", types.bytes())
}

// JSON returns the ports as CONFIG_DB's PORT.
func (p Ports) JSON() []byte {
	var table object
	for i := range p.Ports {
		var fields object
		for _, f := range p.Ports[i].Fields {
			fields.text(f.Name, f.Value)
		}
		table.raw(p.Ports[i].Name, fields.bytes())
	}
	return table.bytes()
}

// object is a JSON object whose members keep their order.
type object struct{ members bytes.Buffer }

func (o *object) raw(name string, value []byte) {
	if o.members.Len() > 0 {
		o.members.WriteString(",")
	}
	key, _ := json.Marshal(name)
	o.members.Write(key)
	o.members.WriteString(":")
	o.members.Write(value)
}

func (o *object) text(name, value string) {
	v, _ := json.Marshal(value)
	o.raw(name, v)
}

func (o *object) bytes() []byte {
	out := append([]byte{'{'}, o.members.Bytes()...)
	return append(out, '}')
}
