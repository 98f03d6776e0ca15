package fabric

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/document"
)

// This file has the generators: fabrics whose form is known by a few numbers. What they make is as if the file had
// listed it, and the file may add to it.

// generate reads the key generate: one form with its numbers.
func (r *reader) generate(v *document.Value) {
	if v == nil {
		return
	}
	f := v.Fields("leaf-spine", "fat-tree", "rails", "dragonfly", "torus", "mesh")
	if len(f) != 1 {
		if v.Complaints() == 0 {
			v.Fail("want one form: leaf-spine, fat-tree, rails, dragonfly, torus or mesh")
		}
		return
	}
	// Nodes of a form are alike only if nothing was refused and the form says so.
	before := v.Complaints()
	forms := map[string]func(*maker){"leaf-spine": (*maker).leafSpine, "fat-tree": (*maker).fatTree,
		"rails": (*maker).rails, "dragonfly": (*maker).dragonfly, "torus": (*maker).torus, "mesh": (*maker).torus}
	for form, numbers := range f {
		forms[form](&maker{reader: r, at: numbers, closed: form == "torus"})
	}
	r.alike = v.Complaints() == before && r.alike
}

// maker makes nodes and cables.
type maker struct {
	*reader
	at     *document.Value
	closed bool // the rows of a mesh close
}

// numbers reads the numbers of a form: 1 to a bound each. A key that ends in ? may be absent, which is 0.
func (g *maker) numbers(most int64, keys ...string) (out []int, ok bool) {
	before := g.at.Complaints()
	var names, needed []string
	for _, key := range keys {
		name, optional := strings.CutSuffix(key, "?")
		if names = append(names, name); !optional {
			needed = append(needed, name)
		}
	}
	f := g.at.Fields(names...)
	g.at.Need(f, needed...)
	for _, key := range names {
		least := int64(1)
		if key == "hosts" {
			least = 0
		}
		out = append(out, int(f[key].Integer(least, most)))
	}
	return out, g.at.Complaints() == before
}

// fits refuses a form with too many nodes or cables before any is made.
func (g *maker) fits(nodes, cables int) bool {
	if nodes > maxNodes || cables > maxCables {
		g.at.Fail(fmt.Sprintf("%d hosts and switches and %d cables: want at most %d and %d", nodes, cables, maxNodes,
			maxCables))
		return false
	}
	return true
}

// node makes a switch, or a host if its rank is unranked.
func (g *maker) node(kind string, rank int, name string, numbers ...any) int {
	host := rank == unranked
	if !host {
		// The file may give the roles of a form other ranks.
		rank = g.roles[kind].rank.Or(rank)
	}
	return g.add(g.at, node{name: fmt.Sprintf(name, numbers...), host: host, rank: rank, kind: kind})
}

// inPlane makes a switch of a plane.
func (g *maker) inPlane(plane int, kind string, rank int, name string, numbers ...any) int {
	n := g.node(kind, rank, name, numbers...)
	g.nodes[n].plane = fmt.Sprint(plane)
	return n
}

// join makes cables between two nodes.
func (g *maker) join(a, b, count int) {
	g.connect(g.at, cable{ends: [2]end{{node: a}, {node: b}}, count: count, line: g.at.Line})
}

// hosts makes the hosts of a switch.
func (g *maker) hosts(at, count int) {
	for i := range count {
		g.join(g.node("host", unranked, "%s-h%d", g.nodes[at].name, i+1), at, 1)
	}
}

// spines makes the spines of a form with two tiers.
func (g *maker) spines(count int) (out []int) {
	for i := range count {
		out = append(out, g.node("spine", 1, "spine%d", i+1))
	}
	return out
}

// toAll makes cables from a node to each of some others.
func (g *maker) toAll(n int, others []int, cables int) {
	for _, other := range others {
		g.join(n, other, cables)
	}
}

// leafSpine makes leaves, each with cables to every spine.
func (g *maker) leafSpine() {
	n, ok := g.numbers(4096, "leaves", "spines", "hosts?", "cables?")
	if !ok || !g.fits(n[0]*(1+n[2])+n[1], n[0]*(n[1]+n[2])) {
		return
	}
	spines := g.spines(n[1])
	for i := range n[0] {
		leaf := g.node("leaf", 0, "leaf%d", i+1)
		g.toAll(leaf, spines, max(1, n[3]))
		g.hosts(leaf, n[2])
	}
	g.alike = true
}

