package topology

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ports adds the ports of one entry: one, or those of a range, which differ in their names alone.
func (r *reader) ports(v *document.Value, in *buffer.Intent, kinds []peerKind) {
	var p buffer.Port
	var f map[string]*document.Value
	var name, span *document.Value
	// Programs write an entry for each port, and most say what the one before says.
	if r.last != nil && v.AlikeBut(r.last, "name") {
		p, name = r.lastPort, v.Field("name")
	} else {
		before := v.Complaints()
		p, f = r.port(v, in.Classes, kinds)
		name, span = f["name"], f["range"]
		if r.last = nil; v.Complaints() == before && span == nil && len(r.cables) == 0 {
			r.last, r.lastPort = v, p
		}
	}
	var names []string
	if !r.tooMany { // entries of 4,096 ports each are short, and a million ports are not
		names = r.portNames(v, name, span)
	}
	if n := r.made + len(names); n > buffer.MaxPorts {
		r.Complain(v.Line, v.Path(), fmt.Sprintf("%d ports with those before it", n),
			fmt.Sprintf("at most %d", buffer.MaxPorts))
		names, r.tooMany = nil, true
	}
	// The entry is noted also where its ports were refused, so that ports[n] of a path and of an entry stay the same
	// n.
	path := v.Path()
	r.entries = append(r.entries, Entry{path, capacity.Entry{Text: cmp.Or(name.Raw(), span.Raw()), First: r.made}})
	in.Ports = slices.Grow(in.Ports, len(names))
	for i, name := range names {
		in.Ports = append(in.Ports, p)
		last := &in.Ports[len(in.Ports)-1]
		last.Name = name
		r.withCable(v, f, last)
		if i > 0 && !sameCable(last, &in.Ports[len(in.Ports)-2]) {
			r.entries = append(r.entries, Entry{path, capacity.Entry{Text: name, First: r.made}})
		}
		r.entries[len(r.entries)-1].Count++
		r.made++
	}
	r.named(names)
}

// port reads what the ports of an entry have in common: all but their names. It returns the fields of the entry, too.
// The cable has no default: its length decides how much arrives after a pause, and no length is usual. A speed or a
// cable may come from the file of a fabric instead (see cabled), port by port: an entry whose ports get different ones
// is then several entries, in the order of its names.
func (r *reader) port(v *document.Value, classes []buffer.Class, kinds []peerKind) (buffer.Port,
	map[string]*document.Value) {
	f := v.Fields("name", "range", "speed", "cable", "medium", "delay", "measured_delay", "extra_delay", "macsec", "peer",
		"response_delay", "mtu", "reserved", "lossless", "shared_credits", "classes", "state", "pipe", "lanes",
		"pfc_without_headroom")
	speeds, lengths := r.cabled(v, f)
	if !speeds {
		v.Need(f, "speed")
	}
	// What an entry leaves out is the zero of its field, which has a meaning: fibre, up, no reserved bytes, pauses
	// and not credits. The longest frame alone has another default.
	p := buffer.Port{
		Rate:   document.Quantity(f["speed"], unit.ParseBitRate),
		Cable:  document.Quantity(f["cable"], unit.ParseLength),
		Medium: document.Quantity(f["medium"], thresholds.ParseMedium),
		Delay:  document.Optional(f["delay"], unit.ParseTime),
		Extra:  document.Quantity(f["extra_delay"], unit.ParseTime),
		MACsec: f["macsec"].Boolean(),
		MTU:    defaultMTU,

		Reserved:      document.Quantity(f["reserved"], unit.ParseBytes),
		Credits:       portCredits(f["lossless"]),
		SharedCredits: document.Quantity(f["shared_credits"], unit.ParseBytes),
		State:         document.Quantity(f["state"], buffer.ParsePortState),
	}
	// A length and a one-way delay say the same thing, so one of them stands. A measured delay may have a length
	// beside it: the two are then compared.
	if f["measured_delay"] != nil {
		r.measured(f, &p)
	} else if (f["cable"] == nil) == (f["delay"] == nil) && v.IsMapping() && (!lengths || f["cable"] != nil) {
		r.Complain(v.Line, v.Path()+".cable", "missing, or given beside delay",
			"the length of the cable, or a measured one-way delay in its place")
	}
	p.Response = response(f["response_delay"], f["peer"], kinds)
	if f["mtu"] != nil {
		p.MTU = document.Quantity(f["mtu"], unit.ParseBytes)
	}
	// The bound keeps the number within an int. Which pipes there are, the chip says, and the intent compares.
	if f["pipe"] != nil {
		p.Pipe = new(int(f["pipe"].Integer(0, 1<<16)))
	}
	// Lanes of the port; 0, as without the key, leaves them to the headroom method.
	p.Lanes = int(f["lanes"].Integer(1, thresholds.MaxLanes))
	// Priorities 0 to 7 as bits: PFC is on for them at the port, and no group has headroom.
	for _, n := range f["pfc_without_headroom"].Items() {
		p.PFCWithoutHeadroom |= 1 << n.Integer(0, pg.PerPort-1)
	}
	// An empty set is every class, as without the key.
	for _, c := range f["classes"].Items() {
		p.Classes |= classSet(c, classes)
	}
	return p, f
}

// sameCable tells whether two ports of an entry have got the same cable from the file of a fabric.
func sameCable(a, b *buffer.Port) bool { return a.Rate == b.Rate && a.Cable == b.Cable }

// classSet returns the set of the one class that a port names. A [buffer.ClassSet] has room for eight classes: more
// than eight cannot be valid, as each needs a priority of its own. The bit of a class is its place in the list of the
// file, from 0.
func classSet(v *document.Value, classes []buffer.Class) buffer.ClassSet {
	if len(classes) == 0 {
		v.Refuse("none: the file has no classes")
		return 0
	}
	name := v.Text()
	// A class that was refused for another key is in the list all the same: its name is no second error.
	i := slices.IndexFunc(classes, func(c buffer.Class) bool { return c.Name == name })
	if i < 0 || i >= 8 {
		names := grouped.Each(classes, func(c buffer.Class) string { return c.Name })
		v.Refuse("one of the classes " + fielderr.Names(names))
		return 0
	}
	return buffer.Classes(i)
}

// portNames returns the name of an entry's port, or the names of its range; they hold until it is called again.
func (r *reader) portNames(v, name, span *document.Value) []string {
	switch {
	case name == nil && span == nil:
		if v.IsMapping() {
			r.Complain(v.Line, v.Path(), "no name", "either name or range")
		}
		return nil
	case name != nil && span != nil:
		r.Complain(v.Line, v.Path(), "name and range together", "either name or range")
		return nil
	case name != nil:
		// A name that was refused gives no port. A port without a name would be refused again, for its name.
		if one := document.Quantity(name, portName); one != "" {
			r.one[0] = one
			return r.one[:]
		}
		return nil
	default:
		return document.Quantity(span, expandRange)
	}
}
