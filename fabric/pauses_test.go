package fabric

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// slow answers for a node that takes no more frames.
func slow(t *testing.T, text, from string, xoff unit.Bytes) report.FabricPausesDocument {
	t.Helper()
	f, err := Read("fabric.yaml", []byte(text))
	require.NoError(t, err, text)
	d, err := f.Pauses(from, func(string, int) Limit {
		return Limit{XOFF: xoff, Wire: xoff, Mark: unit.Given[unit.Bytes](0)}
	})
	require.NoError(t, err)
	return d
}

// A slow host of a leaf-spine fabric stops its own leaf's hosts at depth 1 and those of others at depth 3, and every
// flow of these; its own can still be sent. All hosts are alike.
func TestPauses(t *testing.T) {
	const text = `generate: {leaf-spine: {leaves: 3, spines: 2, hosts: 2}}
cable_kinds: [{a: leaf, b: host, length: 2m, speed: 100G}, {a: leaf, b: spine, length: 100m, speed: 400G}]
routes: {rule: shortest, between: ["*-h*"], priority: 3}
`
	d := slow(t, text, "", 10_000)
	require.Len(t, d.Slow, 1)
	require.Contains(t, fmt.Sprint(d.Notes), "frames are marked from 0B in an egress queue on", "an explicit zero is one")
	p := d.Slow[0]
	require.Equal(t, []int{6, 1 + 1 + 2 + 4 + 4, 5, 5 * 5, 5 * 4}, []int{p.Alike, p.Channels, p.Hosts, p.Flows, p.Victims})
	var rows []string
	for _, x := range p.Spread {
		rows = append(rows, fmt.Sprintf("%d %s %s %d %d %d %v", x.Depth, x.From, x.To, x.Channels, x.Hosts, x.Victims,
			unit.Time(*x.Earliest)))
	}
	// 84 bytes at 100G are 6.72 ns, at 400G 1.68 ns; 2 m are 10 ns, 100 m 500 ns; 10,000 bytes at 100G 800 ns, at 400G
	// 200 ns.
	require.Equal(t, []string{
		"0 leaf host 1 0 0 16.72ns",
		"1 host leaf 1 1 8 833.44ns",
		"1 spine leaf 2 0 0 718.4ns",
		"2 leaf spine 4 0 8 1.42008us",
		"3 host leaf 4 4 4 2.2368us",
	}, rows)
	behind := []string{}
	for _, x := range d.FanIn {
		behind = append(behind, fmt.Sprintf("%s %d %d %d", x.Role, x.Switches, x.Ports, x.Behind))
	}
	require.Equal(t, []string{"leaf 3 4 3", "spine 2 3 2"}, behind)
	for _, c := range []struct{ from, want string }{{"x", "want the name of a host"}, {"leaf1-h1:eth0", "with a cable"}} {
		f, err := Read("fabric.yaml", []byte(text))
		require.NoError(t, err)
		_, err = f.Pauses(c.from, nil)
		require.ErrorContains(t, err, c.want)
	}
	f, err := Read("fabric.yaml", []byte(ring("A", "B", "C")+shortest))
	require.NoError(t, err)
	_, err = f.Pauses("", nil)
	require.ErrorContains(t, err, "has no hosts")
}

// What stops, and which flows, are those of the definition: a channel stops if one that stops follows it on a way, and
// a flow to another node is a victim if one of its ways has a channel that stops.
func TestPausesAreTheDefinition(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		n := 5 + random.IntN(3)
		var cables []string
		for v := range n {
			cables = append(cables, fmt.Sprintf("[s%d, s%d]", v, (v+1)%n))
		}
		if chord := 2 + random.IntN(n-3); chord < n-1 {
			cables = append(cables, fmt.Sprintf("[s0, s%d]", chord))
		}
		var hosts []string
		for v := range n {
			hosts = append(hosts, fmt.Sprintf("h%d", v))
			cables = append(cables, fmt.Sprintf("[h%d, s%d]", v, v))
		}
		text := fmt.Sprintf("hosts: [%s]\nswitches: [{range: s0-%d}]\ncables: [%s]\nroutes: {rule: shortest, between: [h*], "+
			"priority: 3}\n", strings.Join(hosts, ", "), n-1, strings.Join(cables, ", "))
		f, err := Read("fabric.yaml", []byte(text))
		require.NoError(t, err)
		d, err := f.Pauses("h0", nil)
		require.NoError(t, err)
		channels, victims, flows := slowPauses(f, f.number["h0"])
		require.Equal(t, []int{channels, victims, flows}, []int{d.Slow[0].Channels, d.Slow[0].Victims, d.Slow[0].Flows},
			"seed %d", seed)
	}
}

