package fabric

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// answer reads a fabric and answers for it.
func answer(t *testing.T, text string) report.FabricDocument {
	t.Helper()
	f, err := Read("fabric.yaml", []byte(text))
	require.NoError(t, err, text)
	d, err := f.Deadlock(t.Context())
	require.NoError(t, err)
	return d
}

// circle prints the cycle of the first priority that has one, from its first name on.
func circle(d report.FabricDocument) string {
	for _, p := range d.Priorities {
		var out []string
		for _, h := range p.Cycle {
			out = append(out, h.From+">"+h.To)
		}
		if len(out) > 0 {
			first := slices.Index(out, slices.Min(out))
			return strings.Join(slices.Concat(out[first:], out[:first]), " ")
		}
	}
	return ""
}

// ring is a ring of switches.
func ring(names ...string) string {
	var cables []string
	for i, name := range names {
		cables = append(cables, fmt.Sprintf("[%s, %s]", name, names[(i+1)%len(names)]))
	}
	return fmt.Sprintf("switches: [%s]\ncables: [%s]\n", strings.Join(names, ", "), strings.Join(cables, ", "))
}

// clos is the part of a Clos network in which two flows bounce.
const clos = `switches: [T1, T3, T4, L1, L2, L3, L4, S1, S2]
cables: [[T1, L1], [T1, L2], [T3, L3], [T4, L4], [T4, L3], [L1, S1], [L1, S2], [L2, S1], [L2, S2], [L3, S1], [L3, S2],
  [L4, S1], [L4, S2], [T3, L4]]
`

const bouncing = `T3 L3 S1 L1 S2 L2 T1", "T1 L1 S2 L3 S1 L4 T4`

// Each of these has the verdict of its source, and the cycle where the source has one: a circle of two flows (Hu et
// al., HotNets 2016, figure 3), two flows that bounce in a Clos (after Tagger, CoNEXT 2017), a leaf-spine fabric with
// links down, SONiC's dual ToR (tunnel_dscp_remapping.md), rings, meshes, tori and a dragonfly. The verdicts and edges
// were computed by an independent program.
func TestKnownFabrics(t *testing.T) {
	leafSpine := "generate: {leaf-spine: {leaves: 4, spines: 2}}\nroutes: {rule: shortest, between: [leaf*], priority: 3}\n"
	for _, c := range []struct {
		name, text, cycle string
		dependencies      int // 0: the source has no number
	}{
		{"two flows in a ring", ring("A", "B", "C", "D") + `routes: {paths: [A B C D, C D A B], priority: 3}`,
			"A>B B>C C>D D>A", 4},
		{"and a third", ring("A", "B", "C", "D") + `routes: {paths: [A B C D, C D A B, B C], priority: 3}`,
			"A>B B>C C>D D>A", 4},
		{"two flows that bounce", clos + `routes: {paths: ["` + bouncing + `"], priority: 3}`, "L1>S2 S2>L3 L3>S1 S1>L1", 0},
		{"one that bounces", clos + `routes: {paths: [T3 L3 S1 L1 S2 L2 T1], priority: 3}`, "", 5},
		{"another priority from the bounce on", clos + `routes: {priority: 3, paths: [
  {nodes: T3 L3 S1 L1 S2 L2 T1, priorities: [3, 3, 3, 4, 4, 4]}, {nodes: T1 L1 S2 L3 S1 L4 T4, priorities: [3, 3, 3, 4, 4, 4]}]}`,
			"", 0},
		{"leaf-spine", leafSpine, "", 24},
		{"one link down", leafSpine + "down: [[leaf1, spine1]]", "", 18},
		{"two links down", leafSpine + "down: [[leaf1, spine1], [leaf4, spine2]]",
			"leaf2>spine2 spine2>leaf3 leaf3>spine1 spine1>leaf2", 0},
		{"dual ToR", "switches: [U, T1, A, B]\ncables: [[U, T1], [T1, A], [T1, B]]\n" +
			"routes: {paths: [U T1 A T1 B, U T1 B T1 A], priority: 3}", "A>T1 T1>B B>T1 T1>A", 0},
		{"dual ToR with a second priority", "switches: [U, T1, A, B]\ncables: [[U, T1], [T1, A], [T1, B]]\n" +
			"routes: {priority: 3, paths: [{nodes: U T1 A T1 B, priorities: [3, 3, 2, 2]}, " +
			"{nodes: U T1 B T1 A, priorities: [3, 3, 2, 2]}]}", "", 0},
		{"ring of 3", ring("A", "B", "C") + shortest, "", 0},
		{"ring of 4", ring("A", "B", "C", "D") + shortest, "A>B B>C C>D D>A", 8},
		{"ring of 5", ring("A", "B", "C", "D", "E") + shortest, "A>B B>C C>D D>E E>A", 10},
		{"mesh", "generate: {mesh: {size: [3, 3]}}\nroutes: {rule: dimension-order, between: [n*], priority: 3}", "", 28},
		{"mesh by shortest ways", "generate: {mesh: {size: [3, 3]}}\n" + shortest,
			"n0-0>n0-1 n0-1>n1-1 n1-1>n1-0 n1-0>n0-0", 0},
		{"torus of 3", "generate: {torus: {size: [3, 3]}}\nroutes: {rule: dimension-order, between: [n*], priority: 3}", "", 0},
		{"torus of 4", "generate: {torus: {size: [4, 4]}}\nroutes: {rule: dimension-order, between: [n*], priority: 3}",
			"n0-0>n0-1 n0-1>n0-2 n0-2>n0-3 n0-3>n0-0", 0},
	} {
		d := answer(t, c.text)
		require.Equal(t, c.cycle, circle(d), c.name)
		require.Equal(t, c.cycle == "", d.Verdict == noCycle, c.name)
		if c.dependencies > 0 {
			require.Equal(t, c.dependencies, d.Priorities[0].Dependencies, c.name)
		}
		for _, p := range d.Priorities {
			require.Equal(t, len(p.Cycle) == 0, p.Proof != "", c.name)
			for _, h := range p.Cycle {
				require.NotEmpty(t, h.Because, c.name)
			}
		}
	}
}