// fatTree makes a fat tree of switches with k ports (Al-Fares, Loukissas and Vahdat, SIGCOMM 2008): k pods of k/2 ToRs
// and k/2 leaves, and (k/2)^2 spines: 5k^2/4 switches and k^3/2 cables between them.
func (g *maker) fatTree() {
	n, ok := g.numbers(128, "ports", "hosts?")
	if !ok {
		return
	}
	k, half := n[0], n[0]/2
	if k%2 != 0 {
		g.at.Fail(fmt.Sprintf("%d ports: want an even number", k))
		return
	}
	if !g.fits(5*k*k/4+k*half*n[1], k*k*k/2+k*half*n[1]) {
		return
	}
	spines := make([][]int, half)
	for plane := range spines {
		for i := range half {
			spines[plane] = append(spines[plane], g.inPlane(plane+1, "spine", 2, "spine%d-%d", plane+1, i+1))
		}
	}
	for pod := range k {
		var leaves []int
		for plane := range half {
			leaf := g.inPlane(plane+1, "leaf", 1, "leaf%d-%d", pod+1, plane+1)
			g.toAll(leaf, spines[plane], 1)
			leaves = append(leaves, leaf)
		}
		for i := range half {
			tor := g.node("tor", 0, "tor%d-%d", pod+1, i+1)
			g.toAll(tor, leaves, 1)
			g.hosts(tor, n[1])
		}
	}
	g.alike = true
}

// rails makes groups of servers: GPU i of each server of a group is at rail i of the group, and the rails meet at
// spines.
func (g *maker) rails() {
	n, ok := g.numbers(1024, "groups", "rails", "servers", "spines")
	if !ok || !g.fits(n[0]*n[1]*(1+n[2])+n[3], n[0]*n[1]*(n[2]+n[3])) {
		return
	}
	spines := g.spines(n[3])
	for group := range n[0] {
		for rail := range n[1] {
			leaf := g.node("rail", 0, "rail%d-%d", group+1, rail+1)
			g.toAll(leaf, spines, 1)
			for server := range n[2] {
				g.join(g.node("gpu", unranked, "g%ds%d-gpu%d", group+1, server+1, rail+1), leaf, 1)
			}
		}
	}
	g.alike = true
}

// dragonfly makes a dragonfly (Kim, Dally, Scott and Abts, ISCA 2008): routers*links+1 groups, each a full mesh of
// routers, and one cable between each two groups. Link i of router r of a group, counted over the group, leads to the
// group that is i+1 further.
func (g *maker) dragonfly() {
	n, ok := g.numbers(256, "routers", "links", "hosts?")
	if !ok {
		return
	}
	a, h := n[0], n[1]
	groups := a*h + 1
	if !g.fits(groups*a*(1+n[2]), groups*(a*(a-1)/2+a*n[2])+groups*a*h/2) {
		return
	}
	routers := make([][]int, groups)
	for group := range groups {
		for i := range a {
			router := g.node("router", 0, "g%dr%d", group, i)
			for _, other := range routers[group] {
				g.join(other, router, 1)
			}
			routers[group] = append(routers[group], router)
			g.hosts(router, n[2])
		}
	}
	for group := range groups {
		for link := range a * h {
			other := (group + link + 1) % groups
			// The link back is the one that leads as much further as the groups lack; each cable is made by its lower group.
			if back := a*h - 1 - link; group < other {
				g.join(routers[group][link/h], routers[other][back/h], 1)
			}
		}
	}
}

// torus makes a torus, or a mesh, whose rows do not close.
func (g *maker) torus() {
	f := g.at.Fields("size", "hosts")
	g.at.Need(f, "size")
	before := g.at.Complaints()
	var size []int
	nodes := 1
	for _, v := range f["size"].Items() {
		size = append(size, int(v.Integer(2, 4096)))
		nodes = min(nodes*max(1, size[len(size)-1]), 2*maxNodes)
	}
	hosts := int(f["hosts"].Integer(0, 1024))
	if f["size"] != nil && (len(size) == 0 || len(size) > 6) {
		f["size"].Refuse("the length of 1 to 6 dimensions, such as [4, 4]")
	}
	if g.at.Complaints() > before || !g.fits(nodes*(1+hosts), nodes*(len(size)+hosts)) {
		return
	}
	made := make([]int, nodes)
	for i := range nodes {
		at, rest := make([]int, len(size)), i
		for d := len(size) - 1; d >= 0; d-- {
			at[d] = rest % size[d]
			rest /= size[d]
		}
		name := strings.ReplaceAll(strings.Trim(fmt.Sprint(at), "[]"), " ", "-") // 0-2
		made[i] = g.add(g.at, node{name: "n" + name, rank: unranked, at: at, kind: "node"})
		g.hosts(made[i], hosts)
	}
	for i := range nodes {
		// Places are numbered with the last dimension first, so that a step of a dimension is a stride of numbers.
		stride := 1
		for d := len(size) - 1; d >= 0; d-- {
			x := g.nodes[made[i]].at[d]
			switch {
			case x+1 < size[d]:
				g.join(made[i], made[i+stride], 1)
			case g.closed && size[d] > 2: // with two, the cable is there already
				g.join(made[i-x*stride], made[i], 1)
			}
			stride *= size[d]
		}
	}
}
