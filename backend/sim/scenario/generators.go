package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
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