const shortest = `routes: {rule: shortest, between: ["*"], priority: 3}`

// A dragonfly by ways that are local, global, local: with one priority there is a cycle, and with another in the last
// group none. Both have as many dependencies.
func TestDragonfly(t *testing.T) {
	f, err := Read("d.yaml", []byte("generate: {dragonfly: {routers: 4, links: 2}}\n"+shortest))
	require.NoError(t, err)
	net, _ := f.network()
	group := func(v int) int { return v / 4 }
	global := func(from, to int) (out, in int) { // the cable between two groups
		for v := 4 * from; v < 4*from+4; v++ {
			for _, p := range net.Ports[v] {
				if group(p.Node) == to {
					return v, p.Node
				}
			}
		}
		panic("no cable")
	}
	for _, last := range []int{3, 4} {
		f.routes = []routes{{priority: 3}}
		for s := range f.nodes {
			for d := range f.nodes {
				if s == d {
					continue
				}
				p := route{nodes: []int{s}}
				add := func(v, priority int) {
					if v != p.nodes[len(p.nodes)-1] {
						p.nodes, p.priorities = append(p.nodes, v), append(p.priorities, priority)
					}
				}
				if group(s) != group(d) {
					out, in := global(group(s), group(d))
					add(out, 3)
					add(in, 3)
					add(d, last)
				} else {
					add(d, 3)
				}
				f.routes[0].paths = append(f.routes[0].paths, p)
			}
		}
		d, err := f.Deadlock(t.Context())
		require.NoError(t, err)
		dependencies, cycle := 0, 0
		for _, p := range d.Priorities {
			dependencies += p.Dependencies
			cycle += len(p.Cycle)
		}
		require.Equal(t, 432, dependencies)
		require.Equal(t, map[int]int{3: 6, 4: 0}[last], cycle)
	}
}

// Fat trees have no cycle with one cable down, and some pairs of cables make one: 56 of 496 in a fat tree of switches
// with four ports.
func TestFailuresOfAFatTree(t *testing.T) {
	text := "generate: {fat-tree: {ports: 4}}\nroutes: {rule: shortest, between: [tor*], priority: 3}\n"
	d := answer(t, text+"failures: {links: 1}")
	require.Equal(t, []any{noCycle, "all kinds", 2, 0, 2}, []any{d.Failures.Verdict, d.Failures.How, d.Failures.Cases,
		d.Failures.Locks, d.Failures.Moving})
	d = answer(t, text+"failures: {links: 2}")
	require.Equal(t, canLock, d.Failures.Verdict)
	require.Equal(t, []any{"all", 32 + 496, 56}, []any{d.Failures.How, d.Failures.Cases, d.Failures.Locks})
	require.NotEmpty(t, d.Failures.First)
	require.NotEmpty(t, d.Failures.Cycle)
	// Every cable alone, without using that those of a kind are alike.
	f, err := Read("f.yaml", []byte(text+"failures: {links: 1}"))
	require.NoError(t, err)
	f.alike = false
	all, err := f.Deadlock(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{"all", 32, 0, 32}, []any{all.Failures.How, all.Failures.Cases, all.Failures.Locks,
		all.Failures.Moving})
	require.Equal(t, 32, all.Failures.Singles)
	// Sets of two that are drawn have no single failure, of which nothing is said then.
	drawn := answer(t, "generate: {leaf-spine: {leaves: 32, spines: 16}}\nfailures: {links: 2}\n"+
		"routes: {rule: shortest, between: [leaf*], priority: 3}\n")
	require.Equal(t, []any{"drawn", 0, 0}, []any{drawn.Failures.How, drawn.Failures.Singles, drawn.Failures.Moving})
}

