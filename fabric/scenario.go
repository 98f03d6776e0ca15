package fabric

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
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
	s := &scene{File: f, priority: p.Priority, namer: newNamer()}
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
	namer
	priority int
	ways     [][]string        // the switches of each
	cables   map[[2]int]*cable // by their ends, in both orders
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
	for _, p := range priorities {
		if p != s.priority {
			return
		}
	}
	for i := range way[1:] {
		if circle[[2]string{way[i], way[i+1]}] && len(s.ways) < mostFlows {
			s.add(way)
			return
		}
	}
}

// alias is the name of a node in the scenario: its own, but for what would be a range there, as tor1-4 is one of four:
// of that, what is no letter or digit becomes _.
func (n *namer) alias(node string) string {
	if name, known := n.named[node]; known {
		return name
	}
	name := node
	if some, err := topology.ExpandPorts(node); err != nil || len(some) != 1 || some[0] != node {
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, node)
	}
	// all is a word of scenarios, and two names can become one.
	for n.taken[name] {
		name += "_"
	}
	n.taken[name], n.named[node] = true, name
	return name
}

// text is the scenario.
func (s *scene) text() []byte {
	// Limits are static and low (100 KiB), because a run has to fill every group of the circle within milliseconds. A
	// group of a real switch may take more before it pauses.
	var switches, links, hosts []string
	joined := map[string]bool{}
	for i, way := range s.ways {
		for k, node := range way {
			if name := s.alias(node); !slices.Contains(switches, name) {
				switches = append(switches, name)
			}
			if k == 0 {
				continue
			}
			a, b := min(way[k-1], node), max(way[k-1], node)
			if !joined[a+" "+b] {
				joined[a+" "+b] = true
				links = append(links, fmt.Sprintf("{from: %s, to: %s, %s}", s.alias(a), s.alias(b), s.link(a, b)))
			}
		}
		hosts = append(hosts, s.alias(fmt.Sprintf("sender%d", i+1)), s.alias(fmt.Sprintf("receiver%d", i+1)))
	}
	for i, way := range s.ways {
		links = append(links, fmt.Sprintf("{from: %s, to: %s, %s}", hosts[2*i], s.alias(way[0]), s.link(way[0], way[1])),
			fmt.Sprintf("{from: %s, to: %s, %s}", hosts[2*i+1], s.alias(way[len(way)-1]),
				s.link(way[len(way)-2], way[len(way)-1])))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `name: a circle of %s
lesson: >-
  The ways that make a circle of channels in priority %d, each with a flow at line rate. All other traffic is left out.
until: 5ms
deadlock_every: 50us
classes:
  - {name: lossless, priority: %d, lossless: true}
topology:
  hosts: [%s]
  switches: [%s]
  links:
    - %s
host: {pfc: [lossless]}
switch:
  cell: 208B
  pool: 64MiB
  pfc: [lossless]
  groups:
    lossless: {static: 100KiB, headroom: {method: ieee802.1qbb, mtu: 9216B, lossless_mtu: 9216B, frame: 64B}, xon_offset: 10KiB}
# Every switch sends the frames of a flow to the next one of its way.
failures:
`, strings.NewReplacer("\n", " ", "\"", "'", ":", " ", "#", " ").Replace(s.File.name), s.priority, s.priority,
		strings.Join(hosts, ", "), strings.Join(switches, ", "), strings.Join(links, "\n    - "))
	for i, way := range s.ways {
		var detours []string
		for k := range way[1:] {
			detours = append(detours, fmt.Sprintf("{at: %s, to: [%s]}", s.alias(way[k]), s.alias(way[k+1])))
		}
		fmt.Fprintf(&out, "  - {kind: misroute, host: %s, detours: [%s]}\n", hosts[2*i+1], strings.Join(detours, ", "))
	}
	out.WriteString("flows:\n")
	for i, way := range s.ways {
		fmt.Fprintf(&out, "  - {name: way%d, from: %s, to: %s, class: lossless, frame: 1024B} # %s\n", i+1, hosts[2*i],
			hosts[2*i+1], strings.Join(way, " "))
	}
	return out.Bytes()
}

// link is what a cable of the scenario is like: the first between two nodes, as the file says it, or 100G over 10 m.
func (s *scene) link(a, b string) string {
	if s.cables == nil {
		s.cables = map[[2]int]*cable{}
		for i := range s.File.cables {
			c := &s.File.cables[i]
			for k := range 2 {
				if key := [2]int{c.ends[k].node, c.ends[1-k].node}; s.cables[key] == nil {
					s.cables[key] = c
				}
			}
		}
	}
	c := s.cables[[2]int{s.number[a], s.number[b]}]
	return fmt.Sprintf("rate: %s, cable: %s", cmp.Or(c.speed, "100G"), cmp.Or(c.length, "10m"))
}