// slowPauses follows every shortest way of every pair by itself.
func slowPauses(f *File, at int) (channels, victims, flows int) {
	net, _ := f.network()
	type hop struct{ from, to int }
	var ways [][]hop
	var ends [][2]int
	for s := range f.nodes {
		for d := range f.nodes {
			if s == d || !f.nodes[s].host || !f.nodes[d].host {
				continue
			}
			shortest := 1 << 20
			var found [][]hop
			var walk func(v int, way []hop)
			walk = func(v int, way []hop) {
				if v == d {
					if len(way) < shortest {
						shortest, found = len(way), nil
					}
					if len(way) == shortest {
						found = append(found, append([]hop(nil), way...))
					}
					return
				}
				if len(way) > 0 && f.nodes[v].host || len(way) >= shortest || len(way) > len(f.nodes) {
					return
				}
				for _, p := range net.Ports[v] {
					walk(p.Node, append(way, hop{v, p.Node}))
				}
			}
			walk(s, nil)
			for _, way := range found {
				ways, ends = append(ways, way), append(ends, [2]int{s, d})
			}
		}
	}
	stops := map[hop]bool{}
	for changed := true; changed; {
		changed = false
		for _, way := range ways {
			for i, h := range way {
				if !stops[h] && (h.to == at || i+1 < len(way) && stops[way[i+1]]) {
					stops[h], changed = true, true
				}
			}
		}
	}
	all, hit := map[[2]int]bool{}, map[[2]int]bool{}
	for i, way := range ways {
		if ends[i][1] == at {
			continue
		}
		all[ends[i]] = true
		for _, h := range way {
			if stops[h] {
				hit[ends[i]] = true
			}
		}
	}
	return len(stops), len(hit), len(all)
}

// Of more hosts than are compared, the others are counted.
func TestHostsThatAreNotCompared(t *testing.T) {
	f, err := Read("fabric.yaml", []byte(`generate: {leaf-spine: {leaves: 3, spines: 2, hosts: 2}}
routes: {rule: shortest, between: ["*-h*"], priority: 3}
`))
	require.NoError(t, err)
	w := f.wave()
	froms, err := w.froms("", 4)
	require.NoError(t, err)
	require.Len(t, froms, 4)
	require.Equal(t, []string{"the first 4 hosts are compared, and 2 are not: --from asks about one of them"}, w.notes)
	froms, err = f.wave().froms("", 6)
	require.NoError(t, err)
	require.Len(t, froms, 6)
}

// The picture of what stops has the channels of the answer, level by level.
func TestSpread(t *testing.T) {
	const text = `generate: {leaf-spine: {leaves: 3, spines: 2, hosts: 2}}
routes: {rule: shortest, between: ["*-h*"], priority: 3}
`
	f, err := Read("fabric.yaml", []byte(text))
	require.NoError(t, err)
	levels, err := f.Spread("leaf1-h1")
	require.NoError(t, err)
	var sizes []int
	for _, l := range levels {
		sizes = append(sizes, len(l))
	}
	require.Equal(t, []int{1, 3, 4, 4}, sizes)
	require.Equal(t, report.FabricHop{From: "leaf1", To: "leaf1-h1", Priority: 3}, levels[0][0])
	require.Equal(t, map[string]int{"leaf1": 3, "leaf2": 3, "leaf3": 3, "spine1": 2, "spine2": 2}, f.FanIn())
	_, err = f.Spread("leaf1")
	require.ErrorContains(t, err, "no host")
}