// A cable that is listed beside a generated form is looked at by itself, and so are all others then.
func TestListedBesideGenerated(t *testing.T) {
	d := answer(t, "generate: {leaf-spine: {leaves: 4, spines: 2}}\nswitches: [extra, other]\nfailures: {links: 1}\n"+
		"cables: [[extra, leaf1], [extra, leaf2], [other, leaf3]]\n"+
		"routes: {rule: shortest, between: [leaf*], priority: 3}\n")
	require.Equal(t, []any{"all", 8 + 3}, []any{d.Failures.How, d.Failures.Cases})
}

// One link of a leaf-spine fabric fails: before and after there is no cycle, and while switches change there can be
// one.
func TestConverging(t *testing.T) {
	d := answer(t, "generate: {leaf-spine: {leaves: 4, spines: 2}}\nfailures: {links: 1}\n"+
		"routes: {rule: shortest, between: [leaf*], priority: 3}\n")
	require.Equal(t, noCycle, d.Verdict)
	require.Equal(t, noCycle, d.Failures.Verdict)
	require.Equal(t, 1, d.Failures.Moving)
	require.Contains(t, d.Failures.Moves, "leaf1 - spine1 fails: ")
}

// Frames between the two switches of a host take as few cables by a spine as they would through the host, which passes
// nothing on: the second program does not send them there either.
func TestHostsWithTwoCables(t *testing.T) {
	const fabric = "hosts: [h]\nswitches: [{name: a, rank: 0}, {name: b, rank: 0}, {name: s, rank: 1}]\n" +
		"cables: [[a, s], [b, s], [h, a], [h, b]]\n"
	for _, rule := range []string{"shortest", "up-down", "valley-free"} {
		d := answer(t, fabric+"routes: {rule: "+rule+", between: [a, b], priority: 3}\n")
		require.Equal(t, "ranks, checked independently", d.Priorities[0].Proof, rule)
		require.Equal(t, []int{4, 2}, []int{d.Priorities[0].Channels, d.Priorities[0].Dependencies}, rule)
	}
}

// A range names switches wherever a list does; one of them that is not there is refused.
func TestRanges(t *testing.T) {
	const fabric = "generate: {leaf-spine: {leaves: 4, spines: 2}}\nroutes: {rule: shortest, between: %s, priority: 3}\n"
	require.Equal(t, answer(t, fmt.Sprintf(fabric, "[leaf2, leaf3]")), answer(t, fmt.Sprintf(fabric, "leaf2-3")))
	_, err := Read("fabric.yaml", fmt.Appendf(nil, fabric, "leaf3-5"))
	require.ErrorContains(t, err, "want a name or a pattern")
}

// Names and their order change nothing.
func TestOrderChangesNothing(t *testing.T) {
	a := answer(t, ring("A", "B", "C", "D", "E", "F")+shortest)
	b := answer(t, ring("F", "A", "C", "B", "E", "D")+shortest)
	require.Equal(t, a.Priorities[0].Dependencies, b.Priorities[0].Dependencies)
	require.Len(t, b.Priorities[0].Cycle, len(a.Priorities[0].Cycle))
}

