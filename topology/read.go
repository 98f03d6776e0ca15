package topology

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// DefaultMTU is the longest frame of a port that says nothing: the usual jumbo
// frame, the larger and therefore safer assumption.
const DefaultMTU unit.Bytes = 9216

// Open reads a file that a topology names: a chip file or a headroom table.
// os.ReadFile will do.
type Open func(path string) ([]byte, error)

// Parse reads a topology. The file name is used in messages, and files that
// the topology names are looked up beside it. The error wraps
// buffer.ErrInvalid and lists every complaint.
func Parse(file string, data []byte, open Open) (buffer.Intent, error) {
	r := newReader(file)
	var in buffer.Intent
	if root := r.parse(data); root != nil {
		in = r.intent(root, open)
		r.validate(&in)
	}
	if len(r.bad) > 0 {
		return buffer.Intent{}, fmt.Errorf("%w:\n%w", buffer.ErrInvalid, errors.Join(r.bad...))
	}
	return in, nil
}

// beside returns where a file named in another one is.
func beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

func (r *reader) intent(root *value, open Open) buffer.Intent {
	f := root.fields("chip", "headroom", "pool", "shared_floor", "classes", "ports")
	root.need(f, "chip", "headroom", "classes", "ports")
	in := buffer.Intent{SharedFloor: quantity(f["shared_floor"], unit.ParsePercent)}
	if f["chip"] != nil {
		in.Chip = r.chip(f["chip"], open)
	}
	if f["headroom"] != nil {
		in.Sizing = r.sizing(f["headroom"], in.Chip.Name, open)
	}
	if f["pool"] != nil {
		in.Pool = r.pool(f["pool"])
	}
	for _, v := range f["classes"].items() {
		in.Classes = append(in.Classes, r.class(v))
	}
	for _, v := range f["ports"].items() {
		in.Ports = append(in.Ports, r.ports(v, in.Classes)...)
	}
	return in
}

// chip loads a chip by name, or from a file if the name looks like one.
func (r *reader) chip(v *value, open Open) buffer.Chip {
	name := v.text()
	if !strings.ContainsAny(name, "./") {
		c, err := asic.Load(name)
		if err != nil {
			v.refuse(fmt.Sprintf("one of %s, or the path of a chip file", strings.Join(asic.Names(), ", ")))
		}
		return c
	}
	path := beside(r.file, name)
	data, err := open(path)
	if err != nil {
		v.refuse(fmt.Sprintf("the path of a chip file that can be read (%v)", err))
		return buffer.Chip{}
	}
	c, err := ParseChip(path, data)
	if err != nil {
		r.bad = append(r.bad, err)
	}
	return c
}

// sizing makes the method of the headroom mapping. The chip is the catalogue's
// name of it, for methods with numbers of their own for some.
func (r *reader) sizing(v *value, chip string, open Open) thresholds.Sizer {
	method := v.field("method")
	if method == nil {
		return nil
	}
	name := method.text()
	if !slices.Contains(thresholds.Methods(), name) {
		method.refuse(strings.Join(thresholds.Methods(), ", "))
		return nil
	}
	f := v.fields(append([]string{"method"}, thresholds.MethodOptions(name)...)...)
	if name == (&thresholds.Table{}).Method() {
		v.need(f, "table")
		if f["table"] != nil {
			return r.table(f["table"], open)
		}
		return nil
	}
	options := thresholds.Options{}
	for key, value := range f {
		if key != "method" {
			options[key] = value.text()
		}
	}
	before := len(r.refused)
	sizer, err := thresholds.NewSizer(name, chip, options)
	if err != nil && len(r.refused) == before {
		r.fail(v.Line, v.path, err.Error())
	}
	return sizer
}

func (r *reader) table(v *value, open Open) thresholds.Sizer {
	path := beside(r.file, v.text())
	data, err := open(path)
	if err != nil {
		v.refuse(fmt.Sprintf("the path of a pg_profile_lookup.ini that can be read (%v)", err))
		return nil
	}
	t, err := thresholds.ReadTable(path, bytes.NewReader(data))
	if err != nil {
		r.bad = append(r.bad, err)
		return nil
	}
	return t
}

func (r *reader) pool(v *value) buffer.Pool {
	f := v.fields("size", "shared_headroom", "shared_headroom_ratio", "size_includes_headroom", "size_includes_reserved")
	return buffer.Pool{
		Size:                 quantity(f["size"], unit.ParseBytes),
		SharedHeadroom:       quantity(f["shared_headroom"], unit.ParseBytes),
		SharedHeadroomRatio:  int(f["shared_headroom_ratio"].integer(0, buffer.MaxRatio)),
		SizeIncludesHeadroom: f["size_includes_headroom"].boolean(),
		SizeIncludesReserved: f["size_includes_reserved"].boolean(),
	}
}

