package fabric

import "fmt"

// A network may cost this much before its first event. A usual machine has the memory beside other programs, and makes
// the steps in a few seconds. A fat tree of k = 40 (16,000 hosts, 2,000 switches) takes 250 MB and less than a second,
// one of k = 64 (65,536 hosts, 5,120 switches) 1,010 MB and some three seconds.
const (
	maxSetupBytes = 3 << 29
	maxSetupSteps = 1 << 29
)

// What the parts of a network take. The numbers are measured with Go 1.26 on a machine of 64 bits and rounded up;
// TestSetupBudget compares them with what a setup allocates.
const (
	bytesOfPort   = 3 << 9   // a port of a host or a switch, with its link and timers
	bytesOfExtras = 4 << 10  // the scheduler, the markers and the watchdog of a port
	bytesOfSwitch = 10 << 10 // a switch without its ports, and the clock of a part
	bytesOfRoute  = 8        // the route of a switch to a place: see package routes
	bytesOfOwn    = 64       // a route to a host that a switch has of its own
	bytesOfFlow   = 512      // a flow
	bytesOfSender = 1 << 10  // a flow's sender
	bytesOfGroup  = 320      // a group in one slice
	bytesOfQueue  = 160      // a queue in one slice
	bytesOfLLDP   = 6 << 10  // the DCBX of a port
	bytesOfLayer  = 4 << 10  // the link layer of a port
)

// setup is what a network costs before its first event. Each number is a factor of Bytes or of Steps.
type setup struct {
	Ports    int // of hosts and switches
	Routes   int // switches times places: see package routes
	Own      int // routes to single hosts, of switches that have their own, or of all if there are failures
	Flows    int // in all
	Senders  int // flows with a Sender
	Groups   int // of all switches, in all their slices
	Queues   int // of all switches, in all their slices
	Extras   int // ports with a scheduler, markers or a watchdog
	Switches int
	LLDP     int   // ports that speak DCBX
	Layers   int   // ports whose links have credits, retry or errors
	Bytes    int64 // of memory: an estimate that is not below what is allocated
	Steps    int64 // links times searches for routes, routes, pairs of ports, and twice the pairs of flows of a host
}

// setup returns what the network costs before its first event. It looks at lengths alone, before anything is built.
func (n Network) setup() setup {
	places, links := n.places()
	c := setup{Ports: len(n.Hosts), Routes: places * len(n.Switches), Flows: len(n.Flows),
		Senders: n.senders(), Switches: len(n.Switches)}
	pairs := 0
	for i := range n.Hosts {
		if n.Hosts[i].DCBX != nil {
			c.LLDP++
		}
	}
	for i := range n.Links {
		if n.Links[i].Layer != nil {
			// Both ends of a link have a layer.
			c.Layers += 2
		}
	}
	for i := range n.Switches {
		w := &n.Switches[i]
		c.Ports += len(w.Ports)
		for j := range w.Ports {
			if w.Ports[j].DCBX != nil {
				c.LLDP++
			}
			if w.Ports[j].hasExtras() {
				c.Extras++
			}
		}
		// 0 slices stand for one.
		c.Groups += len(w.MMU.Groups) * max(w.MMU.Slices, 1)
		c.Queues += len(w.MMU.Queues) * max(w.MMU.Slices, 1)
		if w.Slice != nil {
			pairs += 2 * len(w.Ports) * len(w.Ports) // once to validate, once to keep
		}
		if w.Routes != nil {
			c.Own += 2 * len(n.Hosts)
		}
		if len(n.Failures) > 0 {
			c.Own += 2 * len(n.Hosts) // those without failures, and the present ones
		}
	}
	// The sums are of 64 bits, which the bounds on lists (see sizes) keep from overflowing.
	c.Bytes = int64(c.Ports)*bytesOfPort + int64(c.Routes)*bytesOfRoute + int64(c.Own)*bytesOfOwn +
		int64(c.Flows)*bytesOfFlow + int64(c.Senders)*bytesOfSender + int64(c.Groups)*bytesOfGroup +
		int64(c.Queues)*bytesOfQueue + int64(c.Extras)*bytesOfExtras + int64(c.Switches)*bytesOfSwitch +
		int64(c.LLDP)*bytesOfLLDP + int64(c.Layers)*bytesOfLayer + int64(pairs)*2
	c.Steps = int64(places)*int64(links) + int64(c.Routes) + int64(c.Own) + int64(pairs) + 2*n.turns()
	return c
}

// hasExtras tells whether the port has a scheduler, markers or a watchdog.
func (p *SwitchPort) hasExtras() bool {
	return p.ETS != Scheduler{} || p.ECN != [Priorities]Marking{} || p.Watchdog.Detection != 0
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
		v.bad.Add("network", fmt.Sprintf("about %d MiB before the first event: %d ports of hosts and switches at %d bytes, "+
			"%d routes (switches times switches with hosts) at %d, %d routes to single hosts at %d, %d flows at %d, "+
			"%d senders at %d, %d groups at %d, %d queues at %d, %d ports with a scheduler, markers or a watchdog at %d, "+
			"%d switches at %d, %d ports with DCBX at %d, %d ports with credits, retry or errors at %d",
			c.Bytes>>20, c.Ports, bytesOfPort, c.Routes,
			bytesOfRoute, c.Own, bytesOfOwn, c.Flows, bytesOfFlow, c.Senders, bytesOfSender, c.Groups, bytesOfGroup,
			c.Queues, bytesOfQueue, c.Extras, bytesOfExtras, c.Switches, bytesOfSwitch, c.LLDP, bytesOfLLDP, c.Layers,
			bytesOfLayer),
			fmt.Sprintf("at most %d MiB, so that a run fits a usual machine", maxSetupBytes>>20))
	}
	if c.Steps > maxSetupSteps {
		places, links := v.n.places()
		v.bad.Add("network", fmt.Sprintf("about %d steps before the first event: %d searches for routes over %d links, "+
			"and the turns of the flows of each host", c.Steps, places, links),
			fmt.Sprintf("at most %d, so that a run begins within seconds", maxSetupSteps))
	}
}
