package topology

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ports returns the ports of one entry: one, or those of a range, which differ in their names alone. The cable has no
// default: its length decides how much arrives after a pause, and no length is usual. A speed or a cable may come
// from the file of a fabric instead (see cabled), port by port: an entry whose ports get different ones is then
// several entries, in the order of its names.
func (r *reader) ports(v *document.Value, classes []buffer.Class, kinds []peerKind) []buffer.Port {
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
		Delay:  optional(f["delay"], unit.ParseTime),
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
		r.Complain(v.Line, v.Path+".cable", "missing, or given beside delay",
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
	if f["lanes"] != nil {
		p.Lanes = int(f["lanes"].Integer(1, thresholds.MaxLanes))
	}
	// Priorities 0 to 7 as bits: PFC is on for them at the port, and no group has headroom.
	for _, n := range f["pfc_without_headroom"].Items() {
		p.PFCWithoutHeadroom |= 1 << n.Integer(0, pg.PerPort-1)
	}
	// An empty set is every class, as without the key.
	for _, c := range f["classes"].Items() {
		p.Classes |= classSet(c, classes)
	}
	var names []string
	if !r.tooMany { // entries of 4,096 ports each are short, and a million ports are not
		names = r.portNames(v, f)
	}
	if n := len(r.entry) + len(names); n > buffer.MaxPorts {
		r.Complain(v.Line, v.Path, fmt.Sprintf("%d ports with those before it", n),
			fmt.Sprintf("at most %d", buffer.MaxPorts))
		names, r.tooMany = nil, true
	}
	// The entry is noted also where its ports were refused, so that ports[n] of a path and of an entry stay the same
	// n.
	r.entries = append(r.entries, Entry{Path: v.Path, Text: portsText(f), First: len(r.entry)})
	out := make([]buffer.Port, len(names))
	for i, name := range names {
		out[i] = p
		out[i].Name = name
		r.withCable(v, f, &out[i])
		if i > 0 && (out[i].Rate != out[i-1].Rate || out[i].Cable != out[i-1].Cable) {
			r.entries = append(r.entries, Entry{Path: v.Path, Text: name, First: len(r.entry)})
		}
		r.entries[len(r.entries)-1].Count++
		r.entry = append(r.entry, v.Path)
	}
	r.named(names)
	return out
}

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
		names := make([]string, len(classes))
		for k := range classes {
			names[k] = classes[k].Name
		}
		v.Refuse("one of the classes " + fielderr.Names(names))
		return 0
	}
	return buffer.Classes(i)
}

// portNames returns the name of an entry's port, or the names of its range.
func (r *reader) portNames(v *document.Value, f map[string]*document.Value) []string {
	switch name, span := f["name"], f["range"]; {
	case name == nil && span == nil:
		if v.IsMapping() {
			r.Complain(v.Line, v.Path, "no name", "either name or range")
		}
		return nil
	case name != nil && span != nil:
		r.Complain(v.Line, v.Path, "name and range together", "either name or range")
		return nil
	case name != nil:
		// A name that was refused gives no port. A port without a name would be refused again, for its name.
		if one := document.Quantity(name, portName); one != "" {
			return []string{one}
		}
		return nil
	default:
		return document.Quantity(span, expandRange)
	}
}
