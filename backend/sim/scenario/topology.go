package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// generator makes a network of a few numbers.
type generator struct {
	keys []string // numbers that it needs
	make func(g *networkBuilder)
}

// generators by their names. Every one also takes rate, delay or cable, and
// interface, of the links to hosts, and trunk_rate and so on of those between
// switches, which are by default the same.
var generators = map[string]generator{
	"incast":       {[]string{"senders"}, (*networkBuilder).incast},
	"two-switches": {[]string{"left", "right"}, (*networkBuilder).twoSwitches},
	"chain":        {[]string{"switches", "hosts"}, (*networkBuilder).chain},
	"ring":         {[]string{"switches", "hosts"}, (*networkBuilder).ring},
	"leaf-spine":   {[]string{"leaves", "spines", "hosts"}, (*networkBuilder).leafSpine},
	"fat-tree":     {[]string{"k"}, (*networkBuilder).fatTree},
}

const generatorNames = "chain, fat-tree, incast, leaf-spine, ring, two-switches"

// networkBuilder is a network that is being made.
type networkBuilder struct {
	*reader
	v             *document.Value // where the file speaks of it
	n             map[string]int
	access, trunk cable
}

// cable is what a link is like.
type cable struct {
	rate  unit.BitRate
	delay unit.Time
	iface delay
}

// topology reads the nodes and links: made by a generator, or listed.
func (r *reader) topology(v *document.Value) {
	if slices.Contains(v.Keys(), "kind") {
		r.generate(v)
		return
	}
	f := v.Fields("hosts", "switches", "links")
	v.Need(f, "hosts", "links")
	for _, name := range r.names(f["hosts"]) {
		r.host(v, name)
	}
	for _, name := range r.names(f["switches"]) {
		r.node(v, name)
	}
	for _, l := range f["links"].Items() {
		r.listedLink(l)
	}
}

// names reads a list of names, in which h1-4 stands for h1 to h4.
func (r *reader) names(v *document.Value) []string {
	var out []string
	for _, n := range v.Items() {
		out = append(out, document.Quantity(n, topology.ExpandPorts)...)
	}
	return out
}

func (r *reader) host(v *document.Value, name string) {
	if r.taken(v, name) {
		return
	}
	i := len(r.s.Network.Hosts)
	r.hosts[name] = i
	r.origins[fmt.Sprintf("hosts[%d]", i)] = origin{v.Line, "host " + name}
	r.s.Network.Hosts = append(r.s.Network.Hosts, fabric.Host{Name: name})
}

func (r *reader) node(v *document.Value, name string) {
	if r.taken(v, name) {
		return
	}
	i := len(r.s.Network.Switches)
	r.switches[name] = i
	r.origins[fmt.Sprintf("switches[%d]", i)] = origin{v.Line, "switch " + name}
	r.ports = append(r.ports, map[string]int{})
	r.s.Network.Switches = append(r.s.Network.Switches, fabric.Switch{Name: name})
}

// taken refuses a name that is not new.
func (r *reader) taken(v *document.Value, name string) bool {
	_, host := r.hosts[name]
	_, node := r.switches[name]
	if host || node || name == "all" {
		v.Fail(fmt.Sprintf("%q: accepted: each name once, and none is all", name))
	}
	return host || node
}

// listedLink reads one link of a list.
func (r *reader) listedLink(v *document.Value) {
	f := v.Fields("from", "to", "rate", "delay", "cable", "interface")
	v.Need(f, "from", "to", "rate")
	c := r.cable(v, f, "", cable{})
	from, to := f["from"].Text(), f["to"].Text()
	for _, x := range []*document.Value{f["from"], f["to"]} {
		if x != nil && !r.known(x.Text()) {
			x.Refuse("a host or a switch of the topology")
			return
		}
	}
	if f["from"] != nil && f["to"] != nil {
		r.link(v, from, to, c)
	}
}

func (r *reader) known(name string) bool {
	_, host := r.hosts[name]
	_, node := r.switches[name]
	return host || node
}

