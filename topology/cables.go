package topology

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// This file gives ports the cables that the file of a fabric knows: a template of many switches then says what they
// have in common, and the fabric what each of them is cabled to.

// portCable is the cable of one port. A speed or a length that is "" is not said.
type portCable struct {
	port          string // as the topology names it
	speed, length string // as the file has them, with their units
	where         string // file:line, for complaints
	used          bool   // the topology has the port
}

// cabled tells whether every port of an entry gets its speed, and its length, from the file of a fabric. The fields
// of an entry are shared by all of its ports, so one port without a cable keeps the key needed for all of them. Names
// that cannot be read give false twice: their own complaint comes from portNames. An entry with neither key needs a
// cable at each port: the ports without one are named, and nothing else is said of them.
func (r *reader) cabled(v *document.Value, f map[string]*document.Value) (speeds, lengths bool) {
	if len(r.cables) == 0 || !v.IsMapping() {
		return false, false
	}
	names, err := ExpandPorts(cmp.Or(f["name"].Raw(), f["range"].Raw()))
	speeds, lengths = err == nil, err == nil
	var without []string
	for _, name := range names {
		c := r.cables[name]
		speeds = speeds && c != nil && c.speed != ""
		lengths = lengths && c != nil && c.length != ""
		if c == nil {
			without = append(without, name)
		}
	}
	if len(without) > 0 && f["speed"] == nil && f["cable"] == nil && f["delay"] == nil && f["measured_delay"] == nil {
		v.Fail(fmt.Sprintf("the file of the fabric has no cable at %s: want a cable at each port of this entry, or these in "+
			"an entry with speed and cable", buffer.FoldPorts(without)))
		return true, true
	}
	return speeds, lengths
}

// withCable gives a port its cable. What the topology says of it must not be another. A speed or length that the
// topology has too is compared as a quantity and not as text: 0.3km and 300m agree.
func (r *reader) withCable(v *document.Value, f map[string]*document.Value, p *buffer.Port) {
	c := r.cables[p.Name]
	if c == nil {
		return
	}
	c.used = true
	if c.speed != "" {
		rate, err := unit.ParseBitRate(c.speed)
		if err != nil || f["speed"] != nil && rate != p.Rate {
			contradicts(v, f["speed"], p.Name, c.speed, c.where)
		}
		p.Rate = rate
	}
	if c.length == "" {
		return
	}
	length, err := unit.ParseLength(c.length)
	// A delay is not computed back into a length: with both, nobody could say which of them sized the headroom.
	if delay := f["delay"]; delay != nil {
		contradicts(v, delay, p.Name, c.length, c.where)
	} else if err != nil || f["cable"] != nil && length != p.Cable {
		contradicts(v, f["cable"], p.Name, c.length, c.where)
	}
	p.Cable = length
}

// contradicts refuses a value that the file of a fabric contradicts. Both places are named, because either can be
// wrong. A key that the entry does not have cannot be named, so the complaint is then about the whole entry.
func contradicts(v, value *document.Value, port, other, where string) {
	value = cmp.Or(value, v)
	value.Fail(fmt.Sprintf("%s here, and %s says %s for the cable of %s: want it in one place", value.Raw(), where, other,
		port))
}

// named gives the entries of these ports, of which cables made several, the names of their ports: those that were made
// last.
func (r *reader) named(names []string) {
	// An entry that stayed whole keeps the text of the topology, which is shorter.
	end, first := r.made, r.made-len(names)
	for i := len(r.entries) - 1; i >= 0 && r.entries[i].First >= first; i-- {
		if e := &r.entries[i]; e.First < end && e.Count < len(names) {
			e.Text = buffer.FoldPorts(names[e.First-first : e.First-first+e.Count])
		}
	}
}

// cablesOf refuses cables of ports that the topology does not have.
func (r *reader) cablesOf(ports *document.Value) {
	for _, name := range slices.Sorted(maps.Keys(r.cables)) {
		// Of ports that were not read, or not all, it is not known whether this one is there.
		if c := r.cables[name]; !c.used && ports != nil && !r.tooMany {
			ports.Fail(fmt.Sprintf("no port %s, and %s has a cable at it: want this port, or a cable at another",
				name, c.where))
		}
	}
}

// Key is a text that two changes share if they make one topology of a file. Package fabric finds by it the switches
// of one kind, which are planned once.
func (c Override) Key() string {
	if c.cable == nil {
		return c.String()
	}
	// Where the file of the fabric says it makes no other topology.
	return strings.Join([]string{c.cable.port, c.cable.speed, c.cable.length}, " ")
}