// The context ends the search over failures.
func TestFailuresEnd(t *testing.T) {
	f, err := Read("f.yaml", []byte("generate: {fat-tree: {ports: 4}}\nfailures: {links: 2}\n"+
		"routes: {rule: shortest, between: [tor*], priority: 3}\n"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.Deadlock(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// What a file must not say, each with the place and what is wanted.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "document"},
		{"switches: [A, A]\ncables: []\n" + shortest, "A is there already"},
		{"switches: [A, B]\ncables: [[A, C]]\n" + shortest, "want the name of a host or switch of this file"},
		{"switches: [A, B]\ncables: [[A, A]]\n" + shortest, "a cable between two nodes"},
		{"switches: [A, B]\ncables: [[A, B], [B, A]]\n" + shortest, "is also in line 2"},
		{"switches: [A, B]\ncables: [[\"A:1\", \"B:1\"], [\"A:1\", \"B:2\"]]\n" + shortest, "the port A:1 has two cables"},
		{"switches: [A, B]\ncables: [[A, B]]\ndown: [[B, B]]\n" + shortest, "no cable from B to B"},
		{"switches: [A, B]\ncables: [[A, B]]\nroutes: {priority: 3}", "want paths, a rule, tables or flood"},
		{"switches: [A, B]\ncables: [[A, B]]\nroutes: {paths: [A C], priority: 3}", `"C" is no host or switch`},
		{"switches: [A, B, C]\ncables: [[A, B]]\nroutes: {paths: [A C], priority: 3}", "no cable from A to C"},
		{"hosts: [H]\nswitches: [A, B]\ncables: [[A, H], [H, B]]\nroutes: {paths: [A H B], priority: 3}",
			"a host passes nothing on"},
		{"switches: [A, B]\ncables: [[A, B]]\nroutes: {rule: up-down, between: [A, B], priority: 3}", "A has none"},
		{"switches: [A, B]\ncables: [[A, B]]\nroutes: {rule: shortest, between: [x*], priority: 3}", "want a name or a pattern"},
		{"switches: [A, B]\ncables: [[A, B]]\nroutes: {rule: best, between: [A], priority: 3}", "want shortest, up-down"},
		{"switches: [A, B]\ncables: [[A, B]]\nroutes: {rule: shortest, between: [A, B], priority: 9}", "priority"},
		{"generate: {fat-tree: {ports: 5}}\n" + shortest, "want an even number"},
		{"generate: {fat-tree: {ports: 128, hosts: 128}}\n" + shortest, "want at most"},
		{"generate: {torus: {size: [4096, 4096]}}\n" + shortest, "want at most"},
		{"generate: {fat-tree: {ports: 4}, torus: {size: [3]}}\n" + shortest, "want one form"},
	} {
		f, err := Read("fabric.yaml", []byte(c.text))
		require.ErrorContains(t, err, c.want, c.text)
		require.Nil(t, f)
	}
}

// Any bytes are read or refused, and what is read is answered.
func FuzzRead(f *testing.F) {
	f.Add([]byte(ring("A", "B", "C") + shortest))
	f.Add([]byte(clos + `routes: {paths: ["` + bouncing + `"], priority: 3}`))
	f.Add([]byte("generate: {mesh: {size: [3, 3]}}\nroutes: {rule: dimension-order, between: [n*], priority: 3}"))
	f.Add([]byte("generate: {leaf-spine: {leaves: 2, spines: 2, hosts: 1}}\ndown: [[leaf1, spine1]]\nfailures: {links: 1}\n" +
		shortest))
	f.Add([]byte("generate: {mesh}"))
	f.Add([]byte(square + "rewrites: [{at: [A, B], from: C, priority: 3, becomes: lossy}]\nwatchdog: {detection: 1s, poll: 1s}\n" +
		"routes: [{tables: x, from: A, priority: 3}, {flood: [A], priority: 4}, {rule: shortest, between: [A, B], priority: 4}]"))
	f.Add([]byte(planned))
	f.Add([]byte("generate: {leaf-spine: {leaves: 2, spines: 1, hosts: 2}}\n" +
		"routes: {tables: x, before: y, from: [leaf*], priority: 3}\n" +
		"host_ends: [{hosts: [leaf1-h*], pfc: [3], mtu: 9216B, lossless_mtu: 4096B}]\n" +
		"traffic: [{from: [leaf1-h1], to: [leaf2-h1], priority: 3, size: 1MiB, rate: 1G, start: 1us}]\n" +
		"cable_kinds: [{a: leaf*, b: \"*\", length: 5m, speed: 100G}]\n"))
	in, err := topology.Parse("leaf.yaml", []byte(strings.Replace(leafTemplate, "Ethernet1-5",
		"Ethernet1-5, speed: 100G, cable: 5m", 1)), nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read("fabric.yaml", data)
		if err != nil || len(file.nodes)*max(1, len(file.cables)) > 2000 {
			return
		}
		require.NoError(t, file.Tables(func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("")), nil
		}))
		_, _, _ = file.Planned()
		_, _, _, _ = file.Simulation("", func(*Switch) (*buffer.Intent, error) { return &in, nil })
		d, err := file.Deadlock(t.Context())
		if len(file.routes) == 0 {
			require.ErrorContains(t, err, "routes: missing")
			return
		}
		require.NoError(t, err)
		_, _ = file.Scenario(&d)
		require.Equal(t, d.Verdict == canLock, slices.ContainsFunc(d.Priorities,
			func(p report.FabricPriority) bool { return len(p.Cycle) > 0 }))
	})
}

// No hosts are what a generated fabric has without the key.
func TestNoHosts(t *testing.T) {
	for _, form := range []string{"leaf-spine: {leaves: 3, spines: 2, hosts: 0}", "fat-tree: {ports: 4, hosts: 0}",
		"dragonfly: {routers: 2, links: 1, hosts: 0}", "torus: {size: [3, 3], hosts: 0}"} {
		f, err := Read("fabric.yaml", []byte("generate: {"+form+"}\n"+shortest))
		require.NoError(t, err, form)
		require.Zero(t, f.Hosts())
	}
}