func (r *reader) class(v *value) buffer.Class {
	f := v.fields("name", "priorities", "lossless", "reserved", "alpha", "dynamic_th", "static_limit", "mtu", "xon_offset", "queue_reserved", "ecn")
	v.need(f, "name", "priorities")
	c := buffer.Class{
		Name:          f["name"].text(),
		Lossless:      f["lossless"].boolean(),
		Reserved:      quantity(f["reserved"], unit.ParseBytes),
		MTU:           quantity(f["mtu"], unit.ParseBytes),
		XONOffset:     quantity(f["xon_offset"], unit.ParseBytes),
		StaticLimit:   quantity(f["static_limit"], unit.ParseBytes),
		QueueReserved: quantity(f["queue_reserved"], unit.ParseBytes),
		Alpha:         alpha(f["alpha"], f["dynamic_th"]),
	}
	for _, p := range f["priorities"].items() {
		before := len(r.refused)
		if n := p.integer(0, 7); len(r.refused) == before { // what cannot be read must not pass for 0
			c.Priorities = append(c.Priorities, int(n))
		}
	}
	if f["ecn"] != nil {
		c.ECN = r.ecn(f["ecn"])
	}
	return c
}

// alpha reads the factor, or n of 2^n; nil if neither is given.
func alpha(factor, exponent *value) *thresholds.Alpha {
	switch {
	case factor != nil && exponent != nil:
		exponent.refuse("alpha or dynamic_th, not both")
	case factor != nil:
		return new(quantity(factor, thresholds.ParseAlpha))
	case exponent != nil:
		return new(thresholds.Alpha(exponent.integer(int64(thresholds.MinAlpha), int64(thresholds.MaxAlpha))))
	}
	return nil
}

func (r *reader) ecn(v *value) thresholds.ECN {
	f := v.fields("kmin", "kmax", "pmax")
	v.need(f, "kmin", "kmax", "pmax")
	return thresholds.ECN{
		KMin: quantity(f["kmin"], unit.ParseBytes),
		KMax: quantity(f["kmax"], unit.ParseBytes),
		PMax: quantity(f["pmax"], unit.ParsePercent),
	}
}

// ports returns the ports of one entry.
func (r *reader) ports(v *value, classes []buffer.Class) []buffer.Port {
	f := v.fields("name", "range", "speed", "cable", "medium", "delay", "extra_delay", "mtu", "reserved", "classes", "state", "pipe")
	v.need(f, "speed")
	p := buffer.Port{
		Rate:   quantity(f["speed"], unit.ParseBitRate),
		Cable:  quantity(f["cable"], unit.ParseLength),
		Medium: quantity(f["medium"], thresholds.ParseMedium),
		Delay:  quantity(f["delay"], unit.ParseTime),
		Extra:  quantity(f["extra_delay"], unit.ParseTime),
		MTU:    DefaultMTU,

		Reserved: quantity(f["reserved"], unit.ParseBytes),
		State:    quantity(f["state"], buffer.ParsePortState),
	}
	if (f["cable"] == nil) == (f["delay"] == nil) && v.Kind == yaml.MappingNode {
		r.complain(v.Line, v.path+".cable", "missing, or given beside delay", "the length of the cable, or a measured one-way delay in its place")
	}
	if f["mtu"] != nil {
		p.MTU = quantity(f["mtu"], unit.ParseBytes)
	}
	if f["pipe"] != nil {
		p.Pipe = new(int(f["pipe"].integer(0, 1<<16)))
	}
	for _, c := range f["classes"].items() {
		p.Classes |= classSet(c, classes)
	}
	names := r.portNames(v, f)
	out := make([]buffer.Port, len(names))
	for i, name := range names {
		out[i] = p
		out[i].Name = name
		r.entry = append(r.entry, v.path)
	}
	return out
}

// classSet returns the set of the class that a port names.
func classSet(v *value, classes []buffer.Class) buffer.ClassSet {
	var names []string
	for _, c := range classes {
		names = append(names, c.Name)
	}
	i := slices.Index(names, v.text())
	if i < 0 || i >= 8 {
		v.refuse("one of the classes " + strings.Join(names, ", "))
		return 0
	}
	return buffer.Classes(i)
}

func (r *reader) portNames(v *value, f map[string]*value) []string {
	switch name, span := f["name"], f["range"]; {
	case (name == nil) == (span == nil):
		if v.Kind == yaml.MappingNode {
			r.complain(v.Line, v.path, "no name", "either name or range")
		}
		return nil
	case name != nil:
		return []string{name.text()}
	default:
		return quantity(span, ExpandPorts)
	}
}
