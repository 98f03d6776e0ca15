package fabric

import (
	"fmt"
	"strings"
)

// A network may cost this much before its first event. A usual machine has the memory beside other programs, and makes
// the steps in a few seconds. A fat tree of k = 40 (16,000 hosts, 2,000 switches) takes 250 MB and less than a second,
// one of k = 64 (65,536 hosts, 5,120 switches) 1,010 MB and some three seconds.
const (
	maxSetupBytes = 3 << 29
	maxSetupSteps = 1 << 29
)

// setup is what a network costs before its first event.
type setup struct {
	Parts []cost // with a bound on what is allocated
	Bytes int64  // of memory: an estimate that is not below what is allocated
	Steps int64  // links times searches for routes, routes, pairs of ports, and twice the pairs of flows of a host
}

// cost is how many there are of something in a network, and what each of them takes.
type cost struct {
	n, bytes int
	what     string
}

// setup returns what the network costs before its first event. It looks at lengths alone, before anything is built.
//
// What each thing takes is measured with Go 1.26 on a machine of 64 bits and rounded up; TestSetupBudget compares it
// with what a setup allocates.
func (n Network) setup() setup {
	places, links := n.places()
	// Extras are a scheduler, markers or a watchdog.
	ports, own, groups, queues, extras, lldp, layers, pairs := len(n.Hosts), 0, 0, 0, 0, 0, 0, 0
	for i := range n.Hosts {
		if n.Hosts[i].DCBX != nil {
			lldp++
		}
	}
	for i := range n.Links {
		if n.Links[i].Layer != nil {
			layers += 2 // at both ends
		}
	}
	for i := range n.Switches {
		w := &n.Switches[i]
		ports += len(w.Ports)
		for j := range w.Ports {
			if w.Ports[j].DCBX != nil {
				lldp++
			}
			if p := &w.Ports[j]; p.ETS != (Scheduler{}) || p.ECN != [Priorities]Marking{} || p.Watchdog.Detection != 0 {
				extras++
			}
		}
		// 0 slices stand for one.
		groups += len(w.MMU.Groups) * max(w.MMU.Slices, 1)
		queues += len(w.MMU.Queues) * max(w.MMU.Slices, 1)
		if w.Slice != nil {
			pairs += 2 * len(w.Ports) * len(w.Ports) // once to validate, once to keep
		}
		if w.Routes != nil {
			own += 2 * len(n.Hosts)
		}
		if len(n.Failures) > 0 {
			own += 2 * len(n.Hosts) // those without failures, and the present ones
		}
	}
	routes := places * len(n.Switches)
	// The sums are of 64 bits, which the bounds on lists (see sizes) keep from overflowing.
	c := setup{Bytes: int64(pairs) * 2, Parts: []cost{
		{ports, 3 << 9, "ports of hosts and switches"}, // with links and timers
		{routes, 8, "routes (switches times switches with hosts)"},
		{own, 64, "routes to single hosts"}, // of switches that have their own, or of all if there are failures
		{len(n.Flows), 512, "flows"},
		{n.senders(), 1 << 10, "senders"},
		{groups, 320, "groups"}, // in all slices
		{queues, 160, "queues"},
		{extras, 4 << 10, "ports with a scheduler, markers or a watchdog"},
		{len(n.Switches), 10 << 10, "switches"}, // without their ports, and the clock of a part
		{lldp, 6 << 10, "ports with DCBX"},
		{layers, 4 << 10, "ports with credits, retry or errors"},
	}}
	for _, part := range c.Parts {
		c.Bytes += int64(part.n) * int64(part.bytes)
	}
	c.Steps = int64(places)*int64(links) + int64(routes) + int64(own) + int64(pairs) + 2*n.turns()
	return c
}

// places returns how many switches have hosts, and how many links there are between switches. Links of hosts without
// a switch are in neither.
func (n Network) places() (places, links int) {
	found := map[int]bool{}
	for i := range n.Links {
		host, peer := n.Links[i].A, n.Links[i].B
		// After this, host is a switch on a link between switches alone.
		if host.Switch {
			host, peer = peer, host
		}
		switch {
		case host.Switch:
			links++
		case peer.Switch:
			found[peer.Node] = true
		}
	}
	return len(found), links
}

// turns returns how many flows are passed when all flows of a host take their turns for the first time: each looks for
// its place among those before it. Flows that wait for the same flows start together, and apart from the others.
func (n Network) turns() (steps int64) {
	type together struct {
		from int
		at   gateName
	}
	flows := map[together]int64{}
	for i := range n.Flows {
		// The zero gate is that of flows that wait for none.
		key := together{from: n.Flows[i].From}
		if len(n.Flows[i].After) > 0 {
			key.at = gateOf(&n.Flows[i])
		}
		// A flow passes those that were there before it.
		steps += flows[key]
		flows[key]++
	}
	return steps
}

// budget refuses a network that costs too much. The errors have the numbers, so that a user sees which of them to
// make smaller.
func (v *checker) budget() {
	c := v.n.setup()
	if c.Bytes > maxSetupBytes {
		var parts []string
		for _, part := range c.Parts {
			parts = append(parts, fmt.Sprintf("%d %s at %d", part.n, part.what, part.bytes))
		}
		parts[0] += " bytes"
		v.bad.Add("network", fmt.Sprintf("about %d MiB before the first event: %s", c.Bytes>>20, strings.Join(parts, ", ")),
			fmt.Sprintf("at most %d MiB, so that a run fits a usual machine", maxSetupBytes>>20))
	}
	if c.Steps > maxSetupSteps {
		places, links := v.n.places()
		v.bad.Add("network", fmt.Sprintf("about %d steps before the first event: %d searches for routes over %d links, "+
			"and the turns of the flows of each host", c.Steps, places, links),
			fmt.Sprintf("at most %d, so that a run begins within seconds", maxSetupSteps))
	}
}
