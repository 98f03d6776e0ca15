package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// checker collects the complaints about a network. A network can have 100,000 ports, so nothing is formatted for what
// is right: each part returns complaints with paths inside the part, and under puts the path of the part in front.
// linked has both directions of each link; area joins switches that links connect, to answer whether a flow has a
// way.
type checker struct {
	n      *Network
	bad    fielderr.List
	linked map[End]End
	area   areas // of switches that links connect
}

// under adds the complaints about one of the things of a list.
func (v *checker) under(list string, i int, err error) {
	if err != nil {
		v.bad.Under(fmt.Sprintf("%s[%d]", list, i), err)
	}
}

// links validates links and notes which ports they connect.
func (v *checker) links() {
	v.linked = make(map[End]End, 2*len(v.n.Links))
	v.area = newAreas(len(v.n.Switches))
	for i := range v.n.Links {
		v.under("links", i, v.link(&v.n.Links[i]))
	}
}

// link validates a link and notes which ports it connects. Rates are in bit/s and times in picoseconds.
func (v *checker) link(l *Link) error {
	var bad fielderr.List
	need(&bad, "rate", l.Rate, unit.BitPerSecond, fastest)
	need(&bad, "delay", l.Delay, 0, longest)
	need(&bad, "interface", l.Interface, 0, longest)
	// With an end that is not there, nothing that needs both is checked.
	if a, b := v.end(l.A), v.end(l.B); a != nil || b != nil {
		bad.Under("a", a)
		bad.Under("b", b)
		return bad.Err()
	}
	bad.Under("layer", v.linkLayer(l))
	v.connect(&bad, "a", l.A, l.B)
	v.connect(&bad, "b", l.B, l.A)
	// Hosts forward nothing, so that a link of a host joins no areas.
	if l.A.Switch && l.B.Switch {
		v.area.join(l.A.Node, l.B.Node)
	}
	return bad.Err()
}

// end validates a link's end. The error has paths below the end, node and port.
func (v *checker) end(e End) error {
	var bad fielderr.List
	switch {
	case !e.Switch:
		isIndex(&bad, e.Node, len(v.n.Hosts), "node", "hosts")
		bad.Check(e.Port == 0, "port", e.Port, "0: a host has one port")
	case isIndex(&bad, e.Node, len(v.n.Switches), "node", "switches"):
		isIndex(&bad, e.Port, len(v.n.Switches[e.Node].Ports), "port", "ports of the switch")
	}
	return bad.Err()
}

// connect notes a link's end, and complains about a port that has two links. The later link stays in the map, so a
// third one is complained about too.
func (v *checker) connect(bad *fielderr.List, name string, e, to End) {
	if _, twice := v.linked[e]; twice {
		bad.Add(name, e.String(), "a port that has no link yet")
	}
	v.linked[e] = to
}

// linkLayer returns everything that is wrong with the link layer of a link. Other simulators have no credits or retry
// to compare with, so their rules are refused beside them.
func (v *checker) linkLayer(l *Link) error {
	c := l.Layer
	if c == nil {
		return nil
	}
	var bad fielderr.List
	bad.Check(!v.n.Wire.OneRing && !v.n.Wire.InOrder && !v.n.Wire.Bare, "", "a link layer",
		"Ethernet, without the rules of other simulators")
	// Apply is the time from the last bit of an ordered set until it has its effect.
	need(&bad, "apply", c.Apply, 0, longest)
	// Errors is one bit in so many; 0 is none.
	bad.Check(c.Errors == 0 || within(c.Errors, 100, mostErrors), "errors", c.Errors, "0, or one bit in 100 to %d",
		mostErrors)
	for _, way := range []struct {
		name string
		c    *Credits
		to   End
		from End
	}{{"to_a", c.ToA, l.A, l.B}, {"to_b", c.ToB, l.B, l.A}} {
		if way.c == nil {
			continue
		}
		bad.Under(way.name, way.c.validate())
		// An end that is not there has been complained about, and has nothing to look at.
		for _, e := range [2]End{way.to, way.from} {
			if v.end(e) == nil {
				bad.Under(way.name, v.creditsBeside(way.c, e))
			}
		}
	}
	if r := c.LLR; r != nil {
		bad.Under("llr", r.validate())
	}
	return bad.Err()
}

// creditsBeside complains about what an end must not have beside credits: pauses of the same priority, or an admission
// rule in place of an MMU.
func (v *checker) creditsBeside(c *Credits, e End) error {
	var bad fielderr.List
	if !e.Switch {
		h := &v.n.Hosts[e.Node]
		// PAUSE of 802.3 stops every priority, so it is not beside any channel.
		bad.Check(h.PFC&c.Channels == 0 && h.Link == pfc.LinkIgnored, e.String(), "pauses for a priority with credits",
			"one of them")
		return bad.Err()
	}
	w := &v.n.Switches[e.Node]
	p := &w.Ports[e.Port]
	bad.Check(p.PFC&c.Channels == 0 && p.Link == pfc.LinkIgnored && !w.LinkPause, e.String(),
		"pauses for a priority with credits", "one of them")
	// Credits are freed as cells leave the MMU, which a rule stands in place of.
	bad.Check(w.Rule == nil, e.String(), "an admission rule", "an MMU")
	return bad.Err()
}

