package fabric

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads what the switches of a fabric are: topologies with changes, and the cables at their ports.

// template is what a role, a switch or an override says of the topology of switches. What is empty is not said.
type template struct {
	topology string              // the file, as this one names it
	set      []topology.Override // of values of the topology
	ports    map[string][]string // the ports to nodes of a role, for cables whose ports have no names
	target   string              // the gNMI address; {name} is the name of the switch
	profile  string              // of its operating system
	plane    string              // switches of two planes are not changed together
}

// templateKeys are its keys.
var templateKeys = []string{"topology", "set", "ports", "target", "profile", "plane"}

// role is what all switches of a role have.
type role struct {
	rank unit.Optional[int]
	template
}

// roleOf reads a role.
func roleOf(v *document.Value) role {
	f := v.Fields(append([]string{"rank"}, templateKeys...)...)
	out := role{template: templateOf(f)}
	if f["rank"] != nil {
		out.rank = unit.Given(int(f["rank"].Integer(0, maxRank)))
	}
	return out
}

// templateOf reads the keys of a template.
func templateOf(f map[string]*document.Value) (t template) {
	t = template{topology: f["topology"].Label(), target: f["target"].Label(), profile: f["profile"].Label(),
		plane: f["plane"].Label()}
	for _, v := range f["set"].Items() {
		t.set = append(t.set, document.Quantity(v, topology.ParseOverride))
	}
	if f["ports"] != nil {
		t.ports = map[string][]string{}
	}
	for role, v := range mapping(f["ports"], "a mapping of roles to ports, such as {spine: Ethernet49-64}") {
		t.ports[role] = document.Quantity(v, topology.ExpandPorts)
	}
	return t
}

// mapping yields the keys and values of a mapping, and refuses what is none.
func mapping(v *document.Value, want string) iter.Seq2[string, *document.Value] {
	if v != nil && !v.IsMapping() {
		v.Refuse(want)
	}
	return v.All()
}

// with returns the template with what another says, which comes later and decides.
func (t template) with(o template) template {
	t.topology, t.target = cmp.Or(o.topology, t.topology), cmp.Or(o.target, t.target)
	t.profile, t.plane = cmp.Or(o.profile, t.profile), cmp.Or(o.plane, t.plane)
	if o.ports != nil {
		t.ports = o.ports
	}
	// A change of the same value replaces the one of the role, wherever it stands in the list.
	path := func(c topology.Override) string { before, _, _ := strings.Cut(c.String(), "="); return before }
	t.set = slices.Clone(t.set)
	for _, c := range o.set {
		t.set = slices.DeleteFunc(t.set, func(x topology.Override) bool { return path(x) == path(c) })
		t.set = append(t.set, c)
	}
	return t
}

// templates gives every switch what its role, itself and the overrides say, in this order.
func (r *reader) templates(overrides *document.Value) {
	for i := range r.nodes {
		if n := &r.nodes[i]; !n.host {
			n.template = r.roles[n.kind].template.with(n.template)
		}
	}
	for pattern, v := range mapping(overrides, "a mapping of names or patterns of switches to what they have") {
		t := templateOf(v.Fields(templateKeys...))
		some, err := r.matching(pattern)
		some = slices.DeleteFunc(some, func(n int) bool { return r.nodes[n].host })
		if err != nil || len(some) == 0 {
			v.Fail("no switch has this name: want a name or a pattern of switches of this file, such as leaf1* or leaf1-16")
		}
		for _, n := range some {
			r.nodes[n].template = r.nodes[n].template.with(t)
		}
	}
}

// hostRole is the role of every host.
const hostRole = "host"

// roleName is the role of a node.
func (f *File) roleName(n int) string {
	if f.nodes[n].host {
		return hostRole
	}
	return f.nodes[n].kind
}

// cableText and speedText are what a mapping says of a cable.
func cableText(f map[string]*document.Value) string { return checked(f["length"], unit.ParseLength) }
func speedText(f map[string]*document.Value) string { return checked(f["speed"], unit.ParseBitRate) }

// checked returns the text of a quantity that is one.
func checked[T any](v *document.Value, parse func(string) (T, error)) string {
	document.Quantity(v, parse)
	return v.Raw()
}

// cableKinds gives cables that do not say it their length and speed: those of the first kind that fits their ends.
func (r *reader) cableKinds(list *document.Value) {
	for _, v := range list.Items() {
		f := v.Fields("a", "b", "length", "speed")
		v.Need(f, "a", "b")
		length, speed := cableText(f), speedText(f)
		if f["a"] == nil || f["b"] == nil {
			continue
		}
		a, b := r.ofKind(f["a"]), r.ofKind(f["b"])
		if a == nil || b == nil {
			continue
		}
		// A kind that fits no cable is a mistake of the file, and not a kind without cables.
		fits := false
		for i := range r.cables {
			c := &r.cables[i]
			x, y := c.ends[0].node, c.ends[1].node
			if !(a[x] && b[y] || a[y] && b[x]) {
				continue
			}
			fits = true
			if c.length == "" {
				c.length, c.lengthLine = length, v.Line
			}
			if c.speed == "" {
				c.speed, c.speedLine = speed, v.Line
			}
		}
		if !fits {
			v.Fail(fmt.Sprintf("no cable joins %s and %s: want the kinds of the ends of cables", f["a"].Raw(), f["b"].Raw()))
		}
	}
}

// ofKind returns the nodes of a role, or of a name or pattern.
func (r *reader) ofKind(v *document.Value) map[int]bool {
	var some []int
	for i := range r.nodes {
		if r.roleName(i) == v.Text() {
			some = append(some, i)
		}
	}
	if len(some) == 0 {
		some, _ = r.matching(v.Text())
	}
	if len(some) == 0 {
		v.Refuse("a role, host, or a name or a pattern of this file, such as leaf*")
		return nil
	}
	return setOf(some)
}

// all reads a list of names and patterns that are all of hosts, or all of switches.
func (r *reader) all(v *document.Value, hosts bool, want string) []int {
	some := r.named(v)
	for _, n := range some {
		if r.nodes[n].host != hosts {
			v.Fail(r.nodes[n].name + want)
			return nil
		}
	}
	return some
}

// hostEndsOf reads what the file says of the ports of hosts. Later entries decide.
func (r *reader) hostEndsOf(list *document.Value) {
	for _, v := range list.Items() {
		f := v.Fields("hosts", "pfc", "mtu", "lossless_mtu")
		v.Need(f, "hosts", "pfc")
		var e linkcheck.End
		var enabled pfc.Priorities
		for _, p := range f["pfc"].Items() {
			enabled |= pfc.Of(int(p.Integer(0, pfc.PerLink-1)))
		}
		e.PFC = unit.Given(enabled)
		e.MaxFrame = document.Optional(f["mtu"], unit.ParseBytes)
		e.LosslessFrame = document.Optional(f["lossless_mtu"], unit.ParseBytes)
		for p := range e.Frames {
			if enabled.Has(p) {
				e.Frames[p] = e.LosslessFrame.Or(0)
			}
		}
		for _, n := range r.hostsOf(f["hosts"]) {
			r.ends[r.nodes[n].name] = e
		}
	}
}

// HostEnd returns what the file says of the ports of a host, with the name of one of them; false: nothing.
func (f *File) HostEnd(at Port) (linkcheck.End, bool) {
	e, stated := f.ends[at.Node]
	e.Name = at.String()
	return e, stated
}
