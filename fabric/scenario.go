package fabric

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes a circle as a scenario of the simulator: the switches and cables of the ways that make it, and a
// flow at line rate for each way. A circle is necessary for a lock and not sufficient, so a run that locks says more
// than the circle does, and a run that does not lock proves nothing.

// mostFlows is the number of ways up to which given paths over channels of the circle are added to those that make it:
// a run of all paths of a file could take minutes. The ways that make the circle are always there.
const mostFlows = 16

// Scenario returns a scenario of package backend/sim/scenario for the first circle of an answer of this file. The error
// says why there is none: no circle, ways that pass a switch twice or are floods (the simulator routes by the
// destination), or a circle over several priorities (its switches change none).
func (f *File) Scenario(d *report.FabricDocument) ([]byte, error) {
	p := d.Circle()
	if p == nil {
		return nil, fmt.Errorf("no circle: there is nothing to simulate")
	}
	s := &scene{File: f, priority: p.Priority}
	circle := map[[2]string]bool{}
	for _, h := range p.Cycle {
		if h.Priority != s.priority {
			return nil, fmt.Errorf("the circle is over several priorities, and switches of the simulator change none")
		}
		if h.Way == nil {
			return nil, fmt.Errorf("the circle needs frames that are flooded, and the simulator does not flood")
		}
		s.add(h.Way)
		circle[[2]string{h.From, h.To}] = true
	}
	for _, r := range f.routes {
		for j := range r.paths {
			s.addIf(f.names(r.paths[j].nodes), circle, r.paths[j].priorities)
		}
	}
	// The detours of a scenario are by switch and receiver, so that a switch has one next hop for each flow.
	for _, way := range s.ways {
		for k, name := range way {
			if slices.Contains(way[k+1:], name) {
				return nil, fmt.Errorf("the way %s passes %s twice, and the simulator routes by the destination",
					strings.Join(way, " "), name)
			}
		}
	}
	return s.text(), nil
}

// scene is a scenario that is being made.
type scene struct {
	*File
	priority int
	ways     [][]string // the switches of each
}

// namer gives nodes the names that they have in a scenario.
type namer struct {
	named map[string]string // by the name in the fabric
	taken map[string]bool
}

func newNamer() namer { return namer{map[string]string{}, map[string]bool{"all": true}} }

// add adds a way, without the hosts at its ends: each flow gets hosts of its own, so that its route is its own.
func (s *scene) add(way []string) {
	// Two ways with the same switches would be two flows on one circle, and no other one.
	way = slices.DeleteFunc(slices.Clone(way), func(name string) bool { return s.nodes[s.number[name]].host })
	same := func(other []string) bool { return slices.Equal(way, other) }
	if len(way) > 1 && !slices.ContainsFunc(s.ways, same) {
		s.ways = append(s.ways, way)
	}
}

// addIf adds a given path that takes a channel of the circle, in its priority all the way.
func (s *scene) addIf(way []string, circle map[[2]string]bool, priorities []int) {
	if slices.ContainsFunc(priorities, func(p int) bool { return p != s.priority }) {
		return
	}
	for i := range way[1:] {
		if circle[[2]string{way[i], way[i+1]}] && len(s.ways) < mostFlows {
			s.add(way)
			return
		}
	}
}

// other is what is no letter or digit.
var other = once.Pattern(`[^A-Za-z0-9]`)

// alias is the name of a node in the scenario: its own, but for what would be a range there, as tor1-4 is one of four:
// of that, what is no letter or digit becomes _.
func (n *namer) alias(node string) string {
	if name, known := n.named[node]; known {
		return name
	}
	name := node
	if some, err := topology.ExpandPorts(node); err != nil || len(some) != 1 || some[0] != node {
		name = other().ReplaceAllString(node, "_")
	}
	// all is a word of scenarios, and two names can become one.
	for n.taken[name] {
		name += "_"
	}
	n.taken[name], n.named[node] = true, name
	return name
}

// text is the scenario, made as that of a whole fabric is. Each way has two hosts and a flow of its own.
func (s *scene) text() []byte {
	sim := &simulation{namer: newNamer(), file: s.File}
	sim.lossless[s.priority] = true
	// A cable is like the first one between two nodes of the file, or 100G over 10 m.
	join := func(a, b, x, y string) {
		c := &s.cables[s.between(s.number[x], s.number[y])[0]]
		sim.cables = append(sim.cables, Cable{A: Port{Node: a}, B: Port{Node: b}, Speed: cmp.Or(c.speed, "100G"),
			Length: cmp.Or(c.length, "10m")})
	}
	var detours, flows []string
	joined := map[[2]string]bool{}
	for _, way := range s.ways {
		for k, node := range way {
			sim.nodes = grouped.Add(sim.nodes, node)
			if k == 0 {
				continue
			}
			if key := [2]string{min(way[k-1], node), max(way[k-1], node)}; !joined[key] {
				joined[key] = true
				join(key[0], key[1], key[0], key[1])
			}
		}
	}
	for i, way := range s.ways {
		from, to, last := fmt.Sprintf("sender%d", i+1), fmt.Sprintf("receiver%d", i+1), len(way)-1
		sim.hosts = append(sim.hosts, from, to)
		join(from, way[0], way[0], way[1])
		join(to, way[last], way[last-1], way[last])
		var each []string
		for k := range last {
			each = append(each, fmt.Sprintf("{at: %s, to: [%s]}", sim.quoted(way[k:k+1]), sim.quoted(way[k+1:k+2])))
		}
		detours = append(detours, fmt.Sprintf("- {kind: misroute, host: %q, detours: [%s]}\n", sim.alias(to),
			strings.Join(each, ", ")))
		flows = append(flows, fmt.Sprintf("{name: way%d, from: %q, to: %q, class: priority%d, frame: 1024B} # %s", i+1,
			sim.alias(from), sim.alias(to), s.priority, strings.Join(way, " ")))
	}
	links, _, err := sim.links()
	if err != nil {
		panic("fabric: a circle without cables: " + err.Error()) // each has a speed and a length
	}
	// Limits are static and low (100 KiB), because a run has to fill every group of the circle within milliseconds. A
	// group of a real switch may take more before it pauses.
	name := "a circle of " + s.File.name + ": a flow at line rate on each way that makes it, and no other"
	return sim.text(name, 5*unit.Millisecond, fmt.Sprintf(`switch:
  cell: 208B
  pool: 64MiB
  pfc: [priority%d]
  groups:
    priority%[1]d: {static: 100KiB, headroom: {method: ieee802.1qbb, mtu: 9216B, lossless_mtu: 9216B, frame: 64B}, xon_offset: 10KiB}
# Every switch sends the frames of a flow to the next one of its way.
failures:
%s`, s.priority, strings.Join(detours, "")), links, flows)
}