// cable reads what a link is like; what is not said is as the other is.
func (r *reader) cable(v *document.Value, f map[string]*document.Value, prefix string, other cable) cable {
	c := other
	if x := f[prefix+"rate"]; x != nil {
		c.rate = document.Quantity(x, unit.ParseBitRate)
	}
	if x := f[prefix+"interface"]; x != nil {
		c.iface = document.Quantity(x, parseDelay)
	}
	delay, length := f[prefix+"delay"], f[prefix+"cable"]
	switch {
	case delay != nil && length != nil:
		length.Refuse(prefix + "cable or " + prefix + "delay, not both")
	case delay != nil:
		c.delay = document.Quantity(delay, unit.ParseTime)
	case length != nil:
		before := length.Complaints()
		l := document.Quantity(length, unit.ParseLength)
		if l > 1000*unit.Kilometre && length.Complaints() == before {
			length.Refuse("0m to 1000km")
			l = 0
		}
		c.delay = unit.Time(l) * perMillimetre
	case prefix == "" && v.Complaints() == 0:
		v.Fail("no delay: accepted: delay, or cable, at 5 ns/m")
	}
	return c
}

// perMillimetre is the delay of fibre: 5 ns/m, 200,000 km/s.
const perMillimetre = 5 * unit.Picosecond

// link connects two nodes by the next free ports.
func (r *reader) link(v *document.Value, a, b string, c cable) {
	n := &r.s.Network
	at := origin{v.Line, v.Name()}
	r.origins[fmt.Sprintf("links[%d]", len(n.Links))] = at
	l := fabric.Link{A: r.port(a, b), B: r.port(b, a), Rate: c.rate, Delay: c.delay, Interface: r.interfaceDelay(at, c)}
	r.links[l.A], r.links[l.B] = len(n.Links), len(n.Links)
	n.Links = append(n.Links, l)
}

// port returns the port of one node towards another: a switch gets a new one,
// named after its neighbour.
func (r *reader) port(node, towards string) fabric.End {
	if h, ok := r.hosts[node]; ok {
		return fabric.AtHost(h)
	}
	i := r.switches[node]
	w := &r.s.Network.Switches[i]
	name := towards
	for n := 2; ; n++ {
		if _, taken := r.ports[i][name]; !taken {
			break
		}
		name = fmt.Sprintf("%s#%d", towards, n)
	}
	r.ports[i][name] = len(w.Ports)
	w.Ports = append(w.Ports, fabric.SwitchPort{Name: name})
	return fabric.AtSwitch(i, len(w.Ports)-1)
}

// maxGenerated is the largest number that a generator takes.
const maxGenerated = 4096

// generate makes the network that a generator's numbers say.
func (r *reader) generate(v *document.Value) {
	kind := v.Field("kind")
	gen, ok := generators[kind.Text()]
	if !ok {
		kind.Refuse(generatorNames + "; or leave kind out and list hosts, switches and links")
		return
	}
	before := v.Complaints()
	keys := append([]string{"kind", "rate", "delay", "cable", "interface", "trunk_rate", "trunk_delay", "trunk_cable",
		"trunk_interface"}, gen.keys...)
	f := v.Fields(keys...)
	v.Need(f, append([]string{"rate"}, gen.keys...)...)
	g := &networkBuilder{reader: r, v: v, n: map[string]int{}}
	product := 1
	for _, key := range gen.keys {
		g.n[key] = int(f[key].Integer(1, maxGenerated))
		product *= max(g.n[key], 1)
	}
	if kind.Text() == "fat-tree" {
		product = g.n["k"] * g.n["k"] * g.n["k"] / 4
	}
	if product > fabric.MaxHosts {
		v.Fail(fmt.Sprintf("%d hosts or links: accepted: at most %d", product, fabric.MaxHosts))
	}
	g.access = r.cable(v, f, "", cable{})
	g.trunk = r.cable(v, f, "trunk_", g.access)
	if v.Complaints() == before {
		gen.make(g)
	}
}

