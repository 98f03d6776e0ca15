package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
)

// generator makes a network from a few numbers.
type generator struct {
	keys []string // the numbers that it needs
	make func(g *networkBuilder)
}

// generators lists the generators by name. Each one also takes rate, delay or
// cable, and interface for the links to hosts. The same keys with the prefix
// trunk_ are for the links between switches, which by default are like those to
// hosts.
var generators = map[string]generator{
	"incast":       {[]string{"senders"}, (*networkBuilder).incast},
	"two-switches": {[]string{"left", "right"}, (*networkBuilder).twoSwitches},
	"chain":        {[]string{"switches", "hosts"}, (*networkBuilder).row},
	"ring":         {[]string{"switches", "hosts"}, (*networkBuilder).ring},
	"leaf-spine":   {[]string{"leaves", "spines", "hosts"}, (*networkBuilder).leafSpine},
	"fat-tree":     {[]string{"k"}, (*networkBuilder).fatTree},
}

// networkBuilder is the state of a generator. The names of the nodes are
// documented: other keys of the file, such as flows, refer to them. n has the numbers by their keys, each from 1 to
// maxGenerated.
type networkBuilder struct {
	*reader
	v             *document.Value // value of the file, for complaints
	n             map[string]int
	access, trunk cable // links to hosts; trunk: links between switches
}

// maxGenerated is the largest number that a generator accepts. It keeps the
// product of two numbers far from an overflow.
const maxGenerated = 4096

// maxGeneratedPorts is the most ports of switches that a generator makes: fewer than fabric.MaxPorts, because the
// description of a network takes more memory to read than to keep.
const maxGeneratedPorts = 1 << 17

// generate runs a generator. The product of its numbers bounds hosts and links; a fat-tree of k has k*k*k/4 hosts and
// 5*k*k*k/4 ports of switches.
func (r *reader) generate(v *document.Value) {
	kind := v.Field("kind")
	gen, ok := generators[kind.Text()]
	if !ok {
		kind.Refuse(strings.Join(slices.Sorted(maps.Keys(generators)), ", ") + "; or leave kind out and list hosts, switches and links")
		return
	}
	before := v.Complaints()
	keys := append([]string{"kind", "rate", "delay", "cable", "interface", "trunk_rate", "trunk_delay", "trunk_cable",
		"trunk_interface"}, gen.keys...)
	// Credits, retry and errors can be given for both kinds of links, too.
	for _, k := range layerKeys {
		keys = append(keys, k, "trunk_"+k)
	}
	f := v.Fields(keys...)
	v.Need(f, append([]string{"rate"}, gen.keys...)...)
	g := &networkBuilder{reader: r, v: v, n: map[string]int{}}
	// The size is computed first: a small file must not ask for a network that
	// does not fit the memory.
	product := 1
	for _, key := range gen.keys {
		g.n[key] = int(f[key].Integer(1, maxGenerated))
		product *= max(g.n[key], 1)
	}
	if kind.Text() == "fat-tree" {
		product = g.n["k"] * g.n["k"] * g.n["k"] / 4
	}
	if ports := 5 * product; kind.Text() == "fat-tree" && ports > maxGeneratedPorts {
		v.Fail(fmt.Sprintf("%d ports of switches: want at most %d", ports, maxGeneratedPorts))
	} else if product > fabric.MaxHosts {
		v.Fail(fmt.Sprintf("%d hosts or links: want at most %d", product, fabric.MaxHosts))
	}
	g.access = r.cable(v, f, "", cable{})
	g.trunk = r.cable(v, f, "trunk_", g.access)
	if v.Complaints() == before {
		gen.make(g)
	}
}

// attach adds a host and links it to a switch.
func (g *networkBuilder) attach(node, host string) {
	g.host(g.v, host)
	g.link(g.v, host, node, g.access)
}

// join links two switches.
func (g *networkBuilder) join(a, b string) { g.link(g.v, a, b, g.trunk) }

// addSwitches adds n switches: s1, s2, ...
func (g *networkBuilder) addSwitches(prefix string, n int) {
	for i := range n {
		g.node(g.v, numbered(prefix, i))
	}
}

// numbered returns the name of the i-th node: s1, s2, ...
func numbered(prefix string, i int) string { return fmt.Sprintf("%s%d", prefix, i+1) }

// incast makes one switch s1 with senders h1, h2, ... and one receiver.
func (g *networkBuilder) incast() {
	g.node(g.v, "s1")
	for i := range g.n["senders"] {
		g.attach("s1", numbered("h", i))
	}
	g.attach("s1", "receiver")
}

// twoSwitches makes a switch s1 with left hosts l1, ... and a switch s2 with
// right hosts r1, ...
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

// row makes switches s1, s2, ... in a row: a chain. Their hosts are numbered over all
// switches, so that a flow can name them without the switch.
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

// ring makes a row and links its ends. Packets take the shorter way.
func (g *networkBuilder) ring() {
	if g.n["switches"] < 3 {
		g.v.Fail(fmt.Sprintf("switches: %d: want 3 or more", g.n["switches"]))
		return
	}
	g.row()
	g.join(numbered("s", g.n["switches"]-1), "s1")
}

// leafSpine links every leaf to every spine. hosts is the number of hosts per
// leaf. The cable of the trunk is that of each leaf to each spine.
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

// fatTree makes k pods of k/2 edge and k/2 aggregation switches, k*k/4 core
// switches and k*k*k/4 hosts (Al-Fares, Loukissas, Vahdat 2008). Aggregation switch a of a pod is linked to the cores
// a*k/2 to a*k/2+k/2-1, so any two pods meet in every core.
func (g *networkBuilder) fatTree() {
	k := g.n["k"]
	if k%2 != 0 {
		g.v.Fail(fmt.Sprintf("k: %d: want an even number", k))
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