// after validates the lists of flows that others wait for, and that no flow waits for itself. The sum of all lists is
// bounded, since each entry takes memory.
func (v *checker) after() {
	gates := map[gateName]bool{}
	total := 0
	for i := range v.n.Flows {
		f := &v.n.Flows[i]
		v.under("flows", i, f.validateDelay())
		// Flows with one list share a gate, and its list is checked once.
		if len(f.After) == 0 || gates[gateOf(f)] {
			continue
		}
		gates[gateOf(f)] = true
		if total += len(f.After); total > maxAwaited {
			v.bad.Add(fmt.Sprintf("flows[%d].after", i), fmt.Sprintf("%d flows or more in all lists", total),
				fmt.Sprintf("at most %d", maxAwaited))
			return
		}
		v.under("flows", i, v.awaited(f))
	}
	// A circle is looked for where all flows of the lists are there.
	if len(v.bad) == 0 && len(gates) > 0 {
		v.noCircle()
	}
}

// awaited validates the flows for which a flow waits.
func (v *checker) awaited(f *Flow) error {
	var bad fielderr.List
	for j, a := range f.After {
		// The usual case comes first, without a text: lists can have millions of entries.
		if within(a, 0, len(v.n.Flows)-1) && v.n.Flows[a].payload() > 0 &&
			(!f.Acknowledged || v.n.Flows[a].Sender.ACK.Every > 0) {
			continue
		}
		at := fmt.Sprintf("after[%d]", j)
		switch {
		case !isIndex(&bad, a, len(v.n.Flows), at, "flows"):
		// A flow without end never lets another start.
		case v.n.Flows[a].payload() <= 0:
			bad.Add(at, fmt.Sprint(a), "a flow with an end: a size above 0")
		default:
			bad.Add(at, fmt.Sprint(a), "a flow with acknowledgements, to wait for the last one")
		}
	}
	return bad.Err()
}

// noCircle complains about a flow that would wait for itself, or for a turn that never comes: it takes away all flows
// that can start, and what is left waits in circles or without end. One circle is complained about, by the first flow
// that cannot start.
func (v *checker) noCircle() {
	flows := v.n.Flows
	// members are the flows behind a gate, and missing is how many flows it still waits for.
	members, missing := map[gateName][]int{}, map[gateName]int{}
	// waited has, for each flow, the gates that wait for it.
	waited := make([][]gateName, len(flows))
	var ready []int
	for i := range flows {
		if len(flows[i].After) == 0 {
			ready = append(ready, i)
			continue
		}
		key := gateOf(&flows[i])
		if members[key] == nil {
			missing[key] = len(flows[i].After)
			for _, a := range flows[i].After {
				waited[a] = append(waited[a], key)
			}
		}
		members[key] = append(members[key], i)
	}
	// can says which flows start sooner or later. The order in which they are taken does not matter for it.
	can := make([]bool, len(flows))
	for len(ready) > 0 {
		f := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		can[f] = true
		for _, key := range waited[f] {
			missing[key]--
			switch {
			// In turn, each flow that ends lets one of the members start.
			case key.inTurn && len(members[key]) > 0:
				ready = append(ready, members[key][0])
				members[key] = members[key][1:]
			case missing[key] == 0 && !key.inTurn:
				ready = append(ready, members[key]...)
			}
		}
	}
	for i := range flows {
		if !can[i] {
			v.bad.Add(fmt.Sprintf("flows[%d].after", i), "flows that wait for each other in a circle, or without end",
				"flows that can start")
			return
		}
	}
}

// reaches tells whether links lead from one host to another. Hosts do not forward. It does not follow routes: a flow
// that they lead astray loses its frames in the run.
func (v *checker) reaches(from, to End) bool {
	a, ok := v.linked[from]
	b, also := v.linked[to]
	if !ok || !also {
		return false
	}
	// A cable from host to host needs no switch.
	if a == to {
		return true
	}
	if !a.Switch || !b.Switch || v.area.find(a.Node) != v.area.find(b.Node) {
		return false
	}
	// Of routes that a switch has of its own, those of the first switch alone are looked at.
	w := &v.n.Switches[a.Node]
	return w.Routes == nil || len(w.Routes(to.Node)) > 0
}

// validateDelay validates the time after the arrival of other flows.
func (f *Flow) validateDelay() error {
	var bad fielderr.List
	need(&bad, "delay", f.Delay, 0, longest)
	bad.Check(len(f.After) > 0 || f.Delay == 0, "delay", f.Delay,
		"0 for a flow that waits for no other: give its start")
	return bad.Err()
}

// maxAwaited is the most flows that all different lists may name together.
const maxAwaited = 1 << 22