// attach makes a host and links it to a switch.
func (g *networkBuilder) attach(node, host string) {
	g.host(g.v, host)
	g.link(g.v, host, node, g.access)
}

func (g *networkBuilder) join(a, b string) { g.link(g.v, a, b, g.trunk) }

func (g *networkBuilder) addSwitches(prefix string, n int) {
	for i := range n {
		g.node(g.v, numbered(prefix, i))
	}
}

// numbered names the i-th of several: s1, s2, and so on.
func numbered(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i+1) }

// incast: senders h1, h2, ... and one receiver on switch s1.
func (g *networkBuilder) incast() {
	g.node(g.v, "s1")
	for i := range g.n["senders"] {
		g.attach("s1", numbered("h", i))
	}
	g.attach("s1", "receiver")
}

// twoSwitches: left hosts l1, ... on s1, right hosts r1, ... on s2.
func (g *networkBuilder) twoSwitches() {
	g.addSwitches("s", 2)
	for i := range g.n["left"] {
		g.attach("s1", numbered("l", i))
	}
	for i := range g.n["right"] {
		g.attach("s2", numbered("r", i))
	}
	g.join("s1", "s2")
}

// row: switches s1, s2, ..., each with its hosts, numbered through.
func (g *networkBuilder) row() {
	n, each := g.n["switches"], g.n["hosts"]
	g.addSwitches("s", n)
	for i := range n {
		for j := range each {
			g.attach(numbered("s", i), numbered("h", i*each+j))
		}
	}
	for i := range n - 1 {
		g.join(numbered("s", i), numbered("s", i+1))
	}
}

func (g *networkBuilder) chain() { g.row() }

// ring: a chain whose ends are joined. Packets take the shorter way.
func (g *networkBuilder) ring() {
	if g.n["switches"] < 3 {
		g.v.Fail(fmt.Sprintf("switches: %d: accepted: 3 or more make a ring", g.n["switches"]))
		return
	}
	g.row()
	g.join(numbered("s", g.n["switches"]-1), "s1")
}

// leafSpine: every leaf is joined to every spine; hosts are those of each leaf.
func (g *networkBuilder) leafSpine() {
	leaves, spines, each := g.n["leaves"], g.n["spines"], g.n["hosts"]
	g.addSwitches("leaf", leaves)
	g.addSwitches("spine", spines)
	for i := range leaves {
		for j := range each {
			g.attach(numbered("leaf", i), numbered("h", i*each+j))
		}
		for j := range spines {
			g.join(numbered("leaf", i), numbered("spine", j))
		}
	}
}

// fatTree: k pods of k/2 edge and k/2 aggregation switches, k*k/4 cores and
// k*k*k/4 hosts (Al-Fares, Loukissas, Vahdat 2008).
func (g *networkBuilder) fatTree() {
	k := g.n["k"]
	if k%2 != 0 {
		g.v.Fail(fmt.Sprintf("k: %d: accepted: an even number", k))
		return
	}
	half := k / 2
	g.addSwitches("edge", k*half)
	g.addSwitches("agg", k*half)
	g.addSwitches("core", half*half)
	for e := range k * half {
		for h := range half {
			g.attach(numbered("edge", e), numbered("h", e*half+h))
		}
		for a := range half {
			g.join(numbered("edge", e), numbered("agg", e/half*half+a))
		}
	}
	for a := range k * half {
		for c := range half {
			g.join(numbered("agg", a), numbered("core", a%half*half+c))
		}
	}
}

// nodeNames lists a few names, for messages.
func nodeNames(names map[string]int, what string) string {
	if len(names) > 12 {
		return fmt.Sprintf("one of the %d %s", len(names), what)
	}
	out := make([]string, len(names))
	for name, i := range names {
		out[i] = name
	}
	return "a name of the " + what + ": " + strings.Join(out, ", ")
}
